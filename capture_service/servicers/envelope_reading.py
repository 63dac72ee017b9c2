"""From the head of an envelope on the wire to the domain's envelope, every bound checked."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final, Literal, TypeVar

from google.protobuf.timestamp_pb2 import Timestamp

from capture_service.domain.envelope import (
    AccessFacts,
    Completeness,
    Derivation,
    Envelope,
    ToolStatus,
)
from capture_service.domain.incoming import IncomingEnvelope, IncomingPart, RejectedEnvelope
from sourcecorpus.capture.v1 import envelope_pb2 as pb
from sourcecorpus.rpc.limits import (
    ARGUMENTS_BYTES_MAX,
    CLIENT_TEXT_BYTES_MAX,
    ENVELOPE_BYTES_MAX,
    ENVELOPE_ID_CHARACTERS_MAX,
    ENVELOPE_SIDE_FILES_MAX,
    IDENTIFIER_BYTES_MAX,
    INSTANT_SECONDS_MAX,
    MEDIA_TYPE_BYTES_MAX,
    SEQUENCE_MAX,
    SIDE_FILE_NAME_BYTES_MAX,
    TOOL_ERROR_BYTES_MAX,
    TOOL_NAME_BYTES_MAX,
)

_BOUNDED_TEXTS: Final = {
    "game_id": IDENTIFIER_BYTES_MAX,
    "run_id": IDENTIFIER_BYTES_MAX,
    "session_id": IDENTIFIER_BYTES_MAX,
    "parent_session_id": IDENTIFIER_BYTES_MAX,
    "task_id": IDENTIFIER_BYTES_MAX,
    "turn_id": IDENTIFIER_BYTES_MAX,
    "tool_call_id": IDENTIFIER_BYTES_MAX,
    "parent_tool_call_id": IDENTIFIER_BYTES_MAX,
    "tool_name": TOOL_NAME_BYTES_MAX,
    "result_media_type": MEDIA_TYPE_BYTES_MAX,
    "error": TOOL_ERROR_BYTES_MAX,
    "client_name": CLIENT_TEXT_BYTES_MAX,
    "client_version": CLIENT_TEXT_BYTES_MAX,
    "traceparent": IDENTIFIER_BYTES_MAX,
}


Choice = TypeVar("Choice", ToolStatus, Completeness, Derivation)


class EnvelopeFault(Exception):  # noqa: N818 - a fault of the item, not of the program
    """An envelope is wrong in itself.

    Attributes:
        reason: UPPER_SNAKE reason of the documented list.
        faulty_field: Field that it is about.
    """

    def __init__(self, reason: str, faulty_field: str) -> None:
        super().__init__(reason, faulty_field)
        self.reason = reason
        self.faulty_field = faulty_field


def is_printable_id(text: str, characters_max: int) -> bool:
    """1 to ``characters_max`` printable ASCII characters."""
    return 1 <= len(text) <= characters_max and text.isascii() and text.isprintable()


def read_head(head: pb.EnvelopeHead) -> Envelope:
    """Read the facts of an envelope; bytes are added later.

    Raises:
        EnvelopeFault: A field is missing, too large or has a value it cannot have.
    """
    if not head.envelope_id:
        raise EnvelopeFault("FIELD_REQUIRED", "envelope_id")
    if not is_printable_id(head.envelope_id, ENVELOPE_ID_CHARACTERS_MAX):
        raise EnvelopeFault("FIELD_INVALID", "envelope_id")
    if not head.tool_name:
        raise EnvelopeFault("FIELD_REQUIRED", "tool_name")
    for name, bytes_max in _BOUNDED_TEXTS.items():
        text: str = getattr(head, name)
        if len(text) * 4 > bytes_max and len(text.encode("utf-8")) > bytes_max:
            raise EnvelopeFault("FIELD_TOO_LARGE", name)
    if len(head.arguments) > ARGUMENTS_BYTES_MAX:
        raise EnvelopeFault("FIELD_TOO_LARGE", "arguments")
    if head.sequence > SEQUENCE_MAX:
        raise EnvelopeFault("FIELD_INVALID", "sequence")
    return Envelope(
        envelope_id=head.envelope_id,
        tool_name=head.tool_name,
        sequence=head.sequence,
        game_id=head.game_id,
        run_id=head.run_id,
        session_id=head.session_id,
        parent_session_id=head.parent_session_id,
        task_id=head.task_id,
        turn_id=head.turn_id,
        tool_call_id=head.tool_call_id,
        parent_tool_call_id=head.parent_tool_call_id,
        attempt=head.attempt or 1,
        arguments=head.arguments,
        result_media_type=head.result_media_type,
        status=_known(ToolStatus, head.status, ToolStatus.UNSPECIFIED),
        error=head.error,
        started_at=_moment(head, "started_time"),
        finished_at=_moment(head, "finished_time"),
        completeness=_known(Completeness, head.completeness, Completeness.UNSPECIFIED),
        declared_total_bytes=head.declared_total_bytes,
        upstream_masked=head.upstream_masked,
        derivation=_known(Derivation, head.derivation, Derivation.UNSPECIFIED),
        client_name=head.client_name,
        client_version=head.client_version,
        probe=head.probe,
        access=AccessFacts(
            authenticated=head.access.authenticated,
            paywalled=head.access.paywalled,
            robots=head.access.robots,
        ),
        traceparent=head.traceparent,
    )


def read_side_file(name: str, media_type: str, count_before: int) -> IncomingPart:
    """Read the head of a side file.

    Raises:
        EnvelopeFault: There are too many, or a text is missing or too large.
    """
    if count_before >= ENVELOPE_SIDE_FILES_MAX:
        raise EnvelopeFault("FIELD_TOO_MANY_VALUES", "side_files")
    if not name:
        raise EnvelopeFault("FIELD_REQUIRED", "side_file.name")
    if len(name.encode("utf-8")) > SIDE_FILE_NAME_BYTES_MAX:
        raise EnvelopeFault("FIELD_TOO_LARGE", "side_file.name")
    if len(media_type.encode("utf-8")) > MEDIA_TYPE_BYTES_MAX:
        raise EnvelopeFault("FIELD_TOO_LARGE", "side_file.media_type")
    return IncomingPart(name, media_type)


def read_envelope(message: pb.Envelope) -> IncomingEnvelope | RejectedEnvelope:
    """Read a whole envelope of a unary call; faults of it become a rejection."""
    try:
        envelope = IncomingEnvelope(read_head(message.head))
        envelope.result.frames.append(message.result)
        for side_file in message.side_files:
            part = read_side_file(side_file.name, side_file.media_type, len(envelope.side_files))
            part.frames.append(side_file.data)
            envelope.side_files.append(part)
    except EnvelopeFault as fault:
        return RejectedEnvelope(shown_id(message.head), 0, fault.reason, fault.faulty_field)
    envelope.size_bytes = len(message.result) + sum(
        len(side_file.data) for side_file in message.side_files
    )
    if envelope.size_bytes > ENVELOPE_BYTES_MAX:
        return RejectedEnvelope(shown_id(message.head), 0, "ENVELOPE_TOO_LARGE", "result")
    return envelope


def shown_id(head: pb.EnvelopeHead) -> str:
    """The id of a wrong envelope as it is shown to its own client, within its bound."""
    return head.envelope_id[:ENVELOPE_ID_CHARACTERS_MAX]


def _known(kind: type[Choice], number: int, otherwise: Choice) -> Choice:
    """A newer client may send a value that this service does not know: not stated."""
    try:
        return kind(number)
    except ValueError:
        return otherwise


def _moment(
    head: pb.EnvelopeHead, name: Literal["started_time", "finished_time"]
) -> datetime | None:
    if not head.HasField(name):
        return None
    stamp: Timestamp = getattr(head, name)
    # The corpus can keep no other time: once acknowledged, the envelope could not be delivered.
    if not 0 < stamp.seconds <= INSTANT_SECONDS_MAX:
        raise EnvelopeFault("FIELD_INVALID", name)
    try:
        return stamp.ToDatetime(UTC)
    except (ValueError, OverflowError):
        raise EnvelopeFault("FIELD_INVALID", name) from None
