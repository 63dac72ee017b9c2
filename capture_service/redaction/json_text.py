"""The text that escaped strings stand for, and the way back to the offsets of their spelling.

Source: RFC 8259 (7, strings). Other backslashes stay what they are.
"""

import re
from bisect import bisect_right
from typing import Final

_ESCAPE: Final = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[\"\\/bfnrt])"
)
_UNITS: Final = re.compile(rb"(?:\\u[0-9a-fA-F]{4})+")
_SHORT: Final = (
    (b"\\n", b"\n"),
    (b"\\t", b"\t"),
    (b"\\r", b"\r"),
    (b"\\/", b"/"),
    (b"\\b", b"\b"),
    (b"\\f", b"\f"),
)
_INNER_QUOTE: Final = b"\xff"
"""A byte that no UTF-8 has, for quotes inside of texts while those around them are replaced."""


def unescaped(data: bytes) -> bytes:
    """Return the bytes with one level of escapes undone.

    The quotes that enclose strings become line ends: a text begins and ends there, and no quote inside a text
    can be taken for one of a pair with them.
    """
    return b"\\".join(map(_without_pairs, data.split(b"\\\\")))


def _without_pairs(part: bytes) -> bytes:
    """Undo the escapes of a part in which no backslash is escaped."""
    if b"\\" not in part:
        return part.replace(b'"', b"\n")
    part = part.replace(b'\\"', _INNER_QUOTE).replace(b'"', b"\n").replace(_INNER_QUOTE, b'"')
    for written, meant in _SHORT:
        part = part.replace(written, meant)
    # Last, because a unit may be a backslash itself.
    return _UNITS.sub(_decoded_units, part) if b"\\u" in part else part


def _decoded_units(match: re.Match[bytes]) -> bytes:
    units = bytes.fromhex(match.group().replace(b"\\u", b"").decode("ascii"))
    return units.decode("utf-16-be", "surrogatepass").encode("utf-8", "surrogatepass")


class StringView:
    """Text with one level of escapes undone, and the way back to the offsets of its spelling."""

    __slots__ = ("_end", "_source", "_sources", "_start", "_starts", "data")

    def __init__(self, data: bytes, start: int, end: int) -> None:
        """Decode what stands between two offsets.

        Args:
            data: The text.
            start: Offset of the first byte, no byte of an escape that began before.
            end: Offset behind the last byte.
        """
        self.data = unescaped(data[start:end])
        self._source, self._start, self._end = data, start, end
        self._starts: list[int] = []
        self._sources: list[tuple[int, int]] = []

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of the spelling that a range of the text, not empty, stands for."""
        if not self._starts:
            self._map()
        first, _ = self._locate(start)
        _, last = self._locate(end - 1)
        return first, last

    def _map(self) -> None:
        offset, position = 0, self._start
        for match in _ESCAPE.finditer(self._source, self._start, self._end):
            self._note(offset, position, match.start())
            offset += match.start() - position
            self._note(offset, *match.span())
            offset += _width(match.group())
            position = match.end()
        self._note(offset, position, self._end)

    def _note(self, offset: int, start: int, end: int) -> None:
        if start < end:
            self._starts.append(offset)
            self._sources.append((start, end))

    def _locate(self, offset: int) -> tuple[int, int]:
        """Return the range of one byte: of the whole escape where the byte comes from one."""
        index = bisect_right(self._starts, offset) - 1
        start, end = self._sources[index]
        if self._source[start] == 0x5C and end - start in _ESCAPE_WIDTHS:
            escape = _ESCAPE.match(self._source, start, end)
            if escape is not None and escape.end() == end:
                return start, end
        inside = offset - self._starts[index]
        return start + inside, start + inside + 1


_ESCAPE_WIDTHS: Final = (2, 6, 12)


def _width(escape: bytes) -> int:
    """Return the bytes of UTF-8 that an escape stands for."""
    if len(escape) != 6:
        return 1 if len(escape) == 2 else 4
    code = int(escape[2:].decode("ascii"), 16)
    return 1 if code < 0x80 else 2 if code < 0x800 else 3
