"""Memory of reading and writing archives is bounded by a piece and a line, whatever the archive holds."""

from __future__ import annotations

import hashlib
import json
import tracemalloc
from collections.abc import Callable, Iterator

import pytest

from corpus_service.archives.manifest import Manifest
from corpus_service.archives.reading import ArchiveReader
from corpus_service.archives.tar_format import padding
from corpus_service.archives.writing import ArchiveWriter, content_path
from corpus_service.domain.exports import CONTENTS, RUN_LINKS, ExportScope, GameState, Row
from corpus_service.domain.games import Game

FRAME_BYTES = 256 * 1024
CONTENT_BYTES = 8 * 1024 * 1024
CONTENT = bytes(CONTENT_BYTES)
CONTENT_HASH = f"sha256:{hashlib.sha256(CONTENT).hexdigest()}"
ROWS = 5_000
RUN = "r" * 1_000
MEMORY_BYTES_MAX = 4 * 1024 * 1024


class Counting:
    """Counts what an archive holds and keeps none of it."""

    def __init__(self) -> None:
        self.rows = 0
        self.content_bytes = 0

    def begin(self, manifest: Manifest) -> None:
        assert manifest.content_bytes == CONTENT_BYTES

    def row(self, table: str, row: Row) -> None:
        del table, row
        self.rows += 1

    def content_piece(self, content_hash: str, ordinal: int, data: bytes) -> None:
        del content_hash, ordinal
        self.content_bytes += len(data)


def pieces(content_hash: str) -> Iterator[bytes]:
    assert content_hash == CONTENT_HASH
    for start in range(0, CONTENT_BYTES, FRAME_BYTES):
        yield CONTENT[start : start + FRAME_BYTES]


@pytest.fixture
def writer() -> Iterator[ArchiveWriter]:
    with ArchiveWriter(ExportScope.EVERYTHING, None) as opened:
        yield opened


def peak_of(work: Callable[[], None]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_an_archive_of_many_rows_and_a_large_content_takes_little_memory(
    writer: ArchiveWriter,
) -> None:
    counting = Counting()
    reader = ArchiveReader(counting)

    def work() -> None:
        writer.take(CONTENTS.name, (CONTENT_HASH, CONTENT_BYTES, "x/y"))
        for number in range(ROWS):
            writer.take(RUN_LINKS.name, (f"{RUN}{number}", "art-" + "0" * 20, 1, 1))
        manifest = writer.manifest(GameState(Game("castle"), 1))
        length = 0
        for part in writer.archive(manifest, pieces):
            length += len(part)
            reader.feed(part)
        reader.finish()
        assert length == writer.size_bytes(manifest)

    assert peak_of(work) < MEMORY_BYTES_MAX
    assert (counting.rows, counting.content_bytes) == (ROWS + 1, CONTENT_BYTES)


def test_the_manifest_stands_first_and_describes_the_rest(writer: ArchiveWriter) -> None:
    writer.take(CONTENTS.name, (CONTENT_HASH, CONTENT_BYTES, "x/y"))
    manifest = writer.manifest(GameState(Game("castle"), 1))
    first = next(iter(writer.archive(manifest, pieces)))
    size = int(first[124:135], 8)
    assert len(first) == 512 + size + padding(size)
    described = json.loads(first[512 : 512 + size])
    assert described["contents"] == {"count": 1, "size_bytes": CONTENT_BYTES}
    assert content_path(CONTENT_HASH) == f"contents/{CONTENT_HASH[7:]}"
