"""Links of runs inside a write transaction."""

from __future__ import annotations

from collections.abc import Sequence

from corpus_service.domain.run_links import RunLink
from corpus_service.domain.vocabulary import Instant, RunUse
from corpus_service.storage.sqlite.writing import Transaction


def link_run(
    transaction: Transaction, run_id: str, links: Sequence[RunLink], at: Instant
) -> list[RunUse | None]:
    """See `RunLinks.link_run`. What changes nothing makes no commit."""
    before = transaction.connection.total_changes()
    uses = [_link(transaction, run_id, link) for link in links]
    if transaction.connection.total_changes() != before:
        transaction.committed_time = max(transaction.committed_time, at)
    return uses


def _link(transaction: Transaction, run_id: str, link: RunLink) -> RunUse | None:
    connection = transaction.connection
    if link.version_id:
        artifact = connection.execute(
            "SELECT artifact_id FROM document_versions WHERE id = ? AND readable = 1",
            (link.version_id,),
        ).get
    else:
        artifact = connection.execute(
            "SELECT id FROM source_artifacts WHERE id = ? AND readable_sequence IS NOT NULL",
            (link.artifact_id,),
        ).get
    if artifact is None:
        return None
    connection.execute(
        "INSERT INTO run_source_links (run_id, artifact_id, use, sequence) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (run_id, artifact_id) DO UPDATE SET use = excluded.use"
        " WHERE excluded.use > use",
        (run_id, artifact, link.use, transaction.sequence),
    )
    if link.span is not None:
        connection.execute(
            "INSERT INTO run_refs (run_id, version_id, span_start, span_end, use, sequence)"
            " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET use = excluded.use"
            " WHERE excluded.use > use",
            (run_id, link.version_id, *link.span, link.use, transaction.sequence),
        )
    use = connection.execute(
        "SELECT use FROM run_source_links WHERE run_id = ? AND artifact_id = ?", (run_id, artifact)
    ).get
    return RunUse(use)
