"""Who may call what: one table of every method, deny by default.

A caller has roles. With ``access = local`` every caller has all of them, because only programs of
this machine reach the address. With ``access = tokens`` a bearer token has the roles of its line in
the token file. Access is decided before anything is looked up. Imports: nothing but the contract's
names.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.limits import ACCESS_TOKEN_CHARACTERS_MIN, TOKEN_FILE_BYTES_MAX
from sourcecorpus.rpc.settings import SettingsError

if TYPE_CHECKING:
    from pathlib import Path


class Role(Enum):
    """What a caller is."""

    HERMES = "hermes"
    CAPTURE = "capture"
    BRIDGE = "bridge"
    OPERATOR = "operator"


class MethodClass(Enum):
    """Which calls share one bound on the number under way."""

    HEALTH = "health"
    SYSTEM_STREAM = "system_stream"
    READ = "read"
    WRITE = "write"
    CONTENT_STREAM = "content_stream"
    CAPTURE_STREAM = "capture_stream"


@dataclass(frozen=True, slots=True)
class MethodPolicy:
    """Policy of one method.

    Attributes:
        roles: Roles that may call it; empty means everyone, without a token.
        method_class: Class of its bound.
    """

    roles: frozenset[Role]
    method_class: MethodClass


ALL_ROLES: Final = frozenset(Role)
_EVERYONE: Final[frozenset[Role]] = frozenset()
_CAPTURE: Final = "/sourcecorpus.capture.v1.CaptureService/"
_CORPUS: Final = "/sourcecorpus.corpus.v1."


def _policy(method_class: MethodClass, *roles: Role) -> MethodPolicy:
    return MethodPolicy(frozenset(roles), method_class)


_BRIDGE_READ: Final = _policy(MethodClass.READ, Role.BRIDGE)

METHOD_POLICIES: Final[dict[str, MethodPolicy]] = {
    f"{_CAPTURE}StreamCaptures": _policy(MethodClass.CAPTURE_STREAM, Role.HERMES),
    f"{_CAPTURE}SubmitCaptures": _policy(MethodClass.WRITE, Role.HERMES),
    f"{_CAPTURE}GetCaptureSession": _policy(
        MethodClass.READ, Role.HERMES, Role.BRIDGE, Role.OPERATOR
    ),
    f"{_CAPTURE}SetSessionGame": _policy(MethodClass.WRITE, Role.HERMES, Role.BRIDGE),
    f"{_CAPTURE}GetSessionGame": _policy(MethodClass.READ, Role.HERMES, Role.BRIDGE),
    f"{_CORPUS}IngestService/IngestCaptures": _policy(MethodClass.WRITE, Role.CAPTURE),
    f"{_CORPUS}IngestService/UploadContent": _policy(MethodClass.CONTENT_STREAM, Role.CAPTURE),
    f"{_CORPUS}SearchService/Search": _BRIDGE_READ,
    f"{_CORPUS}SearchService/FindText": _BRIDGE_READ,
    f"{_CORPUS}SearchService/SuggestTerms": _BRIDGE_READ,
    f"{_CORPUS}SourceService/ListSources": _BRIDGE_READ,
    f"{_CORPUS}SourceService/GetSource": _BRIDGE_READ,
    f"{_CORPUS}SourceService/ListVersions": _BRIDGE_READ,
    f"{_CORPUS}SourceService/GetVersion": _BRIDGE_READ,
    f"{_CORPUS}SourceService/ReadDocument": _BRIDGE_READ,
    f"{_CORPUS}SourceService/ListChunks": _BRIDGE_READ,
    f"{_CORPUS}SourceService/DiffVersions": _BRIDGE_READ,
    f"{_CORPUS}SourceService/ReadRawContent": _policy(MethodClass.CONTENT_STREAM, Role.BRIDGE),
    f"{_CORPUS}SourceService/DeleteSource": _policy(MethodClass.WRITE, Role.BRIDGE, Role.OPERATOR),
    f"{_CORPUS}SourceService/RequestRefresh": _policy(MethodClass.WRITE, Role.BRIDGE),
    f"{_CORPUS}SourceService/ListRefreshRequests": _BRIDGE_READ,
    f"{_CORPUS}IngestService/TakeRefreshRequests": _policy(MethodClass.WRITE, Role.CAPTURE),
    f"{_CORPUS}IngestService/ReportRefresh": _policy(MethodClass.WRITE, Role.CAPTURE),
    f"{_CAPTURE}WatchRefreshRequests": _policy(MethodClass.CONTENT_STREAM, Role.HERMES),
    f"{_CAPTURE}ReportRefresh": _policy(MethodClass.WRITE, Role.HERMES),
    f"{_CORPUS}SourceService/ListCitingRuns": _BRIDGE_READ,
    f"{_CORPUS}CitationService/ResolveCitations": _BRIDGE_READ,
    # Hermes' side tells what a run read and cited.
    f"{_CORPUS}CitationService/LinkRunSources": _policy(
        MethodClass.WRITE, Role.BRIDGE, Role.HERMES
    ),
    f"{_CORPUS}CitationService/ListRunSources": _BRIDGE_READ,
    f"{_CORPUS}CitationService/VerifyQuotes": _BRIDGE_READ,
    f"{_CORPUS}CitationService/ProposeCitations": _BRIDGE_READ,
    f"{_CORPUS}CitationService/CreateCitation": _BRIDGE_READ,
    f"{_CORPUS}DiscoveryService/ListPresentationRecords": _BRIDGE_READ,
    f"{_CORPUS}DiscoveryService/PutReceipt": _policy(MethodClass.WRITE, Role.BRIDGE),
    f"{_CORPUS}DiscoveryService/ListReceipts": _BRIDGE_READ,
    # The capture service resolves aliases of games and learns which ones are paused.
    f"{_CORPUS}GameService/ListGames": _policy(
        MethodClass.READ, Role.BRIDGE, Role.CAPTURE, Role.OPERATOR
    ),
    f"{_CORPUS}GameService/GetGame": _policy(
        MethodClass.READ, Role.BRIDGE, Role.CAPTURE, Role.OPERATOR
    ),
    f"{_CORPUS}GameService/CreateGame": _policy(MethodClass.WRITE, Role.BRIDGE, Role.OPERATOR),
    f"{_CORPUS}GameService/UpdateGame": _policy(MethodClass.WRITE, Role.BRIDGE, Role.OPERATOR),
    f"{_CORPUS}GameService/ExportGame": _policy(
        MethodClass.CONTENT_STREAM, Role.BRIDGE, Role.OPERATOR
    ),
    f"{_CORPUS}GameService/ImportGame": _policy(MethodClass.CONTENT_STREAM, Role.OPERATOR),
    "/grpc.health.v1.Health/Check": MethodPolicy(_EVERYONE, MethodClass.HEALTH),
    "/grpc.health.v1.Health/Watch": MethodPolicy(_EVERYONE, MethodClass.SYSTEM_STREAM),
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": _policy(
        MethodClass.SYSTEM_STREAM, Role.OPERATOR
    ),
}
"""Full method name to policy. A method that is not here is refused to everyone."""


@dataclass(frozen=True, slots=True)
class _Entry:
    digest: bytes
    roles: frozenset[Role]


class AccessPolicy:
    """Decides whether a call may go on."""

    def __init__(self, entries: tuple[_Entry, ...] | None = None) -> None:
        """Grant all roles to everyone (None), or the roles of token entries."""
        self._entries = entries

    @classmethod
    def local(cls) -> AccessPolicy:
        """Every caller has every role: for loopback and Unix sockets."""
        return cls()

    @classmethod
    def from_token_file(cls, path: Path) -> AccessPolicy:
        """Read a token file: a line ``role[,role] token`` each, ``#`` begins a comment line.

        Raises:
            SettingsError: The file cannot be read, others than its owner may read it, or a line is
                not well formed.
        """
        entries = []
        for number, line in enumerate(read_private_file(path).splitlines(), start=1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            position = f"{path}:{number}"
            roles, _, token = line.strip().partition(" ")
            if len(token.strip()) < ACCESS_TOKEN_CHARACTERS_MIN:
                problem = f"expected 'role[,role] token', {ACCESS_TOKEN_CHARACTERS_MIN}+ characters"
                raise SettingsError("token_file", position, problem)
            try:
                granted = frozenset(Role(role) for role in roles.split(","))
            except ValueError:
                known = ", ".join(role.value for role in Role)
                raise SettingsError("token_file", position, f"roles are {known}") from None
            entries.append(_Entry(_digest(token.strip()), granted))
        return cls(tuple(entries))

    def check(self, method: str, authorization: str) -> None:
        """Let a call pass or refuse it.

        Args:
            method: Full method name.
            authorization: Value of the ``authorization`` metadata, empty without.

        Raises:
            Failure: UNAUTHENTICATED without a known token, PERMISSION_DENIED without the role.
        """
        policy = METHOD_POLICIES.get(method)
        if policy is None:
            raise Failure(FailureCode.PERMISSION_DENIED, "ROLE_NOT_ALLOWED")
        if not policy.roles or self._entries is None:
            return
        if not self._roles_of(authorization) & policy.roles:
            raise Failure(FailureCode.PERMISSION_DENIED, "ROLE_NOT_ALLOWED")

    def _roles_of(self, authorization: str) -> frozenset[Role]:
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise Failure(FailureCode.UNAUTHENTICATED, "CREDENTIALS_REQUIRED")
        offered = _digest(token.strip())
        roles: frozenset[Role] = frozenset()
        for entry in self._entries or ():
            # Every entry is compared, so that time tells nothing about which one fits.
            if hmac.compare_digest(entry.digest, offered):
                roles |= entry.roles
        if not roles:
            raise Failure(FailureCode.UNAUTHENTICATED, "CREDENTIALS_INVALID")
        return roles


def read_private_file(path: Path) -> str:
    """Read a file of secrets that only its owner may read.

    Raises:
        SettingsError: It cannot be read, is too large, is not UTF-8, or others may read it.
    """
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            raw = file.read(TOKEN_FILE_BYTES_MAX + 1)
    except OSError as error:
        raise SettingsError("", str(path), error.strerror or "cannot be read") from error
    if mode & 0o077:
        raise SettingsError("", str(path), "others may read it; its mode must be 0600")
    if len(raw) > TOKEN_FILE_BYTES_MAX:
        raise SettingsError("", str(path), f"larger than {TOKEN_FILE_BYTES_MAX} bytes")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SettingsError("", str(path), "not UTF-8") from error


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
