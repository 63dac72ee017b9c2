"""Placeholders that stand for secrets, and the key they are made with.

Form: ``REDACTED~<rule>~<16 hex>~``. Only unreserved URL characters (RFC 3986, 2.3) occur in it, so it needs no
escaping in URLs, JSON, YAML, Markdown, headers or a shell. The hex digits are the first 64 bits of an
HMAC-SHA256 over the canonical secret: no part and no length of the secret is in it, equality stays visible, and
a weak password cannot be guessed from it without the key.
"""

import hashlib
import hmac
import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from capture_service.redaction.errors import KeyFileError

PLACEHOLDER: Final = re.compile(rb"REDACTED~([a-z][a-z0-9-]{1,47})~([0-9a-f]{16})~")
PLACEHOLDER_START: Final = b"REDACTED~"
KEY_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class RedactionKey:
    """Installation key of the placeholders.

    Attributes:
        secret: 32 random bytes; never printed.
        key_id: First 12 hex digits of a hash of the key, stored with every capture so that a change of key
            can be told from a change of content.
    """

    secret: bytes = field(repr=False)
    key_id: str

    @classmethod
    def from_bytes(cls, secret: bytes) -> "RedactionKey":
        """Build a key from exactly 32 bytes.

        Raises:
            KeyFileError: The length is another.
        """
        if len(secret) != KEY_BYTES:
            raise KeyFileError(f"a redaction key has {KEY_BYTES} bytes")
        digest = hashlib.sha256(b"source-corpus redaction key id\0" + secret).hexdigest()
        return cls(secret=secret, key_id=digest[:12])

    @classmethod
    def ephemeral(cls) -> "RedactionKey":
        """A key that lives as long as the process: placeholders agree within it only."""
        return cls.from_bytes(os.urandom(KEY_BYTES))

    @classmethod
    def load_or_create(cls, path: Path) -> "RedactionKey":
        """Load the key, or create it once with mode 0600.

        Two processes that start together agree: the file is written under a private name and linked into
        place, and the link fails for the later one.

        Raises:
            KeyFileError: The file is readable or writable by others, is no regular file, or has a wrong length.
            OSError: The directory cannot be written.
        """
        if not path.exists():
            _create_key_file(path)
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise KeyFileError("the redaction key is not a regular file")
            if status.st_mode & 0o077:
                raise KeyFileError(
                    "the redaction key file is open to group or others; set its mode to 0600"
                )
            secret = os.read(descriptor, KEY_BYTES + 1)
        finally:
            os.close(descriptor)
        return cls.from_bytes(secret)

    def placeholder(self, rule: str, canonical_secret: bytes) -> bytes:
        """Return the placeholder of a canonical secret under the readable rule kind."""
        digest = hmac.digest(self.secret, canonical_secret, "sha256").hex()[:16]
        return f"REDACTED~{rule}~{digest}~".encode("ascii")


def _create_key_file(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    private = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    descriptor = os.open(private, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.write(descriptor, os.urandom(KEY_BYTES))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    try:
        os.link(private, path)
    except FileExistsError:
        return
    finally:
        private.unlink()
