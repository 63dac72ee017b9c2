"""Who says a line, and that the index finds every passage of a speaker."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corpus_service.search.exact_view import fold_title
from corpus_service.search.preparation import prepare_for_index
from corpus_service.search.speakers import speaker_of, speaks
from corpus_service.search.units import literal_query
from corpus_service.storage.memory.ranking import IndexedChunk, tokens_of
from tests.search.hostile_queries import PIECES

NAMES = st.one_of(
    st.text(min_size=1, max_size=20),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map("".join),
)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("W: hello", "W"), ("**Ｗ**：走", "Ｗ"), ("> - Old man : yes", "Old man"), ("？？？: who", "？？？"),
        ("https://one.example/", ""), ("at 10:30", ""), ("no colon", ""), (": nobody", ""),
    ],
)  # fmt: skip
def test_the_name_before_the_colon(line: str, name: str) -> None:
    assert speaker_of(line) == name


def test_a_passage_that_begins_within_a_line() -> None:
    assert speaks("W: yes\nno", {"w"}, begins_line=True)
    assert not speaks("W: yes\nno", {"w"}, begins_line=False)
    assert speaks("no\nＷ: yes", {"x", "w"}, begins_line=False)
    assert not speaks("said W\nV: w", {"w"}, begins_line=True)


@settings(max_examples=400, deadline=None)
@given(name=NAMES, before=st.sampled_from(("", "**", "- ", "one\n")), said=NAMES)
@example(name="C++", before="", said="x")
@example(name=".NET", before="- ", said="x")
@example(name="don't", before="", said="t")
@example(name="悬空", before="", said="引用")
def test_the_index_finds_what_a_speaker_says(name: str, before: str, said: str) -> None:
    passage = f"{before}{name}: {said}"
    for line in passage.split("\n"):
        folded = fold_title(speaker_of(line))
        if not folded or not speaks(passage, {folded}, begins_line=True):
            continue
        query = literal_query([folded])
        body = tokens_of(prepare_for_index(passage))
        assert query is None or IndexedChunk([], body).matches(query)
