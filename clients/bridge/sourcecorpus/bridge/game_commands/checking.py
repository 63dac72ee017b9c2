"""Checks a command against ``game-command.schema.json``: one reason and one field, never a value of the command."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from importlib import resources
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

SCHEMA_FILE: Final = "game-command.schema.json"
# A command is small; texts of sources travel the other way.
COMMAND_BYTES_MAX: Final = 1024 * 1024

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
# Names under which an answer's text could be meant to come in.
_TEXT_NAMES: Final = frozenset(
    {"answer", "body", "content", "excerpt", "html", "markdown", "message", "messages", "quote"}
    | {"response", "snapshot", "snippet", "summary", "text", "texts", "title"}
)


class CommandRefused(Exception):  # noqa: N818 - an outcome of a command
    """A command that cannot be carried out as it is written.

    Attributes:
        reason: COMMAND_INVALID, COMMAND_UNKNOWN, FIELD_REQUIRED, FIELD_UNKNOWN, FIELD_INVALID, LOCATOR_INVALID or
            ASSISTANT_TEXT_REFUSED.
        field: Where, such as ``sources[3].ref``; empty for the command as a whole.
    """

    def __init__(self, reason: str, field: str = "") -> None:
        super().__init__(f"{reason} {field}".strip())
        self.reason = reason
        self.field = field


@functools.cache
def load_schema() -> Mapping[str, Any]:
    """The schema, which the build puts beside this module."""
    text = (resources.files(__package__) / SCHEMA_FILE).read_text(encoding="utf-8")
    schema: Mapping[str, Any] = json.loads(text)
    return schema


@functools.cache
def command_names() -> tuple[str, ...]:
    """Names of all commands, in the order of the schema."""
    return tuple(part["$ref"].rpartition("/")[2] for part in load_schema()["oneOf"])


@functools.cache
def _validator(command: str) -> Draft202012Validator:
    schema = load_schema()
    # One command's own form: its errors have a place, those of a choice between eleven forms do not.
    alone = {"$schema": schema["$schema"], "$defs": schema["$defs"], "$ref": f"#/$defs/{command}"}
    return Draft202012Validator(alone)


def check_command(document: object) -> str:
    """Check one command.

    Args:
        document: A JSON value.

    Returns:
        The command's name.

    Raises:
        CommandRefused: See the class.
    """
    if not isinstance(document, dict):
        raise CommandRefused("COMMAND_INVALID")
    name = document.get("command")
    if name is None:
        raise CommandRefused("FIELD_REQUIRED", "command")
    if name not in command_names():
        raise CommandRefused("COMMAND_UNKNOWN", "command")
    error = best_match(_validator(name).iter_errors(document))
    if error is not None:
        raise _refusal(name, error)
    broken = _no_text(document)
    if broken is not None:
        raise CommandRefused("FIELD_INVALID", broken)
    return str(name)


def _no_text(value: object, place: str = "") -> str | None:
    """The place of the first string with a lone surrogate: JSON can spell one, no request can carry it."""
    if isinstance(value, str):
        return None if value.isascii() or not _LONE_SURROGATE.search(value) else place
    if isinstance(value, dict):
        parts = [(_below(place, str(name)), part) for name, part in value.items()]
    elif isinstance(value, list):
        parts = [(f"{place}[{number}]", part) for number, part in enumerate(value)]
    else:
        return None
    return next((found for at, part in parts if (found := _no_text(part, at)) is not None), None)


def _refusal(command: str, error: ValidationError) -> CommandRefused:
    place = _place(error)
    if error.validator == "additionalProperties":
        known = error.schema.get("properties", {})
        unknown = sorted(str(name) for name in error.instance if name not in known)
        texts = [name for name in unknown if name.casefold() in _TEXT_NAMES]
        if command == "corpus_save" and texts:
            return CommandRefused("ASSISTANT_TEXT_REFUSED", _below(place, texts[0]))
        # The name of a property is the asker's own text: its place is told, and a name only if it can be none.
        shown = unknown[0] if unknown[0].isidentifier() and len(unknown[0]) <= 64 else "?"
        return CommandRefused("FIELD_UNKNOWN", _below(place, shown))
    if error.validator == "required":
        missing = [name for name in error.validator_value if name not in error.instance]
        return CommandRefused("FIELD_REQUIRED", _below(place, missing[0]))
    if error.validator == "oneOf":
        return CommandRefused("LOCATOR_INVALID", place)
    return CommandRefused("FIELD_INVALID", place)


def _place(error: ValidationError) -> str:
    place = ""
    for step in error.absolute_path:
        place = f"{place}[{step}]" if isinstance(step, int) else _below(place, str(step))
    return place


def _below(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name
