"""The current game of each Hermes session.

The capture service holds the truth, so that the bridge and ``/game`` set the same thing. What it said last is kept
here too: each envelope names the game that was current when its tool returned, also while the service is away.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import apsw

from sourcecorpus.hermes.sidecar import limits
from sourcecorpus.hermes.sidecar.store import SessionGame, SidecarStore
from sourcecorpus.rpc.failures import Failure, FailureCode


class GameService(Protocol):
    """The capture service's calls about games."""

    def get_session_game(self, session_id: str) -> str:
        """Canonical game of a session, "" for none.

        Raises:
            Failure: The service cannot be asked or refuses.
        """

    def set_session_game(self, session_id: str, game_id: str) -> str:
        """Set or, with "", clear the game; returns the canonical id.

        Raises:
            Failure: See ``get_session_game``.
        """


@dataclass(frozen=True, slots=True)
class CurrentGame:
    """A session's game.

    Attributes:
        game_id: Id or alias; "" means that nothing is kept.
        confirmed: The capture service has said so.
    """

    game_id: str = ""
    confirmed: bool = False


_UNREACHABLE: Final = frozenset({FailureCode.UNAVAILABLE, FailureCode.DEADLINE_EXCEEDED})


class GameBook:
    """Knows games of sessions. Safe for several threads."""

    def __init__(
        self, store: SidecarStore, service: GameService, clock: Callable[[], float]
    ) -> None:
        """Wire the book; ``clock`` is monotonic and in seconds."""
        self._store = store
        self._service = service
        self._clock = clock
        self._lock = threading.Lock()
        self._known: OrderedDict[str, SessionGame] = store.read(_load)
        self._asked: OrderedDict[str, float] = OrderedDict()
        self._unreachable_at = float("-inf")

    def current(self, sessions: Sequence[str], default_game: str) -> CurrentGame:
        """The game of the nearest session that has one, else the default.

        Args:
            sessions: A session and those that it works for, nearest first; redacted ids.
            default_game: Game of the Hermes profile, "" for none.
        """
        with self._lock:
            for session in sessions:
                self._refresh(session)
                known = self._known.get(session)
                if known is not None:
                    return CurrentGame(known.game_id, known.confirmed)
        return CurrentGame(default_game, confirmed=False)

    def choose(self, session: str, game: str) -> CurrentGame:
        """Set or, with "", clear the game of a session; durable on return.

        Raises:
            Failure: NOT_FOUND, UNKNOWN_GAME; or the service refuses for another reason than being away.
        """
        with self._lock:
            confirmed, canonical = True, game
            try:
                canonical = self._service.set_session_game(session, game)
            except Failure as failure:
                if failure.code not in _UNREACHABLE:
                    raise
                confirmed = False
                self._unreachable_at = self._clock()
            self._keep(session, SessionGame(canonical, confirmed))
            self._note_asked(session)
            return CurrentGame(canonical, confirmed)

    def recent(self) -> list[tuple[str, SessionGame]]:
        """The sessions that were set or confirmed last, newest first."""
        with self._lock:
            newest = list(self._known.items())[-limits.STATUS_SESSIONS_MAX :]
        return newest[::-1]

    def _refresh(self, session: str) -> None:
        """Ask the service again when its last answer is old and it was not away a moment ago."""
        now = self._clock()
        if now - self._asked.get(session, float("-inf")) < limits.GAME_FRESH_SECONDS:
            return
        if now - self._unreachable_at < limits.UNREACHABLE_PAUSE_SECONDS:
            return
        known = self._known.get(session)
        try:
            if known is not None and not known.confirmed:
                canonical = self._service.set_session_game(session, known.game_id)
                self._keep(session, SessionGame(canonical, confirmed=True))
            else:
                self._learn(session, known, self._service.get_session_game(session))
        except Failure as failure:
            if failure.code in _UNREACHABLE:
                self._unreachable_at = self._clock()
                return
            # A pending name that the service does not know stays: its envelopes are answered and counted there.
        self._note_asked(session)

    def _learn(self, session: str, known: SessionGame | None, answer: str) -> None:
        if answer:
            if known is None or known.game_id != answer:
                self._keep(session, SessionGame(answer, confirmed=True))
        elif known is not None and known.game_id:
            # Somebody cleared it elsewhere; that outweighs the default of the profile, as /game off does.
            self._keep(session, SessionGame("", confirmed=True))

    def _keep(self, session: str, game: SessionGame) -> None:
        self._store.write(lambda connection: _save(connection, session, game)).result()
        self._known[session] = game
        self._known.move_to_end(session)
        if len(self._known) > limits.SESSION_GAMES_MAX:
            self._known.popitem(last=False)

    def _note_asked(self, session: str) -> None:
        self._asked[session] = self._clock()
        self._asked.move_to_end(session)
        if len(self._asked) > limits.SESSION_GAMES_MAX:
            self._asked.popitem(last=False)


def _load(connection: apsw.Connection) -> OrderedDict[str, SessionGame]:
    rows: list[Any] = connection.execute(
        "SELECT session_id, game_id, confirmed FROM session_games ORDER BY change_number"
    ).fetchall()
    return OrderedDict(
        (str(session), SessionGame(str(game), bool(confirmed))) for session, game, confirmed in rows
    )


def _save(connection: apsw.Connection, session: str, game: SessionGame) -> None:
    # The order of changes, not a clock that may jump, decides which session is forgotten first.
    connection.execute(
        "INSERT INTO session_games VALUES (?1, ?2, ?3,"
        " (SELECT coalesce(max(change_number), 0) + 1 FROM session_games))"
        " ON CONFLICT DO UPDATE SET game_id = excluded.game_id, confirmed = excluded.confirmed,"
        " change_number = excluded.change_number",
        (session, game.game_id, int(game.confirmed)),
    )
    connection.execute(
        "DELETE FROM session_games WHERE session_id IN (SELECT session_id FROM session_games"
        " ORDER BY change_number DESC LIMIT -1 OFFSET ?)",
        (limits.SESSION_GAMES_MAX,),
    )
