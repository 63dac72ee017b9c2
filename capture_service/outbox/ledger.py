"""The ledger of stored envelopes and the list of refused ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import apsw

from capture_service.domain.outcomes import Outcome
from capture_service.domain.prepared import PreparedCapture
from capture_service.outbox import limits


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A stored envelope."""

    fingerprint: bytes
    masked_from_memory: bool

    def has_content_of(self, capture: PreparedCapture) -> bool:
        """Whether a capture is the stored envelope once more.

        What a conversation has shown before is masked as well, and it may have shown more between
        two deliveries. Then equal content cannot be told from other content, and the envelope
        counts as the same: it is stored already, and calling it wrong would help nobody.
        """
        return (
            self.fingerprint == capture.fingerprint
            or self.masked_from_memory
            or capture.masked_from_memory
        )


def find(connection: apsw.Connection, capture: PreparedCapture) -> LedgerEntry | None:
    """The stored envelope of this id.

    An id counts within its game. Where the envelope leaves the game to its session, any game
    counts: the session may have moved on between two deliveries of one envelope.
    """
    row: Any
    if capture.game_named:
        row = connection.execute(
            "SELECT fingerprint, masked_from_memory FROM ledger WHERE envelope_key = ? AND game_id = ?",
            (capture.envelope_key, capture.game_id),
        ).fetchone()
    else:
        row = connection.execute(
            "SELECT fingerprint, masked_from_memory FROM ledger WHERE envelope_key = ? LIMIT 1",
            (capture.envelope_key,),
        ).fetchone()
    return None if row is None else LedgerEntry(bytes(row[0]), bool(row[1]))


def record(
    connection: apsw.Connection, capture: PreparedCapture, session: str, outcome: Outcome
) -> None:
    """Enter a stored envelope."""
    connection.execute(
        "INSERT INTO ledger (envelope_key, game_id, fingerprint, masked_from_memory, outcome,"
        " session, sequence, received_milliseconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            capture.envelope_key,
            capture.game_id,
            capture.fingerprint,
            int(capture.masked_from_memory),
            outcome.name,
            session,
            capture.sequence,
            capture.received_milliseconds,
        ),
    )


def refuse(
    connection: apsw.Connection,
    capture: PreparedCapture,
    session: str,
    *,
    outcome: Outcome,
    reason: str,
    faulty_field: str,
) -> None:
    """Enter an envelope that was refused with a reason; only the newest ``REFUSALS_MAX`` stay."""
    refusal_id: Any = connection.execute(
        "INSERT INTO refusals (envelope_key, game_id, outcome, reason, field, tool_name, session,"
        " received_milliseconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING refusal_id",
        (
            capture.envelope_key,
            capture.game_id,
            outcome.name,
            reason,
            faulty_field,
            capture.tool_name,
            session,
            capture.received_milliseconds,
        ),
    ).get
    connection.execute(
        "DELETE FROM refusals WHERE refusal_id <= ?", (int(refusal_id) - limits.REFUSALS_MAX,)
    )


def forget_game(connection: apsw.Connection, game_id: str) -> None:
    """Forget the envelopes of a deleted game, so that they can be captured again."""
    connection.execute("DELETE FROM ledger WHERE game_id = ?", (game_id,))


def prune(connection: apsw.Connection, rows_max: int = limits.LEDGER_ROWS_MAX) -> None:
    """Forget the envelopes that were stored first, beyond a bound."""
    newest: Any = connection.execute("SELECT max(ledger_id) FROM ledger").get
    connection.execute("DELETE FROM ledger WHERE ledger_id <= ?", (int(newest or 0) - rows_max,))
