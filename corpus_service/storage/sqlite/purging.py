"""Deleted words leave the full-text index for good.

FTS5 does not rewrite its segments when a row of a contentless-delete table goes: it marks the row,
and the words stay in the file until segments are merged ("merge" command, fts5.html). Pages that
become free are zeroed (secure_delete).
"""

from __future__ import annotations

from typing import Final

import apsw

from corpus_service.limits import PURGE_PAGES_PER_STEP
from corpus_service.storage.sqlite.identity_rows import read_meta, write_meta

_PENDING: Final = "purge_pending"
_NONE: Final = "0"
_UNCHANGED: Final = 2
"""Fewer changes than this mean that "merge" found nothing more to do (fts5.html, 6.8)."""


def note_pending(connection: apsw.Connection) -> None:
    """Note, with the deletion and after it raised the epoch, that the index still holds its words."""
    write_meta(connection, _PENDING, read_meta(connection, "deletions") or _NONE)


def pending_purge(connection: apsw.Connection) -> str:
    """Return the number of the newest deletion whose words may be in the files, "" for none."""
    found = read_meta(connection, _PENDING)
    return "" if found in (None, _NONE) else str(found)


def note_done(connection: apsw.Connection, number: str) -> None:
    """Note that nothing of the deletions up to a number is left; a later one stays pending."""
    if pending_purge(connection) == number:
        write_meta(connection, _PENDING, _NONE)


def merge_step(connection: apsw.Connection, *, begin: bool) -> bool:
    """Merge some pages of the index; return whether there may be more.

    Args:
        connection: The writer, in a transaction.
        begin: Take all segments into the merge that following steps go on with.
    """
    before = connection.total_changes()
    connection.execute(
        "INSERT INTO passage_index (passage_index, rank) VALUES ('merge', ?)",
        (-PURGE_PAGES_PER_STEP if begin else PURGE_PAGES_PER_STEP,),
    )
    return connection.total_changes() - before >= _UNCHANGED


def finish_purge(connection: apsw.Connection) -> None:
    """Go on where a deletion was broken off before its words were gone."""
    number = pending_purge(connection)
    if not number:
        return
    begin = going_on = True
    while going_on:
        with connection:
            going_on = merge_step(connection, begin=begin)
        begin = False
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    with connection:
        note_done(connection, number)
