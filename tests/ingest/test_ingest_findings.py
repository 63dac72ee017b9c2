"""What extraction finds in a content becomes stubs, claims and a completeness of the record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus_service.domain.games import Game
from corpus_service.domain.records import Claim
from corpus_service.domain.text_facts import TextFacts
from corpus_service.domain.vocabulary import Completeness, IngestStatus, SourceRole
from corpus_service.extraction import TextExtraction, extractor_versions
from corpus_service.limits import TEXT_CLAIMS_BYTES_MAX
from corpus_service.search.preparation import prepare_all_for_index
from corpus_service.services.ingest import IngestUseCase
from corpus_service.services.ingest_findings import with_findings
from corpus_service.services.ingest_texts import TextPreparation
from corpus_service.storage.memory import MemoryStore
from corpus_service.storage.preparation import PreparedSource
from sourcecorpus.rpc.limits import INGEST_SOURCES_MAX
from tests.storage.records import GAME, page, record

URI = "https://castle.example/hall/index.html"
FRAMESET = (
    b'<html><frameset><frame src="menu.html"><frame src="../x?a=1&amp;utm_source=b#top">'
    b'<frame src="about:blank"><frame src="javascript:void(0)"><frame src="menu.html#again">'
    b'<frame src="//[bad"></frameset></html>'
)


@pytest.fixture
def store() -> Iterator[MemoryStore]:
    opened = MemoryStore()
    opened.create_game(Game(GAME, created_time=1))
    yield opened
    opened.close()


@pytest.fixture
def ingest(store: MemoryStore, tmp_path: Path) -> Iterator[IngestUseCase]:
    extraction = TextExtraction()
    texts = TextPreparation(extraction, extractor_versions(), prepare_all_for_index)
    yield IngestUseCase(store, texts, lambda: 1)
    extraction.close()


def html(data: bytes, **facts: object) -> object:
    return page(URI, data, content_type="text/html", **facts)


def put(ingest: IngestUseCase, envelope_id: str, data: bytes, at: int = 1, **facts: object) -> list:
    whole = record(envelope_id, [html(data, **facts)], [data], at=at)
    (future,) = ingest.ingest([whole])
    result = future.result(timeout=30)
    assert result.status is IngestStatus.COMMITTED
    return list(result.sources)


def test_frames_become_stubs_under_the_shell(ingest: IngestUseCase, store: MemoryStore) -> None:
    shell, *stubs = put(ingest, "e1", FRAMESET)
    assert [stub.canonical_uri for stub in stubs] == [
        "https://castle.example/hall/menu.html",
        "https://castle.example/x?a=1",
    ]
    assert not shell.version_id
    assert store.find_source(GAME, URI) == ""
    assert all(store.get_source(GAME, stub.source_id) is None for stub in stubs)


def test_a_shell_that_was_called_whole_does_not_hide_the_page(
    ingest: IngestUseCase, store: MemoryStore
) -> None:
    (first,) = put(ingest, "e1", b"<html><body><p>nine doors</p></body></html>")
    put(ingest, "e2", FRAMESET, at=2)
    source = store.get_source(GAME, first.source_id)
    assert source is not None
    assert (source.current_version_id, source.observation_count) == (first.version_id, 1)


def test_frames_are_found_from_where_the_page_lay(ingest: IngestUseCase) -> None:
    _, *stubs = put(ingest, "e1", FRAMESET, final_uri="https://moved.example/deep/er/page")
    assert [stub.canonical_uri for stub in stubs] == [
        "https://moved.example/deep/er/menu.html",
        "https://moved.example/deep/x?a=1",
    ]


HEAD = (
    b'<html lang="de"><head><link rel="canonical" href="https://castle.example/hall">'
    b'<link rel="alternate" hreflang="fr" href="/fr"><meta name="license" content="CC0">'
    b"</head><body><p>neun Tore</p></body></html>"
)
CLAIMS = (
    Claim("rel=canonical", "https://castle.example/hall"),
    Claim("hreflang", "fr /fr"),
    Claim("rel=license", "CC0"),
)


def test_claims_stand_beside_version_and_observation(
    ingest: IngestUseCase, store: MemoryStore
) -> None:
    told = Claim("og:url", "https://castle.example/told")
    (made,) = put(ingest, "e1", HEAD, claims=(told, CLAIMS[0]))
    version = store.get_versions(GAME, [made.version_id])[made.version_id]
    assert TextFacts.from_json(version.facts_json).claims == CLAIMS
    (seen,) = store.list_observations(GAME, made.source_id, limit=9)
    assert seen.claims == (told, *CLAIMS)
    source = store.get_source(GAME, made.source_id)
    assert source is not None
    assert (source.canonical_uri, source.license_hint) == (URI, "CC0")


def test_a_license_that_the_tool_told_stays(ingest: IngestUseCase, store: MemoryStore) -> None:
    (made,) = put(ingest, "e1", HEAD, license_hint="CC BY 4.0")
    source = store.get_source(GAME, made.source_id)
    assert source is not None
    assert source.license_hint == "CC BY 4.0"


def test_claims_of_one_document_are_bounded(ingest: IngestUseCase, store: MemoryStore) -> None:
    links = b"".join(
        b'<link rel="alternate" hreflang="x%d" href="/%s">' % (number, b"a" * 4_000)
        for number in range(50)
    )
    (made,) = put(ingest, "e1", b"<html><head>" + links + b"</head><body>text</body></html>")
    facts = store.get_versions(GAME, [made.version_id])[made.version_id].facts_json
    assert 1 < len(TextFacts.from_json(facts).claims) <= TEXT_CLAIMS_BYTES_MAX // 4_000


def test_the_charset_and_why_it_was_chosen_are_told(
    ingest: IngestUseCase, store: MemoryStore
) -> None:
    text = '<html><head><meta charset="Shift_JIS"></head><body>日本語の文章です。</body></html>'
    (made,) = put(ingest, "e1", text.encode("shift_jis"))
    facts = TextFacts.from_json(
        store.get_versions(GAME, [made.version_id])[made.version_id].facts_json
    )
    assert (facts.charset, facts.charset_reason) == ("cp932", "meta")
    assert facts.charset_confidence > 0.5


def test_no_more_sources_than_a_record_may_have() -> None:
    sources = [page(f"https://castle.example/{number}", None) for number in range(2)]
    whole = record("e1", sources)
    full = record("e1", [sources[0]] * INGEST_SOURCES_MAX)
    frames = PreparedSource(frame_uris=("a", "b", "c"))
    nothing = PreparedSource()
    found, entries = with_findings(whole, [nothing, frames])
    assert [source.parent_position for source in found.sources] == [0, 0, 2, 2, 2]
    assert len(entries) == 5
    found, entries = with_findings(full, [frames, *[nothing] * (INGEST_SOURCES_MAX - 1)])
    assert len(found.sources) == len(entries) == INGEST_SOURCES_MAX


def test_a_stub_that_the_tool_named_is_not_named_again() -> None:
    shell = page(URI, b"x", role=SourceRole.DOCUMENT)
    stub = page(
        "https://castle.example/hall/menu.html", None, role=SourceRole.STUB, parent_position=1
    )
    found, _ = with_findings(
        record("e1", [shell, stub], [b"x"]),
        [
            PreparedSource(frame_uris=("menu.html", "other.html"), empty_frame=True),
            PreparedSource(),
        ],
    )
    assert [source.canonical_uri for source in found.sources[2:]] == [
        "https://castle.example/hall/other.html"
    ]
    assert found.sources[0].completeness is Completeness.SHELL
    assert json.loads(found.sources[2].metadata_json) == {"named_by": "frame"}


def test_plain_facts_take_no_room_and_all_facts_come_back() -> None:
    assert TextFacts().to_json() == "{}"
    assert TextFacts.from_json("{}") == TextFacts()
    full = TextFacts("cp932", "meta", 0.9, ("partial",), 0.5, CLAIMS, ("menu.html",))
    assert TextFacts.from_json(full.to_json()) == full
