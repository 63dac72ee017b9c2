"""From the domain's outcomes to messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from capture_service.domain.outcomes import EnvelopeOutcome
from capture_service.servicers import limits
from sourcecorpus.capture.v1 import capture_service_pb2, outcome_pb2
from sourcecorpus.rpc.limits import OUTCOME_SOURCES_MAX

_COUNT_MAX = 2**32 - 1


def outcome_message(outcome: EnvelopeOutcome, bytes_max: int) -> outcome_pb2.EnvelopeOutcome:
    """The message of one outcome.

    Args:
        outcome: The outcome.
        bytes_max: Sources beyond these bytes are counted and not listed, as are those beyond
            ``OUTCOME_SOURCES_MAX``.
    """
    message = outcome_pb2.EnvelopeOutcome(
        envelope_id=outcome.envelope_id,
        sequence=outcome.sequence,
        outcome=outcome_pb2.CaptureOutcome.ValueType(outcome.outcome.value),
        reason=outcome.reason,
        field=outcome.faulty_field,
        game_id=outcome.game_id,
        source_count=outcome.source_count,
        masks={name: min(count, _COUNT_MAX) for name, count in outcome.masks.items()},
        drops={name: min(count, _COUNT_MAX) for name, count in outcome.drops.items()},
    )
    left = bytes_max
    for source in outcome.sources[:OUTCOME_SOURCES_MAX]:
        listed = outcome_pb2.SourceOutcome(
            canonical_uri=source.canonical_uri,
            source_id=source.source_id,
            artifact_id=source.artifact_id,
            outcome=outcome_pb2.CaptureOutcome.ValueType(source.outcome.value),
        )
        left -= listed.ByteSize()
        if left < 0:
            break
        message.sources.append(listed)
    return message


def ack_messages(
    outcomes: Sequence[EnvelopeOutcome], durable_sequence: int
) -> Iterator[capture_service_pb2.Ack]:
    """Acknowledge outcomes in order, in messages of at most ``ACK_BYTES_MAX``."""
    ack = capture_service_pb2.Ack()
    size_bytes = 0
    for outcome in outcomes:
        message = outcome_message(outcome, limits.STREAM_OUTCOME_BYTES_MAX)
        size_bytes += message.ByteSize()
        if size_bytes > limits.ACK_BYTES_MAX and ack.outcomes:
            ack.durable_sequence = min(ack.outcomes[-1].sequence, durable_sequence)
            yield ack
            ack, size_bytes = capture_service_pb2.Ack(), message.ByteSize()
        ack.outcomes.append(message)
    ack.durable_sequence = durable_sequence
    yield ack
