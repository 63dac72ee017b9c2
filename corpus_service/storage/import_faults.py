"""What an import says about a row that it cannot take; where it stands is known to the caller."""

from __future__ import annotations

from sourcecorpus.rpc.failures import Failure, FailureCode


def row_invalid(table: str) -> Failure:
    """The row refers to what is not there, or says what is not so."""
    return Failure(FailureCode.INVALID_ARGUMENT, "ARCHIVE_ROW_INVALID", metadata={"table": table})


def row_repeated(table: str) -> Failure:
    """The row is there already."""
    return Failure(FailureCode.INVALID_ARGUMENT, "ARCHIVE_ROW_REPEATED", metadata={"table": table})
