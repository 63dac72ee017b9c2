"""The durable commit of captures: one unit of work of the writer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import apsw

from capture_service.domain.outcomes import EnvelopeOutcome, Outcome, SourceOutcome
from capture_service.domain.prepared import PreparedCapture
from capture_service.outbox import counters, dedupe, ledger, limits, sessions
from capture_service.spool import Content, QueueLimits, SpoolFullError, queue
from sourcecorpus.rpc.limits import OUTCOME_SOURCES_MAX


@dataclass(frozen=True, slots=True)
class CommitReport:
    """What a commit did.

    Attributes:
        outcomes: Outcomes of the captures that were handled, from the first on; fewer than the
            captures where the outbox had no room for more.
        durable_sequence: The session's highest contiguous handled sequence; 0 without a session.
        queued: Records that wait for the corpus because of this commit.
    """

    outcomes: tuple[EnvelopeOutcome, ...]
    durable_sequence: int
    queued: int


@dataclass(frozen=True, slots=True)
class _Judgement:
    outcome: Outcome
    reason: str = ""
    faulty_field: str = ""
    sources: tuple[SourceOutcome, ...] = ()
    stored: bool = False


def commit_captures(
    connection: apsw.Connection,
    bounds: QueueLimits,
    session: str,
    captures: Sequence[PreparedCapture],
) -> CommitReport:
    """Commit captures of one session in order.

    Args:
        connection: Connection of the writer, inside a transaction.
        bounds: Bounds of the queue.
        session: Capture session, "" for unary calls.
        captures: At least one.

    Raises:
        SpoolFullError: There is no room for the first one; nothing was written.
    """
    outcomes: list[EnvelopeOutcome] = []
    queued = 0
    tally = counters.Tally()
    for capture in captures:
        connection.execute("SAVEPOINT capture")
        try:
            judgement = _commit_one(connection, bounds, session, capture, tally)
        except SpoolFullError:
            connection.execute("ROLLBACK TO capture")
            connection.execute("RELEASE capture")
            if not outcomes:
                raise
            break
        connection.execute("RELEASE capture")
        queued += judgement.stored
        outcomes.append(_outcome(capture, judgement))
    tally.write(connection)
    durable = sessions.durable_sequence(connection, session) if session else 0
    return CommitReport(tuple(outcomes), durable, queued)


def _commit_one(
    connection: apsw.Connection,
    bounds: QueueLimits,
    session: str,
    capture: PreparedCapture,
    tally: counters.Tally,
) -> _Judgement:
    judgement = _judge(connection, capture)
    handled_before = bool(
        session
        and capture.sequence
        and capture.sequence <= sessions.durable_sequence(connection, session)
    )
    if judgement.stored:
        _store(connection, bounds, session, capture, judgement.outcome)
    if judgement.reason and not handled_before:
        ledger.refuse(
            connection,
            capture,
            session,
            outcome=judgement.outcome,
            reason=judgement.reason,
            faulty_field=judgement.faulty_field,
        )
    # A refused envelope that is sent again after a break was counted the first time.
    counted_before = handled_before and capture.refusal is not None
    if not counted_before:
        _count(tally, session, capture, judgement)
    if session and capture.sequence:
        sessions.advance(connection, session, capture.sequence)
    return judgement


def _judge(connection: apsw.Connection, capture: PreparedCapture) -> _Judgement:
    known = ledger.find(connection, capture) if capture.fingerprint is not None else None
    if known is not None:
        if not known.has_content_of(capture):
            return _Judgement(Outcome.REJECTED, "ENVELOPE_ID_REUSED", "envelope_id")
        again = [Outcome.OBSERVED_AGAIN] * len(capture.sources)
        return _Judgement(Outcome.DUPLICATE_ENVELOPE, sources=_sources(capture, again))
    if capture.refusal is not None:
        return _Judgement(capture.refusal, capture.reason, capture.faulty_field)
    if capture.probe:
        return _Judgement(Outcome.STORED, stored=True)
    judged = dedupe.judge(connection, capture.game_id, capture.sources)
    return _Judgement(dedupe.overall(judged), sources=_sources(capture, judged), stored=True)


def _sources(capture: PreparedCapture, outcomes: Sequence[Outcome]) -> tuple[SourceOutcome, ...]:
    return tuple(
        SourceOutcome(source.canonical_uri, source.source_id, source.artifact_id, outcome)
        for source, outcome in zip(capture.sources[:OUTCOME_SOURCES_MAX], outcomes, strict=False)
    )


def _store(
    connection: apsw.Connection,
    bounds: QueueLimits,
    session: str,
    capture: PreparedCapture,
    outcome: Outcome,
) -> None:
    queue.append(
        connection,
        bounds,
        lane=capture.game_id,
        entry_key=capture.envelope_key,
        session=session,
        sequence=capture.sequence,
        queued_milliseconds=capture.received_milliseconds,
        payload=capture.record,
        entry_contents=[Content(content.digest, content.data) for content in capture.contents],
    )
    ledger.record(connection, capture, session, outcome)


def _count(
    tally: counters.Tally, session: str, capture: PreparedCapture, judgement: _Judgement
) -> None:
    tally.add(session, counters.OUTCOME, {judgement.outcome.name: 1})
    if judgement.outcome is Outcome.IGNORED:
        tally.add(session, counters.IGNORED_TOOL, {capture.tool_name: 1})
    if judgement.stored:
        tally.add(session, counters.MASK, capture.masks)
        tally.add(session, counters.DROP, capture.drops)


def _outcome(capture: PreparedCapture, judgement: _Judgement) -> EnvelopeOutcome:
    shows_sources = judgement.stored or judgement.outcome is Outcome.DUPLICATE_ENVELOPE
    return EnvelopeOutcome(
        envelope_id=capture.envelope_id,
        outcome=judgement.outcome,
        sequence=capture.sequence,
        reason=judgement.reason,
        faulty_field=judgement.faulty_field,
        game_id=capture.game_id if shows_sources else "",
        sources=judgement.sources,
        source_count=len(capture.sources) if judgement.sources else 0,
        masks=capture.masks,
        drops=capture.drops,
    )


def prune(connection: apsw.Connection) -> None:
    """Bring everything that grows beside the queue back under its bound (``outbox.limits``)."""
    ledger.prune(connection, limits.LEDGER_ROWS_MAX)
    dedupe.prune(connection, limits.KNOWN_SOURCES_MAX)
    sessions.prune(connection)
