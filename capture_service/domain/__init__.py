"""Value types of the capture service. Pure: imports the standard library alone."""
