"""Raw content: the stored bytes exactly as they came, verified before the first one is given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from corpus_service.domain.sources import ContentFacts
from corpus_service.services.failures import invalid
from corpus_service.services.locating import ReadingStore
from corpus_service.services.reading import ReadingUseCase
from corpus_service.storage.interface import ContentReader
from sourcecorpus.identity import is_content_hash
from sourcecorpus.rpc import deadline


class RawContentStore(ReadingStore, ContentReader, Protocol):
    """What serving raw content needs of a store."""


@dataclass(frozen=True, slots=True)
class ContentLocator:
    """Names bytes: exactly one of the fields is set."""

    version_id: str = ""
    artifact_id: str = ""
    content_hash: str = ""
    envelope_id: str = ""


@dataclass(frozen=True, slots=True)
class RawContent:
    """Verified bytes: their facts and the pieces of the range, at most 256 KiB each."""

    facts: ContentFacts
    pieces: Iterator[bytes]


class RawContentUseCase:
    """Opens raw content. Safe from any thread; an opened content is used by one at a time."""

    def __init__(self, store: RawContentStore) -> None:
        self._store = store
        self._reading = ReadingUseCase(store)

    def open(
        self, game_id: str, locator: ContentLocator, *, offset: int, length: int
    ) -> RawContent:
        """Verifies a content and gives access to a range of it.

        Args:
            game_id: Canonical game id.
            locator: Which content.
            offset: First byte; a range behind the end is empty.
            length: Number of bytes, 0 up to the end.

        Raises:
            Failure: INVALID_ARGUMENT LOCATOR_REQUIRED, INVALID_HASH; NOT_FOUND; DATA_LOSS where the
                stored bytes do not have their hash.
        """
        facts = self._facts(game_id, locator)
        stored = self._store.open_content(
            game_id, facts.content_hash, deadline_seconds=deadline.remaining()
        )
        size = stored.facts.size_bytes
        begin = min(offset, size)
        taken = min(length or size, size - begin)
        return RawContent(
            ContentFacts(facts.content_hash, size, facts.content_type or stored.facts.content_type),
            stored.pieces(begin, taken),
        )

    def _facts(self, game_id: str, locator: ContentLocator) -> ContentFacts:
        if locator.version_id:
            version = self._reading.get_version(game_id, locator.version_id)
            return ContentFacts(version.content_hash, version.size_bytes, version.content_type)
        if locator.artifact_id:
            return self._store.artifact_content(game_id, locator.artifact_id)
        if locator.envelope_id:
            return self._store.envelope_content(game_id, locator.envelope_id)
        if not locator.content_hash:
            raise invalid("LOCATOR_REQUIRED", "locator")
        if not is_content_hash(locator.content_hash):
            raise invalid("INVALID_HASH", "content_hash")
        return ContentFacts(locator.content_hash, 0, "")
