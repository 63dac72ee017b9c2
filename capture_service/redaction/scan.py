"""State of one scan: the bytes, the spans found so far, what must not be touched, and the work budget."""

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import Final, NamedTuple

from capture_service.redaction.canonical import ANSI
from capture_service.redaction.errors import RedactionRefused
from capture_service.redaction.placeholder import PLACEHOLDER, PLACEHOLDER_START

KEY, TYPED, STRUCTURED, NAMED, ENCODED, LOOSE = range(6)
"""Precedence of rules whose spans overlap: the lowest number names the placeholder."""

_ALNUM: Final = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_BASE64_RUN: Final = re.compile(rb"[A-Za-z0-9+/]{40}")
_ESCAPE_BEFORE: Final = re.compile(
    rb"(?:\\[nrtbfva0]|%(?:25)*[0-9A-Fa-f]{2}|\\+u00[0-9a-fA-F]{2}|\\+x[0-9a-fA-F]{2}|=3[DA]|"
    + ANSI
    + rb")\Z"
)


class Span(NamedTuple):
    """Half-open range of bytes to mask.

    Attributes:
        start: Offset of the first byte.
        end: Offset behind the last byte.
        precedence: Rank among overlapping spans, the lowest wins.
        rule: Readable rule name.
        canonical: Canonical secret where it is not simply the bytes of the span.
        quote: Bytes to put before and behind the placeholder so that a JSON number becomes a string.
        encoding: Encoding of the placeholder in text of two or four bytes per character.
    """

    start: int
    end: int
    precedence: int
    rule: str
    canonical: bytes | None = None
    quote: bytes = b""
    encoding: str = ""


@dataclass(slots=True)
class WorkBudget:
    """Bytes that rules may still look at in this message."""

    left: int

    def spend(self, count: int) -> None:
        """Take `count` bytes from the budget.

        Raises:
            RedactionRefused: The budget is used up: ``WORK_BUDGET_EXCEEDED``.
        """
        self.left -= count
        if self.left < 0:
            raise RedactionRefused("WORK_BUDGET_EXCEEDED")


class Scan:
    """What the rule families share while one piece of text is looked at."""

    __slots__ = (
        "_opaque_starts",
        "budget",
        "consumed",
        "data",
        "done",
        "opaque",
        "spans",
        "strings",
        "typed",
        "upstream_masked",
    )

    def __init__(self, data: bytes, budget: WorkBudget) -> None:
        self.data = data
        self.budget = budget
        self.spans: list[Span] = []
        self.opaque: list[tuple[int, int]] = []
        self.upstream_masked = False
        self.consumed = -1
        self.strings = False  # whether the texts inside strings are looked at by themselves
        self.typed: dict[int, int] = {}
        self.done: dict[str, int] = {}
        if PLACEHOLDER_START in data:
            self.opaque = [match.span() for match in PLACEHOLDER.finditer(data)]
        self._opaque_starts = [area[0] for area in self.opaque]

    def add(
        self,
        start: int,
        end: int,
        precedence: int,
        rule: str,
        canonical: bytes | None = None,
        *,
        quote: bytes = b"",
    ) -> None:
        """Record a span to mask; existing placeholders inside it stay as they are."""
        if start < end:
            self.spans.append(Span(start, end, precedence, rule, canonical, quote))

    def touches_placeholder(self, start: int, end: int) -> bool:
        """Say whether a placeholder of an earlier pass stands in the range."""
        if not self.opaque:
            return False
        index = bisect_left(self._opaque_starts, end) - 1
        return index >= 0 and self.opaque[index][1] > start

    def limit(self, start: int, reach: int) -> int:
        """Return where a rule that begins at `start` must stop: at the next placeholder, or after `reach` bytes."""
        index = bisect_left(self._opaque_starts, start)
        if index < len(self._opaque_starts):
            return min(start + reach, self._opaque_starts[index])
        return start + reach

    def outside(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return the parts of a range that lie outside all placeholders."""
        parts = []
        for begin, stop in self.opaque[max(0, bisect_left(self._opaque_starts, start) - 1) :]:
            if begin >= end:
                break
            if begin > start:
                parts.append((start, begin))
            start = max(start, stop)
        return [*parts, (start, end)] if start < end else parts

    def already_done(self, rule: str, position: int, end: int) -> bool:
        """Say whether a rule has looked at `position` before; if not, note that it now looks up to `end`.

        A rule that looks at a whole line, object or table looks at each byte once.
        """
        if position < self.done.get(rule, 0):
            return True
        self.done[rule] = end
        return False

    def at_edge(self, start: int) -> bool:
        """Say whether a token may begin here: nothing alphanumeric stands directly before, escapes apart."""
        if start == 0 or self.data[start - 1] not in _ALNUM:
            return start < 40 or self.data[start - 1] not in b"+/" or not self._inside_base64(start)
        before = self.data[max(0, start - 24) : start]
        return _ESCAPE_BEFORE.search(before) is not None

    def _inside_base64(self, start: int) -> bool:
        """Say whether 40 random base64 characters lead up to `start`, as in an image: no token begins there."""
        before = self.data[start - 40 : start]
        return (
            _BASE64_RUN.fullmatch(before) is not None
            and any(48 <= byte <= 57 for byte in before)
            and not before.islower()
            and not before.isupper()
        )


def merge(spans: list[Span], opaque: list[tuple[int, int]]) -> list[Span]:
    """Merge overlapping spans and cut existing placeholders out of them.

    Returns:
        Spans in ascending order that neither overlap each other nor a placeholder.
    """
    spans = sorted(spans, key=lambda span: (span.start, -span.end, span.precedence, span.rule))
    merged: list[Span] = []
    for span in spans:
        if merged and span.start < merged[-1].end:
            merged[-1] = _join(merged[-1], span)
        else:
            merged.append(span)
    return _cut(merged, opaque) if opaque else merged


def _join(first: Span, second: Span) -> Span:
    winner = min(
        first, second, key=lambda span: (span.precedence, span.start, -span.end, span.rule)
    )
    end = max(first.end, second.end)
    exact = winner.start == first.start and winner.end == end
    quote = first.quote if first.end == end and first.start <= second.start else b""
    return Span(
        first.start,
        end,
        winner.precedence,
        winner.rule,
        winner.canonical if exact else None,
        quote,
        winner.encoding,
    )


def _cut(spans: list[Span], opaque: list[tuple[int, int]]) -> list[Span]:
    pieces: list[Span] = []
    index = 0
    for span in spans:
        while index < len(opaque) and opaque[index][1] <= span.start:
            index += 1
        position = span.start
        inside = index
        while inside < len(opaque) and opaque[inside][0] < span.end:
            begin, stop = opaque[inside]
            if position < begin:
                pieces.append(span._replace(start=position, end=begin, canonical=None, quote=b""))
            position = max(position, stop)
            inside += 1
        if inside == index:
            pieces.append(span)
        elif position < span.end:
            pieces.append(span._replace(start=position, canonical=None, quote=b""))
    return pieces
