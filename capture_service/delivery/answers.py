"""From the corpus' answer for one record to what becomes of its entry."""

from __future__ import annotations

from typing import Final

from capture_service.outbox.delivery import Outbound, Settlement
from sourcecorpus.corpus.v1 import ingest_service_pb2 as pb
from sourcecorpus.identity import InvalidContentHashError, parse_content_hash

_DELIVERED: Final = frozenset({pb.INGEST_STATUS_COMMITTED, pb.INGEST_STATUS_DUPLICATE})
WAITING_REASONS: Final = frozenset({"GAME_PAUSED", "OVER_QUOTA"})
"""Refusals that end when somebody resumes the game or raises its quota.

The envelope was acknowledged before, so its record waits with its game.
"""
_PREFIX: Final = "INGEST_STATUS_"


def read_answer(outbound: Outbound, result: pb.IngestResult) -> Settlement:
    """Judge one answer.

    A status that this program does not know counts as "try later": a newer corpus must not make an
    older capture service drop anything.
    """
    entry = outbound.entry
    if result.status in _DELIVERED:
        return Settlement(entry, _name(result), delivered=True)
    if result.status == pb.INGEST_STATUS_REJECTED:
        if result.reason in WAITING_REASONS:
            return Settlement(entry, result.reason)
        return Settlement(
            entry,
            "REJECTED",
            refusal=result.reason or "RECORD_INVALID",
            refused_field=result.field,
        )
    if result.status == pb.INGEST_STATUS_NEED_CONTENT:
        missing = _digests(result)
        known = {content.digest for content in entry.contents}
        if missing and set(missing) <= known:
            return Settlement(entry, "NEED_CONTENT", missing=missing)
        # It asks for bytes that this record never had: no repetition can help.
        return Settlement(entry, "REJECTED", refusal="NEED_CONTENT")
    return Settlement(entry, "RETRY_LATER")


def _digests(result: pb.IngestResult) -> tuple[bytes, ...]:
    try:
        return tuple(parse_content_hash(text) for text in result.missing_content_hashes)
    except InvalidContentHashError:
        return ()


def _name(result: pb.IngestResult) -> str:
    return pb.IngestStatus.Name(result.status).removeprefix(_PREFIX)
