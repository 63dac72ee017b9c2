"""Reasons of exports and imports of games."""

from __future__ import annotations

from typing import Final

from sourcecorpus.rpc.codes import FailureCode
from sourcecorpus.rpc.reason import Reason

_INVALID: Final = FailureCode.INVALID_ARGUMENT
_PRECONDITION: Final = FailureCode.FAILED_PRECONDITION

ARCHIVES: Final = (
    Reason(
        "ARCHIVE_UNREADABLE",
        _INVALID,
        "this is not an archive of an export, or its manifest is not well formed",
        "Send the file as the export wrote it, not compressed and not packed again.",
    ),
    Reason(
        "ARCHIVE_VERSION_UNKNOWN",
        _INVALID,
        "the archive has a format that this program does not know",
        "Use the version of the program that wrote it, or a newer one.",
    ),
    Reason(
        "ARCHIVE_ENTRY_UNEXPECTED",
        _INVALID,
        "the archive has an entry that no export has in this place",
        "Send the file as the export wrote it.",
    ),
    Reason(
        "ARCHIVE_TRUNCATED",
        _INVALID,
        "the archive ends before its last entry",
        "Send all of it; if the file is shorter than it was, export again.",
    ),
    Reason(
        "ARCHIVE_TOO_LARGE",
        FailureCode.RESOURCE_EXHAUSTED,
        "something in the archive is larger than it may be, or than the archive says",
        "Send the file as the export wrote it.",
    ),
    Reason(
        "ARCHIVE_HASH_MISMATCH",
        _INVALID,
        "an entry does not have the rows, the size or the hash that the archive says",
        "Copy the file once more, or export again: it is damaged.",
    ),
    Reason(
        "ARCHIVE_ROW_INVALID",
        _INVALID,
        "a row says what cannot be so, or refers to what is not there",
        "Export again with a program whose archives are sound.",
    ),
    Reason(
        "ARCHIVE_ROW_REPEATED",
        _INVALID,
        "a row is there twice",
        "Export again with a program whose archives are sound.",
    ),
    Reason(
        "ARCHIVE_WITHOUT_CONTENTS",
        _PRECONDITION,
        "the archive is a catalogue: it has neither texts nor bytes to import",
        "Export everything, and import that.",
    ),
    Reason(
        "GAME_NOT_EMPTY",
        _PRECONDITION,
        "the game has sources, or had some, so that nothing can be imported into it",
        "Import where the game does not exist.",
    ),
    Reason(
        "EXPORT_OUTDATED",
        FailureCode.ABORTED,
        "something of the game was deleted during the export",
        "Export again, and drop what was received.",
    ),
)
