"""Family `local_file`: files of the player's machine, named by path alias."""
