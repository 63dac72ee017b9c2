"""Archives that no export wrote: each is refused with one reason, and leaves nothing."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from corpus_service.archives import reading
from corpus_service.domain.exports import ExportScope
from corpus_service.domain.games import Game
from corpus_service.services.imports import OpenImport
from corpus_service.storage.memory import MemoryStore
from corpus_service.storage.sqlite import SqliteStore
from sourcecorpus.identity import content_hash
from sourcecorpus.rpc.failures import Failure
from tests.storage.records import GAME, PREPARATION
from tests.transfer.filled import archive_of, fill, frames, import_into
from tests.transfer.packing import (
    Entries,
    entries_of,
    entry,
    manifest_of,
    packed,
    rows_of,
    with_rows,
    written,
)

Change = Callable[[Entries], bytes]


@pytest.fixture(scope="module")
def sound() -> Entries:
    store = MemoryStore()
    store.create_game(Game(GAME, created_time=1))
    fill(store)
    return entries_of(archive_of(store))


@pytest.fixture
def target(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path, PREPARATION)
    yield store
    store.close()


def refusal(store: SqliteStore, data: bytes) -> tuple[str, str, str]:
    """Reason, entry or table, and line of the refusal of an archive, which left nothing."""
    with pytest.raises(Failure) as caught:
        import_into(store, data)
    assert store.get_game(GAME) is None
    folder = store._games_folder
    assert list(folder.iterdir()) == []
    facts = caught.value.metadata
    return caught.value.reason, facts.get("entry", facts.get("table", "")), facts.get("line", "")


def test_the_tools_of_these_tests_write_what_an_export_writes(
    sound: Entries, target: SqliteStore
) -> None:
    import_into(target, packed(sound))
    assert archive_of(target) == packed(sound)


def put_before(name: str, what: bytes) -> Change:
    def change(entries: Entries) -> bytes:
        parts = [what if found == name else b"" for found in entries]
        return b"".join(
            part + entry(found, data)
            for part, (found, data) in zip(parts, entries.items(), strict=True)
        ) + bytes(1024)

    return change


def renamed(name: str, to: str) -> Change:
    return lambda entries: packed(
        {to if found == name else found: data for found, data in entries.items()}, sound=False
    )


def replaced(name: str, data: bytes) -> Change:
    return lambda entries: packed({**entries, name: data}, sound=False)


def stated(change: Callable[[dict[str, Any]], None]) -> Change:
    def with_manifest(entries: Entries) -> bytes:
        document = manifest_of(entries)
        change(document)
        return packed({**entries, "manifest.json": written(document)}, sound=False)

    return with_manifest


def unlinked(entries: Entries) -> bytes:
    first = next(name for name in entries if name.startswith("contents/"))
    link = entry(first, b"", type=b"2", linkname="/etc/passwd")
    return packed(entries).replace(entry(first, entries[first]), link)


def catalogue() -> bytes:
    store = MemoryStore()
    store.create_game(Game(GAME))
    return archive_of(store, ExportScope.CATALOGUE)


SOURCES = "tables/sources.jsonl"
CASES: dict[str, tuple[Change, str, str]] = {
    "nothing that is a tar": (lambda _: b"GIF89a" * 200, "ARCHIVE_UNREADABLE", "manifest.json"),
    "compressed": (
        lambda entries: gzip.compress(packed(entries)),
        "ARCHIVE_UNREADABLE",
        "manifest.json",
    ),
    "no manifest": (
        lambda entries: packed(
            {name: data for name, data in entries.items() if name != "manifest.json"}, sound=False
        ),
        "ARCHIVE_UNREADABLE",
        "manifest.json",
    ),
    "no bytes": (lambda _: b"", "ARCHIVE_TRUNCATED", "end"),
    "cut off": (lambda entries: packed(entries)[:-1_500], "ARCHIVE_TRUNCATED", "end"),
    "ended early": (
        lambda entries: packed(dict([*entries.items()][:-1]), sound=False),
        "ARCHIVE_TRUNCATED",
        "contents",
    ),
    "more behind the end": (
        lambda entries: packed(entries) + bytes(512),
        "ARCHIVE_ENTRY_UNEXPECTED",
        "end",
    ),
    "another format version": (
        stated(lambda document: document.update(format_version=2)),
        "ARCHIVE_VERSION_UNKNOWN",
        "",
    ),
    "another format": (
        stated(lambda document: document.update(format="tarball")),
        "ARCHIVE_UNREADABLE",
        "manifest.json",
    ),
    "a game id that climbs": (
        stated(lambda document: document["game"].update(game_id="../../x")),
        "ARCHIVE_UNREADABLE",
        "manifest.json",
    ),
    "a table less": (
        stated(lambda document: document["tables"].pop()),
        "ARCHIVE_UNREADABLE",
        "manifest.json",
    ),
    "a manifest of another shape": (
        replaced("manifest.json", b'[{"format":1}]\n'),
        "ARCHIVE_UNREADABLE",
        "manifest.json",
    ),
    "a deep manifest": (
        replaced("manifest.json", b"[" * 60_000),
        "ARCHIVE_UNREADABLE",
        "manifest.json",
    ),
    "a huge manifest": (
        replaced("manifest.json", b" " * 70_000),
        "ARCHIVE_TOO_LARGE",
        "manifest.json",
    ),
    "a huge table by its word": (
        stated(lambda document: document["tables"][0].update(size_bytes=2**40)),
        "ARCHIVE_TOO_LARGE",
        "tables/contents.jsonl",
    ),
    "contents beyond all bounds": (
        stated(lambda document: document["contents"].update(size_bytes=2**60)),
        "ARCHIVE_TOO_LARGE",
        "contents",
    ),
    "a path that climbs": (
        renamed(SOURCES, "../../sources.jsonl"),
        "ARCHIVE_ENTRY_UNEXPECTED",
        SOURCES,
    ),
    "an absolute path": (renamed(SOURCES, "/etc/cron.d/x"), "ARCHIVE_ENTRY_UNEXPECTED", SOURCES),
    "an entry too many": (
        put_before(SOURCES, entry("tables/more.jsonl", b"")),
        "ARCHIVE_ENTRY_UNEXPECTED",
        SOURCES,
    ),
    "a link": (unlinked, "ARCHIVE_ENTRY_UNEXPECTED", "contents"),
    "a table twice": (
        put_before("tables/artifacts.jsonl", entry(SOURCES, b"")),
        "ARCHIVE_ENTRY_UNEXPECTED",
        "tables/artifacts.jsonl",
    ),
    "a longer table than stated": (
        lambda entries: packed({**entries, SOURCES: entries[SOURCES] * 2}, sound=False),
        "ARCHIVE_TOO_LARGE",
        SOURCES,
    ),
    "other bytes in a table": (
        lambda entries: packed(
            {**entries, SOURCES: entries[SOURCES].replace(b"Walls", b"walls")}, sound=False
        ),
        "ARCHIVE_HASH_MISMATCH",
        SOURCES,
    ),
    "a catalogue": (
        lambda _: catalogue(),
        "ARCHIVE_WITHOUT_CONTENTS",
        "",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_an_archive_that_no_export_wrote_is_refused_with_one_reason(
    sound: Entries, target: SqliteStore, name: str
) -> None:
    change, reason, entry_name = CASES[name]
    assert refusal(target, change(sound))[:2] == (reason, entry_name)


def test_a_content_with_another_hash_is_refused(sound: Entries, target: SqliteStore) -> None:
    (name, data), *_ = [item for item in sound.items() if item[0].startswith("contents/")]
    changed = {**sound, name: bytes([data[0] ^ 1]) + data[1:]}
    assert refusal(target, packed(changed))[:2] == ("ARCHIVE_HASH_MISMATCH", "contents")


def test_contents_come_once_each_and_in_order(sound: Entries, target: SqliteStore) -> None:
    names = [name for name in sound if name.startswith("contents/")]
    rest = {name: data for name, data in sound.items() if name not in names}
    swapped = rest | {name: sound[name] for name in reversed(names)}
    assert refusal(target, packed(swapped))[:2] == ("ARCHIVE_ENTRY_UNEXPECTED", "contents")
    (twice, data), *_ = [(name, sound[name]) for name in names]
    archive = packed(sound).replace(entry(twice, data), entry(twice, data) * 2)
    assert refusal(target, archive)[:2] == ("ARCHIVE_ENTRY_UNEXPECTED", "contents")


def test_a_line_without_end_is_bounded(
    sound: Entries, target: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "LINE_BYTES_MAX", 1_000)
    data = packed({**sound, SOURCES: b" " * 5_000})
    assert refusal(target, data)[:2] == ("ARCHIVE_TOO_LARGE", SOURCES)


ROW_FAULTS: dict[str, tuple[str, dict[str, object]]] = {
    "a source of another address": ("sources", {"canonical_uri": "https://other.example/"}),
    "a trust that does not exist": ("sources", {"trust": 9}),
    "an artifact of other bytes": ("artifacts", {"content_hash": "sha256:" + "0" * 64}),
    "a version of another extractor": ("versions", {"extractor": "mine"}),
    "a version of a later commit": ("versions", {"sequence": 10_000}),
    "chunks without bounds": ("versions", {"chunk_count": 2**50}),
    "a number that no field holds": ("observations", {"rank": 2**31}),
    "a negative number": ("observations", {"http_status": -1}),
    "a heading that is no text": ("chunks", {"heading_path": "[1]"}),
    "an outcome that does not exist": ("envelopes", {"outcome": 77}),
    "an error page": ("observations", {"http_status": 500, "role": 2}),
    "a stub": ("observations", {"role": 3}),
    "a frame": ("observations", {"completeness": 6}),
    "metadata that is no object": ("observations", {"metadata_json": "[]"}),
    "a window that is none": ("observations", {"window_json": '{"a":1}'}),
    "a use that does not exist": ("run_links", {"use": 4}),
    "a place behind the end": ("run_places", {"end": 10**6}),
    "a name in a tombstone that keeps none": ("tombstones", {"title": "secret", "reason": 5}),
}


@pytest.mark.parametrize("name", ROW_FAULTS)
def test_a_row_that_cannot_be_is_named_by_table_and_line(
    sound: Entries, target: SqliteStore, name: str
) -> None:
    table, facts = ROW_FAULTS[name]
    rows = rows_of(sound, table)
    changed = with_rows(sound, table, [*rows[:-1], rows[-1] | facts])
    assert refusal(target, packed(changed)) == ("ARCHIVE_ROW_INVALID", table, str(len(rows)))


@pytest.mark.parametrize(
    "line",
    [
        b"{}\n",
        b"null\n",
        b"[" * 100_000 + b"\n",
        b'{"run_id":"r","artifact_id":"a","use":1e0,"sequence":1}\n',
        b'{"run_id":"r","artifact_id":"a","use":true,"sequence":1}\n',
        b'{"run_id":"r","run_id":"r","artifact_id":"a","use":1,"sequence":1}\n',
        b'{"run_id": "r","artifact_id":"a","use":1,"sequence":1}\n',
        b'{"run_id":"\\ud800","artifact_id":"a","use":1,"sequence":1}\n',
        b'{"run_id":"\xff","artifact_id":"a","use":1,"sequence":1}\n',
        b'{"run_id":"r","artifact_id":"a","use":1,"sequence":' + b"9" * 5_000 + b"}\n",
        b'{"run_id":"r","artifact_id":"a","use":1,"sequence":9223372036854775808}\n',
    ],
)
def test_a_line_has_one_form_alone(sound: Entries, target: SqliteStore, line: bytes) -> None:
    data = packed({**sound, "tables/run_links.jsonl": line})
    assert refusal(target, data) == ("ARCHIVE_ROW_INVALID", "run_links", "1")


def test_a_row_that_comes_twice_is_named(sound: Entries, target: SqliteStore) -> None:
    rows = rows_of(sound, "sources")
    changed = with_rows(sound, "sources", [*rows, rows[0]])
    assert refusal(target, packed(changed)) == (
        "ARCHIVE_ROW_REPEATED",
        "sources",
        str(len(rows) + 1),
    )


@pytest.mark.parametrize("table", ["contents", "chunks", "observations"])
def test_a_row_less_leaves_a_contradiction(sound: Entries, target: SqliteStore, table: str) -> None:
    rows = rows_of(sound, table)
    changed = with_rows(sound, table, rows[:-1])
    assert refusal(target, packed(changed))[0] == "ARCHIVE_ROW_INVALID"


def test_an_artifact_has_the_size_of_its_content(sound: Entries, target: SqliteStore) -> None:
    rows = rows_of(sound, "artifacts")
    data = packed(with_rows(sound, "artifacts", [rows[0] | {"size_bytes": 1}, *rows[1:]]))
    assert refusal(target, data)[:2] == ("ARCHIVE_ROW_INVALID", "artifacts")
    store = MemoryStore()
    with pytest.raises(Failure, match=r"ARCHIVE_ROW_INVALID.*artifacts"):
        import_into(store, data)


@pytest.mark.parametrize(
    ("uri", "facts"),
    [
        ("tool:web_search/search?q=stone", {"trust": 1}),
        ("https://castle.example/summary", {"synthetic": False}),
        ("https://castle.example/tower", {"trust": 2}),
        ("https://castle.example/summary", {"synthetic": False, "trust": 1}),
    ],
)
def test_nothing_becomes_a_better_witness_on_its_way(
    sound: Entries, target: SqliteStore, uri: str, facts: dict[str, object]
) -> None:
    rows = rows_of(sound, "artifacts")
    changed = [row | facts if row["canonical_uri"] == uri else row for row in rows]
    assert changed != rows
    data = packed(with_rows(sound, "artifacts", changed))
    assert refusal(target, data)[:2] == ("ARCHIVE_ROW_INVALID", "artifacts")
    with pytest.raises(Failure, match=r"ARCHIVE_ROW_INVALID.*artifacts"):
        import_into(MemoryStore(), data)


def test_words_of_an_archive_stand_in_no_refusal(sound: Entries, target: SqliteStore) -> None:
    rows = rows_of(sound, "sources")
    changed = with_rows(sound, "sources", [rows[0] | {"canonical_uri": "https://canary.example/"}])
    with pytest.raises(Failure) as caught:
        import_into(target, packed(changed))
    assert "canary" not in str(caught.value) + json.dumps(dict(caught.value.metadata))
    assert "canary" not in str(caught.value.__cause__)


@pytest.mark.parametrize("size", [1, 511, 513, 100_000])
def test_frames_of_any_size_give_the_same(sound: Entries, size: int) -> None:
    data = packed(sound)
    store = MemoryStore()
    if size == 1:
        # One byte at a time, as far as the manifest and some rows.
        taking = OpenImport(store, "")
        for part in frames(data[:9_000], 1):
            taking.write(part)
        for part in frames(data[9_000:]):
            taking.write(part)
        taking.finish(len(data), content_hash(data))
    else:
        import_into(store, data, frame=size)
    assert archive_of(store) == data
