"""Page tokens: signed positions that fit exactly one request.

A token holds the snapshot and the position of the next page. Its signature also covers method,
game and all other fields of the request, so that a token is good for nothing else. It is opaque to
clients and grants no rights (AIP-158). Imports: protobuf's message base beside the standard library.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import hmac
import json
import os
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.limits import PAGE_TOKEN_BYTES_MAX

if TYPE_CHECKING:
    from pathlib import Path

    from google.protobuf.message import Message

KEY_BYTES: Final = 32
KEY_FILE_NAME: Final = "page_token.key"
_VERSION: Final = b"\x01"
_SIGNATURE_BYTES: Final = 16
_UNSIGNED_FIELDS: Final = ("page_token", "page_size")

PositionValue = str | int | float
"""Text, integer or finite float; floats keep every bit."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a listing was begun on.

    Attributes:
        epoch: Identity of the store or of its index; changes when it is rebuilt or restored.
        as_of_sequence: Highest commit sequence that the pages show.
    """

    epoch: str
    as_of_sequence: int


@dataclass(frozen=True, slots=True)
class PagePosition:
    """Where the next page begins.

    Attributes:
        snapshot: Snapshot of the first page.
        position: Keyset of the last row, as the encoder was given it.
    """

    snapshot: Snapshot
    position: tuple[PositionValue, ...]


class PageTokenSigner:
    """Makes and checks page tokens with one secret key.

    Safe for use by several threads. A token costs two SHA-256 passes over the request.
    """

    def __init__(self, key: bytes) -> None:
        """Take the key.

        Raises:
            ValueError: The key does not have 32 bytes.
        """
        if len(key) != KEY_BYTES:
            raise ValueError(f"the key must have {KEY_BYTES} bytes")
        self._key = key

    def encode(
        self,
        *,
        method: str,
        game_id: str,
        snapshot: Snapshot,
        request: Message,
        position: tuple[PositionValue, ...],
    ) -> str:
        """Make the token of the page that begins behind a position.

        Args:
            method: Full name of the method, such as ``/sourcecorpus.corpus.v1.SearchService/Search``.
            game_id: Canonical game id; empty for listings over games.
            snapshot: Snapshot of the first page.
            request: The request; its page_token and page_size do not matter.
            position: Keyset of the last row of this page.

        Returns:
            URL-safe text of at most 4 KiB.

        Raises:
            ValueError: The position is too large for a token or holds a value that is not finite.
        """
        payload = json.dumps(
            [snapshot.epoch, snapshot.as_of_sequence, *position],
            ensure_ascii=False,
            allow_nan=False,
            separators=(",", ":"),
        ).encode("utf-8", "surrogatepass")
        signature = self._sign(method, game_id, request, payload)
        token = base64.urlsafe_b64encode(_VERSION + signature + payload).rstrip(b"=").decode()
        if len(token) > PAGE_TOKEN_BYTES_MAX:
            raise ValueError("the position is too large for a page token")
        return token

    def decode(
        self, token: str, *, method: str, game_id: str, request: Message, current: Snapshot
    ) -> PagePosition:
        """Check a token and read its position.

        Args:
            token: Token as the client sent it.
            method: As in ``encode``.
            game_id: As in ``encode``.
            request: The request that carries the token.
            current: Snapshot of the store now.

        Raises:
            Failure: INVALID_ARGUMENT PAGE_TOKEN_INVALID for a token that was changed, cut, or made
                for another request; FAILED_PRECONDITION SNAPSHOT_CHANGED for an honest token of
                another epoch, or of a commit that the store no longer has.
        """
        raw = _from_base64(token)
        head = len(_VERSION) + _SIGNATURE_BYTES
        signature, payload = raw[len(_VERSION) : head], raw[head:]
        expected = self._sign(method, game_id, request, payload)
        if raw[: len(_VERSION)] != _VERSION or not hmac.compare_digest(signature, expected):
            raise _invalid()
        epoch, as_of_sequence, *position = json.loads(payload.decode("utf-8", "surrogatepass"))
        snapshot = Snapshot(epoch=epoch, as_of_sequence=as_of_sequence)
        if epoch != current.epoch or as_of_sequence > current.as_of_sequence:
            raise Failure(FailureCode.FAILED_PRECONDITION, "SNAPSHOT_CHANGED", "page_token")
        return PagePosition(snapshot=snapshot, position=tuple(position))

    def _sign(self, method: str, game_id: str, request: Message, payload: bytes) -> bytes:
        mac = hmac.new(self._key, digestmod=hashlib.sha256)
        for part in (_VERSION, method.encode(), game_id.encode(), _request_hash(request), payload):
            # The length in front keeps neighbouring parts from sliding into each other.
            mac.update(len(part).to_bytes(8, "big"))
            mac.update(part)
        return mac.digest()[:_SIGNATURE_BYTES]


def page_size(value: int, default: int, maximum: int) -> int:
    """Read page_size: 0 means the default, more than the maximum means the maximum.

    Raises:
        Failure: INVALID_ARGUMENT PAGE_SIZE_NEGATIVE.
    """
    if value < 0:
        raise Failure(FailureCode.INVALID_ARGUMENT, "PAGE_SIZE_NEGATIVE", "page_size")
    return min(value or default, maximum)


def load_or_create_key(data_folder: Path) -> bytes:
    """Read the signing key of a data folder, or make it with mode 0600.

    Two processes that start at once end up with the same key: the file appears whole and once.

    Raises:
        OSError: The folder cannot be written or the key cannot be read.
        ValueError: The key file does not have 32 bytes.
    """
    path = data_folder / KEY_FILE_NAME
    if not path.exists():
        temporary = data_folder / f".{KEY_FILE_NAME}.{os.getpid()}.{secrets.token_hex(4)}"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(secrets.token_bytes(KEY_BYTES))
                file.flush()
                os.fsync(file.fileno())
            # Where another process was faster, its key counts.
            with contextlib.suppress(FileExistsError):
                os.link(temporary, path)
        finally:
            temporary.unlink()
    key = path.read_bytes()
    if len(key) != KEY_BYTES:
        raise ValueError(f"{KEY_FILE_NAME} must have {KEY_BYTES} bytes")
    return key


def _request_hash(request: Message) -> bytes:
    bare = type(request)()
    bare.CopyFrom(request)
    for name in _UNSIGNED_FIELDS:
        if name in bare.DESCRIPTOR.fields_by_name:
            bare.ClearField(name)
    # Fields of a newer contract are part of the request as well, so unknown fields stay in.
    return hashlib.sha256(bare.SerializeToString(deterministic=True)).digest()


def _from_base64(token: str) -> bytes:
    if len(token) > PAGE_TOKEN_BYTES_MAX:
        raise _invalid()
    try:
        padded = token.encode("ascii") + b"=" * (-len(token) % 4)
        raw = base64.b64decode(padded, altchars=b"-_", validate=True)
    except (UnicodeEncodeError, binascii.Error):
        raise _invalid() from None
    # Several spellings decode to the same bytes; only the one that was given out is good.
    if base64.urlsafe_b64encode(raw).rstrip(b"=").decode() != token:
        raise _invalid()
    return raw


def _invalid() -> Failure:
    return Failure(FailureCode.INVALID_ARGUMENT, "PAGE_TOKEN_INVALID", "page_token")
