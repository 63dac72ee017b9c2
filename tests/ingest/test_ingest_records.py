"""The ingest use case over the embedded backend: from a record to a text that can be read."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corpus_service.chunking import ChunkFormat
from corpus_service.domain.games import Game, GameChange
from corpus_service.domain.queries import SearchFilter, Term
from corpus_service.domain.records import CaptureRecord, Content, IngestResult, Representation
from corpus_service.domain.vocabulary import Completeness, IngestStatus, Outcome, SourceRole
from corpus_service.extraction.types import (
    ExtractedText,
    ExtractionFailed,
    ExtractionRequest,
    FailureReason,
    Flag,
)
from corpus_service.search.preparation import prepare_all_for_index
from corpus_service.services.ingest import IngestUseCase
from corpus_service.services.ingest_texts import TextPreparation
from corpus_service.storage.sqlite import SqliteStore
from sourcecorpus.rpc.failures import Failure, FailureCode
from tests.storage.records import (
    GAME,
    PREPARATION,
    hash_of,
    page,
    record,
    without_bytes,
)

NOW = 1_700_000_000_000_000_000


class CountingExtractor:
    """Reads UTF-8 and counts; what the bytes say decides what goes wrong."""

    def __init__(self) -> None:
        self.requests: list[ExtractionRequest] = []
        self.version = "1"

    def extract(self, request: ExtractionRequest) -> ExtractedText:
        self.requests.append(request)
        if request.content.startswith(b"broken"):
            raise ExtractionFailed(FailureReason.MALFORMED, "counting")
        if request.content.startswith(b"crash"):
            raise RuntimeError
        flags = (Flag.SCRIPT_SHELL,) if request.content.startswith(b"shell") else ()
        text = request.content.decode()
        return ExtractedText(text, "counting", self.version, ChunkFormat.MARKDOWN, flags=flags)


@pytest.fixture
def extractor() -> CountingExtractor:
    return CountingExtractor()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore(tmp_path, PREPARATION)
    opened.create_game(Game(GAME, created_time=1))
    yield opened
    opened.close()


@pytest.fixture
def ingest(store: SqliteStore, extractor: CountingExtractor) -> IngestUseCase:
    texts = TextPreparation(extractor, (("counting", "1"),), prepare_all_for_index)
    return IngestUseCase(store, texts, lambda: NOW)


def run(ingest: IngestUseCase, *records: CaptureRecord) -> list[IngestResult]:
    futures: list[Future[IngestResult]] = ingest.ingest(records)
    return [future.result(timeout=30) for future in futures]


def of(envelope_id: str, data: bytes, **facts: Any) -> CaptureRecord:
    return record(envelope_id, [page(data=data, **facts)], [data])


def test_a_page_is_extracted_divided_and_searchable(
    ingest: IngestUseCase, store: SqliteStore
) -> None:
    data = b"# Gate\n\nThe drawbridge is down.\n\n## Tower\n\nThe tower stands.\n"
    (result,) = run(ingest, of("e1", data, title="Castle"))
    version_id = result.sources[0].version_id
    version = store.get_versions(GAME, [version_id])[version_id]
    assert (version.extractor, version.title, version.created_time) == ("counting", "Castle", NOW)
    assert store.read_span(GAME, version_id, 0, version.text_length) == data.decode()
    (hit,) = store.search(GAME, Term("drawbridge"), SearchFilter(), limit=9)
    passage = store.passages(GAME, [hit.row])[hit.row]
    assert passage.heading_path == ("Gate",)
    by_title = store.search(GAME, Term("castle"), SearchFilter(), limit=9)
    assert {found.version_id for found in by_title} == {version_id}


def test_a_text_is_made_once_for_an_artifact(
    ingest: IngestUseCase, store: SqliteStore, extractor: CountingExtractor
) -> None:
    run(ingest, of("e1", b"gate"))
    run(ingest, replace(of("e2", b"gate"), finished_time=5), without_bytes(of("e3", b"gate")))
    assert len(extractor.requests) == 1
    uri = "https://castle.example/copy"
    (copy,) = run(ingest, without_bytes(record("e4", [page(uri, b"gate")], [b"gate"])))
    # Another address is another artifact: its bytes come from the store.
    assert copy.status is IngestStatus.COMMITTED
    assert len(extractor.requests) == 2
    assert store.get_versions(GAME, [copy.sources[0].version_id])


def test_a_newer_extractor_makes_a_new_version(
    ingest: IngestUseCase, store: SqliteStore, extractor: CountingExtractor
) -> None:
    (first,) = run(ingest, of("e1", b"gate"))
    extractor.version = "2"
    newer = replace(
        ingest, texts=TextPreparation(extractor, (("counting", "2"),), prepare_all_for_index)
    )
    (second,) = run(newer, of("e2", b"gate"))
    assert second.outcome is Outcome.OBSERVED_AGAIN
    assert second.sources[0].version_id != first.sources[0].version_id


def test_a_failed_extraction_keeps_the_bytes_and_says_why(
    ingest: IngestUseCase, store: SqliteStore, extractor: CountingExtractor
) -> None:
    data = b"broken \xff bytes"
    (result,) = run(ingest, of("e1", data))
    assert (result.status, result.sources[0].extraction_failure) == (
        IngestStatus.COMMITTED,
        "MALFORMED",
    )
    assert result.sources[0].version_id == ""
    assert b"".join(store.open_content(GAME, hash_of(data)).pieces()) == data
    source = store.get_source(GAME, result.sources[0].source_id)
    assert source is not None
    assert (source.current_version_id, source.size_bytes) == ("", len(data))
    run(ingest, of("e2", data))
    assert len(extractor.requests) == 1


def test_a_script_shell_is_kept_and_not_shown(ingest: IngestUseCase, store: SqliteStore) -> None:
    (result,) = run(ingest, of("e1", b"shell: enable JavaScript"))
    assert result.status is IngestStatus.COMMITTED
    assert store.get_source(GAME, result.sources[0].source_id) is None


@pytest.mark.parametrize(
    "facts",
    [
        {"role": SourceRole.FAILED},
        {"role": SourceRole.STUB},
        {"completeness": Completeness.SHELL},
        {"http_status": 500},
    ],
)
def test_what_readers_will_not_see_is_not_extracted(
    ingest: IngestUseCase, extractor: CountingExtractor, facts: dict[str, Any]
) -> None:
    (result,) = run(ingest, of("e1", b"gate", **facts))
    assert result.status is IngestStatus.COMMITTED
    assert extractor.requests == []


def test_a_probe_is_answered_and_leaves_nothing(
    ingest: IngestUseCase, store: SqliteStore, extractor: CountingExtractor
) -> None:
    (result,) = run(ingest, replace(of("e1", b"gate"), probe=True))
    assert (result.status, result.sources) == (IngestStatus.COMMITTED, ())
    assert extractor.requests == []
    assert store.missing_contents(GAME, [hash_of(b"gate")])


def test_missing_bytes_are_asked_for_before_anything_is_extracted(
    ingest: IngestUseCase, extractor: CountingExtractor
) -> None:
    whole = of("e1", b"gate")
    (asked,) = run(ingest, without_bytes(whole))
    assert (asked.status, asked.missing_content_hashes) == (
        IngestStatus.NEED_CONTENT,
        (hash_of(b"gate"),),
    )
    assert extractor.requests == []
    assert run(ingest, whole)[0].status is IngestStatus.COMMITTED


def test_a_record_that_breaks_the_extractor_takes_no_other_along(ingest: IngestUseCase) -> None:
    results = run(ingest, of("e1", b"crash"), of("e2", b"gate"))
    assert [result.status for result in results] == [
        IngestStatus.RETRY_LATER,
        IngestStatus.COMMITTED,
    ]
    assert results[0].reason == "INTERNAL"


def test_unknown_and_paused_games_are_named(ingest: IngestUseCase, store: SqliteStore) -> None:
    (unknown,) = run(ingest, replace(of("e1", b"gate"), game_id="nowhere"))
    assert (unknown.status, unknown.outcome, unknown.reason) == (
        IngestStatus.REJECTED,
        Outcome.UNKNOWN_GAME,
        "UNKNOWN_GAME",
    )
    store.update_game(GAME, GameChange(paused=True))
    (paused,) = run(ingest, of("e1", b"gate"))
    assert (paused.status, paused.outcome) == (IngestStatus.REJECTED, Outcome.PAUSED)
    store.update_game(GAME, GameChange(paused=False))
    assert run(ingest, of("e1", b"gate"))[0].status is IngestStatus.COMMITTED


GOOD = of("e1", b"gate")
SOURCE = GOOD.sources[0]


@pytest.mark.parametrize(
    ("wrong", "reason", "field"),
    [
        (replace(GOOD, envelope_id=""), "FIELD_REQUIRED", "envelope_id"),
        (replace(GOOD, envelope_id="x" * 129), "FIELD_TOO_LARGE", "envelope_id"),
        (replace(GOOD, envelope_fingerprint="md5:1"), "INVALID_HASH", "envelope_fingerprint"),
        (replace(GOOD, tool_name=""), "FIELD_REQUIRED", "tool_name"),
        (replace(GOOD, finished_time=0), "FIELD_REQUIRED", "finished_time"),
        (replace(GOOD, finished_time=-1), "FIELD_INVALID", "finished_time"),
        (replace(GOOD, finished_time=2**63), "FIELD_INVALID", "finished_time"),
        (replace(GOOD, received_time=2**63), "FIELD_INVALID", "received_time"),
        (replace(GOOD, started_time=-(2**63)), "FIELD_INVALID", "started_time"),
        (
            replace(GOOD, sources=(replace(SOURCE, fetched_time=2**63),)),
            "FIELD_INVALID",
            "sources[0].fetched_time",
        ),
        (replace(GOOD, result_hash=hash_of(b"x")), "RECORD_INVALID", "result_hash"),
        (
            replace(GOOD, contents=(Content(hash_of(b"gate"), 4, b"gat3"),)),
            "CONTENT_HASH_MISMATCH",
            "contents[0].content_hash",
        ),
        (
            replace(GOOD, contents=(Content(hash_of(b"gate"), 5, b"gate"),)),
            "CONTENT_SIZE_MISMATCH",
            "contents[0].size_bytes",
        ),
        (
            replace(GOOD, contents=(Content(hash_of(b"gate"), 2**27, None),)),
            "CONTENT_TOO_LARGE",
            "contents[0].size_bytes",
        ),
        (replace(GOOD, contents=GOOD.contents * 2), "RECORD_INVALID", "contents"),
        (replace(GOOD, contents=()), "RECORD_INVALID", "sources[0].content_hash"),
        (
            replace(GOOD, sources=(replace(SOURCE, canonical_uri=""),)),
            "FIELD_REQUIRED",
            "sources[0].canonical_uri",
        ),
        (
            replace(GOOD, sources=(replace(SOURCE, canonical_uri="x:" + "é" * 8_192),)),
            "FIELD_TOO_LARGE",
            "sources[0].canonical_uri",
        ),
        (
            replace(GOOD, sources=(replace(SOURCE, role=SourceRole.UNSPECIFIED),)),
            "FIELD_REQUIRED",
            "sources[0].role",
        ),
        (
            replace(GOOD, sources=(SOURCE, replace(SOURCE, parent_position=3))),
            "RECORD_INVALID",
            "sources[1].parent_position",
        ),
        (
            replace(GOOD, sources=(replace(SOURCE, metadata_json="[1]"),)),
            "INVALID_JSON",
            "sources[0].metadata_json",
        ),
        (
            replace(
                GOOD,
                sources=(
                    replace(
                        SOURCE,
                        representations=(Representation("html", "text/html", hash_of(b"x")),),
                    ),
                ),
            ),
            "RECORD_INVALID",
            "sources[0].representations",
        ),
    ],
)
def test_a_wrong_record_is_rejected_with_its_field(
    ingest: IngestUseCase, store: SqliteStore, wrong: CaptureRecord, reason: str, field: str
) -> None:
    (result,) = run(ingest, wrong)
    assert (result.status, result.reason, result.faulty_field) == (
        IngestStatus.REJECTED,
        reason,
        field,
    )
    assert store.snapshot(GAME).sequence == 0


def test_a_store_that_is_busy_asks_to_come_again(
    ingest: IngestUseCase, store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(game_id: str, record: object) -> Future[IngestResult]:
        raise Failure(FailureCode.RESOURCE_EXHAUSTED, "WRITER_BUSY", retry_after_seconds=1.0)

    monkeypatch.setattr(store, "submit", refuse)
    (result,) = run(ingest, of("e1", b"gate"))
    assert (result.status, result.reason) == (IngestStatus.RETRY_LATER, "WRITER_BUSY")


@pytest.mark.parametrize("text", ["", " \n ", "\n", "a", "no end", "end\n", "悬空\n引用"])
def test_every_character_of_a_text_is_kept(
    ingest: IngestUseCase, store: SqliteStore, text: str
) -> None:
    (result,) = run(ingest, of("e1", text.encode()))
    version_id = result.sources[0].version_id
    version = store.get_versions(GAME, [version_id])[version_id]
    assert version.text_length == len(text)
    assert version.text_hash == hash_of(text.encode())
    assert store.read_span(GAME, version_id, 0, len(text)) == text
    read = store.read_lines(GAME, version_id, first_line=1, max_lines=9, max_characters=99)
    assert [line.text for line in read.lines] == (text.removesuffix("\n").split("\n"))
    assert version.line_count == len(read.lines)
