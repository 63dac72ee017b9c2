"""Mistyped words and the words of a corpus that are like them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_service.search.spelling import neighbours, typed_words
from tests.search.hostile_queries import PIECES


@dataclass(frozen=True)
class Words:
    words: tuple[str, ...]

    def tokens(self, beginning: str, limit: int) -> Sequence[str]:
        return sorted(word for word in self.words if word.startswith(beginning))[:limit]

    def known_tokens(self, words: Sequence[str]) -> Sequence[str]:
        return [word for word in words if word in self.words]


def typed(text: str) -> list[str]:
    return [text[word.start : word.end] for word in typed_words(text)]


def test_words_are_found_where_they_stand() -> None:
    assert typed("The  Ärger, of  ＳＷＯＲＤ") == ["The", "Ärger", "of", "ＳＷＯＲＤ"]
    assert [word.token for word in typed_words("Ärger ＳＷＯＲＤ")] == ["arger", "sword"]
    assert typed("foo-bar swo* mp3") == ["foo", "bar", "swo", "mp3"]
    assert [word.begun for word in typed_words("swo* sword")] == [True, False]


@pytest.mark.parametrize(
    "text", ["悬空引用", "ドクター", "관리자", "C++", "don't", "1.21.4", "-sword"]
)
def test_what_is_no_plain_word_is_left_alone(text: str) -> None:
    assert typed(f"gate {text}") == ["gate"]


@pytest.mark.parametrize(
    ("word", "correctable"),
    [("sword", True), ("swo", False), ("mp3x", False), ("x" * 21, False), ("x" * 20, True)],
)
def test_words_with_few_neighbours_are_corrected(word: str, correctable: bool) -> None:
    assert [one.correctable for one in typed_words(word)] == [correctable]
    assert not typed_words(f"{word}*")[0].correctable


@pytest.mark.parametrize(
    ("mistyped", "meant"),
    [
        ("sowrd", "sword"), ("swrd", "sword"), ("swoord", "sword"), ("swird", "sword"),
        ("wsord", "sword"), ("xword", "sword"), ("wordx", "words"), ("мечь", "меч"),
        ("portculis", "portcullis"), ("porctulliss", "portcullis"), ("portkulis", "portcullis"),
    ],
)  # fmt: skip
def test_neighbours_are_found(mistyped: str, meant: str) -> None:
    assert list(neighbours(mistyped, Words(("garden", meant, "zebra")))) == [meant]


def test_the_nearest_come_first() -> None:
    words = Words(("castles", "castle", "cattle", "cassettes", "castle's"))
    assert neighbours("castlle", words) == {"castle": 1, "castles": 2}
    assert list(neighbours("castlle", words)) == ["castle", "castles"]
    assert neighbours("castel", words) == {"castle": 1}
    assert list(neighbours("castle", words)) == ["cattle", "castles"]


@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES)).map("".join)))
def test_every_text_has_words_in_order(text: str) -> None:
    words = typed_words(text)
    at = 0
    for word in words:
        assert at <= word.start < word.end <= len(text)
        assert word.token
        at = word.start
