"""Games: the scopes of everything that is stored."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from corpus_service.domain.games import Game, GameChange
from corpus_service.domain.vocabulary import Instant
from corpus_service.services.failures import invalid, not_found
from corpus_service.services.limits import (
    GAME_ALIASES_MAX,
    GAME_NAME_CODE_POINTS_MAX,
    GAME_TITLE_CODE_POINTS_MAX,
)
from corpus_service.storage.interface import GameCatalog

GAME_ID: Final = re.compile("[a-z0-9][a-z0-9-]{0,63}")
_WHITE_SPACE_AT_EDGES: Final = re.compile(r"\A\s|\s\Z")


class GameUseCase:
    """Makes, changes and lists games. Safe from any thread."""

    def __init__(self, catalog: GameCatalog, now: Callable[[], Instant]) -> None:
        self._catalog = catalog
        self._now = now

    def list_games(self, *, after: str, limit: int) -> Sequence[Game]:
        """Lists games by id, behind one of them."""
        return self._catalog.list_games(after=after, limit=limit)

    def get_game(self, name: str) -> Game:
        """Returns the game with an id or alias.

        Raises:
            Failure: NOT_FOUND UNKNOWN_GAME; INVALID_ARGUMENT.
        """
        _check_name(name, "game_id")
        game = self._catalog.get_game(name)
        if game is None:
            raise not_found("UNKNOWN_GAME", "game_id")
        return game

    def create_game(self, game: Game) -> Game:
        """Makes a game.

        Raises:
            Failure: ALREADY_EXISTS; INVALID_ARGUMENT.
        """
        check_game(game)
        return self._catalog.create_game(
            Game(game.game_id, game.title, game.aliases, game.paused, self._now())
        )

    def update_game(self, game_id: str, change: GameChange) -> Game:
        """Changes a game.

        Raises:
            Failure: NOT_FOUND UNKNOWN_GAME; ALREADY_EXISTS ALIAS_TAKEN; INVALID_ARGUMENT.
        """
        if not game_id:
            raise invalid("FIELD_REQUIRED", "game_id")
        if change.title is not None:
            _check_title(change.title, "title")
        if change.aliases is not None:
            _check_aliases(change.aliases, "aliases")
        return self._catalog.update_game(game_id, change)


def check_game(game: Game) -> None:
    """Refuses a game whose id, title or aliases cannot be those of one.

    Raises:
        Failure: INVALID_ARGUMENT.
    """
    if not game.game_id:
        raise invalid("FIELD_REQUIRED", "game.game_id")
    if GAME_ID.fullmatch(game.game_id) is None:
        raise invalid("FIELD_INVALID", "game.game_id")
    _check_title(game.title, "game.title")
    _check_aliases(game.aliases, "game.aliases")


def _check_title(title: str, field: str) -> None:
    if len(title) > GAME_TITLE_CODE_POINTS_MAX:
        raise invalid("FIELD_TOO_LARGE", field, limit=GAME_TITLE_CODE_POINTS_MAX)


def _check_aliases(aliases: Sequence[str], field: str) -> None:
    if len(aliases) > GAME_ALIASES_MAX:
        raise invalid("FIELD_TOO_MANY_VALUES", field, limit=GAME_ALIASES_MAX)
    for number, alias in enumerate(aliases):
        _check_name(alias, f"{field}[{number}]")
        if _WHITE_SPACE_AT_EDGES.search(alias):
            raise invalid("FIELD_INVALID", f"{field}[{number}]")


def _check_name(name: str, field: str) -> None:
    if not name.strip():
        raise invalid("FIELD_REQUIRED", field)
    if len(name) > GAME_NAME_CODE_POINTS_MAX:
        raise invalid("FIELD_TOO_LARGE", field, limit=GAME_NAME_CODE_POINTS_MAX)
