"""Games: the scope of everything that is stored."""

from __future__ import annotations

from dataclasses import dataclass

from corpus_service.domain.vocabulary import Instant


@dataclass(frozen=True, slots=True)
class Game:
    """A game as the catalog knows it; ids are 1 to 64 of a-z, 0-9 and "-"."""

    game_id: str
    title: str = ""
    aliases: tuple[str, ...] = ()
    paused: bool = False
    created_time: Instant = 0


@dataclass(frozen=True, slots=True)
class GameChange:
    """Changes of a game; None leaves a fact as it is."""

    title: str | None = None
    aliases: tuple[str, ...] | None = None
    paused: bool | None = None
