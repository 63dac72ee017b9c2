"""What one documented reason is. Imports: standard library only."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from sourcecorpus.rpc.codes import FailureCode

# AIP-193: at most 63 characters, UPPER_SNAKE.
REASON_PATTERN: Final = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
REASON_CHARACTERS_MAX: Final = 63


@dataclass(frozen=True, slots=True)
class Reason:
    """One documented reason.

    Attributes:
        name: UPPER_SNAKE word.
        code: Canonical code that it always comes with.
        meaning: Fixed text of the error message.
        remedy: What the caller does about it.
    """

    name: str
    code: FailureCode
    meaning: str
    remedy: str

    def __post_init__(self) -> None:
        if len(self.name) > REASON_CHARACTERS_MAX or not REASON_PATTERN.fullmatch(self.name):
            raise ValueError("a reason is UPPER_SNAKE with at most 63 characters")
