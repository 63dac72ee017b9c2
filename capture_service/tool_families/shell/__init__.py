"""Family `shell_command`: what a command line printed, where it is not a fetched body."""
