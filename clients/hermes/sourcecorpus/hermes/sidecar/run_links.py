"""Links between runs and what they read or cited, kept until the corpus has taken them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import apsw

from sourcecorpus.hermes.sidecar import limits

Use = Literal["consulted", "cited"]


@dataclass(frozen=True, slots=True)
class RunLink:
    """A run consulted or cited what a ref names."""

    game_id: str
    run_id: str
    ref: str
    use: Use


@dataclass(frozen=True, slots=True)
class WaitingLink:
    """A link with its number in the table."""

    link_id: int
    link: RunLink


def add_links(connection: apsw.Connection, links: Collection[RunLink]) -> int:
    """Add links inside a unit of work; one that waits already is there once.

    Returns:
        Number of the oldest links that were given up for the new ones.
    """
    connection.executemany(
        "INSERT OR IGNORE INTO run_links (game_id, run_id, ref, use) VALUES (?, ?, ?, ?)",
        [(link.game_id, link.run_id, link.ref, link.use) for link in links],
    )
    surplus = waiting_links(connection) - limits.LINKS_MAX
    if surplus <= 0:
        return 0
    connection.execute(
        "DELETE FROM run_links WHERE link_id IN (SELECT link_id FROM run_links ORDER BY link_id LIMIT ?)",
        (surplus,),
    )
    return surplus


def waiting_links(connection: apsw.Connection) -> int:
    """Number of links that wait."""
    count: Any = connection.execute("SELECT count(*) FROM run_links").get
    return int(count)


def next_links(connection: apsw.Connection) -> Sequence[WaitingLink]:
    """The oldest links of one run and game, at most ``LINKS_TOGETHER_MAX``."""
    rows: list[Any] = connection.execute(
        "SELECT l.link_id, l.game_id, l.run_id, l.ref, l.use FROM run_links AS l,"
        " (SELECT game_id, run_id FROM run_links ORDER BY link_id LIMIT 1) AS f"
        " WHERE l.run_id = f.run_id AND l.game_id = f.game_id ORDER BY l.link_id LIMIT ?",
        (limits.LINKS_TOGETHER_MAX,),
    ).fetchall()
    return [WaitingLink(int(row[0]), RunLink(*row[1:])) for row in rows]


def remove_links(connection: apsw.Connection, link_ids: Collection[int]) -> None:
    """Remove links inside a unit of work."""
    connection.executemany(
        "DELETE FROM run_links WHERE link_id = ?", [(link_id,) for link_id in link_ids]
    )
