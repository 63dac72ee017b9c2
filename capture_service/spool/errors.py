"""Errors of the spool. None of them carries text of a payload or a path."""

from __future__ import annotations


class DatabaseRefusedError(Exception):
    """The file is not this program's, is newer, is damaged, or SQLite is too old; untouched."""


class SpoolFullError(Exception):
    """Nothing was written because a bound is reached; trying again after a delivery may help.

    Attributes:
        reason: "OUTBOX_FULL" for a bound of the queue, "DISK_FULL" for the file system.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class SpoolBusyError(Exception):
    """The queue of the writer thread is full; trying again soon helps."""


class SpoolClosedError(Exception):
    """The writer takes no more work, because the service shuts down or its thread has died."""


class SpoolFaultError(SpoolClosedError):
    """SQLite failed over the file, nothing of the unit was written; trying again may help."""


class StoredContentDamagedError(Exception):
    """Stored bytes are missing or do not have their hash; they are not handed out."""
