"""Content hashes and their text form."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sourcecorpus.identity import (
    ContentHasher,
    InvalidContentHashError,
    content_hash,
    is_content_hash,
    parse_content_hash,
)

EMPTY = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
ABC = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_known_answers() -> None:
    """FIPS 180-4 examples."""
    assert content_hash(b"") == ContentHasher().content_hash() == EMPTY
    assert content_hash(b"abc") == content_hash(memoryview(b"abc")) == ABC
    assert parse_content_hash(ABC).hex() == ABC.removeprefix("sha256:")


@settings(max_examples=200, derandomize=True, database=None, deadline=None)
@given(st.lists(st.binary(max_size=50), max_size=8))
def test_pieces_do_not_matter(pieces: list[bytes]) -> None:
    hasher = ContentHasher()
    for piece in pieces:
        hasher.update(piece)
    joined = b"".join(pieces)
    assert hasher.content_hash() == content_hash(joined)
    assert hasher.length == len(joined)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sha256:",
        ABC[7:],
        ABC.upper(),
        ABC + "0",
        ABC[:-1],
        "sha512:" + ABC[7:],
        ABC + "\n",
        "sha256:" + "g" * 64,
        "sha256:" + "٠" * 64,
        " " + ABC,
    ],
)
def test_other_texts_are_refused_without_repeating_them(text: str) -> None:
    assert not is_content_hash(text)
    with pytest.raises(InvalidContentHashError) as caught:
        parse_content_hash(text)
    assert not text or text not in str(caught.value) or text == "sha256:"
