"""Turns SQLite's errors into failures of the contract.

SQLite's messages may name columns and files, never bindings; they go to the log of the service and
not into the failure.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import apsw

from corpus_service.limits import DISK_FULL_RETRY_SECONDS, WRITER_RETRY_SECONDS
from sourcecorpus.rpc.failures import Failure, FailureCode

_LOG: Final = logging.getLogger(__name__)
_SHARED_MEMORY_FULL: Final = frozenset({apsw.SQLITE_IOERR_SHMSIZE, apsw.SQLITE_IOERR_SHMMAP})


class StoreOpenError(Exception):
    """A database file cannot be used: foreign, newer, unreadable. The message is one clear line.

    Attributes:
        damaged: The file is a damaged database; otherwise it may be used again once the cause is
            gone.
    """

    def __init__(self, message: str, *, damaged: bool = False) -> None:
        super().__init__(message)
        self.damaged = damaged


def as_failure(error: apsw.Error) -> Failure:
    """Return the failure that an error of SQLite means for the caller."""
    if isinstance(error, apsw.InterruptError):
        return Failure(FailureCode.DEADLINE_EXCEEDED, "QUERY_DEADLINE_EXCEEDED")
    _LOG.error("SQLite failed with result %d", extended_result(error))
    if isinstance(error, apsw.FullError) or extended_result(error) in _SHARED_MEMORY_FULL:
        return Failure(
            FailureCode.RESOURCE_EXHAUSTED, "DISK_FULL", retry_after_seconds=DISK_FULL_RETRY_SECONDS
        )
    if isinstance(error, (apsw.CorruptError, apsw.NotADBError)):
        return Failure(FailureCode.DATA_LOSS, "STORE_DAMAGED")
    if isinstance(
        error,
        (apsw.BusyError, apsw.LockedError, apsw.IOError, apsw.CantOpenError, apsw.ReadOnlyError),
    ):
        return Failure(
            FailureCode.UNAVAILABLE, "STORE_UNAVAILABLE", retry_after_seconds=WRITER_RETRY_SECONDS
        )
    return Failure(FailureCode.INTERNAL, "INTERNAL")


def extended_result(error: apsw.Error) -> int:
    """Return SQLite's extended result code, 0 for errors of APSW itself."""
    code: int = getattr(error, "extendedresult", 0)
    return code


@contextmanager
def failures() -> Iterator[None]:
    """Raise what SQLite raises inside the block as a `Failure`."""
    try:
        yield
    except apsw.Error as error:
        raise as_failure(error) from error
