"""Searching: text preparation, the query language, ranking plans, snippets. Pure, no I/O."""
