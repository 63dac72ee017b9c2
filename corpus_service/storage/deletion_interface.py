"""The storage capability that deletes; see `corpus_service.storage.interface` for what all share."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from corpus_service.domain.deletions import Deletion, DeletionResult, Tombstone


class SourceDeleter(Protocol):
    """Deletes sources and versions, and keeps tombstones of versions."""

    def delete_source(
        self, game_id: str, deletion: Deletion, *, deadline_seconds: float | None = None
    ) -> DeletionResult:
        """Deletes a source, or one version of it with its content.

        One transaction, so that a crash leaves all of it or nothing. On return nothing of it can be
        found or read, no stored file holds its bytes any more, contents that something else refers
        to are still there, the epoch is another one, and every deleted version has a tombstone.

        Envelopes that brought what was deleted stay in the ledger without arguments and whole
        result, so that a repeated delivery of one is a duplicate and brings nothing back. A new
        envelope with the same content makes the same ids again, and the tombstone is no longer
        shown.

        A source without a readable observation left after one version was withdrawn is deleted as
        a whole. Otherwise its current version is the best remaining one (`domain.currency`).

        Raises:
            Failure: NOT_FOUND ``SOURCE_NOT_FOUND``, ``VERSION_NOT_FOUND``; FAILED_PRECONDITION
                ``VERSION_DELETED``; RESOURCE_EXHAUSTED ``WRITER_BUSY``; DEADLINE_EXCEEDED where it
                is not done in time: it may be done later.
        """

    def stored_source(self, game_id: str, canonical_uri: str) -> str:
        """Returns the id of the source with this canonical URI, readable or not, or ""."""

    def tombstones(self, game_id: str, version_ids: Collection[str]) -> Mapping[str, Tombstone]:
        """Returns the tombstones of those versions that were deleted and did not come again."""
