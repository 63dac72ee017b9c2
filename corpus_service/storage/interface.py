"""The storage interface: one Protocol per capability, each with its contract in prose.

What every capability promises, on every backend (tests/storage/conformance decides):

* ``game_id`` leads every call and is a canonical id; no call sees another game. A game that the
  catalog does not know raises NOT_FOUND ``UNKNOWN_GAME``.
* Errors are `sourcecorpus.rpc.failures.Failure` with a canonical code and a documented reason. No
  engine's own exception and no payload text crosses the interface.
* ``deadline_seconds`` is the time left for the call; past it the engine's work is interrupted and
  DEADLINE_EXCEEDED ``QUERY_DEADLINE_EXCEEDED`` raised. None means no limit. An engine that is busy or full raises
  RESOURCE_EXHAUSTED or UNAVAILABLE with a time to wait.
* Readers show what `corpus_service.trust` lets readers see and nothing else: a probe, a failed
  observation, a quarantined one, a stub without content and an empty frame are as if they were not
  there.
* Every call is safe from any thread. No iterator holds a read transaction between two items.
* Keyset paging: a page begins behind the key it is given, ``as_of`` hides what later commits
  brought. Within one epoch pages neither repeat nor skip, whatever is written in between.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import Protocol

from corpus_service.domain.games import Game, GameChange
from corpus_service.domain.queries import (
    NEWEST_FIRST,
    SourceFilter,
    SourceOrdering,
    SourcePosition,
)
from corpus_service.domain.records import IngestResult
from corpus_service.domain.sources import (
    ContentFacts,
    LineSlice,
    Observation,
    Passage,
    Snapshot,
    Source,
    SpanText,
    Version,
)
from corpus_service.storage.deletion_interface import SourceDeleter
from corpus_service.storage.document_interface import DocumentFinder
from corpus_service.storage.passage_interface import PassageIndex
from corpus_service.storage.preparation import ContentPiece, PreparedRecord
from corpus_service.storage.presentation_interface import PresentedSources
from corpus_service.storage.refresh_interface import RefreshStore
from corpus_service.storage.run_interface import RunLinks
from corpus_service.storage.transfer_interface import GameTransfer


class GameCatalog(Protocol):
    """The games of the installation. Ids and aliases share one name space."""

    def create_game(self, game: Game) -> Game:
        """Makes a game, durable on return; ``created_time`` is taken from the argument.

        Raises:
            Failure: ALREADY_EXISTS ``GAME_ALREADY_EXISTS`` or ``ALIAS_TAKEN``.
        """

    def get_game(self, name: str) -> Game | None:
        """Returns the game with this id, else the one with this alias, else None."""

    def list_games(self, *, after: str, limit: int) -> Sequence[Game]:
        """Returns up to ``limit`` games with ids greater than ``after``, ascending by id."""

    def update_game(self, game_id: str, change: GameChange) -> Game:
        """Changes a game and returns it; durable on return.

        Raises:
            Failure: NOT_FOUND ``UNKNOWN_GAME``, ALREADY_EXISTS ``ALIAS_TAKEN``.
        """


class ContentUpload(Protocol):
    """Bytes on their way in, before a record refers to them; used by one thread at a time."""

    def write(self, piece: ContentPiece) -> None:
        """Keeps the next piece, already compressed."""

    def commit(self) -> None:
        """Makes the bytes available to records; durable on return. The caller has verified them."""

    def abort(self) -> None:
        """Drops every piece; harmless after ``commit``."""


class CaptureWriter(Protocol):
    """The way in. One record is one transaction: all of it is there, or nothing."""

    def missing_contents(self, game_id: str, content_hashes: Collection[str]) -> frozenset[str]:
        """Returns those hashes whose bytes are neither stored nor uploaded."""

    def extracted_artifacts(
        self, game_id: str, artifact_ids: Collection[str], extractors: Collection[tuple[str, str]]
    ) -> frozenset[str]:
        """Returns the artifacts that have a version, or a kept failure, by one of ``extractors``.

        ``extractors`` are pairs of extractor and extractor version. A hint that saves work: ingest
        never makes a version twice.
        """

    def open_for_extraction(self, game_id: str, content_hash: str) -> StoredContent:
        """Verifies stored or uploaded bytes, readable or not, for the ingest itself.

        Raises:
            Failure: NOT_FOUND ``CONTENT_NOT_FOUND``; DATA_LOSS ``STORED_HASH_MISMATCH``.
        """

    def submit(self, game_id: str, record: PreparedRecord) -> Future[IngestResult]:
        """Queues a record for the game's writer; the future is done after the durable commit.

        Results: COMMITTED; DUPLICATE (same envelope id and fingerprint: what came of it then);
        REJECTED ``ENVELOPE_ID_REUSED``; NEED_CONTENT with the hashes that are neither stored,
        uploaded nor in the record, nothing being written. A record that the store cannot take fails
        its future alone; others of the same transaction are unharmed.

        Raises:
            Failure: RESOURCE_EXHAUSTED ``WRITER_BUSY`` with a time to wait.
        """

    def begin_upload(self, game_id: str, content_hash: str, size_bytes: int) -> ContentUpload:
        """Begins to keep bytes until a record refers to them or their time has passed."""

    def drop_uploads(self, game_id: str, *, older_than: int) -> int:
        """Drops uploads begun before an `Instant`; returns their number."""


class StoredContent(Protocol):
    """Bytes whose whole hash has been verified."""

    @property
    def facts(self) -> ContentFacts:
        """Hash, number of bytes, media type."""

    def pieces(self, offset: int = 0, length: int | None = None) -> Iterator[bytes]:
        """Yields the bytes of a range in pieces of at most 256 KiB; memory is bounded by a piece.

        A range behind the end is empty; one that reaches over the end stops there.

        Raises:
            Failure: DATA_LOSS ``STORED_HASH_MISMATCH`` where stored bytes changed meanwhile.
        """


class ContentReader(Protocol):
    """Exact bytes, as they came (redacted), for contents that a readable observation refers to."""

    def open_content(
        self, game_id: str, content_hash: str, *, deadline_seconds: float | None = None
    ) -> StoredContent:
        """Verifies the whole content, then gives access to its bytes.

        Raises:
            Failure: NOT_FOUND ``CONTENT_NOT_FOUND``; DATA_LOSS ``STORED_HASH_MISMATCH`` where the bytes
                are gone or differ from their hash: they are never served.
        """

    def artifact_content(self, game_id: str, artifact_id: str) -> ContentFacts:
        """Names the content of an artifact.

        Raises:
            Failure: NOT_FOUND ``CONTENT_NOT_FOUND``.
        """

    def envelope_content(self, game_id: str, envelope_id: str) -> ContentFacts:
        """Names the whole result of an envelope.

        Raises:
            Failure: NOT_FOUND ``CONTENT_NOT_FOUND``.
        """


class SourceReader(Protocol):
    """Sources, versions and observations by their ids and in lists."""

    def snapshot(self, game_id: str) -> Snapshot:
        """Returns the present state; take it before the first page and keep it in the token."""

    def get_source(self, game_id: str, source_id: str) -> Source | None:
        """Returns the source, or None."""

    def find_source(self, game_id: str, canonical_uri: str) -> str:
        """Returns the id of the source with exactly this canonical URI, or ""."""

    def list_sources(
        self,
        game_id: str,
        narrowing: SourceFilter,
        ordering: SourceOrdering = NEWEST_FIRST,
        *,
        limit: int,
        after: SourcePosition | None = None,
        as_of: Snapshot | None = None,
        deadline_seconds: float | None = None,
    ) -> Sequence[tuple[Source, SourcePosition]]:
        """Returns sources in an order, each with its key.

        Order and membership are those of ``as_of``; the facts, which the filter reads too, are the
        present ones. A source without a current version then, and a trust that changed since, count
        as they are at present.

        Raises:
            Failure: FAILED_PRECONDITION ``SNAPSHOT_CHANGED`` where ``as_of`` is of another epoch.
        """

    def list_versions(
        self,
        game_id: str,
        source_id: str,
        *,
        limit: int,
        after: int = 0,
        as_of: Snapshot | None = None,
    ) -> Sequence[tuple[Version, int]]:
        """Returns versions of a source, newest made first, each with its key for ``after``."""

    def list_observations(
        self, game_id: str, source_id: str, *, limit: int
    ) -> Sequence[Observation]:
        """Returns the newest observations of a source, newest first."""

    def get_versions(self, game_id: str, version_ids: Collection[str]) -> Mapping[str, Version]:
        """Returns those versions that exist, in one look-up."""

    def deleted_versions(self, game_id: str, version_ids: Collection[str]) -> frozenset[str]:
        """Returns those versions that were deleted and did not come again."""


class TextReader(Protocol):
    """The normalised text of versions."""

    def read_span(self, game_id: str, version_id: str, start: int, end: int) -> str:
        """Returns exactly the code points of the span; touches only the chunks it crosses.

        Raises:
            Failure: NOT_FOUND ``VERSION_NOT_FOUND``; INVALID_ARGUMENT ``SPAN_OUT_OF_RANGE``.
        """

    def read_lines(
        self,
        game_id: str,
        version_id: str,
        *,
        first_line: int,
        first_line_offset: int = 0,
        max_lines: int,
        max_characters: int,
        deadline_seconds: float | None = None,
    ) -> LineSlice:
        """Returns lines from ``first_line`` on, bounded in lines and code points.

        A line that does not fit is given in part, and reading goes on inside it. An empty text
        has one empty line. The text of the whole version is proven by its hash first, up to a
        length that the backend names; ``proven`` says so.

        Raises:
            Failure: NOT_FOUND ``VERSION_NOT_FOUND``; INVALID_ARGUMENT ``SPAN_OUT_OF_RANGE`` where
                ``first_line`` lies behind the last line; DATA_LOSS ``STORED_HASH_MISMATCH`` with
                both hashes.
        """

    def line_numbers(self, game_id: str, version_id: str, start: int, end: int) -> tuple[int, int]:
        """Returns the first and last line that a span touches; an empty span touches one line."""

    def read_spans(
        self, game_id: str, spans: Collection[tuple[str, int, int]]
    ) -> Mapping[tuple[str, int, int], SpanText]:
        """Returns the texts of spans (version, start, end) with their lines, in one look-up.

        For batches of citations: at most `LOOK_UP_IDS_MAX` spans. A span whose version does not
        exist or that does not lie within it (``0 <= start <= end <= text_length``) is missing.

        Raises:
            Failure: DATA_LOSS ``STORED_HASH_MISMATCH`` with both hashes where the text of a version
                is not what was stored; ``STORE_DAMAGED``.
        """

    def list_chunks(
        self, game_id: str, version_id: str, *, after_ordinal: int = -1, limit: int
    ) -> Sequence[Passage]:
        """Returns chunks of a version in text order."""


class CorpusStore(
    GameCatalog,
    CaptureWriter,
    ContentReader,
    SourceReader,
    TextReader,
    DocumentFinder,
    PassageIndex,
    SourceDeleter,
    RunLinks,
    RefreshStore,
    PresentedSources,
    GameTransfer,
    Protocol,
):
    """All capabilities of one backend."""

    def close(self) -> None:
        """Finishes queued records, then closes everything; later calls raise UNAVAILABLE."""


class StoreFactory(Protocol):
    """Opens a backend for a ``with`` block."""

    def __call__(self) -> AbstractContextManager[CorpusStore]:
        """Returns the open store."""
