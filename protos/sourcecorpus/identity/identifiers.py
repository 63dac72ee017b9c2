"""Deterministic identifiers: the same facts give the same id on every backend and after an import.

An id is a type prefix, a hyphen and 20 characters of Crockford's base 32 in lower case: 100 bits of
SHA-256 over the length-prefixed facts. Birthday bound: among n ids of one type the probability of a
collision is below n² / 2¹⁰¹, that is 4·10⁻¹³ for 10⁹ ids. Somebody who chooses contents needs about
2⁵⁰ tries for a collision, so a store keeps the natural key unique beside the id.
"""

import hashlib
import re
from typing import Final

from sourcecorpus.identity.limits import MAXIMUM_IDENTIFIER_CODE_POINTS

ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32: no i, l, o, u, so that a typed id has one reading."""

IDENTIFIER_CHARACTERS: Final = 20
IDENTIFIER_BITS: Final = 5 * IDENTIFIER_CHARACTERS
IDENTIFIER_PREFIXES: Final = {
    "source": "src",
    "artifact": "art",
    "version": "ver",
    "chunk": "chk",
    "observation": "obs",
}
"""Kind of identifier to its prefix."""

_DOMAIN: Final = b"sourcecorpus.identity/1"
_DIGEST_BITS: Final = 256
_LENGTH_BYTES: Final = 8
# Two characters at a time: an id takes half as long.
_PAIRS: Final = tuple(first + second for first in ALPHABET for second in ALPHABET)
_PAIR_SHIFTS: Final = tuple(range(IDENTIFIER_BITS - 10, -1, -10))
_CROCKFORD_READINGS: Final = str.maketrans("ilo", "110")
_BODY: Final = re.compile(f"[{ALPHABET}]{{{IDENTIFIER_CHARACTERS}}}")

Field = str | bytes | int


def source_id(game_id: str, canonical_uri: str) -> str:
    """Returns `src-…`: one address within one game."""
    return _identifier("source", game_id, canonical_uri)


def artifact_id(game_id: str, canonical_uri: str, content_hash: str) -> str:
    """Returns `art-…`: one content under one address within one game."""
    return _identifier("artifact", game_id, canonical_uri, content_hash)


def version_id(artifact_id: str, extractor: str, extractor_version: str) -> str:
    """Returns `ver-…`: the text that a named extractor version made of an artifact."""
    return _identifier("version", artifact_id, extractor, extractor_version)


def chunk_id(version_id: str, ordinal: int) -> str:
    """Returns `chk-…`: the chunk at a position (from 0) of a version."""
    return _identifier("chunk", version_id, ordinal)


def observation_id(envelope_id: str, position: int) -> str:
    """Returns `obs-…`: the source at a position (from 0) of what an envelope brought."""
    return _identifier("observation", envelope_id, position)


def fingerprint(kind: str, *fields: Field) -> str:
    """Returns `sha256:<64 hex>` over length-prefixed facts, to tell equal from different ones.

    Args:
        kind: What is compared; two kinds never have an equal fingerprint.
        fields: Text (UTF-8, lone surrogates allowed), bytes, or whole numbers, each kept apart.
    """
    return "sha256:" + _digest(kind, fields).hex()


def is_identifier(text: str, kind: str) -> bool:
    """Tells whether the text has the form of an id of a kind of `IDENTIFIER_PREFIXES`."""
    prefix, _, body = text.partition("-")
    return prefix == IDENTIFIER_PREFIXES[kind] and _BODY.fullmatch(body) is not None


def read_identifier(text: str, kind: str) -> str:
    """Reads an id that a person typed: any case, i and l as 1, o as 0, the prefix may be missing.

    Returns:
        The id, or the empty string if the text is none. Whether it exists is not looked up.
    """
    if len(text) > MAXIMUM_IDENTIFIER_CODE_POINTS:
        return ""
    prefix = IDENTIFIER_PREFIXES[kind] + "-"
    body = text.strip().lower().removeprefix(prefix).translate(_CROCKFORD_READINGS)
    return prefix + body if _BODY.fullmatch(body) is not None else ""


def encode_bits(digest: bytes) -> str:
    """Returns the first `IDENTIFIER_BITS` of a SHA-256 digest in `ALPHABET`."""
    number = int.from_bytes(digest) >> (_DIGEST_BITS - IDENTIFIER_BITS)
    return "".join([_PAIRS[(number >> shift) & 1023] for shift in _PAIR_SHIFTS])


def _identifier(kind: str, *fields: Field) -> str:
    return f"{IDENTIFIER_PREFIXES[kind]}-{encode_bits(_digest(kind, fields))}"


def _digest(kind: str, fields: tuple[Field, ...]) -> bytes:
    digest = hashlib.sha256(_DOMAIN)
    for field in (kind, *fields):
        if isinstance(field, bytes):
            tag, data = b"b", field
        elif isinstance(field, str):
            tag, data = b"s", field.encode("utf-8", "surrogatepass")
        else:
            tag, data = b"i", str(int(field)).encode("ascii")
        digest.update(tag + len(data).to_bytes(_LENGTH_BYTES) + data)
    return digest.digest()
