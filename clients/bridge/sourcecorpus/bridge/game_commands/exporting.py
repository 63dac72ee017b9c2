"""Writes everything of a game that can be read into one archive, by the reading calls of the contract.

The archive is a tar file: ``manifest.json`` last, with the number and the hash of every other member;
``sources.jsonl`` and ``versions.jsonl`` with the messages of the contract, license hints among them; and, unless they
are left out, ``texts/<version>.txt`` and ``contents/<sha256>``, the stored bytes exactly.
"""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from sourcecorpus.corpus.v1.source_pb2 import Source, Version
from sourcecorpus.corpus.v1.source_service_pb2 import (
    ListSourcesRequest,
    ListVersionsRequest,
    ReadDocumentRequest,
    ReadRawContentRequest,
)

if TYPE_CHECKING:
    from sourcecorpus.bridge.client import SourceCorpusClient

FORMAT: Final = "source-corpus-reading-archive"
FORMAT_VERSION: Final = 1
_PAGE_SIZE: Final = 500
_SPOOLED_BYTES_MAX: Final = 8 * 1024 * 1024


class ReadingArchive:
    """Writes one archive. Memory is bounded by one text piece, whatever the game holds."""

    def __init__(self, client: SourceCorpusClient, game_id: str, *, texts: bool) -> None:
        """Wire it; ``texts`` false leaves texts and contents out."""
        self._client = client
        self._game_id = game_id
        self._texts = texts
        self._members: dict[str, str] = {}

    def write(self, path: Path) -> dict[str, Any]:
        """Write the archive; it appears whole under its name or not at all.

        Returns:
            The manifest without the list of members.

        Raises:
            grpc.RpcError: A call failed.
            OSError: The file cannot be written.
        """
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            unfinished = Path(file.name)
            try:
                with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
                    facts = self._write_members(archive)
                unfinished.replace(path)
            except BaseException:
                unfinished.unlink(missing_ok=True)
                raise
        return facts

    def _write_members(self, archive: tarfile.TarFile) -> dict[str, Any]:
        with tempfile.TemporaryFile() as sources, tempfile.TemporaryFile() as versions:
            counts = self._write_tables(archive, sources, versions)
            self._add(archive, "sources.jsonl", sources)
            self._add(archive, "versions.jsonl", versions)
        facts = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "game_id": self._game_id,
            **counts,
        }
        manifest = {**facts, "members": self._members}
        data = json.dumps(manifest, ensure_ascii=False, indent=1, sort_keys=True).encode()
        self._add(archive, "manifest.json", io.BytesIO(data))
        return facts

    def _write_tables(
        self, archive: tarfile.TarFile, sources: IO[bytes], versions: IO[bytes]
    ) -> dict[str, int]:
        counts = {"sources": 0, "versions": 0}
        for source in self._sources():
            counts["sources"] += 1
            sources.write(_line(source))
            for version in self._versions(source.source_id):
                counts["versions"] += 1
                versions.write(_line(version))
                if self._texts:
                    self._add_parts(
                        archive, f"texts/{version.version_id}.txt", self._text(version.version_id)
                    )
                    name = f"contents/{version.content_hash.removeprefix('sha256:')}"
                    self._add_parts(archive, name, self._content(version.version_id))
        return counts

    def _sources(self) -> Iterator[Source]:
        request = ListSourcesRequest(game_id=self._game_id, page_size=_PAGE_SIZE)
        while True:
            page = self._client.sources.ListSources(request)
            yield from page.sources
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    def _versions(self, source_id: str) -> Iterator[Version]:
        request = ListVersionsRequest(
            game_id=self._game_id, source_id=source_id, page_size=_PAGE_SIZE
        )
        while True:
            page = self._client.sources.ListVersions(request)
            yield from page.versions
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    def _text(self, version_id: str) -> Iterator[bytes]:
        request = ReadDocumentRequest(
            game_id=self._game_id, version_id=version_id, max_lines=2_000, max_chars=200_000
        )
        length = 0
        while True:
            page = self._client.sources.ReadDocument(request)
            for line in page.lines:
                # Offsets say where the line ends of the stored text stood.
                yield ("\n" * (line.offset - length) + line.text).encode()
                length = line.offset + len(line.text)
            if not page.HasField("continuation"):
                yield b"\n" * (page.version.text_length - length)
                return
            request = page.continuation

    def _content(self, version_id: str) -> Iterator[bytes]:
        request = ReadRawContentRequest(game_id=self._game_id, version_id=version_id)
        for part in self._client.sources.ReadRawContent(request):
            yield part.data

    def _add_parts(self, archive: tarfile.TarFile, name: str, parts: Iterable[bytes]) -> None:
        if name in self._members:
            return
        with tempfile.SpooledTemporaryFile(_SPOOLED_BYTES_MAX) as file:
            for part in parts:
                file.write(part)
            self._add(archive, name, file)

    def _add(self, archive: tarfile.TarFile, name: str, file: IO[bytes]) -> None:
        member = tarfile.TarInfo(name)
        member.size = file.seek(0, io.SEEK_END)
        file.seek(0)
        digest = hashlib.sha256()
        while piece := file.read(1024 * 1024):
            digest.update(piece)
        self._members[name] = f"sha256:{digest.hexdigest()}"
        file.seek(0)
        archive.addfile(member, file)


def _line(message: Message) -> bytes:
    document = MessageToDict(message, preserving_proto_field_name=True)
    return json.dumps(document, ensure_ascii=False, sort_keys=True).encode() + b"\n"
