"""Reads an archive that arrives in pieces, and refuses the first thing that no export has."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Generator
from typing import Final, Protocol

from corpus_service.archives.limits import (
    CONTENT_BYTES_MAX,
    LINE_BYTES_MAX,
    MANIFEST_BYTES_MAX,
)
from corpus_service.archives.manifest import (
    MANIFEST_NAME,
    Manifest,
    TableEntry,
    read_manifest,
    unreadable,
    within,
)
from corpus_service.archives.rows import RowFault, decode_row
from corpus_service.archives.tar_format import BLOCK_BYTES, END, padding, read_header
from corpus_service.domain.exports import TABLES, Row
from corpus_service.limits import CONTENT_PIECE_BYTES
from sourcecorpus.rpc.failures import Failure, FailureCode

_TABLES: Final = {table.name: table for table in TABLES}
_CONTENT_PATH: Final = re.compile(r"contents/([0-9a-f]{64})")
_CONTENTS: Final = "contents"
_ZEROS: Final = bytes(BLOCK_BYTES)
Steps = Generator[None, None, None]


class ArchiveTarget(Protocol):
    """What becomes of an archive. Contents come in pieces of 256 KiB but for the last one."""

    def begin(self, manifest: Manifest) -> None:
        """Takes the manifest, before everything else."""

    def row(self, table: str, row: Row) -> None:
        """Takes the next row of a table."""

    def content_piece(self, content_hash: str, ordinal: int, data: bytes) -> None:
        """Takes the next bytes of a content; their hash is known to fit when the next one begins."""


class ArchiveReader:
    """A parser that is fed. Memory is bounded by a line and a piece, whatever the archive says.

    After a failure nothing more may be fed.
    """

    def __init__(self, target: ArchiveTarget) -> None:
        self._target = target
        self._buffer = bytearray()
        self._done = False
        self._steps = self._read()
        next(self._steps)

    def feed(self, data: bytes) -> None:
        """Takes the next bytes.

        Raises:
            Failure: INVALID_ARGUMENT ``ARCHIVE_UNREADABLE``, ``ARCHIVE_VERSION_UNKNOWN``,
                ``ARCHIVE_ENTRY_UNEXPECTED``, ``ARCHIVE_TRUNCATED``, ``ARCHIVE_HASH_MISMATCH``,
                ``ARCHIVE_ROW_INVALID``, ``ARCHIVE_ROW_REPEATED``; RESOURCE_EXHAUSTED
                ``ARCHIVE_TOO_LARGE``; what the target raises.
        """
        if self._done and data:
            raise _unexpected("end")
        self._buffer += data
        next(self._steps, None)

    def finish(self) -> None:
        """Ends the archive.

        Raises:
            Failure: INVALID_ARGUMENT ``ARCHIVE_TRUNCATED``.
        """
        if not self._done:
            raise _truncated("end")

    def _read(self) -> Steps:
        found = read_header((yield from self._exactly(BLOCK_BYTES)))
        if found is None or found[0] != MANIFEST_NAME:
            raise unreadable(MANIFEST_NAME)
        within(found[1], MANIFEST_BYTES_MAX, MANIFEST_NAME)
        manifest = read_manifest((yield from self._exactly(found[1])))
        yield from self._pad(found[1], MANIFEST_NAME)
        self._target.begin(manifest)
        for entry in manifest.tables:
            yield from self._table(entry)
        yield from self._contents(manifest)
        if (yield from self._exactly(len(END))) != END:
            raise _unexpected("end")
        self._done = True
        if self._buffer:
            raise _unexpected("end")

    def _table(self, entry: TableEntry) -> Steps:
        name, size = yield from self._header(entry.path)
        if name != entry.path:
            raise _unexpected(entry.path)
        within(size, entry.size_bytes, entry.path)
        digest = hashlib.sha256()
        line = bytearray()
        rows = 0
        left = size
        while left:
            data = yield from self._some(left)
            left -= len(data)
            digest.update(data)
            for part in _lines(data):
                line += part
                if len(line) > LINE_BYTES_MAX:
                    within(len(line), LINE_BYTES_MAX, entry.path)
                if line.endswith(b"\n"):
                    rows += 1
                    self._row(entry, rows, bytes(line))
                    line.clear()
        fits = (rows, size, f"sha256:{digest.hexdigest()}") == (
            entry.rows,
            entry.size_bytes,
            entry.hash,
        )
        if line or not fits:
            raise _mismatch(entry.path)
        yield from self._pad(size, entry.path)

    def _row(self, entry: TableEntry, number: int, line: bytes) -> None:
        if number > entry.rows:
            raise _mismatch(entry.path)
        place = {"table": entry.name, "line": str(number)}
        try:
            self._target.row(entry.name, decode_row(_TABLES[entry.name], line))
        except RowFault:
            raise Failure(
                FailureCode.INVALID_ARGUMENT, "ARCHIVE_ROW_INVALID", metadata=place
            ) from None
        except Failure as failure:
            if "table" not in failure.metadata:
                raise
            raise Failure(failure.code, failure.reason, metadata=place) from failure

    def _contents(self, manifest: Manifest) -> Steps:
        before = ""
        total = 0
        for _ in range(manifest.content_count):
            name, size = yield from self._header(_CONTENTS)
            match = _CONTENT_PATH.fullmatch(name)
            # Ascending names: no content comes twice.
            if match is None or match[1] <= before:
                raise _unexpected(_CONTENTS)
            within(size, CONTENT_BYTES_MAX, _CONTENTS)
            before = match[1]
            total += size
            within(total, manifest.content_bytes, _CONTENTS)
            yield from self._content(f"sha256:{before}", size)
        if total != manifest.content_bytes:
            raise _mismatch(_CONTENTS)

    def _content(self, content_hash: str, size: int) -> Steps:
        digest = hashlib.sha256()
        for ordinal, start in enumerate(range(0, size, CONTENT_PIECE_BYTES)):
            data = yield from self._exactly(min(CONTENT_PIECE_BYTES, size - start))
            digest.update(data)
            self._target.content_piece(content_hash, ordinal, data)
        if f"sha256:{digest.hexdigest()}" != content_hash:
            raise _mismatch(_CONTENTS)
        yield from self._pad(size, _CONTENTS)

    def _header(self, place: str) -> Generator[None, None, tuple[str, int]]:
        block = yield from self._exactly(BLOCK_BYTES)
        if block == _ZEROS:
            raise _truncated(place)
        found = read_header(block)
        if found is None:
            raise _unexpected(place)
        return found

    def _pad(self, size: int, place: str) -> Steps:
        if any((yield from self._exactly(padding(size)))):
            raise _unexpected(place)

    def _exactly(self, count: int) -> Generator[None, None, bytes]:
        while len(self._buffer) < count:
            yield
        return self._cut(count)

    def _some(self, limit: int) -> Generator[None, None, bytes]:
        while not self._buffer:
            yield
        return self._cut(min(limit, len(self._buffer)))

    def _cut(self, count: int) -> bytes:
        data = bytes(self._buffer[:count])
        del self._buffer[:count]
        return data


def _lines(data: bytes) -> list[bytes]:
    """The lines of bytes, each with its line feed but for the last one."""
    parts = data.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _fault(reason: str, entry: str) -> Failure:
    return Failure(FailureCode.INVALID_ARGUMENT, reason, metadata={"entry": entry})


def _unexpected(entry: str) -> Failure:
    return _fault("ARCHIVE_ENTRY_UNEXPECTED", entry)


def _truncated(entry: str) -> Failure:
    return _fault("ARCHIVE_TRUNCATED", entry)


def _mismatch(entry: str) -> Failure:
    return _fault("ARCHIVE_HASH_MISMATCH", entry)
