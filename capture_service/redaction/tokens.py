"""Confirmation of typed tokens, also where a line break or a string joint stands inside one."""

import re
from collections.abc import Sequence
from typing import Final

from capture_service.redaction.canonical import ZERO_WIDTH
from capture_service.redaction.engine import Trigger
from capture_service.redaction.judge import is_placeholder, is_words, looks_machine_made
from capture_service.redaction.limits import MAX_TOKEN_BREAKS, MAX_TOKEN_BYTES
from capture_service.redaction.scan import TYPED, Scan
from capture_service.redaction.token_rules import TokenRule
from capture_service.redaction.verdicts import remembered

_RUN: Final = re.compile(rb"[A-Za-z0-9_.+/=%:$~-]+")
_BREAK: Final = re.compile(
    rb"[\"'`]\s{0,8}(?:\+|\.(?=\s)|\\|\r?\n|&)\s{0,60}[\"'`]|=?\r?\n[ \t]{0,40}"
    rb"(?:[>#*|]+ )?|(?:\\r)?\\n[ \t]{0,40}|"
    rb"\\\r?\n[ \t]{0,40}|<br ?/?>(?:\r?\n)?[ \t]{0,40}|<wbr ?/?>|" + ZERO_WIDTH
)
_DIGEST_BEFORE: Final = re.compile(rb"(?:sha\d{1,3}|md5|h1)[=:-]\Z")
"""A digest in URL-safe base64 may begin like a token."""
_WRAPPED_RUN: Final = re.compile(rb"[A-Za-z0-9_-]{6,}(?![A-Za-z0-9_=:./-])")
MAX_BROKEN_LINE_BYTES: Final = 1_024
"""Bytes of one line of a token that is broken over lines."""
WRAP_WIDTH: Final = 60
"""Bytes a line must have before its end counts as a hard wrap inside a long token."""


class TokenRules:
    """The token table, indexed by the first bytes of the fixed part."""

    def __init__(
        self, rules: Sequence[TokenRule], head_family: int, first_inner_family: int
    ) -> None:
        self.triggers: list[Trigger] = []
        self._by_head: dict[bytes, list[tuple[bytes, TokenRule]]] = {}
        self._inner: dict[int, TokenRule] = {}
        self._first_inner = first_inner_family
        for rule in rules:
            if rule.behind is not None:
                family = first_inner_family + len(self._inner)
                self._inner[family] = rule
                self.triggers.append(Trigger(family, rule.trigger(rule.heads[0])))
                continue
            for head in rule.heads:
                self._by_head.setdefault(head[:2], []).append((head, rule))
                self.triggers.append(
                    Trigger(head_family, rule.trigger(head), width=rule.width(head))
                )

    @property
    def families(self) -> int:
        """Number of families used for tokens whose fixed part stands inside them."""
        return len(self._inner)

    def begins_like_token(self, start: bytes) -> bool:
        """Say whether text begins with the fixed first bytes of a typed token."""
        return any(
            start.startswith(head[: len(start)])
            for head, _ in self._by_head.get(start[:2], ())
            if len(head) >= 3
        )

    def confirm_head(self, scan: Scan, start: int) -> None:
        """Confirm every rule whose head stands at `start`."""
        data = scan.data
        for head, rule in self._by_head.get(data[start : start + 2], ()):
            if data.startswith(head, start) and (rule.glued or scan.at_edge(start)):
                _confirm(scan, rule, start, start, len(head))

    def confirm_inner(self, scan: Scan, family: int, end: int) -> None:
        """Confirm the rule of a family whose trigger ended at `end`."""
        rule = self._inner[family]
        head = end - rule.width(rule.heads[0])
        assert rule.behind is not None
        before = rule.behind.search(scan.data, max(0, head - rule.reach), head)
        if before is not None and scan.at_edge(before.start()):
            _confirm(scan, rule, before.start(), head, 0)


def _confirm(scan: Scan, rule: TokenRule, start: int, head: int, prefix: int) -> None:
    data = scan.data
    if _DIGEST_BEFORE.search(data, max(0, start - 8), start):
        return
    match = rule.confirm.match(data, head, scan.limit(head, MAX_TOKEN_BYTES))
    scan.budget.spend(64 if match is None else match.end() - start + 32)
    if match is None:
        _confirm_broken(scan, rule, start, head, prefix)
        return
    if "s" in rule.confirm.groupindex:
        first, last = match.span("s")
    else:
        first, last = start, match.end()
    if rule.judged and not _plausible(data[first + prefix if first == start else first : last]):
        return
    last = _extend(scan, first, last)
    scan.typed[first] = last
    scan.add(first, last, TYPED, rule.name)


@remembered
def _plausible(body: bytes) -> bool:
    if len(set(body)) < 5 or is_placeholder(body):
        return False
    digits = len(body) - len(body.translate(None, b"0123456789"))
    return digits >= 4 or (digits > 0 and body.isalnum()) or len(body) >= 60 or not is_words(body)


def _confirm_broken(scan: Scan, rule: TokenRule, start: int, head: int, prefix: int) -> None:
    """Try the rule on the text with the next line breaks and string joints taken out, one more at a time."""
    data = scan.data
    joined = bytearray()
    position = head
    for _ in range(MAX_TOKEN_BREAKS + 1):
        run = _RUN.match(data, position, position + MAX_BROKEN_LINE_BYTES)
        if run is None:
            return
        before = len(joined)
        joined += run.group()
        scan.budget.spend(len(joined) // 8 + 32)
        if before:
            match = rule.confirm.match(joined)
            if match is not None and match.end() > before:
                last = position + match.end() - before
                if not rule.judged or _plausible(bytes(joined[prefix : match.end()])):
                    scan.add(start, last, TYPED, rule.name)
                return
        gap = _BREAK.match(data, run.end())
        if gap is None or len(joined) > MAX_TOKEN_BYTES:
            return
        position = gap.end()


def _extend(scan: Scan, start: int, end: int) -> int:
    """Follow a long token over hard line wraps and string joints as long as the lines look machine-made."""
    data = scan.data
    for _ in range(MAX_TOKEN_BREAKS):
        gap = _BREAK.match(data, end)
        if gap is None:
            return end
        joint = data[end : end + 1] in b"\"'`" and end - start >= 20
        line_start = max(data.rfind(b"\n", max(0, end - 400), end) + 1, end - 400)
        if not joint and end - line_start < WRAP_WIDTH:
            return end
        run = _WRAPPED_RUN.match(data, gap.end(), gap.end() + 400)
        scan.budget.spend(500)
        if run is None or not looks_machine_made(run.group(), 6):
            return end
        end = run.end()
    return end
