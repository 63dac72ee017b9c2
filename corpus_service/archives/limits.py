"""Bounds of archives, each with its unit."""

from __future__ import annotations

from typing import Final

from sourcecorpus.rpc.limits import ENVELOPE_BYTES_MAX, KIBIBYTE, MEBIBYTE

MANIFEST_BYTES_MAX: Final = 64 * KIBIBYTE
# A row came in a message of 4 MiB; a control character takes six bytes in JSON.
LINE_BYTES_MAX: Final = 32 * MEBIBYTE
# What the eleven octal digits of a ustar header can say, less than 8 GiB.
TABLE_BYTES_MAX: Final = 8 * 1024 * MEBIBYTE - 1
CONTENT_BYTES_MAX: Final = ENVELOPE_BYTES_MAX
CONTENTS_BYTES_MAX: Final = 256 * 1024 * MEBIBYTE
ROWS_MAX: Final = 1_000_000_000
COMMITS_MAX: Final = 1_000_000_000_000
# Tables wait in a file until their hashes are known.
SPOOL_BUFFER_BYTES: Final = 1 * MEBIBYTE
