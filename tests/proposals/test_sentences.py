"""Sentences: where they end in several scripts, and that spans hold together for every text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_service.proposals.sentences import split_sentences


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text, limit=1_000)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One here. Two there! Three?", ["One here.", "Two there!", "Three?"]),
        ("血魔来了。她走了！为什么？", ["血魔来了。", "她走了！", "为什么？"]),
        ("「行こう。」彼は言った。", ["「行こう。」", "彼は言った。"]),
        ("ذهب الملك. هل عاد؟ نعم", ["ذهب الملك.", "هل عاد؟", "نعم"]),
        ("Version 1.21.4 is out. Get it.", ["Version 1.21.4 is out.", "Get it."]),
        ("See e.g. the keep. J. Smith built it.", ["See e.g. the keep.", "J. Smith built it."]),
        ("He said “Stop.” Then he left…", ["He said “Stop.”", "Then he left…"]),
        ("A line\nthat goes on. Next", ["A line\nthat goes on.", "Next"]),
        ("# Title\n\n- first item\n- second item", ["Title", "first item", "second item"]),
        ("1. Dig a well\n2. Drink", ["Dig a well", "Drink"]),
        ("", []),
        (" \n\n ", []),
    ],
)
def test_sentences_end_where_the_rule_says(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_the_limit_bounds_the_work() -> None:
    assert len(split_sentences("A bell. " * 500, limit=7)) == 7


@given(st.text(alphabet='ab 。.!?\n-#>|1.)"”e.g.', max_size=60))
def test_spans_are_ordered_and_hold_no_white_space_at_their_edges(text: str) -> None:
    behind = 0
    for start, end in split_sentences(text, limit=100):
        assert behind <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        behind = end
