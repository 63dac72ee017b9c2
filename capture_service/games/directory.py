"""The game directory: asked of the corpus, kept on disk, so that capture goes on without it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Protocol

from capture_service.domain.games import Directory, GameChoice, GameEntry
from capture_service.games import limits
from sourcecorpus.rpc.failures import Failure, FailureCode


class DirectoryUnreachableError(Exception):
    """The corpus could not be asked."""


class GameSource(Protocol):
    """Where the games are listed."""

    async def list_games(self) -> Sequence[GameEntry]:
        """All games.

        Raises:
            DirectoryUnreachableError: It cannot be asked now.
        """


class GameStore(Protocol):
    """What is kept of the directory and of the games of Hermes sessions."""

    async def load_directory(self) -> Directory | None:
        """The directory as it was told last."""

    async def save_directory(self, directory: Directory, now_milliseconds: int) -> bool:
        """Replace it durably; False where that is not possible now."""

    async def game_of_session(self, session_id: str) -> str:
        """Game of a Hermes session, "" for none."""


class GameDirectory:
    """Finds the game of an envelope. Belongs to one event loop."""

    def __init__(
        self,
        source: GameSource,
        store: GameStore,
        *,
        monotonic_seconds: Callable[[], float],
        wall_milliseconds: Callable[[], int],
        refreshed: Callable[[], None] = lambda: None,
    ) -> None:
        """Wire the directory.

        Args:
            source: The corpus.
            store: Keeps the directory.
            monotonic_seconds: Clock of ages.
            wall_milliseconds: Unix time.
            refreshed: Called after the corpus has answered with a changed directory.
        """
        self._source = source
        self._store = store
        self._monotonic_seconds = monotonic_seconds
        self._wall_milliseconds = wall_milliseconds
        self._refreshed = refreshed
        self._directory: Directory | None = None
        self._saved = True
        self._asked_at = float("-inf")
        self._failed_at = float("-inf")
        self._asking = asyncio.Lock()

    async def start(self) -> None:
        """Load what is kept; does not wait for the corpus."""
        self._directory = await self._store.load_directory()

    async def run(self) -> None:
        """Ask the corpus from time to time, until cancelled."""
        while True:
            with contextlib.suppress(DirectoryUnreachableError):
                await self._ask(self._monotonic_seconds())
            await asyncio.sleep(limits.REFRESH_INTERVAL_SECONDS)

    async def choose(self, game_name: str, session_id: str, age_seconds_max: float) -> GameChoice:
        """Find the game of an envelope.

        Args:
            game_name: Id or alias that the envelope names, "" for none.
            session_id: Hermes session after redaction, "" for none.
            age_seconds_max: How old the directory may be while the corpus can be reached.

        Raises:
            Failure: UNAVAILABLE, GAME_DIRECTORY_UNAVAILABLE: the corpus cannot be asked whether the
                game exists. The capture is not lost: it is to be sent again.
        """
        named = bool(game_name)
        name = game_name
        if not name and session_id:
            name = await self._store.game_of_session(session_id)
        if not name:
            return GameChoice(named=False, refusal="NO_GAME")
        game = await self.find(name, age_seconds_max)
        if game is None:
            return GameChoice(named=named, refusal="UNKNOWN_GAME")
        return GameChoice(game.game_id, named, "PAUSED" if game.paused else "")

    async def find(self, name: str, age_seconds_max: float) -> GameEntry | None:
        """The game of an id or alias, None where the corpus says that there is none.

        Raises:
            Failure: See ``choose``.
        """
        now = self._monotonic_seconds()
        resting = now - self._failed_at < limits.FAILURE_PAUSE_SECONDS
        if now - self._asked_at > age_seconds_max and not (resting and self._directory):
            with contextlib.suppress(DirectoryUnreachableError):
                await self._ask(now)
        game = self._directory.find(name) if self._directory else None
        if game is None and self._asked_at < now:
            await self._ask_or_fail(now)
            game = self._directory.find(name) if self._directory else None
        return game

    async def _ask_or_fail(self, now: float) -> None:
        try:
            await self._ask(now)
        except DirectoryUnreachableError:
            raise Failure(
                FailureCode.UNAVAILABLE,
                "GAME_DIRECTORY_UNAVAILABLE",
                retry_after_seconds=limits.RETRY_SECONDS,
            ) from None

    async def _ask(self, not_before: float) -> None:
        """Have an answer to a question that was asked at ``not_before`` or later."""
        async with self._asking:
            if self._asked_at >= not_before:
                return
            if self._failed_at >= not_before:
                raise DirectoryUnreachableError
            asked_at = self._monotonic_seconds()
            try:
                games = await self._source.list_games()
            except DirectoryUnreachableError:
                self._failed_at = self._monotonic_seconds()
                raise
            directory = Directory.of(games)
            changed = self._directory is None or directory.games != self._directory.games
            self._directory = directory
            if changed or not self._saved:
                self._saved = await self._store.save_directory(directory, self._wall_milliseconds())
                self._refreshed()
            self._asked_at = asked_at
