"""The transaction of one deletion.

Rows are found through temporary tables of row numbers: a source may have many observations, and
contents, envelopes and parents have no index for this rare question, so each table is scanned once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import apsw

from corpus_service.domain.deletions import Deletion, DeletionResult
from corpus_service.limits import RELATED_SOURCES_SHOWN_MAX
from corpus_service.storage.sqlite.blob_rows import BlobTable
from corpus_service.storage.sqlite.identity_rows import epoch_of, raise_epoch
from corpus_service.storage.sqlite.purging import note_pending
from corpus_service.storage.sqlite.remaining_rows import recompute_source
from corpus_service.storage.sqlite.rows import all_rows
from corpus_service.storage.sqlite.writing import Transaction
from sourcecorpus.rpc.failures import Failure, FailureCode

_LISTS: Final = ("gone_artifacts", "gone_observations", "gone_envelopes", "gone_hashes")


def delete(transaction: Transaction, deletion: Deletion) -> DeletionResult:
    """Delete what is named; refuses before the first row is written.

    Raises:
        Failure: See `SourceDeleter.delete_source`.
    """
    return _Deletion(transaction, deletion).run()


class _Deletion:
    def __init__(self, transaction: Transaction, deletion: Deletion) -> None:
        self._transaction = transaction
        self._connection: apsw.Connection = transaction.connection
        self._deletion = deletion

    def run(self) -> DeletionResult:
        source, artifact = self._find()
        self._transaction.committed_time = self._deletion.deleted_time
        whole = artifact is None or not self._would_remain(source, artifact)
        self._list_rows(source, None if whole else artifact)
        result = self._describe(source, whole)
        self._bury()
        self._delete_texts()
        self._delete_observations(source, whole)
        contents = self._delete_contents()
        if whole:
            self._run(
                "DELETE FROM refresh_requests WHERE source_id = ?", (self._deletion.source_id,)
            )
            self._run("DELETE FROM sources WHERE row = ?", (source,))
            current = ""
        else:
            current = recompute_source(self._transaction, source)
        for name in _LISTS:
            self._run(f"DROP TABLE temp.{name}")
        raise_epoch(self._connection)
        note_pending(self._connection)
        return DeletionResult(*result, *contents, *self._rest, current, self._related)

    def _find(self) -> tuple[int, int | None]:
        wanted = self._deletion
        source = self._value("SELECT row FROM sources WHERE id = ?", (wanted.source_id,))
        if not wanted.version_id:
            if source is None:
                raise Failure(FailureCode.NOT_FOUND, "SOURCE_NOT_FOUND", "source_id")
            return source, None
        artifact = self._value(
            "SELECT artifact FROM document_versions WHERE id = ? AND source = ?",
            (wanted.version_id, source),
        )
        if artifact is not None and source is not None:
            return source, artifact
        if self._value(
            "SELECT 1 FROM deleted_versions WHERE version_id = ? AND source_id = ?",
            (wanted.version_id, wanted.source_id),
        ):
            raise Failure(FailureCode.FAILED_PRECONDITION, "VERSION_DELETED", "version_id")
        if source is None:
            raise Failure(FailureCode.NOT_FOUND, "SOURCE_NOT_FOUND", "source_id")
        raise Failure(FailureCode.NOT_FOUND, "VERSION_NOT_FOUND", "version_id")

    def _would_remain(self, source: int, artifact: int) -> bool:
        return bool(
            self._value(
                "SELECT 1 FROM observations WHERE source = ? AND verdict = 0"
                " AND artifact IS NOT ? LIMIT 1",
                (source, artifact),
            )
        )

    def _list_rows(self, source: int, artifact: int | None) -> None:
        for name in _LISTS:
            kind = "TEXT" if name == "gone_hashes" else "INTEGER"
            self._run(f"CREATE TEMP TABLE {name} (value {kind} PRIMARY KEY) WITHOUT ROWID")
        one = {"source": source, "artifact": artifact}
        self._run(
            "INSERT INTO gone_artifacts SELECT row FROM source_artifacts"
            " WHERE source = :source AND (:artifact IS NULL OR row = :artifact)",
            one,
        )
        self._run(
            "INSERT INTO gone_observations SELECT row FROM observations"
            " WHERE source = :source AND (:artifact IS NULL OR artifact = :artifact)",
            one,
        )
        self._run(
            "INSERT INTO gone_envelopes SELECT DISTINCT envelope FROM observations"
            " WHERE row IN (SELECT value FROM gone_observations)"
        )
        self._run(
            "INSERT INTO gone_hashes"
            " SELECT content_hash FROM source_artifacts"
            " WHERE row IN (SELECT value FROM gone_artifacts)"
            " UNION SELECT content_hash FROM representations"
            " WHERE observation IN (SELECT value FROM gone_observations)"
            " UNION SELECT result_hash FROM envelopes"
            " WHERE row IN (SELECT value FROM gone_envelopes) AND result_hash <> ''"
        )

    def _describe(
        self, source: int, whole: bool
    ) -> tuple[str, bool, tuple[str, ...], int, int, int, int]:
        versions = all_rows(
            self._connection,
            "SELECT id, chunk_count, text_length FROM document_versions"
            " WHERE artifact IN (SELECT value FROM gone_artifacts) ORDER BY row",
        )
        self._rest = (self._count("gone_envelopes"),)
        self._related = tuple(
            row[0]
            for row in all_rows(
                self._connection,
                "SELECT DISTINCT s.id FROM envelopes AS e JOIN observations AS o ON o.row BETWEEN"
                " e.first_observation AND e.first_observation + e.source_count - 1"
                " AND o.envelope = e.row JOIN sources AS s ON s.row = o.source"
                " WHERE e.row IN (SELECT value FROM gone_envelopes) AND o.source <> ?"
                " AND s.first_sequence IS NOT NULL ORDER BY s.row LIMIT ?",
                (source, RELATED_SOURCES_SHOWN_MAX),
            )
        )
        return (
            self._deletion.source_id,
            whole,
            tuple(row[0] for row in versions),
            self._count("gone_artifacts"),
            self._count("gone_observations"),
            sum(row[1] for row in versions),
            sum(row[2] for row in versions),
        )

    def _bury(self) -> None:
        deletion = self._deletion
        self._run(
            "INSERT OR REPLACE INTO tombstones (version_id, source_id, canonical_uri,"
            " deleted_time, epoch, title, content_hash, fetched_time, reason, note)"
            " SELECT v.id, :source, CASE WHEN :names THEN v.canonical_uri ELSE '' END, :time,"
            " :epoch, CASE WHEN :names THEN v.title ELSE '' END, a.content_hash, a.fetched_at,"
            " :reason, :note FROM document_versions AS v JOIN source_artifacts AS a"
            " ON a.row = v.artifact WHERE v.artifact IN (SELECT value FROM gone_artifacts)",
            {
                "source": deletion.source_id,
                "names": deletion.reason.keeps_names,
                "time": deletion.deleted_time,
                # The number of the deletion that the rising epoch gets.
                "epoch": int(epoch_of(self._connection).rpartition(".")[2]) + 1,
                "reason": deletion.reason,
                "note": deletion.note,
            },
        )

    def _delete_texts(self) -> None:
        self._run(
            "DELETE FROM run_refs WHERE version_id IN (SELECT id FROM document_versions"
            " WHERE artifact IN (SELECT value FROM gone_artifacts))"
        )
        for row, chunk_count in all_rows(
            self._connection,
            "SELECT row, chunk_count FROM document_versions"
            " WHERE artifact IN (SELECT value FROM gone_artifacts)",
        ):
            chunks = (row, row + chunk_count - 1)
            self._run("DELETE FROM passage_index WHERE rowid BETWEEN ? AND ?", chunks)
            self._run("DELETE FROM source_chunks WHERE id BETWEEN ? AND ?", chunks)
            self._run("DELETE FROM currency WHERE version = ?", (row,))
        self._run(
            "DELETE FROM document_versions WHERE artifact IN (SELECT value FROM gone_artifacts)"
        )

    def _delete_observations(self, source: int, whole: bool) -> None:
        self._run(
            "DELETE FROM representations WHERE observation IN (SELECT value FROM gone_observations)"
        )
        self._run("DELETE FROM observations WHERE row IN (SELECT value FROM gone_observations)")
        if whole:
            self._run(
                "UPDATE observations SET parent_source = NULL WHERE parent_source = ?", (source,)
            )
        # Arguments and the whole result of the call may hold what one of its sources held.
        self._run(
            "UPDATE envelopes SET arguments = x'', result_hash = '', error = '',"
            " readable = EXISTS (SELECT 1 FROM observations AS o WHERE o.envelope = envelopes.row"
            " AND o.verdict = 0 AND o.row BETWEEN envelopes.first_observation"
            " AND envelopes.first_observation + envelopes.source_count - 1)"
            " WHERE row IN (SELECT value FROM gone_envelopes)"
        )
        self._run(
            "DELETE FROM run_source_links WHERE artifact_id IN"
            " (SELECT id FROM source_artifacts WHERE row IN (SELECT value FROM gone_artifacts))"
        )
        self._run(
            "UPDATE sources SET current_version = NULL, current_artifact = NULL"
            " WHERE row = ? AND current_artifact IN (SELECT value FROM gone_artifacts)",
            (source,),
        )
        self._run(
            "UPDATE source_artifacts SET parent_id = '' WHERE parent_id IN"
            " (SELECT id FROM source_artifacts WHERE row IN (SELECT value FROM gone_artifacts))"
        )
        self._run("DELETE FROM source_artifacts WHERE row IN (SELECT value FROM gone_artifacts)")

    def _delete_contents(self) -> tuple[int, int]:
        """Delete contents that nothing refers to; those that stay may be readable no longer."""
        self._run(
            "UPDATE blobs SET readable = hash IN (SELECT content_hash FROM source_artifacts"
            " WHERE readable_sequence IS NOT NULL UNION ALL SELECT r.content_hash"
            " FROM representations AS r JOIN observations AS o ON o.row = r.observation"
            " WHERE o.verdict = 0 UNION ALL SELECT result_hash FROM envelopes WHERE readable = 1)"
            " WHERE hash IN (SELECT value FROM gone_hashes)"
        )
        self._run(
            "DELETE FROM gone_hashes WHERE value IN (SELECT content_hash FROM source_artifacts"
            " UNION ALL SELECT content_hash FROM representations"
            " UNION ALL SELECT result_hash FROM envelopes)"
        )
        blobs = all_rows(
            self._connection,
            "SELECT row, size_bytes FROM blobs WHERE hash IN (SELECT value FROM gone_hashes)"
            " AND complete = 1",
        )
        table = BlobTable(self._connection)
        for row, _ in blobs:
            table.delete(row)
        return len(blobs), sum(size_bytes for _, size_bytes in blobs)

    def _count(self, name: str) -> int:
        return self._value(f"SELECT count(*) FROM {name}", ()) or 0  # noqa: S608 - constants

    def _value(self, statement: str, bindings: tuple[object, ...]) -> int | None:
        found: int | None = self._connection.execute(statement, bindings).get
        return found

    def _run(
        self, statement: str, bindings: Sequence[object] | Mapping[str, object] | None = None
    ) -> None:
        self._connection.execute(statement, bindings)
