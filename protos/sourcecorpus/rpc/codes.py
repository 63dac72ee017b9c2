"""Canonical status codes by name, without gRPC, so that domain code can name them.

Imports: standard library only. The numbers are those of ``google.rpc.Code``.
"""

from __future__ import annotations

from enum import Enum


class FailureCode(Enum):
    """A canonical code other than OK; the value is its number on the wire."""

    CANCELLED = 1
    UNKNOWN = 2
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    OUT_OF_RANGE = 11
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    DATA_LOSS = 15
    UNAUTHENTICATED = 16
