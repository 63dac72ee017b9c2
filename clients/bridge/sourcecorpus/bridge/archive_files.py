"""Archives of games as files: written by ExportGame, read for ImportGame."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from sourcecorpus.corpus.v1.transfer_pb2 import (
    ExportGameRequest,
    ExportHead,
    ExportScope,
    ImportGameRequest,
    ImportGameResponse,
    ImportHead,
    TransferEnd,
)
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.limits import DATA_FRAME_BYTES_MAX

if TYPE_CHECKING:
    from sourcecorpus.bridge.client import SourceCorpusClient

Progress = Callable[[int, int], None]
"""Takes bytes done and bytes in all."""


@dataclass(frozen=True, slots=True)
class WrittenArchive:
    """An archive that is whole: what the service said of it, and its length and hash."""

    head: ExportHead
    size_bytes: int
    content_hash: str


def write_archive(
    client: SourceCorpusClient,
    game_id: str,
    path: Path,
    scope: ExportScope.ValueType,
    progress: Progress | None = None,
) -> WrittenArchive:
    """Write a game to a file; it appears whole under its name or not at all.

    Args:
        client: Reaches the corpus.
        game_id: Canonical id.
        path: The file; one that is there is replaced at the end.
        scope: How much.
        progress: Told now and then.

    Raises:
        grpc.RpcError: The call failed.
        Failure: UNAVAILABLE ``STREAM_ENDED_EARLY`` or INVALID_ARGUMENT ``CONTENT_HASH_MISMATCH``: what
            arrived is not the whole archive.
        OSError: The file cannot be written.
    """
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        unfinished = Path(file.name)
        try:
            written = _receive(
                client, ExportGameRequest(game_id=game_id, scope=scope), file, progress
            )
            file.flush()
            os.fsync(file.fileno())
            unfinished.replace(path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
    return written


def send_archive(
    client: SourceCorpusClient, path: Path, game_id: str = "", progress: Progress | None = None
) -> ImportGameResponse:
    """Import a file; all of it or nothing.

    Args:
        client: Reaches the corpus.
        path: The archive.
        game_id: Id that its game must have; "" for any.
        progress: Told now and then.

    Raises:
        grpc.RpcError: The service refused the archive.
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        size_bytes = path.stat().st_size
        return client.games.ImportGame(_frames(file, size_bytes, game_id, progress))


def _receive(
    client: SourceCorpusClient,
    request: ExportGameRequest,
    file: IO[bytes],
    progress: Progress | None,
) -> WrittenArchive:
    digest = hashlib.sha256()
    size_bytes = 0
    head = ExportHead()
    end: TransferEnd | None = None
    for message in client.games.ExportGame(request):
        kind = message.WhichOneof("frame")
        if kind == "head":
            head = message.head
        elif kind == "end":
            end = message.end
        else:
            file.write(message.data)
            digest.update(message.data)
            size_bytes += len(message.data)
            if progress is not None:
                progress(size_bytes, head.size_bytes)
    if end is None:
        raise Failure(FailureCode.UNAVAILABLE, "STREAM_ENDED_EARLY")
    content_hash = f"sha256:{digest.hexdigest()}"
    if (size_bytes, content_hash) != (end.size_bytes, end.content_hash):
        raise Failure(FailureCode.INVALID_ARGUMENT, "CONTENT_HASH_MISMATCH")
    return WrittenArchive(head, size_bytes, content_hash)


def _frames(
    file: IO[bytes], size_bytes: int, game_id: str, progress: Progress | None
) -> Iterator[ImportGameRequest]:
    yield ImportGameRequest(head=ImportHead(game_id=game_id))
    digest = hashlib.sha256()
    sent = 0
    while data := file.read(DATA_FRAME_BYTES_MAX):
        digest.update(data)
        sent += len(data)
        yield ImportGameRequest(data=data)
        if progress is not None:
            progress(sent, size_bytes)
    end = TransferEnd(size_bytes=sent, content_hash=f"sha256:{digest.hexdigest()}")
    yield ImportGameRequest(end=end)
