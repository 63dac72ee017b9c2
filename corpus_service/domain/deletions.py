"""Deletions and the tombstones that remain of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from corpus_service.domain.vocabulary import Instant


class DeletionReason(IntEnum):
    """Why something was deleted; values are those of the contract."""

    UNSPECIFIED = 0
    UNWANTED = 1
    WRONG = 2
    OUTDATED = 3
    LICENSE = 4
    SENSITIVE = 5

    @property
    def keeps_names(self) -> bool:
        """Whether a tombstone may keep title and address: a secret may stand in them."""
        return self is not DeletionReason.SENSITIVE


@dataclass(frozen=True, slots=True)
class Deletion:
    """What to delete: a source by id, or one of its versions with the content it came from."""

    source_id: str
    reason: DeletionReason
    deleted_time: Instant
    version_id: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What is known of a deleted version.

    ``title`` and ``canonical_uri`` are "" where the reason does not allow to keep them.
    """

    version_id: str
    source_id: str
    canonical_uri: str
    title: str
    content_hash: str
    fetched_time: Instant | None
    deleted_time: Instant
    reason: DeletionReason
    note: str


@dataclass(frozen=True, slots=True)
class DeletionResult:
    """What a deletion removed; ``content_bytes`` count before compression."""

    source_id: str
    source_deleted: bool
    version_ids: tuple[str, ...]
    artifact_count: int
    observation_count: int
    chunk_count: int
    text_length: int
    content_count: int
    content_bytes: int
    envelope_count: int
    current_version_id: str
    related_source_ids: tuple[str, ...]
