"""Reading statements of documents and collections: views alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

import apsw

from corpus_service.domain.documents import Collection, Document, Found, HeadedChunk, Place
from corpus_service.storage.sqlite.rows import all_rows
from sourcecorpus.rpc.failures import Failure, FailureCode

_DOCUMENT: Final = "d.source_id, d.version_id, d.title, d.kind, d.line_count, d.content_hash"


def find_titled(connection: apsw.Connection, folded_title: str, *, limit: int) -> Found:
    """See `DocumentFinder.find_titled`."""
    rows = all_rows(
        connection,
        f"SELECT count(*) OVER (), {_DOCUMENT} FROM readable_documents AS d"  # noqa: S608 - constants
        " WHERE fold_title(d.title) = ? ORDER BY d.row LIMIT ?",
        (folded_title, limit),
    )
    return Found(rows[0][0] if rows else 0, documents=[Document(*row[1:]) for row in rows])


def find_collections(connection: apsw.Connection, folded_title: str, *, limit: int) -> Found:
    """See `DocumentFinder.find_collections`."""
    rows = all_rows(
        connection,
        "SELECT count(*) OVER (), collection_id, collection_title, count(DISTINCT source)"
        " FROM readable_members"
        " WHERE collection IN (SELECT row FROM readable_sources"
        " WHERE family = 'crawl_job' AND fold_title(title) = ?)"
        " GROUP BY collection ORDER BY collection LIMIT ?",
        (folded_title, limit),
    )
    return Found(rows[0][0] if rows else 0, collections=[Collection(*row[1:]) for row in rows])


def first_document(connection: apsw.Connection, collection_id: str) -> Document | None:
    """See `DocumentFinder.first_document`."""
    collection = _source_row(connection, collection_id)
    members = _members(connection, collection)
    return _document(connection, members[0]) if members else None


def places(connection: apsw.Connection, source_id: str, *, limit: int) -> Sequence[Place]:
    """See `DocumentFinder.places`."""
    source = _source_row(connection, source_id)
    rows = all_rows(
        connection,
        "SELECT DISTINCT collection FROM readable_members WHERE source = ?"
        " ORDER BY collection LIMIT ?",
        (source, limit),
    )
    return [_place(connection, source, row[0]) for row in rows]


def place(connection: apsw.Connection, source_id: str, collection_id: str) -> Place | None:
    """See `DocumentFinder.place`."""
    source = _source_row(connection, source_id)
    collection = _source_row(connection, collection_id)
    if source not in _members(connection, collection):
        return None
    return _place(connection, source, collection)


def list_headings(connection: apsw.Connection, version_id: str) -> Sequence[HeadedChunk]:
    """See `DocumentFinder.list_headings`."""
    found = connection.execute(
        "SELECT row, chunk_count FROM passage_versions WHERE id = ?", (version_id,)
    ).fetchone()
    if found is None:
        raise Failure(FailureCode.NOT_FOUND, "VERSION_NOT_FOUND", "version_id")
    rows = all_rows(
        connection,
        "SELECT first_line, heading_path FROM readable_chunks WHERE id BETWEEN ? AND ? ORDER BY id",
        (found[0], found[0] + found[1] - 1),
    )
    return [HeadedChunk(line, tuple(json.loads(path))) for line, path in rows]


def _source_row(connection: apsw.Connection, source_id: str) -> int:
    """Returns the row of a source; 0, which no source has, where there is none."""
    found: int | None = connection.execute(
        "SELECT row FROM readable_sources WHERE id = ?", (source_id,)
    ).get
    return found or 0


def _members(connection: apsw.Connection, collection: int) -> list[int]:
    """Returns the sources of a collection in its order; a job has thousands of pages at most."""
    rows = all_rows(
        connection,
        "SELECT source FROM readable_members WHERE collection = ?"
        " GROUP BY source ORDER BY min(listing)",
        (collection,),
    )
    return [row[0] for row in rows]


def _place(connection: apsw.Connection, source: int, collection: int) -> Place:
    members = _members(connection, collection)
    position = members.index(source)
    name = connection.execute(
        "SELECT id, title FROM readable_sources WHERE row = ?", (collection,)
    ).fetchone()
    if name is None:
        raise Failure(FailureCode.DATA_LOSS, "STORE_DAMAGED")
    behind = members[position + 1 : position + 2]
    return Place(
        Collection(name[0], name[1], len(members)),
        _document(connection, members[position - 1]) if position else None,
        _document(connection, behind[0]) if behind else None,
    )


def _document(connection: apsw.Connection, source: int) -> Document:
    found = connection.execute(
        f"SELECT {_DOCUMENT} FROM readable_documents AS d WHERE d.row = ?",  # noqa: S608 - constants
        (source,),
    ).fetchone()
    if found is None:
        raise Failure(FailureCode.DATA_LOSS, "STORE_DAMAGED")
    return Document(*found)
