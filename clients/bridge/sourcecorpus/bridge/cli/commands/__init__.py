"""One module for each subject; every command registers its own arguments and gives its exit code."""
