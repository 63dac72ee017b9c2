"""Value types of the corpus service. Pure: imports the standard library alone."""
