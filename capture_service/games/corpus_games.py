"""The games as the corpus service lists them."""

from __future__ import annotations

import asyncio

import grpc

from capture_service.domain.games import GameEntry
from capture_service.games import limits
from capture_service.games.directory import DirectoryUnreachableError
from sourcecorpus.corpus.v1 import game_service_pb2, game_service_pb2_grpc
from sourcecorpus.rpc.limits import LIST_PAGE_SIZE_MAX


class CorpusGames:
    """Reads all pages of ``GameService.ListGames``."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = game_service_pb2_grpc.GameServiceStub(channel)

    async def list_games(self) -> list[GameEntry]:
        """All games, at most ``GAMES_MAX``.

        Raises:
            DirectoryUnreachableError: The corpus does not answer within ``CALL_SECONDS_MAX``.
        """
        games: list[GameEntry] = []
        page_token = ""
        try:
            async with asyncio.timeout(limits.CALL_SECONDS_MAX):
                while len(games) < limits.GAMES_MAX:
                    response = await self._stub.ListGames(
                        game_service_pb2.ListGamesRequest(
                            page_size=LIST_PAGE_SIZE_MAX, page_token=page_token
                        ),
                        timeout=limits.CALL_SECONDS_MAX,
                    )
                    games += [
                        GameEntry(
                            game_id=game.game_id,
                            aliases=tuple(game.aliases),
                            paused=game.paused,
                            created_milliseconds=game.created_time.ToMilliseconds(),
                        )
                        for game in response.games
                    ]
                    page_token = response.next_page_token
                    if not page_token:
                        return games
        except (grpc.RpcError, TimeoutError) as error:
            raise DirectoryUnreachableError from error
        return games
