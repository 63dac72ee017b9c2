"""Reasons about who may call, when, and how the service is."""

from __future__ import annotations

from typing import Final

from sourcecorpus.rpc.codes import FailureCode
from sourcecorpus.rpc.reason import Reason

_EXHAUSTED: Final = FailureCode.RESOURCE_EXHAUSTED
_UNAVAILABLE: Final = FailureCode.UNAVAILABLE

OPERATION: Final = (
    # Who may, and when.
    Reason(
        "CREDENTIALS_REQUIRED",
        FailureCode.UNAUTHENTICATED,
        "a bearer token is required",
        "Send authorization metadata with a token of the token file.",
    ),
    Reason(
        "CREDENTIALS_INVALID",
        FailureCode.UNAUTHENTICATED,
        "the bearer token is unknown",
        "Send a token of the token file.",
    ),
    Reason(
        "ROLE_NOT_ALLOWED",
        FailureCode.PERMISSION_DENIED,
        "the caller's role may not call this method",
        "Use a token with a role of the access table.",
    ),
    Reason(
        "DEADLINE_EXCEEDED",
        FailureCode.DEADLINE_EXCEEDED,
        "the call took longer than its deadline",
        "Ask for less, or set a longer deadline up to the limit.",
    ),
    Reason(
        "QUERY_DEADLINE_EXCEEDED",
        FailureCode.DEADLINE_EXCEEDED,
        "the query took longer than its deadline",
        "Make the query more specific.",
    ),
    Reason("CALL_CANCELLED", FailureCode.CANCELLED, "the caller cancelled the call", "Nothing."),
    Reason(
        "TOO_MANY_CALLS",
        _EXHAUSTED,
        "too many calls of this kind are under way",
        "Wait as long as the answer says and call again.",
    ),
    Reason(
        "TOO_MANY_STREAMS",
        _EXHAUSTED,
        "too many capture streams are open",
        "Close streams that are not used.",
    ),
    Reason(
        "WRITER_BUSY",
        _EXHAUSTED,
        "the queue of the writer is full",
        "Wait as long as the answer says and call again.",
    ),
    Reason("READER_BUSY", _EXHAUSTED, "all readers are busy", "Wait and call again."),
    Reason("MESSAGE_TOO_LARGE", _EXHAUSTED, "a message is larger than 4 MiB", "Ask for less."),
    Reason(
        "DISK_FULL",
        _EXHAUSTED,
        "the disk is full, nothing was damaged",
        "Free space; the capture side keeps what is not acknowledged.",
    ),
    Reason(
        "STORE_UNAVAILABLE",
        _UNAVAILABLE,
        "the store cannot be used now",
        "Try again; see the log of the service.",
    ),
    Reason("DRAINING", _UNAVAILABLE, "the service is shutting down", "Connect again."),
    Reason(
        "SERVICE_UNREACHABLE",
        _UNAVAILABLE,
        "the service cannot be reached",
        "Check that it runs and that the address is right.",
    ),
    Reason(
        "STREAM_ENDED_EARLY",
        _UNAVAILABLE,
        "the stream ended before finish",
        "Open the stream again and resume.",
    ),
    Reason(
        "CORPUS_UNAVAILABLE",
        _UNAVAILABLE,
        "the corpus service cannot be reached",
        "Try again; captures wait in the outbox meanwhile.",
    ),
    Reason(
        "GAME_DIRECTORY_UNAVAILABLE",
        _UNAVAILABLE,
        "it cannot be told which games exist before the corpus was reached once",
        "Start the corpus service and send again; nothing was stored.",
    ),
    Reason(
        "METHOD_NOT_IMPLEMENTED",
        FailureCode.UNIMPLEMENTED,
        "the service does not have this method",
        "Check the address and the version of the service.",
    ),
    Reason(
        "INTERNAL",
        FailureCode.INTERNAL,
        "the service failed",
        "Report it with the request id; the log has the details.",
    ),
    Reason(
        "UNEXPECTED_STATUS",
        FailureCode.UNKNOWN,
        "the call failed with a status of another origin",
        "See the code; a proxy or another program may have answered.",
    ),
)
