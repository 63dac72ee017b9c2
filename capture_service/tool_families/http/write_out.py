"""Takes what curl's `-w` wrote off the end of the output (curl manual, WRITE OUT variables)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_VARIABLE: Final = re.compile(r"%\{(\w{1,40})\}|%%|%(?:header|output)\{[^}]{0,80}\}|\\[nrt\\]")
_ESCAPES: Final = {"\\n": "\n", "\\r": "\r", "\\t": "\t", "\\\\": "\\", "%%": "%"}
_NUMBERS: Final = frozenset(("http_code", "response_code", "num_redirects", "size_download"))


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
    pattern, names = _pattern(form)
    match = re.search(rf"{pattern}\s*\Z", output)
    if match is None:
        return None
    return WrittenOut(output[: match.start()], dict(zip(names, match.groups(), strict=True)))


def _pattern(form: str) -> tuple[str, list[str]]:
    names: list[str] = []
    parts: list[str] = []
    end = 0
    for match in _VARIABLE.finditer(form):
        parts.append(re.escape(form[end : match.start()]))
        end = match.end()
        if match[1]:
            names.append(match[1])
            parts.append(r"(\d+)" if match[1] in _NUMBERS else r"([^\n]*?)")
        elif match[0] in _ESCAPES:
            parts.append(re.escape(_ESCAPES[match[0]]))
        else:
            parts.append(r"[^\n]*?")
    parts.append(re.escape(form[end:]))
    pattern = "".join(parts)
    trailing = re.search(r"(?:\\\n|\\ |\\\t|\s)+\Z", pattern)
    return (pattern[: trailing.start()] if trailing else pattern), names
