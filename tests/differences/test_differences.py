"""Differences rebuild the new text, are small where that is cheap, and bounded where it is not."""

from __future__ import annotations

import difflib
import random
from collections.abc import Sequence
from itertools import pairwise

import pytest

from corpus_service.differences import LineChange, WordChange, changed_lines, changed_words
from corpus_service.differences.sequences import Budget, changed_regions


def rebuilt(old: str, new: str, changes: Sequence[LineChange | WordChange]) -> str:
    """The new text, made of the old one and what was inserted."""
    parts, place = [], 0
    for change in changes:
        parts += [old[place : change.span[0]], new[change.new_span[0] : change.new_span[1]]]
        place = change.span[1]
    return "".join(parts) + old[place:]


CASES = (
    ("", ""),
    ("", "one\n"),
    ("one\n", ""),
    ("one", "one\n"),
    ("a\nb\nc\n", "a\nc\n"),
    ("a\nc\n", "a\nb\nc\n"),
    ("a\nb\nc\n", "a\nB\nc\n"),
    ("a\n\n\nb\n", "\n\na\nb\n"),
    ("x\ny\nz\n", "z\ny\nx\n"),
    ("悬空\n血魔\n", "悬空寺\n血魔\n"),
    ("a\u2028b\nc", "a\u2028c\nc"),
)


@pytest.mark.parametrize(("old", "new"), CASES)
def test_changes_rebuild_the_new_text(old: str, new: str) -> None:
    for changes in (changed_lines(old, new), changed_words(old, new)):
        assert rebuilt(old, new, changes) == new
        assert bool(changes) == (old != new)


def test_changes_of_random_texts_are_no_larger_than_those_of_difflib() -> None:
    chance = random.Random(7)
    for _ in range(150):
        old = "".join(chance.choice("abcd") + "\n" for _ in range(chance.randrange(40)))
        new = "".join(chance.choice("abcd") + "\n" for _ in range(chance.randrange(40)))
        changes = changed_lines(old, new)
        assert rebuilt(old, new, changes) == new
        for one, other in pairwise(changes):
            assert one.span[1] < other.span[0]
            assert one.new_span[1] < other.new_span[0]
        kept = len(old) - sum(change.span[1] - change.span[0] for change in changes)
        matcher = difflib.SequenceMatcher(None, old.split("\n"), new.split("\n"), autojunk=False)
        matched = sum(block.size for block in matcher.get_matching_blocks()) - 1
        assert kept // 2 >= matched - 2


def shortest(old: str, new: str) -> int:
    """Insertions and deletions that are needed, by the table of common subsequences."""
    before = [0] * (len(new) + 1)
    for character in old:
        row = [0]
        for place, other in enumerate(new):
            row.append(before[place] + 1 if character == other else max(before[place + 1], row[-1]))
        before = row
    return len(old) + len(new) - 2 * before[-1]


def test_without_anchors_the_script_is_the_shortest() -> None:
    chance = random.Random(11)
    for _ in range(600):
        # Every item occurs twice, so that none is an anchor.
        old = "".join(chance.choice("abc") for _ in range(chance.randrange(12))) + "abcabc"
        new = "abcabc" + "".join(chance.choice("abc") for _ in range(chance.randrange(12)))
        regions = changed_regions([*map(ord, old)], [*map(ord, new)], Budget(10_000))
        edits = sum(
            region.last - region.first + region.new_last - region.new_first for region in regions
        )
        assert edits == shortest(old, new)
        assert not any(region.coarse for region in regions)


@pytest.mark.parametrize("count", [1, 2, 30])
def test_one_changed_line_is_one_change(count: int) -> None:
    lines = [f"line {number}\n" for number in range(60)]
    changed = [
        line.upper() if number % (60 // count) == 5 % (60 // count) else line
        for number, line in enumerate(lines)
    ]
    changes = changed_lines("".join(lines), "".join(changed))
    assert len(changes) == count
    for change in changes:
        region = change.lines
        assert region.last - region.first == region.new_last - region.new_first == 1
        assert not region.coarse


def test_repeated_lines_cost_a_bounded_number_of_steps() -> None:
    old = "\n".join("ab"[number % 2] for number in range(40_000))
    new = "\n".join("abb"[number % 3] for number in range(40_000))
    changes = changed_lines(old, new)
    assert rebuilt(old, new, changes) == new
    assert any(change.lines.coarse for change in changes)


def test_without_steps_everything_is_one_coarse_change() -> None:
    old, new = [1, 2, 3, 4, 5], [1, 9, 3, 8, 5]
    (region,) = changed_regions(old, new, Budget(0))
    assert (region.first, region.last, region.coarse) == (1, 4, True)
    assert len(changed_regions(old, new, Budget(99))) == 2


@pytest.mark.parametrize(
    ("old", "new", "words", "new_words"),
    [
        ("the cold iron gate", "the old iron gate", ["cold"], ["old"]),
        ("the gate", "the iron gate", [""], ["iron "]),
        ("血魔大君", "血魔小君", ["大"], ["小"]),
        ("cafe\u0301 open", "cafe open", ["cafe\u0301"], ["cafe"]),
        ("a🏳️‍🌈b", "a🏳️b", ["🏳️‍🌈"], ["🏳️"]),
        ("x = 1;", "x = 2;", ["1"], ["2"]),
    ],
)
def test_words_that_differ(old: str, new: str, words: list[str], new_words: list[str]) -> None:
    changes = changed_words(old, new)
    assert [old[slice(*change.span)] for change in changes] == words
    assert [new[slice(*change.new_span)] for change in changes] == new_words
