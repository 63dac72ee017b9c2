"""Refresh requests on their way from the corpus to a watching client, and what came of them."""
