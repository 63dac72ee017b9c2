"""Limits of text extraction, each with its unit."""

from __future__ import annotations

from typing import Final

HTML_IN_PROCESS_BYTES: Final = 64 * 1024
"""Larger HTML goes to a worker: building the tree of hostile HTML is quadratic in its depth (measured
with lexbor: 256 KiB of unclosed list items 4.4 s, 64 KiB 0.3 s)."""

HTML_TREE_BYTES_MAX: Final = 16 * 1024 * 1024
"""Larger HTML is read without building a tree, whose memory is about fifteen times its size."""

JSON_IN_PROCESS_BYTES: Final = 1024 * 1024
"""Larger JSON goes to a worker; formatting runs at more than 50 MB/s."""

XML_IN_PROCESS_BYTES: Final = 64 * 1024
"""Larger XML goes to a worker."""

PLAIN_IN_PROCESS_BYTES: Final = 8 * 1024 * 1024
"""Larger plain text and Markdown go to a worker."""

CONTENT_BYTES_MAX: Final = 16 * 1024 * 1024
"""Content above this is refused with CONTENT_TOO_LARGE; the raw artifact stays. Bytes, text and its
chunks are in memory at once, and the service stays below 200 MB."""

TEXT_BYTES_MAX: Final = 16 * 1024 * 1024
"""UTF-8 bytes of extracted text above this fail with TEXT_TOO_LARGE."""

HTML_DEPTH_MAX: Final = 1_000
"""Elements open at once above which HTML is read without building a tree."""

HTML_TAG_BYTES_MAX: Final = 64 * 1024
"""Bytes of one start tag above which HTML is read without building a tree: attributes are compared
pairwise by the parser."""

TABLE_DEPTH_MAX: Final = 6
"""Tables inside tables above this depth are read as plain blocks."""

LIST_DEPTH_MAX: Final = 20
"""Lists inside lists above this depth are indented no further."""

FRAME_URIS_MAX: Final = 100
"""Frame addresses kept per document."""

URI_CHARACTERS_MAX: Final = 8_192
"""Characters of an address that are kept; longer ones are left out."""

CLAIMS_MAX: Final = 200
"""Claims kept per document."""

TITLE_CHARACTERS_MAX: Final = 500
"""Code points of a title."""

SHELL_TEXT_CHARACTERS_MAX: Final = 200
"""A page with less visible text than this and frames or scripts is a shell."""

CHARSET_PRESCAN_BYTES: Final = 4_096
"""Bytes searched for a declaration inside the document (the HTML Standard reads 1,024)."""

CHARSET_SAMPLE_BYTES: Final = 65_536
"""Bytes that the consistency check and the detector look at."""

CHARSET_SUSPICION_MAX: Final = 0.12
"""Share of suspicious characters among the non-ASCII ones above which a declared charset is not
believed."""

LANGUAGE_SAMPLE_CHARACTERS: Final = 1_000
"""Code points that the language decision looks at."""

ARCHIVE_MEMBERS_MAX: Final = 10_000
"""Members of a ZIP container (EPUB, DOCX, ODT)."""

ARCHIVE_MEMBER_BYTES_MAX: Final = 64 * 1024 * 1024
"""Unpacked bytes of one member."""

ARCHIVE_TOTAL_BYTES_MAX: Final = 256 * 1024 * 1024
"""Unpacked bytes of all members read."""

PDF_PAGES_MAX: Final = 5_000
"""Pages of a PDF; a longer one fails with TOO_MANY_PAGES."""

WORKER_ADDRESS_SPACE_BYTES: Final = 2 * 1024 * 1024 * 1024
"""Address space of a worker process (RLIMIT_AS)."""

WORKER_CPU_SECONDS: Final = 20
"""CPU time that one extraction may take in a worker."""

WORKER_WALL_SECONDS: Final = 60.0
"""Wall-clock time that one extraction may take in a worker."""

WORKER_EXTRACTIONS_MAX: Final = 500
"""Extractions after which a worker is replaced, so that leaks of libraries stay small."""

WORKER_RESIDENT_BYTES_MAX: Final = 512 * 1024 * 1024
"""Peak resident memory after which a worker is replaced."""

WORKERS_MAX: Final = 2
"""Worker processes at once; further callers wait."""
