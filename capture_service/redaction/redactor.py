"""The redactor: segments a message, detects, and splices placeholders into the original bytes."""

from collections import Counter
from collections.abc import Iterable, Sequence
from types import MappingProxyType
from typing import Final

from capture_service.redaction.canonical import canonical_secret
from capture_service.redaction.detector import Detector
from capture_service.redaction.errors import RedactionRefused
from capture_service.redaction.limits import (
    CONTEXT_BYTES,
    LOOKAHEAD_BYTES,
    MAX_VERDICTS,
    SEGMENT_BYTES,
    WORK_FLOOR_BYTES,
    WORK_PER_BYTE,
)
from capture_service.redaction.literals import SessionMemory
from capture_service.redaction.policy import RedactionPolicy, Scope
from capture_service.redaction.result import (
    NO_COUNTS,
    Finding,
    HeadersResult,
    RedactionResult,
    TextResult,
)
from capture_service.redaction.scan import LOOSE, Span, WorkBudget, merge
from capture_service.redaction.structured import structured_spans
from capture_service.redaction.verdicts import forget
from capture_service.redaction.wide_text import ALIGNMENT, WideView, wide_encoding

_SPACE: Final = b" \t\r\n\xef\xbb\xbf"
"""White space of JSON, and the byte order mark before it."""
LEADING_SPACE_BYTES: Final = 1_024
"""Bytes of white space before the first bracket of JSON."""
_CUT_SEARCH_BYTES: Final = 8_192
"""Bytes before the wanted cut in which a line end is looked for."""


class Redactor:
    """Masks secrets in bytes. Built once per process; safe to use from several threads.

    The same input gives the same output on every engine, in one piece or in a stream.
    """

    def __init__(self, policy: RedactionPolicy) -> None:
        self._policy = policy
        self._detector = Detector(policy)

    @property
    def policy(self) -> RedactionPolicy:
        """The policy this redactor applies."""
        return self._policy

    def redact(
        self,
        data: bytes,
        *,
        media_type: str = "",
        game_id: str = "",
        memory: SessionMemory | None = None,
    ) -> RedactionResult:
        """Mask the secrets of a message.

        Args:
            data: Any bytes; they are never decoded as a whole.
            media_type: Media type as declared; JSON decides whether configured pointers are followed.
            game_id: Game whose configuration joins that of the installation.
            memory: Secrets of the conversation so far; those found here join it.

        Raises:
            RedactionRefused: The message cannot be redacted and must be quarantined.
        """
        stream = self.stream(media_type=media_type, game_id=game_id, memory=memory)
        return stream.run(data)

    def redact_text(
        self, text: str, *, game_id: str = "", memory: SessionMemory | None = None
    ) -> TextResult:
        """Mask the secrets of a header value, an error message or another short text."""
        data = text.encode("utf-8", "surrogatepass")
        result = self.redact(data, game_id=game_id, memory=memory)
        if result.data is data:
            return TextResult(text)
        return TextResult(result.data.decode("utf-8", "surrogatepass"), result.counts)

    def redact_url(
        self, url: str, *, game_id: str = "", memory: SessionMemory | None = None
    ) -> TextResult:
        """Mask the secrets of a URL: user part, parameters, tokens in the path."""
        return self.redact_text(url, game_id=game_id, memory=memory)

    def redact_headers(
        self,
        headers: Sequence[tuple[str, str]],
        *,
        game_id: str = "",
        memory: SessionMemory | None = None,
    ) -> HeadersResult:
        """Mask the secrets of header fields; each is judged together with its name."""
        counts: Counter[str] = Counter()
        fields: list[tuple[str, str]] = []
        for name, value in headers:
            line = self.redact_text(f"{name}: {value}", game_id=game_id, memory=memory)
            counts.update(line.counts)
            head, separator, tail = line.text.partition(": ")
            fields.append((name, tail) if separator and head == name else (head, tail))
        return HeadersResult(tuple(fields), MappingProxyType(dict(counts)) if counts else NO_COUNTS)

    def stream(
        self, *, media_type: str = "", game_id: str = "", memory: SessionMemory | None = None
    ) -> "StreamingRedactor":
        """Return a redactor for one message that arrives in chunks; its output equals that of one pass."""
        return StreamingRedactor(
            self._policy, self._detector, media_type, self._policy.scope_of(game_id), memory
        )


class StreamingRedactor:
    """Redacts one message chunk by chunk.

    A message is cut into segments at places that depend on its bytes alone, so the chunks do not show in the
    output. At most ``SEGMENT_BYTES + LOOKAHEAD_BYTES + CONTEXT_BYTES`` bytes are held back; a message whose JSON
    is walked for configured pointers is held back as a whole, up to ``MAX_STRUCTURED_BYTES``.
    """

    __slots__ = (
        "_budget",
        "_buffer",
        "_context",
        "_counts",
        "_detector",
        "_encoding",
        "_findings",
        "_media_type",
        "_memory",
        "_offset",
        "_placeholders",
        "_policy",
        "_scope",
        "_strings",
        "_upstream",
    )

    def __init__(
        self,
        policy: RedactionPolicy,
        detector: Detector,
        media_type: str,
        scope: Scope,
        memory: SessionMemory | None,
    ) -> None:
        self._policy = policy
        self._detector = detector
        self._media_type = media_type
        self._scope = scope
        self._memory = memory
        self._budget = WorkBudget(WORK_FLOOR_BYTES)
        self._buffer = b""
        self._context = 0
        self._offset = 0
        self._counts: Counter[str] = Counter()
        self._findings: list[Finding] = []
        self._upstream = False
        self._placeholders: dict[tuple[str, bytes], bytes] = {}
        self._encoding: str | None = None
        self._strings: bool | None = None

    def feed(self, chunk: bytes) -> bytes:
        """Take the next bytes and return those that are safe to pass on.

        Raises:
            RedactionRefused: The message must be quarantined; nothing more may be passed on.
        """
        self._buffer += chunk
        if self._scope.sensitive_pointers:
            return b""
        return b"".join(self._full_segments())

    def finish(self) -> RedactionResult:
        """Return the rest of the message, and what was masked in all of it.

        Raises:
            RedactionRefused: The message must be quarantined.
        """
        pieces = list(self._full_segments()) if not self._scope.sensitive_pointers else []
        pieces.append(self._last())
        return self._result(b"".join(pieces) if len(pieces) > 1 else pieces[0])

    def run(self, data: bytes) -> RedactionResult:
        """Redact a whole message."""
        if len(data) <= SEGMENT_BYTES + LOOKAHEAD_BYTES:
            self._buffer = data
            return self._result(self._last())
        pieces = [self.feed(data)] if self._scope.sensitive_pointers else []
        if not pieces:
            step = SEGMENT_BYTES
            pieces = [self.feed(data[start : start + step]) for start in range(0, len(data), step)]
        last = self.finish()
        pieces.append(last.data)
        output = b"".join(pieces) if last.findings else data
        return RedactionResult(output, last.counts, last.upstream_masked, last.findings)

    def _result(self, data: bytes) -> RedactionResult:
        if not self._findings:
            return RedactionResult(data, NO_COUNTS, self._upstream)
        forget()
        return RedactionResult(
            data, MappingProxyType(dict(self._counts)), self._upstream, tuple(self._findings)
        )

    def _full_segments(self) -> Iterable[bytes]:
        while len(self._buffer) - self._context > SEGMENT_BYTES + LOOKAHEAD_BYTES:
            window = self._buffer[: self._context + SEGMENT_BYTES + LOOKAHEAD_BYTES]
            spans = self._find(window)
            cut = _cut(window, spans, self._context)
            yield self._splice(window, spans, cut)
            keep = max(0, cut - CONTEXT_BYTES)
            keep -= keep % ALIGNMENT
            self._offset += keep
            self._buffer = self._buffer[keep:]
            self._context = cut - keep

    def _last(self) -> bytes:
        spans = self._find(self._buffer)
        return self._splice(self._buffer, spans, len(self._buffer))

    def _find(self, window: bytes) -> list[Span]:
        if self._encoding is None:
            self._encoding = wide_encoding(window)
        self._budget.left += WORK_PER_BYTE * (len(window) - self._context)
        try:
            return self._find_anywhere(window)
        except RedactionRefused:
            forget()
            raise

    def _find_anywhere(self, window: bytes) -> list[Span]:
        spans = self._find_in(window)
        if self._encoding:
            view = WideView(window, self._encoding)
            self._budget.left += WORK_PER_BYTE * len(view.data)
            wide = view.original(self._find_in(view.data))
            return merge(spans + wide, []) if spans and wide else spans or wide
        return spans

    def _find_in(self, text: bytes) -> list[Span]:
        if self._strings is None:
            self._strings = text[:LEADING_SPACE_BYTES].lstrip(_SPACE)[:1] in (b"{", b"[")
        spans, upstream = self._detector.spans(
            text, self._scope, self._budget, strings=self._strings
        )
        self._upstream = self._upstream or upstream
        extra: list[Span] = []
        if self._scope.sensitive_pointers:
            extra += structured_spans(text, self._media_type, self._scope.sensitive_pointers)
        if self._policy.literals is not None:
            extra += self._policy.literals.spans(text, "configured-secret")
        if self._memory is not None:
            self._remember(text, spans)
            extra += self._memory.spans(text)
        return merge(spans + extra, []) if extra else spans

    def _remember(self, window: bytes, spans: list[Span]) -> None:
        assert self._memory is not None
        for span in spans:
            if span.precedence < LOOSE or span.rule in ("password", "secret"):
                canonical = _canonical(window, span)
                self._memory.remember(canonical)
                written = window[span.start : span.end]
                if written != canonical and span.canonical is None:
                    self._memory.remember(written)

    def _placeholder(self, window: bytes, span: Span) -> bytes:
        written = window[span.start : span.end] if span.canonical is None else span.canonical
        placeholder = self._placeholders.get((span.rule, written))
        if placeholder is None:
            placeholder = self._policy.key.placeholder(span.rule, canonical_secret(written))
            if len(self._placeholders) >= MAX_VERDICTS:
                self._placeholders.clear()
            self._placeholders[span.rule, written] = placeholder
        return placeholder

    def _splice(self, window: bytes, spans: list[Span], cut: int) -> bytes:
        position = self._context
        pieces: list[bytes] = []
        for span in spans:
            if span.end <= position or span.start >= cut:
                continue
            start = max(span.start, position)
            pieces.append(window[position:start])
            mask = span.quote + self._placeholder(window, span) + span.quote
            pieces.append(mask.decode("ascii").encode(span.encoding) if span.encoding else mask)
            self._counts[span.rule] += 1
            self._findings.append(Finding(span.rule, self._offset + start, self._offset + span.end))
            position = span.end
        if not pieces and position == 0 and cut == len(window):
            return window
        pieces.append(window[position:cut])
        return b"".join(pieces)


def _canonical(window: bytes, span: Span) -> bytes:
    return canonical_secret(
        window[span.start : span.end] if span.canonical is None else span.canonical
    )


def _cut(window: bytes, spans: list[Span], context: int) -> int:
    """Return where the segment ends: a line end near the wanted place, never inside a span."""
    wanted = context + SEGMENT_BYTES
    newline = window.rfind(b"\n", wanted - _CUT_SEARCH_BYTES, wanted)
    cut = newline + 1 if newline >= 0 else wanted
    for span in spans:
        if span.start < cut < span.end:
            return span.start if span.start > context + SEGMENT_BYTES // 2 else span.end
    return cut
