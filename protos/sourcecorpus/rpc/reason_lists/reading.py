"""Reasons about what is asked for."""

from __future__ import annotations

from typing import Final

from sourcecorpus.rpc.codes import FailureCode
from sourcecorpus.rpc.reason import Reason

_NOT_FOUND: Final = FailureCode.NOT_FOUND
_PRECONDITION: Final = FailureCode.FAILED_PRECONDITION
_DATA_LOSS: Final = FailureCode.DATA_LOSS

READING: Final = (
    # What is asked for.
    Reason("UNKNOWN_GAME", _NOT_FOUND, "no such game", "See the list of games."),
    Reason("SOURCE_NOT_FOUND", _NOT_FOUND, "no such source in this game", "Search for it."),
    Reason("REFRESH_NOT_FOUND", _NOT_FOUND, "no such refresh request", "List them."),
    Reason(
        "REFRESH_QUEUE_FULL",
        FailureCode.RESOURCE_EXHAUSTED,
        "the game has as many open refresh requests as it can have",
        "Wait until some of them are carried out.",
    ),
    Reason("VERSION_NOT_FOUND", _NOT_FOUND, "no such version in this game", "List its versions."),
    Reason(
        "SECTION_NOT_FOUND",
        _NOT_FOUND,
        "the document has no section with these headings",
        "List its chunks: they carry their headings.",
    ),
    Reason(
        "COLLECTION_NOT_FOUND",
        _NOT_FOUND,
        "no such collection in this game, or the document is not in it",
        "Collections are jobs that fetched pages: list the sources of the family crawl_job.",
    ),
    Reason("ARTIFACT_NOT_FOUND", _NOT_FOUND, "no such artifact in this game", "Check the id."),
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
        "QUOTE_NOT_FOUND",
        _NOT_FOUND,
        "the version does not hold the quote",
        "Verify the quote to learn what it holds.",
    ),
    Reason(
        "AMBIGUOUS_QUOTE",
        _PRECONDITION,
        "the quote stands in several places of the version",
        "Choose a candidate, an occurrence, or add what stands before or behind.",
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
        "the corpus was rebuilt or restored, or something deleted, since the first page",
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
        "the source got a new version during the call, or has another than the expected one",
        "Repeat the call with the current version.",
    ),
    Reason(
        "LINE_OUT_OF_RANGE",
        FailureCode.OUT_OF_RANGE,
        "the document has no such line",
        "Ask for a line from 1 to line_count.",
    ),
    Reason(
        "LINE_TOO_LONG",
        FailureCode.RESOURCE_EXHAUSTED,
        "the line is longer than what may be returned at once",
        "Allow needed_characters, or read the line in parts.",
    ),
    Reason(
        "TEXT_TOO_LONG",
        FailureCode.RESOURCE_EXHAUSTED,
        "the text is longer than what is compared",
        "Read the parts that matter.",
    ),
    Reason(
        "STORED_HASH_MISMATCH",
        _DATA_LOSS,
        "stored bytes do not have their hash, they are not served",
        "Tell the operator; capturing the source again repairs it.",
    ),
    Reason("STORE_DAMAGED", _DATA_LOSS, "the store is damaged", "Tell the operator."),
)
