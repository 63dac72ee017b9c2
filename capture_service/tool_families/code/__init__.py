"""Family `code_run`: code that the agent ran, with what it printed."""
