"""Sets of row numbers as short text: what a page token carries of the hits before it.

Ascending rows as differences, seven bits a byte with the highest bit set where more follow (the
variable-length integers of Protocol Buffers), then base 85. A thousand hits spread over ten million
passages take 2,600 characters.
"""

from __future__ import annotations

import base64
from collections.abc import Collection
from typing import Final

from corpus_service.services.failures import invalid

_BITS: Final = 7
_MORE: Final = 0x80
_SHIFT_MAX: Final = 63


def write_rows(rows: Collection[int]) -> str:
    """Writes a set of rows, each at least 0."""
    written = bytearray()
    previous = -1
    for row in sorted(rows):
        difference = row - previous - 1
        previous = row
        while difference >= _MORE:
            written.append(difference & (_MORE - 1) | _MORE)
            difference >>= _BITS
        written.append(difference)
    return base64.b85encode(bytes(written)).decode("ascii")


def read_rows(text: str) -> frozenset[int]:
    """Reads a set of rows.

    Raises:
        Failure: INVALID_ARGUMENT PAGE_TOKEN_INVALID for a text that is none.
    """
    try:
        written = base64.b85decode(text)
    except ValueError:
        raise invalid("PAGE_TOKEN_INVALID", "page_token") from None
    rows: list[int] = []
    previous = -1
    difference = shift = 0
    for byte in written:
        if shift > _SHIFT_MAX:
            raise invalid("PAGE_TOKEN_INVALID", "page_token")
        difference |= (byte & (_MORE - 1)) << shift
        if byte & _MORE:
            shift += _BITS
            continue
        previous += difference + 1
        rows.append(previous)
        difference = shift = 0
    if shift:
        raise invalid("PAGE_TOKEN_INVALID", "page_token")
    return frozenset(rows)
