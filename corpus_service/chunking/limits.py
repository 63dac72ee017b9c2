"""Limits of chunking, each with its unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

LONGEST_KEPT_GRAPHEME_CODE_POINTS: Final = 1_024
"""A longer grapheme cluster (stacked combining marks) is cut after this many code points."""

CJK_SHARE: Final = 0.12
"""Share of CJK among the sampled characters from which the CJK target applies."""

CJK_SAMPLE_CHARACTERS: Final = 2_000
"""Characters sampled at the start, the middle and the end of a text."""

BYTES_PER_TOKEN: Final = 4
"""Divisor of the token estimate: UTF-8 bytes divided by this, rounded up."""


@dataclass(frozen=True, slots=True)
class ChunkLimits:
    """Sizes that chunks keep; every field is at least 1.

    A chunk's size is counted without the white space at its end, because white space that follows
    a chunk is attached to it however much there is (it costs no index entry).
    """

    target_characters: int = 1_000
    """Code points that whole lines are gathered up to in other than CJK text."""

    target_characters_cjk: int = 420
    """The same for text with a share of CJK of at least `CJK_SHARE`."""

    hard_characters: int = 4_000
    """Code points that a fence or a table may reach before it is divided between its lines; at
    four bytes each it is also the byte cap of 16,000 bytes. Raised to the target if smaller."""

    maximum_chunks: int = 50_000
    """Chunks per document. Beyond it the text is divided evenly without regard to headings."""

    def __post_init__(self) -> None:
        """Refuse limits under 1, with which chunking could not advance.

        Raises:
            ValueError: a limit is under 1; names the field.
        """
        for name in (
            "target_characters",
            "target_characters_cjk",
            "hard_characters",
            "maximum_chunks",
        ):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1")


DEFAULT: Final = ChunkLimits()
