"""Properties that every chunking keeps, whatever the text and the limits."""

from __future__ import annotations

import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_service.chunking import Chunk, ChunkFormat, ChunkLimits, chunk_text

_LINES = st.sampled_from(
    [
        "# One", "## Two", "###", "#### Four #", "plain words in a row", "", "   ", "```", "```python",
        "~~~~", "~~~", "> quoted", "> ```", "- item", "  ```", "1. first", "| a | b |", "|---|---|",
        "| 1 | 2 |", "a|b", "-|-", "===", "---", "\tindented", "    # code", "日本語の文章です。漢字も。",
        "👨‍👩‍👧‍👦👩🏽‍🚀🇯🇵🇩🇪", "e\u0301\u0323" * 5, "각", "x" * 300, "\u3000全角　空白", "\ufeffmark",
    ]
)  # fmt: skip
_TEXTS = st.one_of(
    st.lists(_LINES, max_size=25).map("\n".join),
    st.text(max_size=300),
    st.text(alphabet="#`~|-> \n\tab\u0301\u200d👩🇯1.", max_size=200),
)
_LIMITS = st.builds(
    ChunkLimits,
    target_characters=st.integers(1, 120),
    target_characters_cjk=st.integers(1, 60),
    hard_characters=st.integers(1, 400),
    maximum_chunks=st.integers(1, 60),
)
_FORMATS = st.sampled_from(ChunkFormat)


def _checked(text: str, chunk_format: ChunkFormat, limits: ChunkLimits) -> list[Chunk]:
    chunks = chunk_text(text, format=chunk_format, limits=limits)
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    return chunks


@settings(max_examples=300, deadline=None)
@given(_TEXTS, _FORMATS, _LIMITS)
def test_spans_cover_the_text_without_gap_or_overlap(
    text: str, chunk_format: ChunkFormat, limits: ChunkLimits
) -> None:
    chunks = _checked(text, chunk_format, limits)
    if not text.strip():
        assert chunks == []
        return
    assert chunks[0].start == 0
    assert chunks[-1].end == len(text)
    assert "".join(text[chunk.start : chunk.end] for chunk in chunks) == text


@settings(max_examples=300, deadline=None)
@given(_TEXTS, _FORMATS, _LIMITS)
def test_each_chunk_advances_and_holds_more_than_white_space(
    text: str, chunk_format: ChunkFormat, limits: ChunkLimits
) -> None:
    for chunk in _checked(text, chunk_format, limits):
        assert chunk.end > chunk.start
        assert text[chunk.start : chunk.end].strip()
        assert chunk.token_count >= 1


@settings(max_examples=300, deadline=None)
@given(_TEXTS, _FORMATS, _LIMITS)
def test_no_cut_divides_a_grapheme(
    text: str, chunk_format: ChunkFormat, limits: ChunkLimits
) -> None:
    boundaries = {0} | {match.end() for match in regex.finditer(r"\X", text)}
    for chunk in _checked(text, chunk_format, limits):
        assert chunk.end in boundaries


@settings(max_examples=200, deadline=None)
@given(_TEXTS, _FORMATS, _LIMITS)
def test_the_number_of_chunks_is_bounded(
    text: str, chunk_format: ChunkFormat, limits: ChunkLimits
) -> None:
    assert len(_checked(text, chunk_format, limits)) <= limits.maximum_chunks


@settings(max_examples=200, deadline=None)
@given(_TEXTS, _FORMATS, st.integers(1, 120), st.integers(1, 60), st.integers(1, 400))
def test_a_chunk_keeps_the_hard_cap_up_to_one_grapheme(
    text: str, chunk_format: ChunkFormat, target: int, target_cjk: int, hard: int
) -> None:
    limits = ChunkLimits(target, target_cjk, hard)
    clusters = regex.findall(r"\X", text)
    longest = max(map(len, clusters), default=1)
    for chunk in _checked(text, chunk_format, limits):
        size = len(text[chunk.start : chunk.end].strip())
        assert size < max(hard, target, target_cjk) + longest


@settings(max_examples=200, deadline=None)
@given(_TEXTS, _FORMATS, _LIMITS)
def test_chunking_is_deterministic(
    text: str, chunk_format: ChunkFormat, limits: ChunkLimits
) -> None:
    assert chunk_text(text, format=chunk_format, limits=limits) == chunk_text(
        text, format=chunk_format, limits=limits
    )
