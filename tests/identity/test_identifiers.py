"""Ids: deterministic for ever, short, typeable, and different for different facts."""

import itertools

import pytest

from sourcecorpus.identity import (
    artifact_id,
    chunk_id,
    fingerprint,
    is_identifier,
    observation_id,
    read_identifier,
    source_id,
    version_id,
)
from sourcecorpus.identity.identifiers import ALPHABET, IDENTIFIER_BITS, IDENTIFIER_PREFIXES

HASH = "sha256:" + "0" * 64


def test_ids_never_change() -> None:
    """Stored citations name these ids; a new derivation would orphan all of them."""
    source = source_id("tide", "https://example.com/")
    artifact = artifact_id("tide", "https://example.com/", HASH)
    version = version_id(artifact, "html", "1")
    assert [source, artifact, version, chunk_id(version, 0), observation_id("e-1", 0)] == [
        "src-dpgktzh0v2spmq1drvzx",
        "art-kemx9vcr9d0e58kdzgd3",
        "ver-ddw3hn7fxmjkm38y46fp",
        "chk-b8173vz6mvz351pcwq3a",
        "obs-7jj75h0jm6e3dk93dz82",
    ]
    assert (
        fingerprint("envelope", "a", b"b", 3)
        == "sha256:3732ba8a01dbdb6739b83406201c57e0c48a77a0f584e33a670bcb6e5ea8a872"
    )


def test_form() -> None:
    made = {
        "source": source_id("g", "u"),
        "artifact": artifact_id("g", "u", HASH),
        "version": version_id("a", "e", "1"),
        "chunk": chunk_id("v", 3),
        "observation": observation_id("e", 2),
    }
    assert made.keys() == IDENTIFIER_PREFIXES.keys()
    assert IDENTIFIER_BITS >= 80
    for kind, identifier in made.items():
        prefix, _, body = identifier.partition("-")
        assert prefix == IDENTIFIER_PREFIXES[kind]
        assert set(body) <= set(ALPHABET)
        assert len(body) * 5 == IDENTIFIER_BITS
        for other in IDENTIFIER_PREFIXES:
            assert is_identifier(identifier, other) is (other == kind)


def test_fields_do_not_run_together() -> None:
    made = [
        *(source_id("ab", "c"), source_id("a", "bc"), source_id("abc", ""), source_id("", "abc")),
        *(artifact_id("ab", "c", "d"), artifact_id("a", "bc", "d"), artifact_id("a", "b", "cd")),
        *(version_id("ab", "c", "d"), chunk_id("a", 1), chunk_id("a", 11), chunk_id("a1", 1)),
        *(observation_id("a", 1), observation_id("a", 11), observation_id("a1", 1)),
    ]
    bodies = [identifier.partition("-")[2] for identifier in made]
    assert len(set(bodies)) == len(bodies)
    assert len({fingerprint("k", field) for field in ("1", b"1", 1)}) == 3
    assert fingerprint("k", "a") != fingerprint("ka")


def test_every_text_has_an_id() -> None:
    texts = ["", "\x00", "\ud800", "\udcff", "é", "e\u0301", "a" * 100_000]
    assert len({source_id("g", text) for text in texts}) == len(texts)


def test_bits_are_spread() -> None:
    made = [chunk_id("v", ordinal).partition("-")[2] for ordinal in range(2_000)]
    assert len(set(made)) == len(made)
    for place in range(len(made[0])):
        assert len({body[place] for body in made}) == len(ALPHABET)


@pytest.mark.parametrize("kind", IDENTIFIER_PREFIXES)
def test_typed_ids_are_read(kind: str) -> None:
    prefix = IDENTIFIER_PREFIXES[kind]
    body = "01ab" * 5
    assert is_identifier(f"{prefix}-{body}", kind)
    for typed in (f"{prefix}-{body}", body, body.upper(), f" {prefix.upper()}-{body.upper()} "):
        assert read_identifier(typed, kind) == f"{prefix}-{body}"
    for first, second in itertools.product("0oO", "1iIlL"):
        assert read_identifier(f"{prefix}-" + f"{first}{second}ab" * 5, kind) == f"{prefix}-{body}"
    for wrong in (
        "",
        prefix,
        body[:-1],
        body + "0",
        "u" * 20,
        f"xyz-{body}",
        "é" * 20,
        " " * 10_000,
    ):
        assert read_identifier(wrong, kind) == ""
        assert not is_identifier(wrong, kind)
    assert not is_identifier(f"{prefix}-{body.upper()}", kind)
    assert not is_identifier(f"{prefix}-{body}\n", kind)
