"""Detection: dispatches events to the rules and adds what only shows in a decoded view of the text."""

import re
from typing import Final

from capture_service.redaction import encodings
from capture_service.redaction.assignments import confirm_configured_name
from capture_service.redaction.families import CONFIRM, PERSONAL_FAMILIES, Family
from capture_service.redaction.json_text import StringView
from capture_service.redaction.limits import MAX_NESTED_STRINGS
from capture_service.redaction.policy import RedactionPolicy, Scope
from capture_service.redaction.scan import ENCODED, Scan, Span, WorkBudget, merge
from capture_service.redaction.upstream import confirm_upstream

_ESCAPED: Final = frozenset([b'"', b"/", b"b", b"f", b"n", b"r", b"t", b"u"])
_CLOSES_STRING: Final = re.compile(rb"(?:[^\"\\]|\\.)*\"", re.DOTALL)
# Plain numbers, because members of an enumeration are slow to compare.
_TOKEN: Final = int(Family.TOKEN)
_FIRST_INNER: Final = int(Family.FIRST_INNER)
_CONFIRM: Final = {int(family): confirm for family, confirm in CONFIRM.items()}
_PERSONAL: Final = {int(family): kind for family, kind in PERSONAL_FAMILIES.items()}
EVENT_COST: Final = 16
"""Bytes of work that one event counts for."""


class Detector:
    """Finds the spans to mask in one piece of text."""

    __slots__ = ("_policy",)

    def __init__(self, policy: RedactionPolicy) -> None:
        self._policy = policy

    def spans(
        self, data: bytes, scope: Scope, budget: WorkBudget, *, strings: bool = False
    ) -> tuple[list[Span], bool]:
        """Return merged spans in ascending order, and whether somebody masked before us.

        Args:
            data: The text.
            scope: What holds for the game.
            budget: Work that may still be done.
            strings: Whether the text is JSON, whose strings are looked at without their escapes too.

        Raises:
            RedactionRefused: The work budget is used up.
        """
        spans, upstream = self._detect(data, scope, budget, strings=strings, depth=0)
        if scope.allowed:
            spans = [span for span in spans if data[span.start : span.end] not in scope.allowed]
        return spans, upstream

    def _detect(
        self, data: bytes, scope: Scope, budget: WorkBudget, *, strings: bool, depth: int
    ) -> tuple[list[Span], bool]:
        spans: list[Span] = []
        upstream = False
        opaque: list[tuple[int, int]] = []
        # Another level only where strings hold JSON again.
        deeper = strings and depth < MAX_NESTED_STRINGS and (b'\\"' if depth else b"\\") in data
        events = self._policy.engine.events(data)
        if events:
            scan = Scan(data, budget)
            scan.strings = deeper
            if self._confirm(scan, events, scope, nested=False):
                self._look_through_escapes(scan, scope, budget)
            spans, upstream, opaque = scan.spans, scan.upstream_masked, scan.opaque
        if deeper:
            inner, masked = self._look_into_strings(data, scope, budget, depth)
            spans, upstream = spans + inner, upstream or masked
            opaque = opaque if events else Scan(data, budget).opaque
        if not spans:
            return spans, upstream
        return [_whole_escapes(data, span) for span in merge(spans, opaque)], upstream

    def _look_into_strings(
        self, data: bytes, scope: Scope, budget: WorkBudget, depth: int
    ) -> tuple[list[Span], bool]:
        """Run the rules on the text that JSON strings stand for, and bring what they find back."""
        view = StringView(data, 0, len(data))
        budget.spend(len(view.data))
        inner, upstream = self._detect(view.data, scope, budget, strings=True, depth=depth + 1)
        found = []
        for span in inner:
            start, end = view.original(span.start, span.end)
            if _CLOSES_STRING.match(data, start, end):
                continue  # it goes over the end of a string, so it is no text of one
            canonical = (
                view.data[span.start : span.end] if span.canonical is None else span.canonical
            )
            quote = b"\\" * (span.quote.count(b"\\") + bool(span.quote)) + span.quote
            found.append(span._replace(start=start, end=end, canonical=canonical, quote=quote))
        return found, upstream

    def _confirm(
        self, scan: Scan, events: list[tuple[int, int]], scope: Scope, *, nested: bool
    ) -> bool:
        """Hand every event to its rule; True when escapes of letters or digits were seen."""
        escaped = False
        tokens = self._policy.tokens
        scan.budget.spend(EVENT_COST * len(events))
        others = []
        for event in events:
            if event[1] == _TOKEN:
                tokens.confirm_head(scan, event[0])
            elif event[1] >= _FIRST_INNER:
                tokens.confirm_inner(scan, event[1], event[0])
            else:
                others.append(event)
        for anchor, family in others:
            confirm = _CONFIRM.get(family)
            if confirm is not None:
                if family in _PERSONAL and _PERSONAL[family] not in scope.personal_data:
                    continue
                confirm(scan, anchor)
            elif family == Family.ESCAPE:
                escaped = True
            elif family == Family.UPSTREAM:
                confirm_upstream(scan, anchor, tokens)
            elif family == Family.CONFIGURED_NAME:
                confirm_configured_name(scan, anchor - 1, scope.sensitive_names)
            elif not nested and family in (Family.BASE64, Family.HEX):
                self._confirm_encoded(scan, family, anchor, scope)
        return escaped

    def _confirm_encoded(self, scan: Scan, family: int, anchor: int, scope: Scope) -> None:
        def find(decoded: bytes) -> list[Span]:
            inner = Scan(decoded, scan.budget)
            self._confirm(inner, self._policy.engine.events(decoded), scope, nested=True)
            return merge(inner.spans, inner.opaque)

        confirm = encodings.confirm_base64 if family == Family.BASE64 else encodings.confirm_hex
        confirm(scan, anchor, find)

    def _look_through_escapes(self, scan: Scan, scope: Scope, budget: WorkBudget) -> None:
        """Run the rules on a view with escapes undone, and bring what they find back to the original text."""
        budget.spend(2 * len(scan.data))
        for low, high in encodings.escape_windows(scan.data):
            budget.spend(high - low)
            self._look_through_window(scan, low, high, scope)

    def _look_through_window(self, scan: Scan, low: int, high: int, scope: Scope) -> None:
        view = encodings.EscapeView(scan.data[low:high])
        inner = Scan(view.data, scan.budget)
        self._confirm(inner, self._policy.engine.events(view.data), scope, nested=False)
        for span in inner.spans:
            start, end = view.original(span.start, span.end)
            start, end = start + low, end + low
            if scan.opaque and scan.touches_placeholder(start, end):
                continue
            if end - start == span.end - span.start:
                scan.spans.append(span._replace(start=start, end=end))
            else:
                canonical = (
                    span.canonical
                    if span.canonical is not None
                    else view.data[span.start : span.end]
                )
                precedence = min(span.precedence, ENCODED)
                scan.spans.append(
                    span._replace(start=start, end=end, precedence=precedence, canonical=canonical)
                )
        scan.upstream_masked = scan.upstream_masked or inner.upstream_masked


def _whole_escapes(data: bytes, span: Span) -> Span:
    """Leave a backslash outside whose escaped character is outside, so that JSON stays JSON."""
    if data[span.end - 1] != 0x5C or data[span.end : span.end + 1] not in _ESCAPED:
        return span
    run = span.end - len(data[span.start : span.end].rstrip(b"\\")) - span.start
    return span._replace(end=span.end - 1) if run % 2 and span.end - span.start > 1 else span
