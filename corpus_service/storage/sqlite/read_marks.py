"""The chunks that a narrow filter admits, as one byte for each chunk of a game.

`MARKED` looks into it for about 0.1 µs a match; a look at the version of a match takes ten times as long.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import apsw

from corpus_service.storage.sqlite.rows import all_rows

# Versions that a filter may admit, about 1 µs each, and chunks of a game, a byte each.
MARKED_VERSIONS_MAX: Final = 4_096
MARKED_CHUNKS_MAX: Final = 4_194_304

MARKED: Final = "substr(:marks, passage_index.rowid, 1) = x'01'"
"""Condition of SQL on a match; ``:marks`` is what `mark_chunks` returned."""


def mark_chunks(
    connection: apsw.Connection, filters: str, bindings: Mapping[str, Any]
) -> bytes | None:
    """Mark the chunks of the versions that a filter admits.

    Args:
        connection: Inside a read transaction.
        filters: Conditions on versions ``v``, each with " AND " before it; an index should serve them.
        bindings: Their values, and ``next``, the number behind the last chunk.

    Returns:
        One byte for each chunk, the first one being chunk 1; None where more than
        `MARKED_VERSIONS_MAX` versions are admitted or the game has more than `MARKED_CHUNKS_MAX` chunks.
    """
    next_chunk: int = bindings["next"]
    if next_chunk > MARKED_CHUNKS_MAX:
        return None
    versions = all_rows(
        connection,
        "SELECT v.row, v.behind FROM readable_version_facts AS v"  # noqa: S608 - constants
        f" WHERE v.row < :next{filters} LIMIT :most",
        {**bindings, "most": MARKED_VERSIONS_MAX + 1},
    )
    if len(versions) > MARKED_VERSIONS_MAX:
        return None
    marks = bytearray(next_chunk)
    for row, behind in versions:
        marks[row - 1 : behind - 1] = b"\x01" * (behind - row)
    return bytes(marks)
