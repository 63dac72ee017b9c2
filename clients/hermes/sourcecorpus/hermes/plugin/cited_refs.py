"""Refs in an answer. The answer itself is looked at and let go: no word of it leaves Hermes."""

from __future__ import annotations

import re
from typing import Final

from .limits import ANSWER_CHARACTERS_MAX, CITED_REFS_MAX

# A ref as docs/citations.md gives it; whether it opens anything is the corpus' to say.
_REF: Final = re.compile(
    r"(?<![0-9A-Za-z_-])v-[0-9a-z]{8,40}(?:#[0-9]{1,12}-[0-9]{1,12}(?:-[a-z]{2})?)?(?![0-9A-Za-z#])"
)


def refs_in(answer: object) -> tuple[str, ...]:
    """Refs that an answer names, in order, each once.

    Args:
        answer: What the model answered. Only text is looked at, ``ANSWER_CHARACTERS_MAX`` characters of it.

    Returns:
        At most ``CITED_REFS_MAX`` refs.
    """
    if not isinstance(answer, str):
        return ()
    found: dict[str, None] = {}
    for match in _REF.finditer(answer[:ANSWER_CHARACTERS_MAX]):
        found[match[0]] = None
        if len(found) == CITED_REFS_MAX:
            break
    return tuple(found)
