"""What a reader is shown of the sources of a run: bounded, safe, and bound to a version. Pure."""
