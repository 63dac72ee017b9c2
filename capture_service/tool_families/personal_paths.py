"""Keeps folders of a person out of keys, errors and metadata."""

from __future__ import annotations

from sourcecorpus.identity import PathAliases


def aliased(words: str, aliases: PathAliases) -> str:
    """Returns a text with the folders of the configured roots replaced by their `file:` URIs.

    Args:
        words: A command line or an error text, not the content of a source.
        aliases: The roots.
    """
    for alias, directory in sorted(aliases.roots.items(), key=lambda root: -len(root[1])):
        if len(directory) > 1:
            words = words.replace(directory, f"file:///{alias}")
    return words
