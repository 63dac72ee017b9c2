"""The dedupe index: judges whether a source or its content is new in its game.

It is an estimate that the corpus corrects: losing it costs bytes on the wire, never a capture.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import apsw

from capture_service.domain.outcomes import Outcome
from capture_service.domain.prepared import PreparedSource
from capture_service.outbox import limits

_URI_DIGEST_BYTES = 16


def judge(
    connection: apsw.Connection, game_id: str, sources: Iterable[PreparedSource]
) -> list[Outcome]:
    """Judge sources in order and remember them; each one's outcome stands at its position."""
    return [_judge_one(connection, game_id, source) for source in sources]


def overall(outcomes: Sequence[Outcome]) -> Outcome:
    """The outcome of an envelope: any new source, else any new content, else only observations."""
    for outcome in (Outcome.STORED, Outcome.NEW_VERSION):
        if outcome in outcomes:
            return outcome
    return Outcome.OBSERVED_AGAIN if outcomes else Outcome.STORED


def _judge_one(connection: apsw.Connection, game_id: str, source: PreparedSource) -> Outcome:
    uri_digest = hashlib.sha256(source.canonical_uri.encode("utf-8", "surrogatepass")).digest()
    key = (game_id, uri_digest[:_URI_DIGEST_BYTES])
    known: Any = connection.execute(
        "SELECT known_source_id FROM known_sources WHERE game_id = ? AND uri_digest = ?", key
    ).get
    is_new = known is None
    if is_new:
        known = connection.execute(
            "INSERT INTO known_sources (game_id, uri_digest) VALUES (?, ?)"
            " RETURNING known_source_id",
            key,
        ).get
    if source.content_digest is None:
        return Outcome.STORED if is_new else Outcome.OBSERVED_AGAIN
    connection.execute(
        "INSERT OR IGNORE INTO known_contents (known_source_id, content_digest) VALUES (?, ?)",
        (known, source.content_digest),
    )
    if is_new:
        return Outcome.STORED
    return Outcome.NEW_VERSION if connection.changes() else Outcome.OBSERVED_AGAIN


def corpus_holds(connection: apsw.Connection, game_id: str, digest: bytes) -> bool:
    """Whether the corpus has said that it holds a content."""
    return bool(
        connection.execute(
            "SELECT EXISTS (SELECT 1 FROM corpus_contents WHERE game_id = ? AND content_digest = ?)",
            (game_id, digest),
        ).get
    )


def note_held(connection: apsw.Connection, game_id: str, digests: Iterable[bytes]) -> None:
    """Remember contents that the corpus holds."""
    connection.executemany(
        "INSERT OR IGNORE INTO corpus_contents (game_id, content_digest) VALUES (?, ?)",
        [(game_id, digest) for digest in digests],
    )


def note_missing(connection: apsw.Connection, game_id: str, digests: Iterable[bytes]) -> None:
    """Forget contents that the corpus has asked for."""
    connection.executemany(
        "DELETE FROM corpus_contents WHERE game_id = ? AND content_digest = ?",
        [(game_id, digest) for digest in digests],
    )


def forget_game(connection: apsw.Connection, game_id: str) -> None:
    """Forget a game that was deleted, so that adding it again begins anew."""
    connection.execute(
        "DELETE FROM known_contents WHERE known_source_id IN"
        " (SELECT known_source_id FROM known_sources WHERE game_id = ?)",
        (game_id,),
    )
    connection.execute("DELETE FROM known_sources WHERE game_id = ?", (game_id,))
    connection.execute("DELETE FROM corpus_contents WHERE game_id = ?", (game_id,))


def prune(connection: apsw.Connection, sources_max: int = limits.KNOWN_SOURCES_MAX) -> int:
    """Forget the sources that were met first, beyond a bound.

    Returns:
        How many were forgotten.
    """
    newest: Any = connection.execute("SELECT max(known_source_id) FROM known_sources").get
    border = int(newest or 0) - sources_max
    if border <= 0:
        return 0
    connection.execute("DELETE FROM known_contents WHERE known_source_id <= ?", (border,))
    connection.execute("DELETE FROM known_sources WHERE known_source_id <= ?", (border,))
    return connection.changes()
