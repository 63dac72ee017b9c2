"""Masks that somebody else made before us: they stay, and the capture records that they are there.

Source: the masks of the Hermes agent keep six leading and four trailing characters of a long token, write
``***`` for a short value, and put the prefix of a token into ``«redacted:…»``.
"""

import re
from typing import Final

from capture_service.redaction.scan import Scan
from capture_service.redaction.tokens import TokenRules

_MASKED: Final = re.compile(rb"[A-Za-z0-9_.-]{6}\.\.\.[A-Za-z0-9_-]{4}(?![A-Za-z0-9_-])")


def confirm_upstream(scan: Scan, position: int, tokens: TokenRules) -> None:
    """Record a foreign mask whose trigger ended at `position`."""
    data = scan.data
    if data[position - 1] == 0x3A:
        scan.upstream_masked = True
        return
    start = position - 13
    if (
        _MASKED.match(data, start)
        and scan.at_edge(start)
        and tokens.begins_like_token(data[start : start + 6])
    ):
        scan.upstream_masked = True
