"""Declarative settings: defaults, then a TOML file, then the environment.

A settings class is a frozen dataclass whose fields are made with ``setting``; ``table`` names its
table of the TOML file. Errors name the key and its position, never the value: values may be secret.
Imports: standard library and ``addresses``.
"""

from __future__ import annotations

import dataclasses
import math
import os
import re
import tomllib
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from sourcecorpus.rpc.addresses import Address
from sourcecorpus.rpc.limits import CONFIGURATION_FILE_BYTES_MAX

CONFIGURATION_VARIABLE: Final = "SOURCECORPUS_CONFIG"
TABLES: Final = ("runtime", "capture", "corpus", "client")
"""Tables that the TOML file may have; each settings class reads one of them."""

_VARIABLE_PATTERN: Final = re.compile(r"SOURCECORPUS_[A-Z0-9_]+")
_TRUE: Final = frozenset({"1", "true", "yes", "on"})
_FALSE: Final = frozenset({"0", "false", "no", "off"})
_DECLARATION: Final = "sourcecorpus.setting"
_HIDDEN: Final = "(set)"

Settings = TypeVar("Settings")


class SettingsError(Exception):
    """A setting cannot be used.

    Attributes:
        key: Environment variable, or ``table.key`` of the file; empty for the file as a whole.
        position: ``environment`` or ``file:line``.
    """

    def __init__(self, key: str, position: str, problem: str) -> None:
        super().__init__(": ".join(part for part in (position, key, problem) if part))
        self.key = key
        self.position = position


@dataclass(frozen=True, slots=True)
class _Declaration:
    description: str
    variable: str
    minimum: float | None
    maximum: float | None
    choices: tuple[str, ...]
    secret: bool


def setting(
    description: str,
    variable: str,
    default: object,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[str, ...] = (),
    secret: bool = False,
) -> Any:  # noqa: ANN401 - stands for the type of whichever field it is assigned to
    """Declare a field of a settings class.

    The field's type decides how text is read: str, int, float, bool, Path, Address,
    ``tuple[str, ...]`` (comma-separated in the environment), or one of these ``| None``.

    Args:
        description: One sentence for people, with the unit.
        variable: Environment variable, ``SOURCECORPUS_…``.
        default: Default value, or a function without arguments that makes it.
        minimum: Least number allowed.
        maximum: Greatest number allowed.
        choices: Allowed texts.
        secret: Never shown.

    Raises:
        ValueError: The variable does not begin with SOURCECORPUS_.
    """
    if not _VARIABLE_PATTERN.fullmatch(variable):
        raise ValueError("an environment variable of ours begins with SOURCECORPUS_")
    declaration = _Declaration(description, variable, minimum, maximum, choices, secret)
    metadata = {_DECLARATION: declaration}
    if callable(default):
        return dataclasses.field(default_factory=default, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def load(
    settings_class: type[Settings],
    *,
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """Build settings from defaults, the TOML file and the environment, the later ones winning.

    Args:
        settings_class: Frozen dataclass of ``setting`` fields with a ``table``.
        file: TOML file; None takes the path in SOURCECORPUS_CONFIG, if any.
        environment: Environment; None takes the process's own.

    Raises:
        SettingsError: Unknown key or table, a value of the wrong type or out of range, or a file
            that cannot be read.
    """
    variables = os.environ if environment is None else environment
    table: str = settings_class.table  # type: ignore[attr-defined]
    named = variables.get(CONFIGURATION_VARIABLE, "")
    path = file or (Path(named) if named else None)
    text = _read(path) if path else ""
    values = _table_of_file(text, path, table) if path else {}
    hints = typing.get_type_hints(settings_class)
    fields = {field.name: field for field in _fields(settings_class)}
    arguments: dict[str, Any] = {}
    for key, value in values.items():
        position = f"{path}:{_line_of(text, table, key)}"
        if key not in fields:
            raise SettingsError(f"{table}.{key}", position, "unknown key")
        declaration = fields[key].metadata[_DECLARATION]
        where = (f"{table}.{key}", position)
        arguments[key] = _checked(_from_toml, value, hints[key], declaration, where)
    for name, field in fields.items():
        declaration = field.metadata[_DECLARATION]
        if declaration.variable in variables:
            given = variables[declaration.variable]
            where = (declaration.variable, "environment")
            arguments[name] = _checked(_from_text, given, hints[name], declaration, where)
    return settings_class(**arguments)


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting for people.

    Attributes:
        table: Table of the TOML file.
        key: Key in that table.
        variable: Environment variable.
        kind: Type in words.
        default: Default as text.
        description: One sentence.
        value: Value in force as text; empty where no settings were given, ``(set)`` for secrets.
    """

    table: str
    key: str
    variable: str
    kind: str
    default: str
    description: str
    value: str


def describe(settings_class: type[Any], loaded: object | None = None) -> list[SettingRow]:
    """List the settings of a class in the order of declaration.

    Args:
        settings_class: The class.
        loaded: An instance whose values are shown.
    """
    hints = typing.get_type_hints(settings_class)
    rows = []
    for field in _fields(settings_class):
        declaration: _Declaration = field.metadata[_DECLARATION]
        value = "" if loaded is None else _shown(getattr(loaded, field.name))
        rows.append(
            SettingRow(
                table=settings_class.table,
                key=field.name,
                variable=declaration.variable,
                kind=" | ".join(declaration.choices) or _kind(hints[field.name]),
                default=_shown(_default(field)),
                description=declaration.description,
                value=_HIDDEN if declaration.secret and value else value,
            )
        )
    return rows


def _fields(settings_class: type[Any]) -> list[dataclasses.Field[Any]]:
    return [field for field in dataclasses.fields(settings_class) if _DECLARATION in field.metadata]


def _default(field: dataclasses.Field[Any]) -> object:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(CONFIGURATION_FILE_BYTES_MAX + 1)
    except OSError as error:
        raise SettingsError("", str(path), error.strerror or "cannot be read") from error
    if len(raw) > CONFIGURATION_FILE_BYTES_MAX:
        limit = f"larger than {CONFIGURATION_FILE_BYTES_MAX} bytes"
        raise SettingsError("", str(path), limit)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SettingsError("", str(path), f"not UTF-8 at byte {error.start}") from error


def _table_of_file(text: str, path: Path, table: str) -> dict[str, Any]:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError("", str(path), str(error)) from error
    for name, value in document.items():
        position = f"{path}:{_line_of(text, '', name)}"
        if name not in TABLES:
            raise SettingsError(name, position, f"unknown; tables are {', '.join(TABLES)}")
        if not isinstance(value, dict):
            raise SettingsError(name, position, "expected a table")
    found: dict[str, Any] = document.get(table, {})
    return found


def _line_of(text: str, table: str, key: str) -> int:
    """Line of a key inside its table, or of the table itself; 0 where it is written otherwise."""
    current = ""
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*\[\s*([^\]]+?)\s*\]", line)
        if header:
            current = header[1].strip("\"'")
            if not table and current.split(".")[0] == key:
                return number
        elif current == table:
            name = re.match(r"\s*(?:\"([^\"]*)\"|'([^']*)'|([\w-]+))\s*[=.]", line)
            if name and key in name.groups():
                return number
    return 0


def _checked(
    read: Callable[[Any, object], object],
    given: object,
    hint: object,
    declaration: _Declaration,
    where: tuple[str, str],
) -> object:
    key, position = where
    try:
        value = read(given, hint)
    except ValueError as error:
        raise SettingsError(key, position, str(error)) from error
    if declaration.choices and value not in declaration.choices:
        raise SettingsError(key, position, f"expected one of {', '.join(declaration.choices)}")
    if isinstance(value, (int, float)):
        if declaration.minimum is not None and value < declaration.minimum:
            raise SettingsError(key, position, f"must be at least {declaration.minimum:g}")
        if declaration.maximum is not None and value > declaration.maximum:
            raise SettingsError(key, position, f"must be at most {declaration.maximum:g}")
    return value


def _without_none(hint: object) -> tuple[object, bool]:
    if isinstance(hint, types.UnionType):
        kinds = [kind for kind in typing.get_args(hint) if kind is not type(None)]
        return kinds[0], len(kinds) < len(typing.get_args(hint))
    return hint, False


def _from_toml(value: object, hint: object) -> object:
    kind, _ = _without_none(hint)
    if typing.get_origin(kind) is tuple:
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        raise ValueError("expected an array of strings")
    if kind is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        return _finite(float(value))
    if kind in {bool, int, str} and type(value) is kind:
        return value
    if kind in {Path, Address} and isinstance(value, str):
        return _from_text(value, hint)
    raise ValueError(f"expected {_kind(hint)}")


def _from_text(text: str, hint: object) -> object:
    kind, optional = _without_none(hint)
    if optional and not text:
        return None
    if typing.get_origin(kind) is tuple:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    if kind is bool:
        if text.lower() not in _TRUE | _FALSE:
            raise ValueError("expected true or false")
        return text.lower() in _TRUE
    if kind in {int, float}:
        try:
            return int(text) if kind is int else _finite(float(text))
        except ValueError:
            raise ValueError(f"expected {_kind(hint)}") from None
    if kind is Path:
        if not text or "\0" in text:
            raise ValueError("expected a path")
        return Path(text).expanduser()
    return Address.parse(text) if kind is Address else text


def _finite(number: float) -> float:
    if not math.isfinite(number):
        raise ValueError("expected a finite number")
    return number


def _kind(hint: object) -> str:
    kind, optional = _without_none(hint)
    words: dict[object, str] = {
        str: "text",
        int: "whole number",
        float: "number",
        bool: "true or false",
        Path: "path",
        Address: "host:port or unix:path",
    }
    word = "list of texts" if typing.get_origin(kind) is tuple else words[kind]
    return f"{word}, optional" if optional else word


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value)
