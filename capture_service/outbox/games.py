"""The game directory on disk, so that capture goes on while the corpus is away."""

from __future__ import annotations

from typing import Any

import apsw

from capture_service.domain.games import Directory, GameEntry
from capture_service.outbox import dedupe, ledger


def load(connection: apsw.Connection) -> Directory | None:
    """The directory as it was told last; None where the corpus was never reached."""
    if connection.execute("SELECT 1 FROM directory_state").get is None:
        return None
    aliases: dict[str, list[str]] = {}
    rows: list[Any] = connection.execute("SELECT alias, game_id FROM game_aliases").fetchall()
    for alias, game_id in rows:
        aliases.setdefault(str(game_id), []).append(str(alias))
    games: list[Any] = connection.execute(
        "SELECT game_id, paused, created_milliseconds FROM games"
    ).fetchall()
    return Directory.of(
        GameEntry(str(row[0]), tuple(aliases.get(str(row[0]), ())), bool(row[1]), int(row[2]))
        for row in games
    )


def save(connection: apsw.Connection, directory: Directory, now_milliseconds: int) -> None:
    """Replace the directory.

    What is known about deleted games is forgotten, so that adding them again begins anew.
    """
    before = load(connection)
    if before is not None:
        for game_id in before.replaced_by(directory):
            dedupe.forget_game(connection, game_id)
            ledger.forget_game(connection, game_id)
    connection.execute("DELETE FROM games")
    connection.execute("DELETE FROM game_aliases")
    connection.executemany(
        "INSERT INTO games VALUES (?, ?, ?)",
        [
            (game.game_id, int(game.paused), game.created_milliseconds)
            for game in directory.games.values()
        ],
    )
    connection.executemany(
        "INSERT OR IGNORE INTO game_aliases VALUES (?, ?)",
        [(alias, game.game_id) for game in directory.games.values() for alias in game.aliases],
    )
    connection.execute(
        "INSERT INTO directory_state VALUES (1, ?) ON CONFLICT DO UPDATE SET"
        " refreshed_milliseconds = excluded.refreshed_milliseconds",
        (now_milliseconds,),
    )
