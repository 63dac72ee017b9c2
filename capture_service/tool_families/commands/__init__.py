"""Shell commands, taken apart as far as needed to tell what a fetch wrote where. Runs nothing."""
