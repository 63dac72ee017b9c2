"""Patterns of exact search: a literal, or RE2 syntax, over folded lines. Pure and linear in time.

RE2 (https://github.com/google/re2) matches in time linear in the text whatever the pattern; it has no
back-references and no look-around.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import re2

from corpus_service.search.exact_view import LineView, fold_exactly, line_view
from corpus_service.search.limits import (
    FIND_BLOCK_CODE_POINTS_MAX,
    FIND_BLOCK_CODE_POINTS_MIN,
    FIND_BLOCK_WORK,
    FIND_LINE_WORK_MAX,
    MATCHES_OF_A_LINE_MAX,
    PATTERN_INSTRUCTIONS_MAX,
    PATTERN_PROGRAM_BYTES_MAX,
)

Span = tuple[int, int]

# Attempts on one line between two looks at the time.
_ATTEMPTS_AT_A_TIME: Final = 4_096
# Matches of one line that are gone through, those of nothing included.
_LINE_MATCHES_MAX: Final = 1_024
_UTF8_BYTES_MAX: Final = 4

# What means another place in a whole text than in one line of it.
_OF_ONE_LINE_ONLY: Final = re.compile(r"\\[AzQ]|\(\?[a-zA-Z-]*[ms]")


# Escapes one by one, quoted stretches whole, so that what follows an escaped backslash is none.
_ESCAPES: Final = re.compile(r"\\Q.*?(?:\\E|\Z)|\\.", re.DOTALL)


class PatternError(ValueError):
    """A pattern that RE2 refuses.

    Attributes:
        position: First code point of what is wrong, as far as RE2 tells.
        problem: RE2's words for it, without text of the pattern.
    """

    def __init__(self, position: int, problem: str) -> None:
        super().__init__(problem)
        self.position = position
        self.problem = problem


class LineTooLongError(Exception):
    """A line is too long for an expression of this size: matching could not be interrupted."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A contiguous text within one line.

    Attributes:
        folded: The text to find, folded, not empty.
    """

    folded: str

    fold_case = True
    block_code_points = FIND_BLOCK_CODE_POINTS_MAX

    def lines(self, folded_text: str, first_line: int) -> Iterator[int]:
        """Yields the numbers of lines that may match, from ``first_line`` on, ascending."""
        at = _line_start(folded_text, first_line)
        number = first_line
        counted = at
        while (at := folded_text.find(self.folded, at)) >= 0:
            number += folded_text.count("\n", counted, at)
            yield number
            counted = folded_text.find("\n", at)
            if counted < 0:
                return
            counted += 1
            at = counted
            number += 1

    def spans(self, line: LineView, check: Callable[[], None]) -> list[Span] | None:
        """Returns the spans in a line; None where the line does not match."""
        found: list[Span] = []
        attempts = 0
        at = line.text.find(self.folded)
        while at >= 0 and len(found) < MATCHES_OF_A_LINE_MAX:
            attempts += 1
            if attempts % _ATTEMPTS_AT_A_TIME == 0:
                check()
            end = at + len(self.folded)
            # Half a folded character is no match: the quotation would show more than was found.
            if line.is_whole(at, end):
                found.append((at, end))
                at = line.text.find(self.folded, end)
            else:
                at = line.text.find(self.folded, at + 1)
        return found or None


@dataclass(frozen=True, slots=True)
class Regex:
    """A pattern in RE2 syntax, case-insensitive, matched line by line.

    Attributes:
        compiled: The pattern for one line.
        whole: The same for a whole text, a line at a time; None where the two would differ.
    """

    compiled: Any
    whole: Any

    fold_case = False

    @property
    def block_code_points(self) -> int:
        """Text that is matched at a time: RE2 cannot be interrupted, and large programs are slow."""
        size: int = FIND_BLOCK_WORK // max(self.compiled.programsize, 1)
        return min(max(size, FIND_BLOCK_CODE_POINTS_MIN), FIND_BLOCK_CODE_POINTS_MAX)

    def lines(self, folded_text: str, first_line: int) -> Iterator[int]:
        """Yields the numbers of lines that may match, from ``first_line`` on, ascending."""
        start = _line_start(folded_text, first_line)
        if self.whole is None:
            for number, line in enumerate(folded_text[start:].split("\n"), start=first_line):
                if self.compiled.search(line) is not None:
                    yield number
            return
        text = folded_text[start:].encode("utf-8", "replace")
        at = counted = 0
        number = first_line
        while (match := self.whole.search(text, at)) is not None:
            number += text.count(b"\n", counted, match.start())
            yield number
            counted = text.find(b"\n", match.start()) + 1
            if not counted:
                return
            at = counted
            number += 1

    def spans(self, line: LineView, check: Callable[[], None]) -> list[Span] | None:
        """Returns the spans in a line, empty where nothing of it matched; None for no match.

        Raises:
            LineTooLongError: `FIND_LINE_WORK_MAX` would be passed.
        """
        check()
        if self._work(line.text) > FIND_LINE_WORK_MAX:
            raise LineTooLongError
        found: list[Span] = []
        matched = False
        for match in islice(self.compiled.finditer(line.text), _LINE_MATCHES_MAX):
            matched = True
            start, end = match.span()
            if start < end:
                found.append((start, end))
            if len(found) >= MATCHES_OF_A_LINE_MAX:
                break
        return found if matched else None

    def _work(self, text: str) -> int:
        """Bytes times instructions, counted where it is not small."""
        instructions: int = self.compiled.programsize
        most = len(text) * _UTF8_BYTES_MAX * instructions
        if most <= FIND_LINE_WORK_MAX:
            return most
        return len(text.encode("utf-8", "replace")) * instructions


Pattern = Literal | Regex


def literal_pattern(text: str) -> Literal | None:
    """Makes the pattern of a literal; None where nothing but white space is left."""
    folded = fold_exactly(text.replace("\n", " "), fold_case=True)
    return Literal(folded) if folded else None


def regex_pattern(text: str) -> Regex:
    """Makes the pattern of an expression.

    A character that NFKC would replace stands for its replacement and never becomes syntax: （笑） means
    brackets.

    Raises:
        PatternError: RE2 refuses it.
    """
    for escape in _ESCAPES.finditer(text):
        if escape[0] == r"\C":
            # It matches a byte: spans would divide characters.
            raise PatternError(escape.start(), "invalid escape sequence")
    source = _as_stored_text_has_it(unicodedata.normalize("NFC", text))
    compiled = _compile(text, source)
    whole = None
    if _OF_ONE_LINE_ONLY.search(source) is None:
        whole = _compile(text, f"(?m:{source})", as_bytes=True)
    return Regex(compiled, whole)


def no_check() -> None:
    """Looks at no time."""


def matching_view(
    pattern: Pattern, line: str, check: Callable[[], None] = no_check
) -> tuple[LineView, list[Span]] | None:
    """Decides whether a line matches: its view with the spans there, or None.

    Args:
        pattern: The pattern.
        line: One line.
        check: Called now and then; ends the work by raising.

    Raises:
        LineTooLongError: See `Regex.spans`.
    """
    view = line_view(line, fold_case=pattern.fold_case)
    spans = pattern.spans(view, check)
    return None if spans is None else (view, spans)


def _as_stored_text_has_it(pattern: str) -> str:
    if pattern.isascii():
        return pattern
    written = []
    for character in pattern:
        folded = unicodedata.normalize("NFKC", character)
        written.append(character if folded == character else re2.escape(folded))
    return "".join(written)


def _compile(shown: str, source: str, *, as_bytes: bool = False) -> Any:  # noqa: ANN401 - no types
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.never_nl = True
    options.max_mem = PATTERN_PROGRAM_BYTES_MAX
    try:
        compiled = re2.compile(source.encode() if as_bytes else source, options)
    except (re2.error, UnicodeEncodeError) as error:
        raise _problem(shown, error) from None
    finally:
        # The module would keep the last 128, each with its memory.
        re2.purge()
    if compiled.programsize > PATTERN_INSTRUCTIONS_MAX:
        raise PatternError(0, "pattern too large")
    return compiled


def _problem(shown: str, error: Exception) -> PatternError:
    detail = error.args[0] if error.args else b""
    message = detail.decode("utf-8", "replace") if isinstance(detail, bytes) else "invalid text"
    problem, _, fragment = message.partition(": ")
    position = shown.find(fragment) if fragment else 0
    if problem.startswith("trailing"):
        problem, position = "trailing backslash", len(shown) - 1
    return PatternError(max(position, 0), problem)


def _line_start(text: str, line: int) -> int:
    at = 0
    for _ in range(line - 1):
        at = text.find("\n", at) + 1
        if not at:
            return len(text)
    return at
