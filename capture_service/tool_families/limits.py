"""Bounds of the tool families, each with its unit. Bounds of the wire stand in `rpc.limits`."""

from __future__ import annotations

from typing import Final

MAXIMUM_DRAFTS: Final = 32_000
"""Sources of one envelope; equal to `rpc.limits.INGEST_SOURCES_MAX`. The rest is counted."""

MAXIMUM_UNWRAPPED_LEVELS: Final = 3
"""Levels of JSON in text in JSON that are opened: protocol, tool, body."""

MAXIMUM_ERROR_CODE_POINTS: Final = 4_096
"""Longest error text that is kept with a failed observation, in code points."""

MAXIMUM_REMARK_CODE_POINTS: Final = 1_000
"""Longest text of the words behind a JSON value that is kept as a remark, in code points."""

MAXIMUM_CLAIMS: Final = 200
"""Claims of one source; a page may list any number of translations."""

MAXIMUM_CLAIM_CODE_POINTS: Final = 4_096
"""Longest value of a claim, in code points. Longer ones are dropped and counted."""

MAXIMUM_MARKUP_SCANNED: Final = 262_144
"""Code points at the beginning of a page's markup that are searched for claims.

The links that carry claims belong in `head` (HTML Standard section 4.2.4), which seldom exceeds
some ten thousand code points.
"""

MAXIMUM_MARKUP_TAIL_SCANNED: Final = 65_536
"""Code points at the end of a page's markup that are searched for a license: footers hold it."""

MAXIMUM_SHELL_NOTICE_CODE_POINTS: Final = 600
"""A page whose whole text is shorter may be the notice of a script shell, in code points."""

MAXIMUM_COMMAND_CODE_POINTS: Final = 65_536
"""Longest shell command that is taken apart, in code points. Longer ones are kept whole."""

MAXIMUM_HEADERS: Final = 64
"""Safe response headers of one source."""

MAXIMUM_HEADER_CODE_POINTS: Final = 2_048
"""Longest value of a safe response header, in code points. Longer ones are left out."""

MAXIMUM_ADDRESS_DEPTH: Final = 32
"""Deepest level of model-made data that is searched for addresses."""

MAXIMUM_REMEMBERED_CALLS: Final = 4_096
"""Entries of the memory of calls of one process; the oldest leave first."""
