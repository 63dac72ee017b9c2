"""The call of SourceService that deletes."""

from __future__ import annotations

from time import time_ns

from corpus_service.domain.deletions import DeletionReason, DeletionResult
from corpus_service.limits import DELETED_VERSIONS_SHOWN_MAX
from corpus_service.servicers.execution import ReadPool
from corpus_service.servicers.filters import require_game
from corpus_service.services.deletion import DeletionStore, DeletionUseCase
from corpus_service.services.failures import invalid
from corpus_service.services.locating import SourceLocator
from sourcecorpus.corpus.v1 import deletion_pb2


class DeletionCalls:
    """Between the messages and the use case."""

    def __init__(self, store: DeletionStore, pool: ReadPool) -> None:
        self._deletion = DeletionUseCase(store, time_ns)
        self._pool = pool

    async def delete_source(
        self, request: deletion_pb2.DeleteSourceRequest
    ) -> deletion_pb2.DeleteSourceResponse:
        """Deletes a source or a version; see the contract."""
        game_id = require_game(request.game_id)
        try:
            reason = DeletionReason(request.reason)
        except ValueError:
            raise invalid("FIELD_INVALID", "reason") from None
        result = await self._pool.run(
            self._deletion.delete_source,
            game_id,
            SourceLocator(source_id=request.source_id, uri=request.uri),
            reason,
            version_id=request.version_id,
            note=request.note,
        )
        return _message(result)


def _message(result: DeletionResult) -> deletion_pb2.DeleteSourceResponse:
    return deletion_pb2.DeleteSourceResponse(
        source_id=result.source_id,
        source_deleted=result.source_deleted,
        version_ids=result.version_ids[:DELETED_VERSIONS_SHOWN_MAX],
        version_count=len(result.version_ids),
        artifact_count=result.artifact_count,
        observation_count=result.observation_count,
        chunk_count=result.chunk_count,
        text_length=result.text_length,
        content_count=result.content_count,
        content_bytes=result.content_bytes,
        envelope_count=result.envelope_count,
        current_version_id=result.current_version_id,
        related_source_ids=result.related_source_ids,
    )
