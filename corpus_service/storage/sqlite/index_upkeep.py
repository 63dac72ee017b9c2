"""Keeps the full-text index in step with the preparation of texts that this program has."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import apsw

from corpus_service.storage.preparation import prepared_heading
from corpus_service.storage.sqlite.identity_rows import raise_epoch, read_meta, write_meta


@dataclass(frozen=True, slots=True)
class IndexPreparation:
    """How texts are prepared for the index: a pure function and the version of what it gives."""

    version: str
    prepare: Callable[[str], str]


def bring_index_up_to_date(connection: apsw.Connection, preparation: IndexPreparation) -> None:
    """Make the index again where another version of the preparation made it.

    One transaction: a crash leaves the old index. Scores change, so page tokens become void.
    """
    recorded = read_meta(connection, "preparation_version")
    if recorded == preparation.version:
        return
    with connection:
        if recorded is not None:
            connection.execute("INSERT INTO passage_index (passage_index) VALUES ('delete-all')")
            connection.executemany(
                "INSERT INTO passage_index (rowid, heading, body) VALUES (?, ?, ?)",
                _entries(connection, preparation),
            )
            raise_epoch(connection)
        write_meta(connection, "preparation_version", preparation.version)


def _entries(
    connection: apsw.Connection, preparation: IndexPreparation
) -> Iterator[tuple[int, str, str]]:
    for chunk, title, headings, text in connection.execute(
        "SELECT c.id, v.title, c.heading_path, c.text FROM source_chunks AS c"
        " JOIN document_versions AS v ON v.row = c.id - c.ordinal ORDER BY c.id"
    ):
        body = preparation.prepare(text)
        if body:
            yield chunk, prepared_heading(preparation.prepare, title, json.loads(headings)), body
