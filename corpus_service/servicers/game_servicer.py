"""GameService."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, Final

import grpc

from corpus_service.domain.games import GameChange
from corpus_service.servicers.conversions import game_message, game_of
from corpus_service.servicers.execution import ReadPool
from corpus_service.servicers.filters import require_game
from corpus_service.servicers.paging import Pager
from corpus_service.servicers.transfer_calls import TransferCalls
from corpus_service.services.failures import invalid
from corpus_service.services.games import GameUseCase
from sourcecorpus.corpus.v1 import game_service_pb2, game_service_pb2_grpc, transfer_pb2
from sourcecorpus.rpc.limits import GAMES_PAGE_SIZE_DEFAULT, LIST_PAGE_SIZE_MAX
from sourcecorpus.rpc.page_tokens import PageTokenSigner, page_size

SERVICE: Final = "sourcecorpus.corpus.v1.GameService"
Context = grpc.aio.ServicerContext[Any, Any]


class GameServicer(game_service_pb2_grpc.GameServiceServicer):
    """Makes, lists, exports and imports games."""

    def __init__(
        self,
        use_case: GameUseCase,
        transfers: TransferCalls,
        signer: PageTokenSigner,
        pool: ReadPool,
    ) -> None:
        self._use_case = use_case
        self._transfers = transfers
        self._pager = Pager(signer, f"/{SERVICE}/ListGames")
        self._pool = pool

    async def ListGames(  # noqa: N802 - name of the contract
        self, request: game_service_pb2.ListGamesRequest, context: Context
    ) -> game_service_pb2.ListGamesResponse:
        """Lists games by id; see the contract."""
        del context
        size = page_size(request.page_size, GAMES_PAGE_SIZE_DEFAULT, LIST_PAGE_SIZE_MAX)
        page = self._pager.begin(request, request.page_token, "")
        match page.position:
            case None:
                after = ""
            case (str(after),):
                pass
            case _:
                raise invalid("PAGE_TOKEN_INVALID", "page_token")
        games = await self._pool.run(self._use_case.list_games, after=after, limit=size + 1)
        response = game_service_pb2.ListGamesResponse(
            games=[game_message(game) for game in games[:size]]
        )
        if len(games) > size:
            position = (games[size - 1].game_id,)
            response.next_page_token = self._pager.token(request, "", page, position)
        return response

    async def GetGame(  # noqa: N802 - name of the contract
        self, request: game_service_pb2.GetGameRequest, context: Context
    ) -> game_service_pb2.GetGameResponse:
        """Reads a game by id or alias; see the contract."""
        del context
        return game_service_pb2.GetGameResponse(
            game=game_message(self._use_case.get_game(request.game_id))
        )

    async def CreateGame(  # noqa: N802 - name of the contract
        self, request: game_service_pb2.CreateGameRequest, context: Context
    ) -> game_service_pb2.CreateGameResponse:
        """Makes a game; see the contract."""
        del context
        made = await self._pool.run(self._use_case.create_game, game_of(request.game))
        return game_service_pb2.CreateGameResponse(game=game_message(made))

    async def UpdateGame(  # noqa: N802 - name of the contract
        self, request: game_service_pb2.UpdateGameRequest, context: Context
    ) -> game_service_pb2.UpdateGameResponse:
        """Changes a game; see the contract."""
        del context
        change = GameChange(
            title=request.title if request.HasField("title") else None,
            aliases=tuple(request.aliases) if request.replace_aliases else None,
            paused=request.paused if request.HasField("paused") else None,
        )
        game_id = require_game(request.game_id)
        if request.aliases and not request.replace_aliases:
            raise invalid("FIELD_INVALID", "aliases")
        changed = await self._pool.run(self._use_case.update_game, game_id, change)
        return game_service_pb2.UpdateGameResponse(game=game_message(changed))

    async def ExportGame(  # noqa: N802 - name of the contract
        self, request: transfer_pb2.ExportGameRequest, context: Context
    ) -> AsyncIterator[transfer_pb2.ExportGameResponse]:
        """Sends a game as an archive; see the contract."""
        del context
        async with aclosing(self._transfers.export_game(request)) as frames:
            async for frame in frames:
                yield frame

    async def ImportGame(  # noqa: N802 - name of the contract
        self,
        request_iterator: AsyncIterator[transfer_pb2.ImportGameRequest],
        context: Context,
    ) -> transfer_pb2.ImportGameResponse:
        """Makes a game out of an archive; see the contract."""
        del context
        return await self._transfers.import_game(request_iterator)
