"""Takes what curl's `-w` wrote off the end of the output (curl manual, WRITE OUT variables).

The format is read from its end, each variable up to the literal text before it, so that the work
is linear whatever format and output are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_VARIABLE: Final = re.compile(r"%\{([\w.-]{1,40})\}|%%|\\[nrt\\]")
_UNREADABLE: Final = re.compile(r"%(?:header|output)\{|@")
_ESCAPES: Final = {"\\n": "\n", "\\r": "\r", "\\t": "\t", "\\\\": "\\", "%%": "%"}
_STATUS_VARIABLES: Final = frozenset(("http_code", "response_code"))
_STATUS_DIGITS: Final = 3


@dataclass(frozen=True, slots=True)
class WrittenOut:
    """Output without its last part, and the variables that stood in it."""

    body: str
    variables: Mapping[str, str]


def split_write_out(output: str, form: str) -> WrittenOut | None:
    r"""Returns body and variables, None where the end of the output does not have the form.

    Args:
        output: The output; the tool has stripped white space at its end.
        form: The format as it was given, such as `\n%{http_code}`.
    """
    if _UNREADABLE.search(form):
        return None
    literals, names = _parts(form)
    rest = output.rstrip()
    last = literals[-1].rstrip() if names else literals[-1].strip()
    if not rest.endswith(last):
        return None
    rest = rest[: len(rest) - len(last)]
    variables: dict[str, str] = {}
    for literal, name in zip(reversed(literals[:-1]), reversed(names), strict=True):
        start = _start_of_value(rest, literal, name)
        if start is None:
            return None
        value = rest[start:]
        if "\n" in value or (name in _STATUS_VARIABLES and not value.isdigit()):
            return None
        variables[name] = value
        rest = rest[: start - len(literal)]
    return WrittenOut(rest, variables)


def _start_of_value(rest: str, literal: str, name: str) -> int | None:
    """Returns where the value of a variable begins, which needs a literal before it or digits."""
    if literal:
        found = rest.rfind(literal)
        return None if found < 0 else found + len(literal)
    if name in _STATUS_VARIABLES and len(rest) >= _STATUS_DIGITS:
        return len(rest) - _STATUS_DIGITS
    return None


def _parts(form: str) -> tuple[list[str], list[str]]:
    """Returns the literal texts around the variables, one more than there are, and the names."""
    literals: list[str] = [""]
    names: list[str] = []
    end = 0
    for match in _VARIABLE.finditer(form):
        literals[-1] += form[end : match.start()]
        end = match.end()
        if match[1]:
            names.append(match[1])
            literals.append("")
        else:
            literals[-1] += _ESCAPES[match[0]]
    literals[-1] += form[end:]
    return literals, names
