"""Splits a shell command into simple commands and words (POSIX shell grammar, section 2.3).

Only what decides where output goes is understood. Anything beyond it (here-documents, unclosed
quotes) makes the command unreadable, and an unreadable command is kept whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from capture_service.tool_families.limits import MAXIMUM_COMMAND_CODE_POINTS

_TOKEN: Final = re.compile(
    r"""
    (?P<continued>\\\n)
    | (?P<escaped>\\.)
    | '(?P<single>[^']*)'
    | "(?P<double>(?:[^"\\]|\\.)*)"
    | (?P<comment>(?<![^\s;&|()])\#[^\n]*)
    | (?P<redirect>&>>?|>>?&?|>\||<&?|<>)
    | (?P<operator>&&|\|\||\|&|;;|[|;&()\n])
    | (?P<space>[ \t\r]+)
    | (?P<text>[^\\'"<>|;&()\s]+)
    """,
    re.VERBOSE | re.DOTALL,
)
_IN_DOUBLE: Final = re.compile(r"\\([\"\\$`])|\\\n")
_EXPANSION: Final = re.compile(r"[$`]")
_HERE_DOCUMENT: Final = re.compile(r"<<")
_DISCARDED: Final = frozenset(("/dev/null", "/dev/stderr"))


@dataclass(slots=True)
class SimpleCommand:
    """One simple command.

    Attributes:
        words: Its words, quotes removed.
        literal: For each word whether it stands for itself (no variable, no substitution).
        reads_pipe: Whether another command writes into it.
        feeds_pipe: Whether it writes into another command.
        output_file: File that its standard output is redirected to, "" for none.
    """

    words: list[str] = field(default_factory=list)
    literal: list[bool] = field(default_factory=list)
    reads_pipe: bool = False
    feeds_pipe: bool = False
    output_file: str = ""


class _Reader:
    __slots__ = ("_is_literal", "_pending_redirect", "_word", "commands", "current")

    def __init__(self) -> None:
        self.commands: list[SimpleCommand] = []
        self.current = SimpleCommand()
        self._word: str | None = None
        self._is_literal = True
        self._pending_redirect = ""

    def append(self, part: str, *, literal: bool = True) -> None:
        self._word = (self._word or "") + part
        self._is_literal = self._is_literal and literal

    def end_word(self) -> None:
        if self._word is None:
            return
        if self._pending_redirect:
            self._redirect(self._word)
        else:
            self.current.words.append(self._word)
            self.current.literal.append(self._is_literal)
        self._word, self._is_literal, self._pending_redirect = None, True, ""

    def begin_redirect(self, operator: str) -> None:
        """The digits directly before a redirection name the descriptor and are no word."""
        descriptor = self._word or ""
        if descriptor.isdigit():
            self._word, self._is_literal = None, True
        else:
            self.end_word()
            descriptor = ""
        self._pending_redirect = f"{descriptor}{operator}"

    def end_command(self, operator: str) -> None:
        self.end_word()
        piped = operator in ("|", "|&")
        if self.current.words:
            self.current.feeds_pipe = piped
            self.commands.append(self.current)
            self.current = SimpleCommand(reads_pipe=piped)

    def _redirect(self, target: str) -> None:
        operator = self._pending_redirect
        if operator.startswith("2") or "<" in operator:
            return
        if operator.endswith("&"):
            # `>&2` sends the output to the other stream, which Hermes shows as well.
            return
        self.current.output_file = "/dev/null" if target in _DISCARDED else target


def read_commands(command: str) -> list[SimpleCommand] | None:
    """Returns the simple commands in order, None where the text cannot be read with certainty."""
    if len(command) > MAXIMUM_COMMAND_CODE_POINTS or _HERE_DOCUMENT.search(command):
        return None
    reader = _Reader()
    position = 0
    while position < len(command):
        match = _TOKEN.match(command, position)
        if match is None or match.end() == position:
            return None
        _take(reader, match)
        position = match.end()
    reader.end_command("")
    return reader.commands


def _take(reader: _Reader, match: re.Match[str]) -> None:
    kind = match.lastgroup or ""
    text = match[kind] if kind else ""
    if kind == "single":
        reader.append(text)
    elif kind == "double":
        literal = _EXPANSION.search(re.sub(r"\\.", "", text, flags=re.DOTALL)) is None
        reader.append(_IN_DOUBLE.sub(lambda found: found[1] or "", text), literal=literal)
    elif kind == "escaped":
        reader.append(text[1:])
    elif kind == "text":
        reader.append(text, literal=_EXPANSION.search(text) is None)
    elif kind == "redirect":
        reader.begin_redirect(text)
    elif kind == "operator":
        reader.end_command(text)
    elif kind == "space":
        reader.end_word()
