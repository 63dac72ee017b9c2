"""Deleting sources and versions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from corpus_service.domain.deletions import Deletion, DeletionReason, DeletionResult
from corpus_service.domain.vocabulary import Instant
from corpus_service.limits import DELETION_NOTE_CODE_POINTS_MAX
from corpus_service.services.failures import invalid, not_found
from corpus_service.services.locating import SourceLocator
from corpus_service.storage.deletion_interface import SourceDeleter
from sourcecorpus.identity import canonicalise
from sourcecorpus.rpc import deadline
from sourcecorpus.rpc.limits import URI_BYTES_MAX


class DeletionStore(SourceDeleter, Protocol):
    """What deleting needs of a store."""


class DeletionUseCase:
    """Deletes sources and versions. Safe from any thread."""

    def __init__(self, store: DeletionStore, clock: Callable[[], Instant]) -> None:
        self._store = store
        self._clock = clock

    def delete_source(
        self,
        game_id: str,
        locator: SourceLocator,
        reason: DeletionReason,
        *,
        version_id: str = "",
        note: str = "",
    ) -> DeletionResult:
        """Deletes a source, or one of its versions; gone from every answer before it returns.

        Raises:
            Failure: INVALID_ARGUMENT LOCATOR_REQUIRED, FIELD_REQUIRED, FIELD_TOO_LARGE,
                FIELD_INVALID; NOT_FOUND SOURCE_NOT_FOUND, VERSION_NOT_FOUND; FAILED_PRECONDITION
                VERSION_DELETED.
        """
        if reason is DeletionReason.UNSPECIFIED:
            raise invalid("FIELD_REQUIRED", "reason")
        if len(note) > DELETION_NOTE_CODE_POINTS_MAX:
            raise invalid(
                "FIELD_TOO_LARGE", "note", limit_code_points=DELETION_NOTE_CODE_POINTS_MAX
            )
        if not note.isprintable():
            raise invalid("FIELD_INVALID", "note")
        deletion = Deletion(
            self._source_id(game_id, locator), reason, self._clock(), version_id, note
        )
        return self._store.delete_source(game_id, deletion, deadline_seconds=deadline.remaining())

    def _source_id(self, game_id: str, locator: SourceLocator) -> str:
        if locator.source_id:
            return locator.source_id
        if not locator.uri:
            raise invalid("LOCATOR_REQUIRED", "locator")
        if len(locator.uri.encode("utf-8", "surrogatepass")) > URI_BYTES_MAX:
            raise invalid("FIELD_TOO_LARGE", "uri", limit_bytes=URI_BYTES_MAX)
        found = self._store.stored_source(game_id, canonicalise(locator.uri).value)
        if not found:
            raise not_found("SOURCE_NOT_FOUND", "uri")
        return found
