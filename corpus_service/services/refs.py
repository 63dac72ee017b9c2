"""Refs: the short stable names of places in exactly one version. Pure.

ref    := name "#" start "-" end "-" check     a span of code points, half-open, checked
        | name "#" start "-" end               the same without a check
        | name                                 the whole text
name   := "v-" body | "ver-" body              body: the version id without its prefix
check  := two letters of `CHECK_LETTERS`

The check is the weighted sum of the characters of ``body#start-end`` modulo a prime. Characters are
different numbers below the prime, no weight and no difference of two neighbouring weights is 0: one
changed character and two neighbours in the wrong order always change the sum. The letters are no
digits, so that a changed hyphen never makes the rest a number. Other mistakes pass once in 479 times.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from operator import mul
from typing import Final

from sourcecorpus.identity import is_identifier

REF_CHARACTERS_MAX: Final = 64
# Crockford's base 32 without digits: no i, l, o, u.
CHECK_LETTERS: Final = "abcdefghjkmnpqrstvwxyz"
# The largest prime that two letters can tell, and a number whose powers are all numbers below it.
_CHECK_PRIME: Final = 479
_CHECK_BASE: Final = 13

_WEIGHTS: Final = tuple(
    pow(_CHECK_BASE, place, _CHECK_PRIME) for place in range(REF_CHARACTERS_MAX)
)
_VERSION_PREFIX: Final = "ver-"
_REF_PREFIX: Final = "v-"
_NUMBER: Final = "0|[1-9][0-9]{0,11}"
_REF: Final = re.compile(
    f"v(?:er)?-([0-9a-z]+)(?:#(({_NUMBER})-({_NUMBER}))(?:-([{CHECK_LETTERS}]{{2}}))?)?"
)


@dataclass(frozen=True, slots=True)
class Ref:
    """A place in a version.

    Attributes:
        version_id: The version.
        span: Start and end in code points, as they were written; None for the whole text.
        written: The ref itself where it is written as `format_ref` writes it; "" otherwise.
    """

    version_id: str
    span: tuple[int, int] | None
    written: str = field(default="", compare=False)


def read_ref(text: str) -> Ref | str:
    """Reads a ref. Whether the place exists is not looked up.

    Returns:
        The ref; else the reason: INVALID_REF where the text has not the form of one,
        REF_CHECK_FAILED where its check does not fit.
    """
    match = _REF.fullmatch(text) if len(text) <= REF_CHARACTERS_MAX else None
    if match is None:
        return "INVALID_REF"
    body, span, start, end, check = match.groups()
    version_id = _VERSION_PREFIX + body
    if not is_identifier(version_id, "version"):
        return "INVALID_REF"
    if check is not None and check != _check(f"{body}#{span}"):
        return "REF_CHECK_FAILED"
    if span is None:
        return Ref(version_id, None)
    written = text if check is not None and text.startswith(_REF_PREFIX) else ""
    return Ref(version_id, (int(start), int(end)), written)


def parse_ref(text: str) -> Ref | None:
    """Reads a ref; None where `read_ref` gives a reason."""
    ref = read_ref(text)
    return ref if isinstance(ref, Ref) else None


def format_ref(version_id: str, start: int, end: int) -> str:
    """Writes the checked ref of a span."""
    place = f"{version_id.removeprefix(_VERSION_PREFIX)}#{start}-{end}"
    return f"{_REF_PREFIX}{place}-{_check(place)}"


def _check(place: str) -> str:
    total = sum(map(mul, reversed(place.encode("ascii")), _WEIGHTS)) % _CHECK_PRIME
    high, low = divmod(total, len(CHECK_LETTERS))
    return CHECK_LETTERS[high] + CHECK_LETTERS[low]
