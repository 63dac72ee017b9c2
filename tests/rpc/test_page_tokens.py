from __future__ import annotations

import math
import stat
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcecorpus.corpus.v1 import search_service_pb2, source_service_pb2
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.page_tokens import (
    KEY_BYTES,
    KEY_FILE_NAME,
    PageTokenSigner,
    PositionValue,
    Snapshot,
    load_or_create_key,
    page_size,
)

if TYPE_CHECKING:
    from pathlib import Path

METHOD = "/sourcecorpus.corpus.v1.SearchService/Search"
SNAPSHOT = Snapshot(epoch="e1", as_of_sequence=41)
SIGNER = PageTokenSigner(b"k" * KEY_BYTES)


def request(
    query: str = "nether", token: str = "", size: int = 0
) -> search_service_pb2.SearchRequest:
    return search_service_pb2.SearchRequest(
        game_id="minecraft", query=query, page_token=token, page_size=size
    )


def encode(position: tuple[PositionValue, ...] = (-3.25, 17)) -> str:
    return SIGNER.encode(
        method=METHOD, game_id="minecraft", snapshot=SNAPSHOT, request=request(), position=position
    )


POSITIONS = st.lists(
    st.one_of(
        st.text(max_size=40),
        st.integers(-(2**63), 2**63 - 1),
        st.floats(allow_nan=False, allow_infinity=False),
    ),
    max_size=4,
).map(tuple)


@given(POSITIONS)
def test_positions_come_back_exactly(position: tuple[PositionValue, ...]) -> None:
    found = SIGNER.decode(
        encode(position),
        method=METHOD,
        game_id="minecraft",
        request=request(token="x", size=3),
        current=SNAPSHOT,
    )
    assert found.position == position
    assert [math.copysign(1, v) for v in found.position if isinstance(v, float)] == [
        math.copysign(1, v) for v in position if isinstance(v, float)
    ]
    assert found.snapshot == SNAPSHOT


@given(st.data())
def test_a_changed_token_is_refused(data: st.DataObject) -> None:
    token = encode()
    index = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.sampled_from("ABab01-_=+/ é"))
    changed = token[:index] + other + token[index + 1 :]
    if changed == token:
        return
    with pytest.raises(Failure) as caught:
        SIGNER.decode(
            changed, method=METHOD, game_id="minecraft", request=request(), current=SNAPSHOT
        )
    assert caught.value.reason == "PAGE_TOKEN_INVALID"
    assert caught.value.field == "page_token"


@pytest.mark.parametrize("token", ["", "A", "AQ", "A" * 5_000, "é", encode()[:-1], encode() + "A"])
def test_what_is_no_token_is_refused(token: str) -> None:
    with pytest.raises(Failure) as caught:
        SIGNER.decode(
            token, method=METHOD, game_id="minecraft", request=request(), current=SNAPSHOT
        )
    assert caught.value.code is FailureCode.INVALID_ARGUMENT


def test_a_token_fits_one_method_one_game_one_request_one_key() -> None:
    token = encode()
    other_method = METHOD.replace("Search", "Find")
    with pytest.raises(Failure, match="PAGE_TOKEN_INVALID"):
        SIGNER.decode(
            token, method=other_method, game_id="minecraft", request=request(), current=SNAPSHOT
        )
    with pytest.raises(Failure, match="PAGE_TOKEN_INVALID"):
        SIGNER.decode(token, method=METHOD, game_id="terraria", request=request(), current=SNAPSHOT)
    with pytest.raises(Failure, match="PAGE_TOKEN_INVALID"):
        SIGNER.decode(
            token, method=METHOD, game_id="minecraft", request=request("end"), current=SNAPSHOT
        )
    with pytest.raises(Failure, match="PAGE_TOKEN_INVALID"):
        PageTokenSigner(b"o" * KEY_BYTES).decode(
            token, method=METHOD, game_id="minecraft", request=request(), current=SNAPSHOT
        )


@pytest.mark.parametrize(
    ("current", "good"),
    [
        (Snapshot("e1", 41), True),
        (Snapshot("e1", 9_000), True),
        (Snapshot("e1", 40), False),
        (Snapshot("e2", 41), False),
    ],
)
def test_a_token_of_a_snapshot_that_is_gone_says_so(current: Snapshot, good: bool) -> None:
    token = encode()
    if good:
        SIGNER.decode(token, method=METHOD, game_id="minecraft", request=request(), current=current)
        return
    with pytest.raises(Failure) as caught:
        SIGNER.decode(token, method=METHOD, game_id="minecraft", request=request(), current=current)
    assert caught.value.code is FailureCode.FAILED_PRECONDITION
    assert caught.value.reason == "SNAPSHOT_CHANGED"


def test_a_position_that_does_not_fit_is_a_programmer_error() -> None:
    with pytest.raises(ValueError, match="too large"):
        encode(("x" * 4_000,))
    with pytest.raises(ValueError, match="Out of range"):
        encode((math.inf,))


def test_a_request_without_paging_fields_can_be_signed() -> None:
    bare = source_service_pb2.GetVersionRequest(game_id="g", version_id="v")
    token = SIGNER.encode(method="/m", game_id="g", snapshot=SNAPSHOT, request=bare, position=(1,))
    found = SIGNER.decode(token, method="/m", game_id="g", request=bare, current=SNAPSHOT)
    assert found.position == (1,)


@pytest.mark.parametrize(("value", "expected"), [(0, 10), (1, 1), (100, 100), (101, 100)])
def test_page_sizes(value: int, expected: int) -> None:
    assert page_size(value, default=10, maximum=100) == expected


def test_a_negative_page_size_is_refused() -> None:
    with pytest.raises(Failure) as caught:
        page_size(-1, default=10, maximum=100)
    assert (caught.value.reason, caught.value.field) == ("PAGE_SIZE_NEGATIVE", "page_size")


def test_the_key_is_made_once_and_only_for_its_owner(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(load_or_create_key, [tmp_path] * 8))
    assert len(keys) == 1
    assert stat.S_IMODE((tmp_path / KEY_FILE_NAME).stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [KEY_FILE_NAME]


def test_a_damaged_key_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / KEY_FILE_NAME).write_bytes(b"short")
    with pytest.raises(ValueError, match="must have 32 bytes"):
        load_or_create_key(tmp_path)
