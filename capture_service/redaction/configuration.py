"""Configuration of an installation and of single games. A bad entry is refused with its position."""

import fnmatch
import json
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from capture_service.redaction.errors import ConfigurationError
from capture_service.redaction.judge import is_placeholder, is_words
from capture_service.redaction.limits import (
    MAX_CONFIGURATION_BYTES,
    MAX_CONFIGURED_RULES,
    MAX_LITERALS,
    MAX_REMEMBERED_BYTES,
    MIN_LITERAL_BYTES,
)
from capture_service.redaction.personal_data import PERSONAL_DATA_KINDS

_RULE_NAME: Final = re.compile(r"[a-z][a-z0-9-]{1,47}")
_BODY_ITEM: Final = re.compile(
    r"(?:\[(?:[^\]\\\[]|\\.)+\]|\\[dw.\-/+]|[A-Za-z0-9_:/=~-])(?P<count>\{(\d{1,4})(?:,(\d{1,4}))?\}|\?)?"
)
_MAX_BODY_WAYS: Final = 20_000
_SCOPE_KEYS: Final = frozenset(["sensitive_names", "sensitive_pointers", "personal_data", "allow"])
_KEYS: Final = _SCOPE_KEYS | {"literal_secrets", "rules", "games"}


@dataclass(frozen=True, slots=True)
class ConfiguredRule:
    """An extra token rule: a fixed prefix and a body of bounded character classes."""

    name: str
    prefix: str
    body: str


@dataclass(frozen=True, slots=True)
class Allowance:
    """A value that is never masked, with the reason why.

    Attributes:
        value: The exact value, as bytes.
        reason: Why it is no secret; shown to operators.
    """

    value: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class ScopeConfiguration:
    """What an installation or a single game adds.

    Attributes:
        sensitive_names: Field names, exact or with ``*`` and ``?``, whose value is masked whatever it is.
        sensitive_pointers: JSON pointers (RFC 6901) whose value is masked; a ``*`` part stands for any member.
        personal_data: Kinds of personal data to mask: ``email``, ``phone``, ``card``.
        allowances: Values that are never masked.
    """

    sensitive_names: tuple[str, ...] = ()
    sensitive_pointers: tuple[str, ...] = ()
    personal_data: frozenset[str] = frozenset()
    allowances: tuple[Allowance, ...] = ()


@dataclass(frozen=True, slots=True)
class RedactionConfiguration:
    """Configuration of an installation.

    Attributes:
        scope: What holds for every game.
        games: What single games add, by game id.
        rules: Extra token rules.
        literals: Extra secrets, known by their text; never shown.
    """

    scope: ScopeConfiguration = ScopeConfiguration()
    games: Mapping[str, ScopeConfiguration] = field(default_factory=dict)
    rules: tuple[ConfiguredRule, ...] = ()
    literals: tuple[bytes, ...] = field(default=(), repr=False)


def load_configuration(source: Path | str | Mapping[str, Any]) -> RedactionConfiguration:
    """Load a configuration from a TOML or JSON file, or from a mapping.

    Raises:
        ConfigurationError: An entry is wrong; the error names its position and never its value.
        OSError: The file cannot be read.
    """
    mapping = source if isinstance(source, Mapping) else _read(Path(source))
    _known_keys(mapping, _KEYS, "")
    games = mapping.get("games", {})
    if not isinstance(games, Mapping):
        raise ConfigurationError("games", "must be a table of game ids")
    return RedactionConfiguration(
        scope=_scope(mapping, ""),
        games={str(game): _game(entry, f"games.{game}") for game, entry in games.items()},
        rules=_rules(mapping.get("rules", ())),
        literals=_literals(mapping.get("literal_secrets", ())),
    )


def _read(path: Path) -> Mapping[str, Any]:
    content = path.read_bytes()
    if len(content) > MAX_CONFIGURATION_BYTES:
        raise ConfigurationError(path.name, f"longer than {MAX_CONFIGURATION_BYTES} bytes")
    try:
        text = content.decode("utf-8")
        loaded = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path.name}, byte {error.start}", "is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ConfigurationError(
            f"{path.name}, line {error.lineno}, column {error.colno}", "is not JSON"
        ) from None
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at (.*)\)", str(error))
        raise ConfigurationError(
            f"{path.name}, {place.group(1) if place else 'end'}", "is not TOML"
        ) from None
    if not isinstance(loaded, dict):
        raise ConfigurationError(path.name, "must be a table")
    return loaded


def _known_keys(mapping: Mapping[str, Any], known: frozenset[str], position: str) -> None:
    for key in mapping:
        if key not in known:
            raise ConfigurationError(
                f"{position}{key}", f"unknown entry; known are {', '.join(sorted(known))}"
            )


def _game(entry: object, position: str) -> ScopeConfiguration:
    if not isinstance(entry, Mapping):
        raise ConfigurationError(position, "must be a table")
    _known_keys(entry, _SCOPE_KEYS, position + ".")
    return _scope(entry, position + ".")


def _scope(mapping: Mapping[str, Any], position: str) -> ScopeConfiguration:
    names = _strings(mapping, "sensitive_names", position)
    for index, name in enumerate(names):
        literal = max(re.split(r"[*?\[\]]+", name), key=len)
        if len(literal) < 2 or len(name) > 64:
            raise ConfigurationError(
                f"{position}sensitive_names[{index}]", "needs 2 fixed characters and at most 64"
            )
    pointers = _strings(mapping, "sensitive_pointers", position)
    for index, pointer in enumerate(pointers):
        if not pointer.startswith("/") or re.search(r"~(?![01])", pointer):
            raise ConfigurationError(
                f"{position}sensitive_pointers[{index}]", "is no JSON pointer (RFC 6901)"
            )
    personal = _strings(mapping, "personal_data", position)
    for index, kind in enumerate(personal):
        if kind not in PERSONAL_DATA_KINDS:
            raise ConfigurationError(
                f"{position}personal_data[{index}]", f"known are {', '.join(PERSONAL_DATA_KINDS)}"
            )
    return ScopeConfiguration(
        names,
        pointers,
        frozenset(personal),
        _allowances(mapping.get("allow", ()), f"{position}allow"),
    )


def _strings(mapping: Mapping[str, Any], key: str, position: str) -> tuple[str, ...]:
    value = mapping.get(key, ())
    if (
        isinstance(value, str)
        or not isinstance(value, Sequence)
        or not all(isinstance(item, str) for item in value)
    ):
        raise ConfigurationError(f"{position}{key}", "must be a list of strings")
    if len(value) > MAX_CONFIGURED_RULES:
        raise ConfigurationError(f"{position}{key}", f"more than {MAX_CONFIGURED_RULES} entries")
    return tuple(value)


def _tables(
    value: object, position: str, required: Sequence[str], optional: Sequence[str] = ()
) -> list[Mapping[str, str]]:
    if isinstance(value, str | Mapping) or not isinstance(value, Sequence):
        raise ConfigurationError(position, "must be a list of tables")
    if len(value) > MAX_CONFIGURED_RULES:
        raise ConfigurationError(position, f"more than {MAX_CONFIGURED_RULES} entries")
    for index, entry in enumerate(value):
        if not isinstance(entry, Mapping):
            raise ConfigurationError(f"{position}[{index}]", "must be a table")
        _known_keys(entry, frozenset([*required, *optional]), f"{position}[{index}].")
        for key in required:
            if not isinstance(entry.get(key), str) or not entry[key]:
                raise ConfigurationError(f"{position}[{index}].{key}", "is missing or no string")
    return list(value)


def _allowances(value: object, position: str) -> tuple[Allowance, ...]:
    return tuple(
        Allowance(entry["value"].encode("utf-8"), entry["reason"])
        for entry in _tables(value, position, ("value", "reason"))
    )


def _rules(value: object) -> tuple[ConfiguredRule, ...]:
    rules = []
    for index, entry in enumerate(_tables(value, "rules", ("name", "prefix", "body"))):
        position = f"rules[{index}]"
        if not _RULE_NAME.fullmatch(entry["name"]):
            raise ConfigurationError(
                f"{position}.name", "needs 2 to 48 lower-case letters, digits and hyphens"
            )
        if len(entry["prefix"]) < 3 or not entry["prefix"].isascii() or " " in entry["prefix"]:
            raise ConfigurationError(
                f"{position}.prefix", "needs at least 3 ASCII characters without spaces"
            )
        _check_body(entry["body"], f"{position}.body")
        rules.append(ConfiguredRule(entry["name"], entry["prefix"], entry["body"]))
    return tuple(rules)


def _check_body(body: str, position: str) -> None:
    """Allow only bounded character classes, few of them of variable length, so that matching stays cheap."""
    offset = 0
    ways = 1
    minimum = 0
    while offset < len(body):
        item = _BODY_ITEM.match(body, offset)
        if item is None or not body.isascii():
            raise ConfigurationError(
                f"{position}, column {offset + 1}", "only classes, letters and {m,n} are allowed"
            )
        low, high = _repeat(item)
        if high < low or high > 4096:
            raise ConfigurationError(
                f"{position}, column {offset + 1}", "repeats from m to n with m ≤ n ≤ 4096"
            )
        ways *= high - low + 1
        minimum += low
        offset = item.end()
    if minimum < 4 or ways > _MAX_BODY_WAYS:
        raise ConfigurationError(
            position, "needs at least 4 characters and fewer lengths that vary"
        )
    try:
        re.compile(body)
    except re.error as error:
        raise ConfigurationError(
            f"{position}, column {(error.pos or 0) + 1}", "is no valid expression"
        ) from None


def _repeat(item: re.Match[str]) -> tuple[int, int]:
    if item.group("count") is None:
        return 1, 1
    if item.group("count") == "?":
        return 0, 1
    low = int(item.group(2))
    return low, int(item.group(3)) if item.group(3) else low


def _literals(value: object) -> tuple[bytes, ...]:
    """Read secrets from files (one per line) or environment variables: they never stand in the configuration."""
    literals: list[bytes] = []
    for index, entry in enumerate(_tables(value, "literal_secrets", (), ("file", "environment"))):
        position = f"literal_secrets[{index}]"
        if ("file" in entry) == ("environment" in entry):
            raise ConfigurationError(position, "needs either file or environment")
        if "environment" in entry:
            text = os.environb.get(str(entry["environment"]).encode(), b"")
            lines = [text]
        else:
            try:
                lines = Path(entry["file"]).read_bytes().splitlines()
            except OSError:
                raise ConfigurationError(f"{position}.file", "cannot be read") from None
        for number, line in enumerate(lines, 1):
            if line.strip():
                _check_literal(line.strip(), f"{position}, line {number}")
                literals.append(line.strip())
    if len(literals) > MAX_LITERALS:
        raise ConfigurationError("literal_secrets", f"more than {MAX_LITERALS} secrets")
    return tuple(dict.fromkeys(literals))


def _check_literal(literal: bytes, position: str) -> None:
    if not MIN_LITERAL_BYTES <= len(literal) <= MAX_REMEMBERED_BYTES:
        raise ConfigurationError(
            position, f"has not between {MIN_LITERAL_BYTES} and {MAX_REMEMBERED_BYTES} bytes"
        )
    if (
        len(set(literal)) < 5
        or is_placeholder(literal)
        or (literal.isalpha() and is_words(literal))
    ):
        raise ConfigurationError(position, "is too common to be masked wherever it stands")


def matches_name(patterns: Sequence[str], name: str) -> bool:
    """Say whether a field name fits one of the configured names, without regard to case."""
    lowered = name.lower()
    return any(fnmatch.fnmatchcase(lowered, pattern.lower()) for pattern in patterns)
