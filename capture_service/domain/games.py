"""The game directory: which games exist, under which names, and which take captures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class GameEntry:
    """A game as the corpus lists it; the time of making tells a game made anew from the old one."""

    game_id: str
    aliases: tuple[str, ...] = ()
    paused: bool = False
    created_milliseconds: int = 0


@dataclass(frozen=True, slots=True)
class Directory:
    """All games at one moment. A name is an id, else an alias, else an alias in another case."""

    games: Mapping[str, GameEntry]
    _by_alias: Mapping[str, str] = field(default_factory=dict)
    _by_folded_alias: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, entries: Iterable[GameEntry]) -> Directory:
        """Build the look-ups."""
        games = {entry.game_id: entry for entry in entries}
        aliases = {alias: game.game_id for game in games.values() for alias in game.aliases}
        folded = {alias.casefold(): game_id for alias, game_id in aliases.items()}
        return cls(games, aliases, folded)

    def find(self, name: str) -> GameEntry | None:
        """The game of an id or alias, None where there is none."""
        found = self.games.get(name)
        if found is not None:
            return found
        game_id = self._by_alias.get(name) or self._by_folded_alias.get(name.casefold(), "")
        return self.games.get(game_id)

    def replaced_by(self, newer: Directory) -> frozenset[str]:
        """Ids of games that are gone in a newer directory or were deleted and made anew."""
        return frozenset(
            game_id
            for game_id, game in self.games.items()
            if game_id not in newer.games
            or newer.games[game_id].created_milliseconds != game.created_milliseconds
        )


@dataclass(frozen=True, slots=True)
class GameChoice:
    """The game of an envelope.

    Attributes:
        game_id: Canonical id, "" where there is none.
        named: Whether the envelope itself named it; otherwise its session did.
        refusal: Name of the outcome that it means: "", "NO_GAME", "UNKNOWN_GAME" or "PAUSED".
    """

    game_id: str = ""
    named: bool = True
    refusal: str = ""
