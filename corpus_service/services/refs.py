"""Refs: the short stable names of places in exactly one version. Pure.

ref  := name "#" start "-" end      a span of code points, half-open
      | name                        the whole text
name := "v-" body | "ver-" body     body: the version id without its prefix
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from sourcecorpus.identity import is_identifier

REF_CHARACTERS_MAX: Final = 64
_VERSION_PREFIX: Final = "ver-"
_NUMBER: Final = "0|[1-9][0-9]{0,11}"
_REF: Final = re.compile(f"v(?:er)?-([0-9a-z]+)(?:#({_NUMBER})-({_NUMBER}))?")


@dataclass(frozen=True, slots=True)
class Ref:
    """A place in a version.

    Attributes:
        version_id: The version.
        span: Start and end in code points, as they were written; None for the whole text.
    """

    version_id: str
    span: tuple[int, int] | None


def parse_ref(text: str) -> Ref | None:
    """Reads a ref; None where the text is none. Whether the place exists is not looked up."""
    match = _REF.fullmatch(text) if len(text) <= REF_CHARACTERS_MAX else None
    if match is None:
        return None
    version_id = _VERSION_PREFIX + match[1]
    if not is_identifier(version_id, "version"):
        return None
    return Ref(version_id, None if match[2] is None else (int(match[2]), int(match[3])))


def read_ref(text: str) -> Ref | str:
    """Reads a ref; the reason where the text is none."""
    return parse_ref(text) or "INVALID_REF"


def format_ref(version_id: str, start: int, end: int) -> str:
    """Writes the ref of a span."""
    return f"v-{version_id.removeprefix(_VERSION_PREFIX)}#{start}-{end}"
