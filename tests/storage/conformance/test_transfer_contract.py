"""What every backend promises of exports and imports, alone and to each other."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from corpus_service.domain.exports import CHUNKS, TABLES, ExportScope, GameState, Row
from corpus_service.domain.games import Game
from corpus_service.domain.queries import SearchFilter, SourceFilter, Term
from corpus_service.domain.run_links import RunLink
from corpus_service.domain.vocabulary import IngestStatus, RunUse, VersionScope
from corpus_service.search.preparation import prepare_for_index
from corpus_service.storage.interface import CorpusStore
from corpus_service.storage.memory import MemoryStore
from corpus_service.storage.sqlite import SqliteStore
from corpus_service.storage.transfer_interface import GameImport
from sourcecorpus.rpc.failures import Failure
from tests.storage.records import GAME, PREPARATION, put_page
from tests.transfer.filled import RAW, STONE, archive_of, fill, import_into

Open = Callable[[str], CorpusStore]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Opens empty stores by the name of their backend."""
    stores: list[CorpusStore] = []

    def open_store(backend: str) -> CorpusStore:
        folder = tmp_path / str(len(stores))
        store: CorpusStore = (
            SqliteStore(folder, PREPARATION) if backend == "sqlite" else MemoryStore()
        )
        stores.append(store)
        return store

    yield open_store
    for store in stores:
        store.close()


@pytest.fixture
def filled(store: CorpusStore) -> CorpusStore:
    fill(store)
    return store


@pytest.mark.parametrize("backend", ["sqlite", "memory"])
def test_an_archive_imports_into_any_backend_and_comes_out_with_equal_bytes(
    filled: CorpusStore, opened: Open, backend: str
) -> None:
    data = archive_of(filled)
    other = opened(backend)
    imported = import_into(other, data, frame=1_000)
    assert imported.game == filled.get_game(GAME)
    assert (imported.source_count, imported.content_count) == (7, 12)
    assert archive_of(other) == data
    assert archive_of(other, ExportScope.CATALOGUE) == archive_of(filled, ExportScope.CATALOGUE)


def reading_of(store: CorpusStore) -> dict[str, Any]:
    """Everything that readers see, by public names."""
    found: dict[str, Any] = {}
    for source, _ in store.list_sources(GAME, SourceFilter(), limit=99):
        found[source.source_id] = source
        for entry in store.list_observations(GAME, source.source_id, limit=99):
            found[entry.observation_id] = entry
        for version, _ in store.list_versions(GAME, source.source_id, limit=99):
            found[version.version_id] = (
                version,
                store.read_span(GAME, version.version_id, 0, version.text_length),
                [
                    chunk.heading_path
                    for chunk in store.list_chunks(GAME, version.version_id, limit=99)
                ],
                list(store.open_content(GAME, version.content_hash).pieces()),
            )
    for run in ("run-1", "run-2"):
        found[run] = store.list_presented(GAME, run, limit=99)
        found[run + "-sources"] = store.list_run_sources(
            GAME, run, least_use=RunUse.DISCOVERED, limit=99
        )
    return found


@pytest.mark.parametrize("backend", ["sqlite", "memory"])
def test_readers_see_the_same_after_an_import(
    filled: CorpusStore, opened: Open, backend: str
) -> None:
    other = opened(backend)
    import_into(other, archive_of(filled))
    before, after = reading_of(filled), reading_of(other)
    assert before.keys() == after.keys()
    # Artifacts are numbered anew, as they are after a deletion.
    assert [name for name in before if _plain(before[name]) != _plain(after[name])] == []
    names = [name for name in before if name.startswith("ver-")]
    gone = [row[0] for row in rows_of(filled, "tombstones")]
    assert filled.tombstones(GAME, gone) == other.tombstones(GAME, gone) != {}
    assert filled.deleted_versions(GAME, [*names, *gone]) == other.deleted_versions(
        GAME, [*names, *gone]
    )


def _plain(value: object) -> object:
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type) and hasattr(value, "places_cut"):
        return replace(value, row=0)
    return value


def rows_of(store: CorpusStore, table: str) -> list[Row]:
    found: list[Row] = []
    store.export_rows(GAME, [table], lambda _, row: found.append(row))
    return found


def test_searches_find_the_same_passages_after_an_import(filled: CorpusStore, opened: Open) -> None:
    other = opened("sqlite")
    import_into(other, archive_of(filled))
    for word in ("stone", "冷铁", "tower", "walls"):
        query = Term(prepare_for_index(word).split()[0])
        found = [
            [
                (hit.version_id, round(hit.score, 6))
                for hit in store.search(
                    GAME, query, SearchFilter(version_scope=VersionScope.ALL), limit=9
                )
            ]
            for store in (filled, other)
        ]
        assert [version for version, _ in found[0]] == [version for version, _ in found[1]] != []


def test_nothing_that_readers_do_not_see_is_exported(filled: CorpusStore) -> None:
    data = archive_of(filled)
    for words in (
        b"probe",
        b"error page",
        b"not here",
        b"castle.example/stub",
        b"secret",
        b"new moat",
    ):
        assert words not in data
    for words in (STONE, RAW[:256], b"stone two", b"old moat", b"CC-BY-SA-4.0", b"<p>tower"):
        assert words in data


def test_a_catalogue_has_names_and_licenses_and_no_words(filled: CorpusStore) -> None:
    data = archive_of(filled, ExportScope.CATALOGUE)
    for words in (b"stone two", b"wall of", b"tower\\ntop", b'"q"', b"Ada"):
        assert words not in data
    for words in (b"https://castle.example/tower", b"CC-BY-SA-4.0", b"run-1"):
        assert words in data
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        names = [name.removeprefix("tables/") for name in archive.getnames()]
    expected = [f"{table.name}.jsonl" for table in TABLES if table.catalogue]
    assert names == ["manifest.json", *expected]


def test_a_game_lives_on_after_its_import(filled: CorpusStore, opened: Open) -> None:
    other = opened("sqlite")
    import_into(other, archive_of(filled))
    snapshot = other.snapshot(GAME)
    assert snapshot.sequence == filled.snapshot(GAME).sequence
    assert snapshot.epoch != filled.snapshot(GAME).epoch
    repeated = put_page(other, "env-2", b"stone two\n", at=5, record_facts={"run_id": "run-1"})
    assert repeated.status is IngestStatus.DUPLICATE
    assert repeated.sources[0].version_id
    again = put_page(other, "env-40", b"fresh stone", at=40)
    assert again.status is IngestStatus.COMMITTED
    source = other.find_source(GAME, "https://castle.example/")
    assert other.list_versions(GAME, source, limit=1)[0][0].current
    other.link_run(
        GAME, "run-1", [RunLink(RunUse.CITED, again.sources[0].version_id)], at=50 * 10**9
    )
    assert import_and_export(opened, other)


def import_and_export(opened: Open, store: CorpusStore) -> bool:
    data = archive_of(store)
    third = opened("memory")
    import_into(third, data)
    return archive_of(third) == data


def test_only_a_game_without_sources_takes_an_import(store: CorpusStore, opened: Open) -> None:
    other = opened("memory")
    other.create_game(Game(GAME, "Castle", ("burg",), created_time=7))
    put_page(other, "env-1")
    data = archive_of(other)
    put_page(store, "probe", record_facts={"probe": True})
    assert import_into(store, data).game == store.get_game("burg")
    with pytest.raises(Failure, match="GAME_NOT_EMPTY"):
        import_into(store, data)


def test_an_alias_of_another_game_is_not_taken_over(store: CorpusStore, opened: Open) -> None:
    store.create_game(Game("other", aliases=("burg",)))
    second = opened("memory")
    second.create_game(Game(GAME, aliases=("burg",)))
    with pytest.raises(Failure, match="ALIAS_TAKEN"):
        import_into(store, archive_of(second))


def test_an_import_that_is_dropped_leaves_nothing(filled: CorpusStore, opened: Open) -> None:
    rows: list[tuple[str, Row]] = []
    state = filled.export_rows(
        GAME, [table.name for table in TABLES], lambda table, row: rows.append((table, row))
    )
    for backend in ("sqlite", "memory"):
        other = opened(backend)
        taking = other.begin_import(state, 0)
        for table, row in rows:
            taking.add(table, row)
        with pytest.raises(Failure, match=r"ARCHIVE_ROW_INVALID.*contents"):
            # The bytes never came.
            taking.commit()
        taking.abort()
        taking.abort()
        assert other.get_game(GAME) is None
        assert not other.list_games(after="", limit=9)
        other.begin_import(state, 0).abort()


def faulty_rows() -> list[tuple[str, str]]:
    return [(table.name, "twice") for table in TABLES] + [
        (table, "orphan")
        for table in (
            *("artifacts", "versions", "currents", "chunks", "observations"),
            *("representations", "run_links", "run_places"),
        )
    ]


@pytest.mark.parametrize(("table", "fault"), faulty_rows())
def test_rows_that_repeat_or_refer_to_nothing_are_refused(
    filled: CorpusStore, opened: Open, table: str, fault: str
) -> None:
    rows: list[tuple[str, Row]] = []
    state = filled.export_rows(
        GAME, [entry.name for entry in TABLES], lambda name, row: rows.append((name, row))
    )
    own = [row for name, row in rows if name == table]
    referring = {
        "artifacts": 1,
        "versions": 1,
        "currents": 1,
        "chunks": 0,
        "observations": 3,
        "representations": 0,
        "run_links": 1,
        "run_places": 1,
    }
    if fault == "twice":
        row, reason = own[0], "ARCHIVE_ROW_(REPEATED|INVALID)"
    else:
        at = referring[table]
        row = (*own[0][:at], "nobody", *own[0][at + 1 :])
        row = row if at == 0 else ("another", *row[1:]) if table == "artifacts" else row
        reason = "ARCHIVE_ROW_INVALID"
    for backend in ("sqlite", "memory"):
        taking = opened(backend).begin_import(state, 0)
        for name, before in rows:
            if TABLES_IN_ORDER.index(name) <= TABLES_IN_ORDER.index(table):
                taking.add(name, before)
        with pytest.raises(Failure, match=reason):
            taking.add(table, row)
        taking.abort()


TABLES_IN_ORDER = [table.name for table in TABLES]


def add_all(taking: GameImport, table: str, rows: list[Row]) -> None:
    for row in rows:
        taking.add(table, row)


def test_a_text_is_compared_with_its_version(filled: CorpusStore, opened: Open) -> None:
    rows: list[tuple[str, Row]] = []
    state = filled.export_rows(GAME, TABLES_IN_ORDER, lambda name, row: rows.append((name, row)))
    chunks = [row for name, row in rows if name == CHUNKS.name]
    changed = (*chunks[0][:7], chunks[0][7][:-1] + "X")
    for backend in ("sqlite", "memory"):
        taking = opened(backend).begin_import(state, 0)
        for name, row in rows:
            if TABLES_IN_ORDER.index(name) < TABLES_IN_ORDER.index(CHUNKS.name):
                taking.add(name, row)
        with pytest.raises(Failure, match=r"ARCHIVE_ROW_INVALID.*chunks"):
            add_all(taking, CHUNKS.name, [changed, *chunks[1:]])
        taking.abort()


def test_the_state_names_the_game_and_its_newest_commit(store: CorpusStore) -> None:
    put_page(store, "env-1")
    state = store.export_rows(GAME, [], lambda table, row: None)
    assert state == GameState(Game(GAME, created_time=1), store.snapshot(GAME).sequence)
    assert json.loads(archive_of(store)[512:].split(b"\0", 1)[0])["game"]["sequence"] == 1
