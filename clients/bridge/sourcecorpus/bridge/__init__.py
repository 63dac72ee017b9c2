"""The bridge side: client stubs, the command line, and later the Sources view."""
