"""Reasons of capture streams, of single envelopes and of single records."""

from __future__ import annotations

from typing import Final

from sourcecorpus.rpc.codes import FailureCode
from sourcecorpus.rpc.reason import Reason

_INVALID: Final = FailureCode.INVALID_ARGUMENT
_PRECONDITION: Final = FailureCode.FAILED_PRECONDITION
_EXHAUSTED: Final = FailureCode.RESOURCE_EXHAUSTED

CAPTURES: Final = (
    # Capture protocol: the stream ends, a new one works at once.
    Reason("OPEN_REQUIRED", _INVALID, "the first message is not open", "Begin with open."),
    Reason("OPEN_REPEATED", _INVALID, "open came twice", "Send open once."),
    Reason("FRAME_EMPTY", _INVALID, "a message has no frame", "Set exactly one kind of frame."),
    Reason(
        "FRAME_OUT_OF_ORDER", _INVALID, "a frame does not fit here", "Send head, data, end, finish."
    ),
    Reason("FRAME_TOO_LARGE", _INVALID, "a data frame is too large", "Send at most 256 KiB."),
    Reason("FRAME_AFTER_FINISH", _INVALID, "a frame came after finish", "Open a new stream."),
    Reason(
        "HEAD_REQUIRED", _INVALID, "the upload does not begin with a head", "Begin with the head."
    ),
    Reason("HEAD_REPEATED", _INVALID, "the upload has a second head", "Send the head once."),
    Reason(
        "SEQUENCE_GAP",
        _PRECONDITION,
        "the sequence has a gap",
        "Open the stream again and go on after resume_after_sequence.",
    ),
    Reason(
        "WINDOW_EXCEEDED",
        _EXHAUSTED,
        "more is unacknowledged than the window allows",
        "Wait for acknowledgements before sending more.",
    ),
    Reason(
        "STREAM_IDLE", FailureCode.ABORTED, "the stream was silent too long", "Open a new stream."
    ),
    Reason(
        "STREAM_REPLACED",
        FailureCode.ABORTED,
        "another stream of the same capture session was opened",
        "Use one stream for each capture session.",
    ),
    # Single envelopes and records.
    Reason("ENVELOPE_TOO_LARGE", _EXHAUSTED, "the envelope is larger than its limit", "Send less."),
    Reason(
        "ENVELOPE_LENGTH_MISMATCH",
        _INVALID,
        "the envelope's length differs from the stated one",
        "Send the envelope again under a new id.",
    ),
    Reason(
        "ENVELOPE_HASH_MISMATCH",
        _INVALID,
        "the envelope's hash differs from the stated one",
        "Send the envelope again under a new id.",
    ),
    Reason(
        "ENVELOPE_ID_REUSED",
        FailureCode.ALREADY_EXISTS,
        "the envelope id belongs to other content",
        "Use a new id for each envelope.",
    ),
    Reason("ENVELOPE_INCOMPLETE", _INVALID, "the envelope did not end", "Send it again."),
    Reason(
        "ENVELOPE_UNDECODABLE",
        _INVALID,
        "the result does not have the form that its tool returns",
        "Check tool name and media type.",
    ),
    Reason(
        "REDACTION_FAILED",
        _PRECONDITION,
        "redaction failed, the content is not kept",
        "See the counters of the session; nothing was stored.",
    ),
    Reason(
        "REDACTION_BUDGET_EXCEEDED",
        _EXHAUSTED,
        "redaction would exceed its budget of work, the content is not kept",
        "Send the result in smaller parts.",
    ),
    Reason(
        "STRUCTURE_TOO_LARGE",
        _EXHAUSTED,
        "the structure is too deep or has too many values, the content is not kept",
        "Send the result in smaller parts.",
    ),
    Reason("NO_GAME", _PRECONDITION, "the session has no game", "Set the session's game."),
    Reason("GAME_PAUSED", _PRECONDITION, "the game does not take captures now", "Resume the game."),
    Reason(
        "OVER_QUOTA",
        _EXHAUSTED,
        "the game's quota is used up",
        "Raise the quota or delete sources.",
    ),
    Reason(
        "NEED_CONTENT",
        _PRECONDITION,
        "the corpus lacks bytes that the record refers to",
        "Send the record again with its bytes.",
    ),
    Reason(
        "CONTENT_HASH_MISMATCH",
        _INVALID,
        "the bytes do not have the stated hash",
        "Compute hash and size over the bytes that are sent.",
    ),
    Reason(
        "CONTENT_SIZE_MISMATCH",
        _INVALID,
        "the bytes do not have the stated size",
        "Compute hash and size over the bytes that are sent.",
    ),
    Reason("CONTENT_TOO_LARGE", _EXHAUSTED, "the content is larger than its limit", "Send less."),
    Reason("BATCH_TOO_LARGE", _INVALID, "the batch is larger than its limit", "Send less at once."),
    Reason("RECORD_INVALID", _INVALID, "the record contradicts itself", "Report it as a defect."),
    Reason(
        "OUTBOX_FULL",
        _EXHAUSTED,
        "the outbox is full until the corpus takes more",
        "Wait as long as the answer says and send again.",
    ),
)
