"""Who says a line, and that no line takes long to ask."""

from __future__ import annotations

import time

import pytest

from corpus_service.search.speakers import NAME_CODE_POINTS_MAX, speaker_of

LINES_TOGETHER_SECONDS = 2.0


@pytest.mark.parametrize(
    ("line", "speaker"),
    [
        ("W: hello", "W"),
        ("Ｗ：博士", "Ｗ"),
        ("？？？: 博士", "？？？"),
        ("  > **Dr. Kal'tsit**: hm", "Dr. Kal'tsit"),
        ("- name :x", "name"),
        ("**: nobody", ""),
        (": nobody", ""),
        ("no colon", ""),
        ("", ""),
        ("see https://example.org/a: b", ""),
        ("at 12:30 W: hello", ""),
        ("W said: at 12:30", "W said"),
        ("x" * NAME_CODE_POINTS_MAX + ": y", "x" * NAME_CODE_POINTS_MAX),
        ("x" * (NAME_CODE_POINTS_MAX + 1) + ": y", ""),
    ],
)
def test_a_name_stands_before_the_first_colon(line: str, speaker: str) -> None:
    assert speaker_of(line) == speaker


def test_hostile_lines_take_no_time() -> None:
    began = time.monotonic()
    for piece in (" ", "-", "*", " *", "a ", "a*", "_", ">", "a", "\t", "# "):
        for line in (piece * 200_000, "a" + piece * 200_000, piece * 200_000 + ":"):
            assert len(speaker_of(line)) <= NAME_CODE_POINTS_MAX
    assert time.monotonic() - began < LINES_TOGETHER_SECONDS
