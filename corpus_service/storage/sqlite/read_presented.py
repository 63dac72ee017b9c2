"""Reading statements of presentation: views alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import apsw

from corpus_service.domain.run_links import RunSource
from corpus_service.domain.sources import Snapshot
from corpus_service.domain.vocabulary import RunUse
from corpus_service.storage.sqlite.read_runs import list_run_sources
from corpus_service.storage.sqlite.rows import all_rows


def list_presented(
    connection: apsw.Connection, run_id: str, *, limit: int, after: int, as_of: Snapshot
) -> Sequence[RunSource]:
    """See `PresentedSources.list_presented`."""
    sources = list_run_sources(
        connection,
        run_id,
        least_use=RunUse.DISCOVERED,
        limit=limit,
        after=after,
        as_of=as_of,
    )
    rows = [source.row for source in sources]
    met = {
        artifact: (version, title)
        for artifact, version, title in all_rows(
            connection,
            "SELECT v.artifact, v.id, v.title FROM readable_run_links AS l"  # noqa: S608 - marks
            " JOIN readable_versions AS v ON v.artifact = l.artifact AND v.sequence <= l.sequence"
            f" WHERE l.run_id = ? AND l.artifact IN ({', '.join('?' * len(rows))})"
            " ORDER BY v.row",
            (run_id, *rows),
        )
    }
    return [
        replace(source, version_id=version, title=title)
        for source in sources
        for version, title in [met.get(source.row, ("", ""))]
    ]
