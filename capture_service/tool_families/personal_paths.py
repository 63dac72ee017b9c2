"""Keeps folders of a person out of keys, errors and metadata."""

from __future__ import annotations

from typing import Final

from capture_service.domain.sources import JsonValue
from capture_service.tool_families.values import JsonObject
from sourcecorpus.identity import PathAliases

_PATH_ARGUMENTS: Final = frozenset(
    ("path", "paths", "file_path", "filename", "file", "workdir", "cwd", "directory", "root")
)


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


def aliased_arguments(arguments: JsonObject, aliases: PathAliases) -> dict[str, JsonValue]:
    """Returns arguments that can stand in a key: paths as `file:` URIs, folders replaced.

    Args:
        arguments: Arguments of a call.
        aliases: The roots.
    """
    return {name: _aliased(name, value, aliases) for name, value in arguments.items()}


def _aliased(name: str, value: JsonValue, aliases: PathAliases) -> JsonValue:
    if isinstance(value, str):
        is_path = name in _PATH_ARGUMENTS and bool(value)
        return aliases.to_uri(value) if is_path else aliased(value, aliases)
    if isinstance(value, list):
        return [_aliased(name, item, aliases) if isinstance(item, str) else item for item in value]
    return value
