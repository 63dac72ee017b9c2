"""Short forms of the failures that use cases raise."""

from __future__ import annotations

from sourcecorpus.rpc.failures import Failure, FailureCode


def invalid(reason: str, field: str, **metadata: int | str) -> Failure:
    """INVALID_ARGUMENT about a field; ``metadata`` are limits and positions, never payload."""
    return _failure(FailureCode.INVALID_ARGUMENT, reason, field, metadata)


def not_found(reason: str, field: str) -> Failure:
    """NOT_FOUND about a field."""
    return _failure(FailureCode.NOT_FOUND, reason, field, {})


def precondition(reason: str, field: str) -> Failure:
    """FAILED_PRECONDITION about a field."""
    return _failure(FailureCode.FAILED_PRECONDITION, reason, field, {})


def _failure(code: FailureCode, reason: str, field: str, metadata: dict[str, int | str]) -> Failure:
    return Failure(
        code, reason, field, metadata={name: str(value) for name, value in metadata.items()}
    )
