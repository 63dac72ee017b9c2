"""Writes an archive: tables wait in files until their hashes are known, then everything is streamed."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Final

from corpus_service.archives.limits import SPOOL_BUFFER_BYTES
from corpus_service.archives.manifest import MANIFEST_NAME, Manifest, TableEntry
from corpus_service.archives.rows import decode_row, encode_row
from corpus_service.archives.tar_format import BLOCK_BYTES, END, entry_bytes, header, padding
from corpus_service.domain.exports import (
    CONTENTS,
    TABLES,
    ExportScope,
    GameState,
    Row,
    tables_of,
)

CONTENT_FOLDER: Final = "contents/"
OpenContent = Callable[[str], Iterable[bytes]]
_TABLES: Final = {table.name: table for table in TABLES}


class ArchiveWriter:
    """The tables of one export in files that have no name; use it in a ``with`` block.

    Rows first, then `archive`. Memory is bounded by a row.
    """

    def __init__(self, scope: ExportScope, folder: Path | None) -> None:
        """Opens the files in a folder, None for the system's own."""
        self._scope = scope
        self._closing = ExitStack()
        self._spools = {table.name: _Spool(self._closing, folder) for table in tables_of(scope)}
        self._content_bytes = 0

    def __enter__(self) -> ArchiveWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives the files back."""
        self._closing.close()

    def take(self, table: str, row: Row) -> None:
        """Takes the next row of a table.

        Raises:
            OSError: The folder has no room.
        """
        if table == CONTENTS.name:
            self._content_bytes += row[1]
        self._spools[table].write(encode_row(_TABLES[table], row))

    def manifest(self, state: GameState) -> Manifest:
        """Returns what the archive says about the rows that were taken.

        Raises:
            OSError: The folder has no room.
        """
        contents = self._spools.get(CONTENTS.name)
        return Manifest(
            state,
            self._scope,
            tuple(spool.entry(name) for name, spool in self._spools.items()),
            contents.rows if contents else 0,
            self._content_bytes,
        )

    def size_bytes(self, manifest: Manifest) -> int:
        """Returns the length of the whole archive."""
        tables = sum(entry_bytes(entry.size_bytes) for entry in manifest.tables)
        contents = sum(entry_bytes(size) for _, size in self._contents())
        return entry_bytes(len(manifest.encode())) + tables + contents + len(END)

    def archive(self, manifest: Manifest, open_content: OpenContent) -> Iterator[bytes]:
        """Yields the archive in pieces of at most 256 KiB.

        Args:
            manifest: What `manifest` returned.
            open_content: Gives the bytes of a stored content.
        """
        data = manifest.encode()
        yield header(MANIFEST_NAME, len(data)) + data + bytes(padding(len(data)))
        for entry in manifest.tables:
            yield header(entry.path, entry.size_bytes)
            yield from self._spools[entry.name].pieces()
            yield bytes(padding(entry.size_bytes))
        for content_hash, size in self._contents():
            yield header(content_path(content_hash), size)
            yield from open_content(content_hash)
            yield bytes(padding(size))
        yield END

    def _contents(self) -> Iterator[tuple[str, int]]:
        spool = self._spools.get(CONTENTS.name)
        for line in spool.lines() if spool else ():
            content_hash, size, _ = decode_row(CONTENTS, line)
            yield content_hash, size


class _Spool:
    """The lines of one table."""

    def __init__(self, closing: ExitStack, folder: Path | None) -> None:
        file = tempfile.TemporaryFile(dir=folder, buffering=SPOOL_BUFFER_BYTES)  # noqa: SIM115 - closed with the writer
        self._file: IO[bytes] = closing.enter_context(file)
        self._digest = hashlib.sha256()
        self._size = 0
        self.rows = 0

    def write(self, line: bytes) -> None:
        self._file.write(line)
        self._digest.update(line)
        self._size += len(line)
        self.rows += 1

    def entry(self, name: str) -> TableEntry:
        # A full disk is found here and not while the archive is being sent.
        self._file.flush()
        return TableEntry(name, self.rows, self._size, f"sha256:{self._digest.hexdigest()}")

    def lines(self) -> Iterator[bytes]:
        self._file.seek(0)
        yield from self._file

    def pieces(self) -> Iterator[bytes]:
        self._file.seek(0)
        while piece := self._file.read(BLOCK_BYTES * 512):
            yield piece


def content_path(content_hash: str) -> str:
    """Returns the name of the entry that holds a content."""
    return CONTENT_FOLDER + content_hash.removeprefix("sha256:")
