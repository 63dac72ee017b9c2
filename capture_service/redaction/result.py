"""What a redaction returns. Nothing in it repeats a secret."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, NamedTuple

NO_COUNTS: Final[Mapping[str, int]] = MappingProxyType({})


def _no_counts() -> Mapping[str, int]:
    return NO_COUNTS


class Finding(NamedTuple):
    """One masked place.

    Attributes:
        rule: Readable rule name.
        start: Offset of the first masked byte of the input.
        end: Offset behind the last masked byte of the input.
    """

    rule: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class RedactionResult:
    """Redacted bytes and what was masked in them.

    Attributes:
        data: The redacted bytes; the very same object as the input when nothing was masked.
        counts: Number of masks by rule name.
        upstream_masked: Whether somebody masked secrets before us; those masks are left as they are.
        findings: The masked places in ascending order, in bytes of the input.
    """

    data: bytes
    counts: Mapping[str, int] = field(default_factory=_no_counts)
    upstream_masked: bool = False
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class TextResult:
    """Redacted text of a header value, URL or error message, with the counts by rule name."""

    text: str
    counts: Mapping[str, int] = field(default_factory=_no_counts)


@dataclass(frozen=True, slots=True)
class HeadersResult:
    """Redacted header fields in their order, with the counts by rule name."""

    headers: tuple[tuple[str, str], ...]
    counts: Mapping[str, int] = field(default_factory=_no_counts)
