"""ExportGame and ImportGame: frames of archives in and out.

Blocking steps run in threads of their own, so that reading never waits behind a transfer. A step is
never abandoned: where a call ends in the middle of one, it ends before what it wrote is dropped.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import TypeVar

from corpus_service.domain.exports import ExportScope
from corpus_service.servicers.conversions import game_message
from corpus_service.servicers.execution import ReadPool
from corpus_service.servicers.filters import require_game
from corpus_service.services.exports import ExportUseCase, OpenExport
from corpus_service.services.failures import invalid
from corpus_service.services.imports import ImportedGame, OpenImport
from corpus_service.storage.transfer_interface import GameTransfer
from sourcecorpus.corpus.v1 import transfer_pb2

_Result = TypeVar("_Result")
_SCOPES = {
    transfer_pb2.EXPORT_SCOPE_UNSPECIFIED: ExportScope.EVERYTHING,
    transfer_pb2.EXPORT_SCOPE_EVERYTHING: ExportScope.EVERYTHING,
    transfer_pb2.EXPORT_SCOPE_CATALOGUE: ExportScope.CATALOGUE,
}


class TransferCalls:
    """The two calls over their use cases."""

    def __init__(self, exports: ExportUseCase, store: GameTransfer, pool: ReadPool) -> None:
        self._exports = exports
        self._store = store
        self._pool = pool

    async def export_game(
        self, request: transfer_pb2.ExportGameRequest
    ) -> AsyncGenerator[transfer_pb2.ExportGameResponse, None]:
        """Sends a head, the archive, and its length and hash."""
        game_id = require_game(request.game_id)
        scope = _SCOPES.get(request.scope)
        if scope is None:
            raise invalid("FIELD_INVALID", "scope")
        export = await self._opened(game_id, scope)
        try:
            manifest = export.manifest
            rows = {entry.name: entry.rows for entry in manifest.tables}
            yield transfer_pb2.ExportGameResponse(
                head=transfer_pb2.ExportHead(
                    game=game_message(manifest.state.game),
                    size_bytes=export.size_bytes,
                    source_count=rows["sources"],
                    version_count=rows["versions"],
                    content_count=manifest.content_count,
                )
            )
            async with aclosing(self._pool.ahead(export.frames())) as frames:
                async for data in frames:
                    yield transfer_pb2.ExportGameResponse(data=data)
            yield transfer_pb2.ExportGameResponse(
                end=transfer_pb2.TransferEnd(
                    size_bytes=export.size_bytes, content_hash=export.content_hash()
                )
            )
        finally:
            export.close()

    async def _opened(self, game_id: str, scope: ExportScope) -> OpenExport:
        opening = asyncio.ensure_future(self._pool.run(self._exports.open, game_id, scope))
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            # The caller has gone; what is being opened must not stay open.
            opening.add_done_callback(_close)
            raise

    async def import_game(
        self, requests: AsyncIterator[transfer_pb2.ImportGameRequest]
    ) -> transfer_pb2.ImportGameResponse:
        """Takes a head, the archive, and its length and hash."""
        taking = _Import(self._store, self._pool)
        try:
            async for message in requests:
                await taking.take(message)
            imported = await taking.finish()
        except BaseException:
            await taking.clean_up()
            raise
        return transfer_pb2.ImportGameResponse(
            game=game_message(imported.game),
            source_count=imported.source_count,
            version_count=imported.version_count,
            content_count=imported.content_count,
        )


def _close(opening: asyncio.Future[OpenExport]) -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()


class _Import:
    """The frames of one import, one behind another."""

    def __init__(self, store: GameTransfer, pool: ReadPool) -> None:
        self._store = store
        self._pool = pool
        self._opened: OpenImport | None = None
        self._end: transfer_pb2.TransferEnd | None = None
        self._step: asyncio.Future[object] | None = None

    async def take(self, message: transfer_pb2.ImportGameRequest) -> None:
        """Takes one frame."""
        kind = message.WhichOneof("frame")
        if kind is None:
            raise invalid("FRAME_EMPTY", "frame")
        if self._opened is None:
            if kind != "head":
                raise invalid("HEAD_REQUIRED", "head")
            self._opened = OpenImport(self._store, message.head.game_id)
        elif kind == "head":
            raise invalid("HEAD_REPEATED", "head")
        elif self._end is not None:
            raise invalid("FRAME_OUT_OF_ORDER", kind)
        elif kind == "end":
            self._end = message.end
        else:
            opened, data = self._opened, message.data
            await self._run(lambda: opened.write(data))

    async def finish(self) -> ImportedGame:
        """Shows the game, if the stream was whole."""
        opened, end = self._opened, self._end
        if opened is None:
            raise invalid("HEAD_REQUIRED", "head")
        if end is None:
            raise invalid("ARCHIVE_TRUNCATED", "end")
        return await self._run(lambda: opened.finish(end.size_bytes, end.content_hash))

    async def clean_up(self) -> None:
        """Drops what was taken, after the step that is under way."""
        if self._step is not None:
            await asyncio.wait({self._step})
        if self._opened is not None:
            await self._run(self._opened.abort)

    async def _run(self, step: Callable[[], _Result]) -> _Result:
        task = asyncio.ensure_future(self._pool.run(step))
        self._step = task  # type: ignore[assignment]  # a future of anything
        return await asyncio.shield(task)
