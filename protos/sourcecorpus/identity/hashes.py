"""Content hashes: SHA-256 over the redacted raw bytes, written `sha256:<64 hex>`."""

import hashlib
import re
from typing import Final

ALGORITHM: Final = "sha256"
_CONTENT_HASH: Final = re.compile(r"sha256:([0-9a-f]{64})")


class InvalidContentHashError(ValueError):
    """The text is no content hash. The message never repeats it."""


class ContentHasher:
    """Hashes content that arrives in pieces. The result does not depend on where it was cut."""

    __slots__ = ("_digest", "_length")

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self._length = 0

    @property
    def length(self) -> int:
        """Bytes seen."""
        return self._length

    def update(self, data: bytes | bytearray | memoryview) -> None:
        """Adds the next piece."""
        self._digest.update(data)
        self._length += memoryview(data).nbytes

    def content_hash(self) -> str:
        """Returns the hash of everything seen; more may be added behind it."""
        return f"{ALGORITHM}:{self._digest.hexdigest()}"


def content_hash(data: bytes | bytearray | memoryview) -> str:
    """Returns the content hash of bytes that are at hand at once."""
    return f"{ALGORITHM}:{hashlib.sha256(data).hexdigest()}"


def parse_content_hash(text: str) -> bytes:
    """Returns the 32 bytes of the digest.

    Raises:
        InvalidContentHashError: the text is not exactly `sha256:` and 64 lower-case hex digits.
    """
    match = _CONTENT_HASH.fullmatch(text)
    if match is None:
        raise InvalidContentHashError("not of the form sha256:<64 lower-case hex digits>")
    return bytes.fromhex(match[1])


def is_content_hash(text: str) -> bool:
    """Tells whether the text is a content hash."""
    return _CONTENT_HASH.fullmatch(text) is not None
