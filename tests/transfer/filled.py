"""A game with one of everything that an export has to carry, and archives of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from corpus_service.domain.deletions import Deletion, DeletionReason
from corpus_service.domain.exports import ExportScope
from corpus_service.domain.records import AccessFacts, Claim, Representation, Window
from corpus_service.domain.run_links import RunLink
from corpus_service.domain.vocabulary import Completeness, Derivation, RunUse, SourceRole
from corpus_service.services.exports import ExportUseCase
from corpus_service.services.imports import ImportedGame, OpenImport
from corpus_service.storage.interface import CorpusStore
from corpus_service.storage.preparation import PreparedSource
from sourcecorpus.identity import content_hash
from tests.storage.records import (
    GAME,
    SECOND,
    hash_of,
    page,
    prepared,
    put,
    put_page,
    record,
    text_of,
)

STONE = b"# Stone\n\nA wall of \xe5\x86\xb7\xe9\x93\x81 and \xf0\x9f\x97\xa1.\n" * 9
RAW = bytes(range(256)) * 2_500
"""Bytes of three pieces, and no text."""


def fill(store: CorpusStore) -> None:
    """Puts one of everything into the game of the store."""
    put_page(store, "env-1", STONE, title="Walls", license_hint="CC-BY-SA-4.0", at=3)
    put_page(store, "env-2", b"stone two\n", at=5, record_facts={"run_id": "run-1"})
    put_page(store, "env-0", b"what a model says", "https://castle.example/summary", synthetic=True)
    put_page(store, "env-1b", b"stone?", at=4, completeness=Completeness.UNSPECIFIED)
    put_page(store, "env-3", b"stale", at=6, fetched_time=2 * SECOND)
    _put_rich_record(store)
    _put_what_readers_do_not_see(store)
    put_page(store, "env-9", b"secret", "https://castle.example/gone", at=9)
    put_page(store, "env-10", b"old moat", "https://castle.example/moat", at=10)
    put_page(store, "env-11", b"new moat", "https://castle.example/moat", at=11)
    put_page(store, "env-12", b"", "https://castle.example/empty", at=12)
    gone = store.find_source(GAME, "https://castle.example/gone")
    store.delete_source(GAME, Deletion(gone, DeletionReason.SENSITIVE, 20 * SECOND, note="key"))
    moat = store.find_source(GAME, "https://castle.example/moat")
    newest, oldest = (version for version, _ in store.list_versions(GAME, moat, limit=9))
    store.delete_source(
        GAME, Deletion(moat, DeletionReason.LICENSE, 21 * SECOND, newest.version_id)
    )
    store.link_run(
        GAME,
        "run-1",
        [RunLink(RunUse.CITED, oldest.version_id, span=(0, 3))],
        at=22 * SECOND,
    )


def _put_rich_record(store: CorpusStore) -> None:
    listing = page(
        "tool:web_search/search?q=stone",
        b'{"hits": []}',
        family="gtc_discovery",
        kind="results",
        role=SourceRole.ARTIFACT,
        rank=2,
        group="web",
        order=1,
    )
    document = page(
        "https://castle.example/tower",
        b"tower\ntop\n",
        parent_position=1,
        title="Tower \u202e",
        window=Window("lines", 1, 2, 40),
        completeness=Completeness.WINDOWED,
        derivation=Derivation.PAGE_WINDOW,
        headers={"content-language": "en"},
        claims=(Claim("author", "Ada"),),
        representations=(Representation("rawHtml", "text/html", hash_of(b"<p>tower")),),
        metadata_json='{"k":"v"}',
        snippet="tower",
        locator="#top",
        http_status=200,
        final_uri="https://castle.example/tower?x=1",
    )
    binary = page("https://castle.example/map.bin", RAW, content_type="application/x-map")
    failed = page("https://castle.example/404", b"not here", http_status=404)
    contents = (b'{"hits": []}', b"tower\ntop\n", b"<p>tower", RAW, b"not here", b"whole")
    rich = record(
        "env-4",
        [listing, failed, document, binary],
        contents,
        at=7,
        run_id="run-2",
        session_id="session",
        tool_call_id="call",
        arguments=b'{"q": "stone"}\xff',
        result_hash=hash_of(b"whole"),
        result_media_type="application/json",
        started_time=6 * SECOND,
        masks={"aws": 2},
        access=AccessFacts(authenticated=True, robots="allowed"),
    )
    texts = [None, None, text_of(b"tower\ntop\n", title=document.title), None]
    ready = prepared(rich, texts)
    sources = list(ready.sources)
    sources[3] = PreparedSource(None, "unsupported", "pdf", "2")
    put(store, replace(ready, sources=tuple(sources)))


def _put_what_readers_do_not_see(store: CorpusStore) -> None:
    put_page(store, "env-5", b"probe", "https://castle.example/probe", record_facts={"probe": True})
    put_page(store, "env-6", b"error page", "https://castle.example/error", http_status=500)
    put(
        store,
        prepared(
            record("env-7", [page("https://castle.example/stub", None, role=SourceRole.STUB)])
        ),
    )


def archive_of(
    store: CorpusStore, scope: ExportScope = ExportScope.EVERYTHING, game_id: str = GAME
) -> bytes:
    """Returns the archive of a game of the store."""
    export = ExportUseCase(store).open(game_id, scope)
    try:
        data = b"".join(export.frames())
        assert len(data) == export.size_bytes
        assert content_hash(data) == export.content_hash()
    finally:
        export.close()
    return data


def frames(data: bytes, size: int = 256 * 1024) -> Iterable[bytes]:
    return (data[start : start + size] for start in range(0, len(data), size))


def import_into(store: CorpusStore, data: bytes, *, frame: int = 256 * 1024) -> ImportedGame:
    """Imports an archive, as whole as it is; a failure leaves nothing."""
    taking = OpenImport(store, "")
    try:
        for part in frames(data, frame):
            taking.write(part)
        return taking.finish(len(data), content_hash(data))
    finally:
        taking.abort()
