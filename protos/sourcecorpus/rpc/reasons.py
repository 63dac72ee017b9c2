"""The documented list of reasons: what each one means and what to do about it.

Reasons are stable for ever; clients switch on them. The same words stand in errors, in outcomes of
single envelopes and in results of single records; there the code says which error it would be.
``docs/errors.md`` repeats this list and a test keeps both equal. Imports: standard library only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from sourcecorpus.rpc.codes import FailureCode

# AIP-193: at most 63 characters, UPPER_SNAKE.
REASON_PATTERN: Final = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
REASON_CHARACTERS_MAX: Final = 63


@dataclass(frozen=True, slots=True)
class Reason:
    """One documented reason.

    Attributes:
        name: UPPER_SNAKE word.
        code: Canonical code that it always comes with.
        meaning: Fixed text of the error message.
        remedy: What the caller does about it.
    """

    name: str
    code: FailureCode
    meaning: str
    remedy: str

    def __post_init__(self) -> None:
        if len(self.name) > REASON_CHARACTERS_MAX or not REASON_PATTERN.fullmatch(self.name):
            raise ValueError("a reason is UPPER_SNAKE with at most 63 characters")


_INVALID: Final = FailureCode.INVALID_ARGUMENT
_NOT_FOUND: Final = FailureCode.NOT_FOUND
_PRECONDITION: Final = FailureCode.FAILED_PRECONDITION
_EXHAUSTED: Final = FailureCode.RESOURCE_EXHAUSTED
_UNAVAILABLE: Final = FailureCode.UNAVAILABLE
_DATA_LOSS: Final = FailureCode.DATA_LOSS

_ENTRIES: Final = (
    # Requests.
    Reason("FIELD_REQUIRED", _INVALID, "a required field is empty", "Set the field."),
    Reason("FIELD_INVALID", _INVALID, "a field has a value it cannot have", "Correct the field."),
    Reason("FIELD_TOO_LARGE", _INVALID, "a field is larger than its limit", "Send less."),
    Reason(
        "FIELD_TOO_MANY_VALUES", _INVALID, "a list has more values than its limit", "Send fewer."
    ),
    Reason("FIELD_VALUE_EMPTY", _INVALID, "a list holds an empty value", "Leave the value out."),
    Reason(
        "LOCATOR_REQUIRED", _INVALID, "exactly one locator is required", "Set exactly one locator."
    ),
    Reason("INVALID_REF", _INVALID, "the ref is not a citation ref", "Pass a ref as it was given."),
    Reason("INVALID_HASH", _INVALID, "a hash is not sha256:<64 hex>", "Correct the hash."),
    Reason("INVALID_JSON", _INVALID, "a field is not valid JSON", "Correct the field."),
    Reason(
        "UNDECODABLE_MESSAGE",
        _INVALID,
        "the message cannot be decoded",
        "Check that both sides use the same contract; texts are UTF-8.",
    ),
    Reason("PAGE_SIZE_NEGATIVE", _INVALID, "page_size is negative", "Send 0 or more."),
    Reason(
        "PAGE_TOKEN_INVALID",
        _INVALID,
        "the page token does not belong to this request",
        "Repeat the request of the first page unchanged, or begin without a token.",
    ),
    Reason("PATTERN_INVALID", _INVALID, "the pattern is not valid RE2", "Correct it at position."),
    Reason("QUERY_TOO_LONG", _INVALID, "the query is longer than its limit", "Shorten the query."),
    Reason("QUERY_EMPTY", _INVALID, "the query has nothing to search for", "Add a word."),
    Reason("SPAN_OUT_OF_RANGE", _INVALID, "the span lies outside of the text", "Correct the span."),
    Reason("BATCH_EMPTY", _INVALID, "the batch is empty", "Send at least one item."),
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
    # What is asked for.
    Reason("UNKNOWN_GAME", _NOT_FOUND, "no such game", "See the list of games."),
    Reason("SOURCE_NOT_FOUND", _NOT_FOUND, "no such source in this game", "Search for it."),
    Reason("VERSION_NOT_FOUND", _NOT_FOUND, "no such version in this game", "List its versions."),
    Reason("CONTENT_NOT_FOUND", _NOT_FOUND, "no such content in this game", "Check the locator."),
    Reason("SESSION_NOT_FOUND", _NOT_FOUND, "no such capture session", "Check the session."),
    Reason("SERVICE_NOT_FOUND", _NOT_FOUND, "no such service here", "List the services."),
    Reason(
        "NOT_READABLE",
        _PRECONDITION,
        "the version is not for reading: it is a probe, failed, a stub or in quarantine",
        "Use another version.",
    ),
    Reason(
        "VERSION_DELETED", _PRECONDITION, "the version was deleted", "The citation cannot be shown."
    ),
    Reason(
        "AMBIGUOUS_LOCATOR",
        _PRECONDITION,
        "the locator fits several documents",
        "Use one of the candidates.",
    ),
    Reason(
        "SNAPSHOT_CHANGED",
        _PRECONDITION,
        "the corpus was rebuilt or restored since the first page",
        "Begin again without a page token.",
    ),
    Reason(
        "GAME_ALREADY_EXISTS",
        FailureCode.ALREADY_EXISTS,
        "the game exists",
        "Use it, or choose another id.",
    ),
    Reason(
        "ALIAS_TAKEN",
        FailureCode.ALREADY_EXISTS,
        "the alias belongs to another game",
        "Choose another alias.",
    ),
    Reason(
        "VERSION_MOVED",
        FailureCode.ABORTED,
        "the source got a new version during the call",
        "Repeat the call.",
    ),
    Reason(
        "STORED_HASH_MISMATCH",
        _DATA_LOSS,
        "stored bytes do not have their hash, they are not served",
        "Tell the operator; capturing the source again repairs it.",
    ),
    Reason("STORE_DAMAGED", _DATA_LOSS, "the store is damaged", "Tell the operator."),
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

REASONS: Final = {entry.name: entry for entry in _ENTRIES}
if len(REASONS) != len(_ENTRIES):
    raise ValueError("a reason is listed twice")


def reference_table() -> str:
    """The list as a Markdown table, sorted by code and name, as docs/errors.md shows it."""
    rows = sorted(_ENTRIES, key=lambda entry: (entry.code.name, entry.name))
    lines = ["| Code | Reason | Meaning | What to do |", "|---|---|---|---|"]
    lines += [f"| {row.code.name} | `{row.name}` | {row.meaning} | {row.remedy} |" for row in rows]
    return "\n".join(lines) + "\n"
