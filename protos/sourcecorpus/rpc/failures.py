"""The one error type of use cases, pipeline and storage.

A failure names a canonical code, a documented reason and the field or position it is about. It
never carries text of a payload: messages are fixed texts of ``reasons.py``, and metadata holds
numbers, limits, ids and field names only. Interceptors turn it into a ``google.rpc.Status``; the
client side turns a status back into a ``Failure``. Imports: standard library only.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from sourcecorpus.rpc.codes import FailureCode
from sourcecorpus.rpc.reasons import REASONS

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Failure", "FailureCode"]

_TRANSIENT: Final = frozenset({FailureCode.UNAVAILABLE, FailureCode.ABORTED})


class Failure(Exception):  # noqa: N818 - the word of the field; 'error' is only one kind of it
    """A refusal or a fault with a canonical code and one documented reason.

    Attributes:
        code: Canonical code.
        reason: UPPER_SNAKE word of ``reasons.REASONS``.
        field: Path of the field of the request that the failure is about, such as
            ``filter.hosts[3]``; empty where there is none.
        retry_after_seconds: How long to wait before trying again; None where waiting does not help.
        metadata: Dynamic parts, such as ``{"limit": "64", "position": "12"}``. Never payload text.
        message: Text for people: the meaning of the reason, the field, the metadata.
    """

    def __init__(
        self,
        code: FailureCode,
        reason: str,
        field: str = "",
        retry_after_seconds: float | None = None,
        metadata: Mapping[str, str] | None = None,
        *,
        received: bool = False,
    ) -> None:
        """Make a failure.

        Args:
            code: See the class, as for the arguments that follow.
            reason: Must be documented and belong to the code.
            field: Field that it is about.
            retry_after_seconds: Where waiting helps.
            metadata: Dynamic parts.
            received: A service answered with it: a newer one may know reasons that this program
                does not know, so the reason is taken as it is.

        Raises:
            ValueError: The reason is not documented, or is documented with another code.
        """
        documented = REASONS.get(reason)
        if not received:
            if documented is None:
                raise ValueError(f"{reason} is not in the documented list of reasons")
            if documented.code is not code:
                raise ValueError(f"{reason} belongs to {documented.code.name}, not {code.name}")
        meaning = documented.meaning if documented else "the service refused the call"
        self.code: Final = code
        self.reason: Final = reason
        self.field: Final = field
        self.retry_after_seconds: Final = retry_after_seconds
        self.metadata: Final[Mapping[str, str]] = MappingProxyType(dict(metadata or {}))
        self.message: Final = _message(meaning, field, self.metadata)
        super().__init__(code, reason, field, retry_after_seconds, dict(self.metadata))

    def __str__(self) -> str:
        return f"{self.code.name} {self.reason}: {self.message}"

    @property
    def transient(self) -> bool:
        """Whether the same request may succeed later without a change."""
        return self.code in _TRANSIENT or self.retry_after_seconds is not None


def _message(meaning: str, field: str, metadata: Mapping[str, str]) -> str:
    dynamic = ([f"field {field}"] if field else []) + [
        f"{name} {value}" for name, value in sorted(metadata.items())
    ]
    return f"{meaning} ({', '.join(dynamic)})" if dynamic else meaning
