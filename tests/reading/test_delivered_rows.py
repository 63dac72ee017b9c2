"""Rows in a page token: they read back, they fit, and nothing else is read."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_service.search.limits import RANKED_PASSAGES_MAX
from corpus_service.services.delivered_rows import read_rows, write_rows
from sourcecorpus.rpc.failures import Failure
from sourcecorpus.rpc.limits import PAGE_TOKEN_BYTES_MAX


@given(st.frozensets(st.integers(0, 2**62)))
def test_rows_read_back(rows: frozenset[int]) -> None:
    assert read_rows(write_rows(rows)) == rows


@given(st.text(max_size=40))
def test_any_text_is_rows_or_refused(text: str) -> None:
    try:
        rows = read_rows(text)
    except Failure:
        return
    assert all(row >= 0 for row in rows)


@pytest.mark.parametrize("text", ["悬", "\x00", "}", write_rows([1 << 20])[:3], "~~~~~~~~"])
def test_what_is_no_set_of_rows_is_refused(text: str) -> None:
    with pytest.raises(Failure) as caught:
        read_rows(text)
    assert caught.value.reason == "PAGE_TOKEN_INVALID"


@pytest.mark.parametrize("passages", [1_000, 500_000, 10_000_000])
def test_all_reachable_hits_fit_into_a_token(passages: int) -> None:
    rows = random.Random(passages).sample(range(passages), RANKED_PASSAGES_MAX)
    # The token is base 64 of version, signature, snapshot and this text.
    assert len(write_rows(rows)) * 4 / 3 < PAGE_TOKEN_BYTES_MAX - 256
