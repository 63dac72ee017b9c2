"""Refs: read back, and no typo opens another place."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_service.services.refs import (
    CHECK_LETTERS,
    REF_CHARACTERS_MAX,
    Ref,
    format_ref,
    parse_ref,
    read_ref,
)
from sourcecorpus.identity.identifiers import ALPHABET
from tests.reading.stocked import stocks

VERSION = "ver-0123456789abcdefghjk"
_VERSIONS = st.text(ALPHABET, min_size=20, max_size=20).map("ver-{}".format)
_NUMBERS = st.integers(0, 10**12 - 1)
_TYPED = st.sampled_from("0123456789abcdefghijklmnopqrstuvwxyzABCXYZ-#.~_ /:|١é")


@given(_VERSIONS, _NUMBERS, _NUMBERS)
def test_a_ref_reads_back(version: str, start: int, end: int) -> None:
    ref = format_ref(version, start, end)
    assert len(ref) <= REF_CHARACTERS_MAX
    assert read_ref(ref) == Ref(version, (start, end))
    assert read_ref(ref[:-3]) == Ref(version, (start, end))
    assert read_ref("ver" + ref[1:]) == Ref(version, (start, end))


@given(_VERSIONS, _NUMBERS, _NUMBERS, st.data())
def test_one_wrong_character_is_always_told(
    version: str, start: int, end: int, data: st.DataObject
) -> None:
    ref = format_ref(version, start, end)
    place = data.draw(st.integers(0, len(ref) - 1))
    wrong = data.draw(_TYPED.filter(lambda character: character != ref[place]))
    assert parse_ref(ref[:place] + wrong + ref[place + 1 :]) is None


@given(_VERSIONS, _NUMBERS, _NUMBERS)
def test_neighbours_in_the_wrong_order_are_always_told(version: str, start: int, end: int) -> None:
    ref = format_ref(version, start, end)
    for place in range(len(ref) - 1):
        swapped = ref[:place] + ref[place + 1] + ref[place] + ref[place + 2 :]
        assert swapped == ref or parse_ref(swapped) is None


def test_every_wrong_character_of_one_ref_is_told() -> None:
    ref = format_ref(VERSION, 120, 1_807)
    for place in range(len(ref)):
        for wrong in map(chr, range(32, 127)):
            if wrong != ref[place]:
                assert parse_ref(ref[:place] + wrong + ref[place + 1 :]) is None, (place, wrong)


def test_a_failed_check_has_a_reason_of_its_own() -> None:
    ref = format_ref(VERSION, 120, 180)
    check = ref[-2:]
    assert ref == f"v-0123456789abcdefghjk#120-180-{check}"
    assert read_ref(ref.replace("#120-", "#130-")) == "REF_CHECK_FAILED"
    assert read_ref(ref.replace("89", "98")) == "REF_CHECK_FAILED"
    other = next(letter for letter in CHECK_LETTERS if letter not in check)
    assert read_ref(ref[:-1] + other) == "REF_CHECK_FAILED"
    assert read_ref(ref[:-1]) == "INVALID_REF"
    assert read_ref(ref + "a") == "INVALID_REF"
    assert read_ref(f"{VERSION}-{check}") == "INVALID_REF"


def test_a_ref_is_written_the_same_for_ever() -> None:
    assert format_ref(VERSION, 0, 0) == "v-0123456789abcdefghjk#0-0-zt"
    assert format_ref(VERSION, 120, 180) == "v-0123456789abcdefghjk#120-180-fd"


@pytest.mark.parametrize("order", [("sqlite", "memory"), ("memory", "sqlite")])
def test_a_place_has_the_same_ref_on_every_backend(tmp_path: Path, order: tuple[str, str]) -> None:
    refs = []
    for number, kind in enumerate(order):
        folder = tmp_path / kind
        folder.mkdir()
        for stock in stocks(kind, folder):
            # What else is stored, and when, makes no difference.
            for other in range(number):
                stock.add(f"https://example.org/{other}", "something else")
            version = stock.add("https://example.org/page", "alpha beta gamma")
            refs.append(format_ref(version, 6, 10))
    assert refs[0] == refs[1]
