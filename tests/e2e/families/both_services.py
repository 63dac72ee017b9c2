"""Both services in one process: the pipeline of the capture service in front of a corpus on disk.

What a bootstrap wires is wired here by the bootstrap's own functions; only the network and the
outbox between the two services are left out.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import apsw

from capture_service.bootstrap import _pipeline
from capture_service.domain.envelope import Envelope
from capture_service.domain.games import GameChoice
from capture_service.domain.incoming import IncomingEnvelope, IncomingPart
from capture_service.domain.outcomes import Outcome
from capture_service.domain.prepared import PreparedCapture
from capture_service.pipeline.pipeline import Arrival
from capture_service.redaction import RedactionKey, RedactionPolicy
from capture_service.settings import CaptureSettings
from corpus_service.bootstrap import PREPARATION
from corpus_service.domain.games import Game
from corpus_service.domain.queries import SourceFilter
from corpus_service.domain.records import IngestResult
from corpus_service.domain.sources import Observation, Passage, Source, Version
from corpus_service.domain.vocabulary import Completeness, IngestStatus, SourceRole
from corpus_service.extraction import TextExtraction, extractor_versions
from corpus_service.search.preparation import prepare_all_for_index
from corpus_service.servicers.ingest_messages import read_record
from corpus_service.services.ingest import IngestUseCase
from corpus_service.services.ingest_texts import TextPreparation
from corpus_service.storage.sqlite import SqliteStore
from corpus_service.trust import Verdict
from sourcecorpus.corpus.v1 import capture_record_pb2
from tests.tool_families.cases import GAME_FOLDER

NOW = 1_800_000_000_000_000_000
_ROWS = """
    SELECT o.*, s.canonical_uri AS uri, p.canonical_uri AS parent_uri, a.content_hash, e.envelope_id,
        a.extraction_failure, v.id AS version_id, e.parent_tool_call_id
    FROM observations AS o
    JOIN sources AS s ON s.row = o.source
    JOIN envelopes AS e ON e.row = o.envelope
    LEFT JOIN source_artifacts AS a ON a.row = o.artifact
    LEFT JOIN document_versions AS v ON v.row = o.version
    LEFT JOIN sources AS p ON p.row = o.parent_source
    ORDER BY o.row
"""


@dataclass(frozen=True)
class Seen:
    """One stored observation, readable or not, with every fact that the store keeps of it."""

    facts: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        return self.facts[name]

    @property
    def role(self) -> SourceRole:
        return SourceRole(self.facts["role"])

    @property
    def completeness(self) -> Completeness:
        return Completeness(self.facts["completeness"])

    @property
    def verdict(self) -> Verdict:
        return Verdict(self.facts["verdict"])

    @property
    def window(self) -> list[Any] | None:
        return json.loads(self.facts["window_json"]) if self.facts["window_json"] else None

    @property
    def claims(self) -> dict[str, str]:
        return dict(json.loads(self.facts["claims_json"] or "[]"))

    @property
    def metadata(self) -> dict[str, Any]:
        return json.loads(self.facts["metadata_json"] or "{}")

    @property
    def headers(self) -> dict[str, str]:
        return json.loads(self.facts["headers_json"] or "{}")


@dataclass(frozen=True)
class Fed:
    """What became of one envelope; ``result`` is None where nothing went to the corpus."""

    prepared: PreparedCapture
    result: IngestResult | None


class BothServices:
    """A capture pipeline with a fixed redaction key, and a corpus in a folder."""

    def __init__(
        self, folder: Path, game_folder: str = GAME_FOLDER, home_folder: str = "/home/player"
    ) -> None:
        self.folder = folder
        settings = CaptureSettings(
            path_aliases=(f"game={game_folder}", f"home={home_folder}"), home_folder=home_folder
        )
        policy = RedactionPolicy.build(RedactionKey.from_bytes(b"k" * 32))
        self._pipeline = _pipeline(settings, policy)
        self.store = SqliteStore(folder, PREPARATION)
        self._extraction = TextExtraction()
        texts = TextPreparation(self._extraction, extractor_versions(), prepare_all_for_index)
        self._ingest = IngestUseCase(self.store, texts, lambda: NOW)

    def close(self) -> None:
        self.store.close()
        self._extraction.close()

    def game(self, game_id: str) -> "GameView":
        if self.store.get_game(game_id) is None:
            self.store.create_game(Game(game_id, created_time=1))
        return GameView(self, game_id)

    def feed(self, game_id: str, envelope: Envelope) -> Fed:
        """Take one envelope the whole way."""
        incoming = IncomingEnvelope(
            replace(envelope, result=b"", side_files=(), redacted=False),
            _part(envelope.result),
            [_part(file.data, file.name, file.media_type) for file in envelope.side_files],
            len(envelope.result),
        )
        prepared = self._pipeline.prepare(Arrival(incoming, GameChoice(game_id)), "stream")
        if prepared.refusal is not None:
            return Fed(prepared, None)
        message = capture_record_pb2.CaptureRecord.FromString(prepared.record)
        bodies = {content.digest.hex(): bytes(content.data) for content in prepared.contents}
        for content in message.contents:
            content.data = bodies[content.content_hash.removeprefix("sha256:")]
        (future,) = self._ingest.ingest([read_record(message)])
        result = future.result(timeout=60)
        assert result.status is IngestStatus.COMMITTED, result
        return Fed(prepared, result)


def _part(data: bytes, name: str = "", media_type: str = "") -> IncomingPart:
    part = IncomingPart(name, media_type)
    if data:
        part.frames.append(data)
    return part


class GameView:
    """One game: what was stored, and what readers see of it."""

    def __init__(self, services: BothServices, game_id: str) -> None:
        self._services = services
        self._store = services.store
        self.game_id = game_id

    @property
    def store(self) -> SqliteStore:
        return self._store

    def feed(self, envelope: Envelope) -> Fed:
        return self._services.feed(self.game_id, envelope)

    def ignored(self, envelope: Envelope) -> bool:
        return self.feed(envelope).prepared.refusal is Outcome.IGNORED

    def seen(self, uri: str | None = None, envelope_id: str | None = None) -> list[Seen]:
        """Observations in the order in which they were stored."""
        if not self._file.exists():
            return []
        connection = apsw.Connection(str(self._file), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            cursor = connection.execute(_ROWS)
            names = [column[0] for column in cursor.getdescription()] if cursor else []
            rows = [Seen(dict(zip(names, row, strict=True))) for row in cursor]
        except apsw.ExecutionCompleteError:
            rows = []
        finally:
            connection.close()
        return [
            row for row in rows if uri in (None, row.uri) and envelope_id in (None, row.envelope_id)
        ]

    def source(self, uri: str) -> Source | None:
        name = self._store.find_source(self.game_id, uri)
        return self._store.get_source(self.game_id, name) if name else None

    def sources(self) -> list[Source]:
        return [
            source
            for source, _ in self._store.list_sources(self.game_id, SourceFilter(), limit=1_000)
        ]

    def versions(self, uri: str) -> list[Version]:
        name = self._store.find_source(self.game_id, uri)
        listed = self._store.list_versions(self.game_id, name, limit=100) if name else []
        return [version for version, _ in listed]

    def observations(self, uri: str) -> list[Observation]:
        """Those that readers see, newest first."""
        name = self._store.find_source(self.game_id, uri)
        return list(self._store.list_observations(self.game_id, name, limit=100)) if name else []

    def text(self, version_id: str) -> str:
        version = self._store.get_versions(self.game_id, [version_id])[version_id]
        return self._store.read_span(self.game_id, version_id, 0, version.text_length)

    def chunks(self, version_id: str) -> list[Passage]:
        return list(self._store.list_chunks(self.game_id, version_id, limit=1_000))

    def current_text(self, uri: str) -> str:
        source = self.source(uri)
        assert source is not None
        assert source.current_version_id
        return self.text(source.current_version_id)

    def content(self, content_hash: str) -> bytes:
        return b"".join(self._store.open_for_extraction(self.game_id, content_hash).pieces())

    def stored_bytes(self) -> Iterator[bytes]:
        """Everything that is on disk for the game: files, cells, and contents without compression."""
        for path in self._services.folder.rglob(f"{self.game_id}*"):
            yield path.read_bytes()
        connection = apsw.Connection(str(self._file), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            hashes = [row[0] for row in connection.execute("SELECT hash FROM blobs")]
            tables = list(connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'"))
            for (table,) in tables:
                if not table.startswith("passage_index"):
                    for row in connection.execute(f"SELECT * FROM {table}"):
                        yield from (_bytes_of(cell) for cell in row if cell is not None)
        finally:
            connection.close()
        for content_hash in hashes:
            yield self.content(content_hash)

    @property
    def _file(self) -> Path:
        return self._services.folder / "games" / f"{self.game_id}.db"


def _bytes_of(cell: Any) -> bytes:
    return cell if isinstance(cell, bytes) else str(cell).encode()
