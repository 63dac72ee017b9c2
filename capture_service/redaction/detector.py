"""Detection: dispatches events to the rules and adds what only shows in a decoded view of the text."""

from typing import Final

from capture_service.redaction import encodings
from capture_service.redaction.assignments import confirm_configured_name
from capture_service.redaction.families import CONFIRM, PERSONAL_FAMILIES, Family
from capture_service.redaction.policy import RedactionPolicy, Scope
from capture_service.redaction.scan import ENCODED, Scan, Span, WorkBudget, merge
from capture_service.redaction.upstream import confirm_upstream

_ESCAPED: Final = frozenset([b'"', b"/", b"b", b"f", b"n", b"r", b"t", b"u"])
EVENT_COST: Final = 16
"""Bytes of work that one event counts for."""


class Detector:
    """Finds the spans to mask in one piece of text."""

    __slots__ = ("_policy",)

    def __init__(self, policy: RedactionPolicy) -> None:
        self._policy = policy

    def spans(self, data: bytes, scope: Scope, budget: WorkBudget) -> tuple[list[Span], bool]:
        """Return merged spans in ascending order, and whether somebody masked before us.

        Raises:
            RedactionRefused: The work budget is used up.
        """
        events = self._policy.engine.events(data)
        if not events:
            return [], False
        scan = Scan(data, budget)
        escaped = self._confirm(scan, events, scope, nested=False)
        if escaped:
            self._look_through_escapes(scan, scope, budget)
        spans = [_whole_escapes(data, span) for span in merge(scan.spans, scan.opaque)]
        if scope.allowed:
            spans = [span for span in spans if data[span.start : span.end] not in scope.allowed]
        return spans, scan.upstream_masked

    def _confirm(
        self, scan: Scan, events: list[tuple[int, int]], scope: Scope, *, nested: bool
    ) -> bool:
        """Hand every event to its rule; True when escapes of letters or digits were seen."""
        escaped = False
        tokens = self._policy.tokens
        scan.budget.spend(EVENT_COST * len(events))
        for anchor, family in events:
            if family == Family.TOKEN:
                tokens.confirm_head(scan, anchor)
            elif family >= Family.FIRST_INNER:
                tokens.confirm_inner(scan, family, anchor)
        for anchor, family in events:
            confirm = CONFIRM.get(family)
            if confirm is not None:
                if family in PERSONAL_FAMILIES and not _wanted(family, scope):
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


def _wanted(family: int, scope: Scope) -> bool:
    return PERSONAL_FAMILIES[Family(family)] in scope.personal_data
