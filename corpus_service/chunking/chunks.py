"""Chunks: spans into a text whose concatenation is the text.

Whole lines are gathered up to a target size, headings begin a new chunk, fences and tables stay
together as far as the caps allow. Pure; the only library is the grapheme segmentation.
"""

from __future__ import annotations

import enum
import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from corpus_service.chunking.graphemes import cut_at_or_after, cut_at_or_before
from corpus_service.chunking.limits import (
    BYTES_PER_TOKEN,
    CJK_SAMPLE_CHARACTERS,
    CJK_SHARE,
    DEFAULT,
    ChunkLimits,
)
from corpus_service.chunking.structure import Block, Heading, Structure, find_structure


class ChunkFormat(enum.Enum):
    """How a text marks its structure."""

    PLAIN = "plain"
    """Lines alone; no character has a meaning."""

    MARKDOWN = "markdown"
    """Headings, fences and tables as CommonMark and GFM write them."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """One span of a text."""

    ordinal: int
    """Position among the chunks of the text, from 0 without gaps."""

    start: int
    """First code point of the span."""

    end: int
    """Code point behind the span (half-open)."""

    heading_path: tuple[str, ...]
    """Titles of the headings above the span, outermost first; empty headings leave no entry."""

    token_count: int
    """Estimated model tokens: UTF-8 bytes of the span divided by 4, rounded up."""

    context: str = ""
    """Lines of the text repeated because the span needs them: header rows of a table or the opening
    line of a fence that began in an earlier chunk. Not part of the span."""


_CJK: Final = re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
_NOT_SPACE: Final = re.compile(r"\S")
_SENTENCE_ENDS: Final = ("。", "！", "？", ". ", "! ", "? ")
_EMPTY: Final = Structure((), ())


def chunk_text(
    text: str,
    *,
    format: ChunkFormat,  # noqa: A002 -- the caller's word for it
    limits: ChunkLimits = DEFAULT,
) -> list[Chunk]:
    """Divide a text into chunks.

    The spans cover the text without gap and overlap. White space alone never makes a chunk: it
    belongs to the chunk before it, at the start of the text to the first. A text of nothing but
    white space therefore has no chunk at all. No cut divides a grapheme cluster of up to 1,024 code
    points (`LONGEST_KEPT_GRAPHEME_CODE_POINTS`), which may carry a chunk over a smaller cap.

    Args:
        text: normalised text; line ends are line feeds.
        format: how the text marks its structure.
        limits: sizes; see `ChunkLimits`.

    Returns:
        Chunks in text order.
    """
    if not text or text.isspace():
        return []
    structure = find_structure(text) if format is ChunkFormat.MARKDOWN else _EMPTY
    target = target_characters(text, limits)
    spans = _Divider(text, structure, target, max(limits.hard_characters, target)).spans()
    if len(spans) > limits.maximum_chunks:
        # Evenly sized pieces keep the number bounded whatever the structure asks for. A cut moves
        # forward past white space and whole clusters only, so pieces are never under the target.
        even = -(-len(text) // limits.maximum_chunks)
        spans = _Divider(text, _EMPTY, even, even, exact=True).spans()
    paths = _heading_paths(structure.headings, [span.start for span in spans], text)
    is_ascii = text.isascii()
    return [
        Chunk(
            ordinal=ordinal,
            start=span.start,
            end=span.end,
            heading_path=path,
            token_count=_token_count(text, span, is_ascii=is_ascii),
            context=span.context,
        )
        for ordinal, (span, path) in enumerate(zip(spans, paths, strict=True))
    ]


def target_characters(text: str, limits: ChunkLimits = DEFAULT) -> int:
    """Return the target size that applies to a text: by its share of CJK in a sample."""
    if text.isascii():
        return limits.target_characters
    size = CJK_SAMPLE_CHARACTERS
    middle = max(0, len(text) // 2 - size // 2)
    sample = (
        text if len(text) <= 3 * size else text[:size] + text[middle : middle + size] + text[-size:]
    )
    if len(_CJK.findall(sample)) >= CJK_SHARE * len(sample):
        return limits.target_characters_cjk
    return limits.target_characters


@dataclass(slots=True)
class _Span:
    start: int
    end: int
    context: str


class _Divider:
    """Cuts a text between its lines, respecting headings and blocks."""

    def __init__(
        self, text: str, structure: Structure, target: int, hard: int, *, exact: bool = False
    ) -> None:
        self._text = text
        self._blocks = structure.blocks
        self._block_starts = [block.start for block in structure.blocks]
        self._headings = structure.headings
        self._target = target
        self._hard = hard
        # Even pieces count on every cut using its whole target.
        self._exact = exact

    def spans(self) -> list[_Span]:
        found: list[_Span] = []
        for start, end in self._sections():
            position = start
            while position < end:
                following = self._next_cut(position, end)
                found.append(_Span(position, following, self._context_at(position)))
                position = following
        return self._without_blank(found)

    def _sections(self) -> list[tuple[int, int]]:
        """Divide at headings; a heading without a body stays with what follows it."""
        starts = [0]
        previous_end = 0
        for heading in self._headings:
            gap_is_blank = self._is_blank(previous_end, heading.start)
            if not (gap_is_blank and heading.start - starts[-1] < self._target):
                starts.append(heading.start)
            previous_end = heading.end
        bounds = [*starts, len(self._text)]
        return [(a, b) for a, b in pairwise(bounds) if b > a]

    def _is_blank(self, start: int, end: int) -> bool:
        found = _NOT_SPACE.search(self._text, start, end)
        return found is None

    def _next_cut(self, position: int, end: int) -> int:
        """Return the end of the chunk that starts at `position`; always greater than it."""
        if end - position <= self._target:
            return end
        begin = self._skip_blank(position, end)
        limit = begin + self._target
        if limit >= end:
            return end
        block = self._block_around(limit)
        cut = self._cut_around(block, begin, limit) if block else self._line_cut(begin, limit)
        return min(end, self._after_blank(min(cut, end), end))

    def _cut_around(self, block: Block, begin: int, limit: int) -> int:
        """Cut before, behind or inside a block that the size limit falls into.

        A short lead (a heading, the sentence that announces a listing) is not left alone.
        """
        if block.start - begin >= max(1, self._target // 2):
            return block.start
        if not block.divisible and block.end - begin <= self._hard:
            return block.end
        cut = self._line_cut(begin, limit)
        if begin < block.body_start and cut <= block.body_start:
            # Header rows alone would stand without a row of their table.
            row_end = self._text.find("\n", block.body_start) + 1
            if 0 < row_end <= min(begin + self._hard, block.end):
                return row_end
            return cut_at_or_before(self._text, limit, begin)
        return cut

    def _line_cut(self, begin: int, limit: int) -> int:
        """Cut behind a blank line, a line, a sentence or a word, in this order of preference."""
        text = self._text
        if self._exact:
            return cut_at_or_after(text, limit, begin)
        half = begin + (limit - begin) // 2
        cut = text.rfind("\n\n", half, limit)
        if cut >= 0:
            return cut + 2
        cut = text.rfind("\n", begin, limit)
        if cut >= 0:
            return cut + 1
        cut = max(
            text.rfind(mark, half, limit - len(mark) + 1) + len(mark) for mark in _SENTENCE_ENDS
        )
        if cut <= half:
            cut = text.rfind(" ", half, limit) + 1
        return cut_at_or_before(text, cut if cut > half else limit, begin)

    def _skip_blank(self, position: int, end: int) -> int:
        """White space at the start of a chunk does not count towards its size."""
        found = _NOT_SPACE.search(self._text, position, end)
        return found.start() if found else end

    def _after_blank(self, cut: int, end: int) -> int:
        """Attach the blank lines behind a cut; indentation stays with its line."""
        text = self._text
        if cut >= end or not text[cut].isspace():
            return cut
        found = _NOT_SPACE.search(text, cut, end)
        if found is None:
            return end
        line_feed = text.rfind("\n", cut, found.start())
        return cut if line_feed < 0 else line_feed + 1

    def _block_around(self, position: int) -> Block | None:
        """Return the block that a cut at `position` would divide."""
        index = bisect_right(self._block_starts, position) - 1
        if index < 0:
            return None
        block = self._blocks[index]
        return block if block.start < position < block.end else None

    def _context_at(self, position: int) -> str:
        block = self._block_around(position)
        return block.context if block is not None and position >= block.body_start else ""

    def _without_blank(self, spans: list[_Span]) -> list[_Span]:
        """Merge spans of white space alone into their neighbour."""
        kept: list[_Span] = []
        leading = 0
        for span in spans:
            if self._is_blank(span.start, span.end):
                if kept:
                    kept[-1].end = span.end
                continue
            if not kept:
                span.start = leading
            kept.append(span)
        return kept


def _heading_paths(
    headings: tuple[Heading, ...], starts: list[int], text: str
) -> list[tuple[str, ...]]:
    """Return for each start the titles above it.

    A chunk that begins with headings takes the path of the last of them.
    """
    paths: list[tuple[str, ...]] = []
    # Levels of the open headings, each with the path that it ends.
    open_paths: list[tuple[int, tuple[str, ...]]] = []
    path: tuple[str, ...] = ()
    index = 0
    for start in starts:
        reach = start
        while index < len(headings):
            heading = headings[index]
            if heading.start > reach and not _only_space(text, reach, heading.start):
                break
            if heading.title:
                while open_paths and open_paths[-1][0] >= heading.level:
                    open_paths.pop()
                above = open_paths[-1][1] if open_paths else ()
                path = (*above, heading.title)
                open_paths.append((heading.level, path))
            reach = heading.end
            index += 1
        paths.append(path)
    return paths


def _only_space(text: str, start: int, end: int) -> bool:
    return _NOT_SPACE.search(text, start, end) is None


def _token_count(text: str, span: _Span, *, is_ascii: bool) -> int:
    span_text = text[span.start : span.end]
    size = len(span_text) if is_ascii else len(span_text.encode("utf-8", "surrogatepass"))
    return -(-size // BYTES_PER_TOKEN)
