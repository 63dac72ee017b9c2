"""Text in two or four bytes per character: a view of it in UTF-8, and the way back to the offsets.

Sources: the Unicode Standard (3.10, encoding schemes and byte order marks).
"""

from collections.abc import Iterable
from typing import Final

from capture_service.redaction.limits import WIDE_SAMPLE_BYTES
from capture_service.redaction.scan import Span

ALIGNMENT: Final = 4
"""Bytes of the longest unit: windows of a message begin at a multiple."""
_MARKS: Final = (
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_BYTE_ORDER_MARK: Final = "\ufeff"
_MIN_UNMARKED_BYTES: Final = 16
"""Shortest text without a byte order mark that is taken for wide."""
_FEW: Final = 0.02
_MANY: Final = 0.4


def wide_encoding(start: bytes) -> str:
    """Return the encoding of a message with wide characters by its first bytes, or an empty string.

    Without a byte order mark the zero bytes decide: text of mostly ASCII has one in every second byte.
    """
    for mark, encoding in _MARKS:
        if start.startswith(mark):
            return encoding
    sample = start[:WIDE_SAMPLE_BYTES]
    if len(sample) < _MIN_UNMARKED_BYTES or b"\0" not in sample:
        return ""
    zeros = [_share_of_zeros(sample[place::4]) for place in range(4)]
    low = [share <= _FEW for share in zeros]
    high = [share >= _MANY for share in zeros]
    if low[0] and high[2] and high[3] and zeros[2] > 1 - _FEW:
        return "utf-32-le"
    if low[3] and high[0] and high[1] and zeros[1] > 1 - _FEW:
        return "utf-32-be"
    if low[0] and low[2] and high[1] and high[3]:
        return "utf-16-le"
    if low[1] and low[3] and high[0] and high[2]:
        return "utf-16-be"
    return ""


def _share_of_zeros(units: bytes) -> float:
    return units.count(0) / len(units) if units else 0.0


class WideView:
    """A window of a wide text in UTF-8."""

    __slots__ = ("_base", "_encoding", "data")

    def __init__(self, window: bytes, encoding: str) -> None:
        """Decode a window that begins at a unit; an incomplete unit at its end stays outside.

        Args:
            window: Bytes of the message.
            encoding: What ``wide_encoding`` returned.
        """
        self._encoding = encoding
        unit = 4 if "32" in encoding else 2
        whole = window[: len(window) - len(window) % unit]
        try:
            text = whole.decode(encoding, "surrogatepass")
        except UnicodeDecodeError:
            text = ""
        # Behind the mark a line begins, as some rules want.
        self._base = unit if text[:1] == _BYTE_ORDER_MARK else 0
        self.data = text.removeprefix(_BYTE_ORDER_MARK).encode("utf-8", "surrogatepass")

    def original(self, spans: Iterable[Span]) -> list[Span]:
        """Return spans of the view, in ascending order, as spans of the window."""
        found = []
        seen, offset = 0, self._base
        for span in spans:
            start = offset + self._width(seen, span.start)
            end = start + self._width(span.start, span.end)
            seen, offset = span.end, end
            canonical = self.data[span.start : span.end]
            found.append(
                span._replace(
                    start=start,
                    end=end,
                    canonical=canonical if span.canonical is None else span.canonical,
                    encoding=self._encoding,
                )
            )
        return found

    def _width(self, start: int, end: int) -> int:
        text = self.data[start:end].decode("utf-8", "surrogatepass")
        return len(text.encode(self._encoding, "surrogatepass"))
