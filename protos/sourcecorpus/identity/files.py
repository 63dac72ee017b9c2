"""`file:` URIs that name a path by alias and never show where a person keeps it."""

import hashlib
import ntpath
import posixpath
import re
from collections.abc import Mapping
from typing import Final

from sourcecorpus.identity import escapes, identifiers

_KEPT_IN_PATH: Final = re.compile("[^A-Za-z0-9._~!$&'()*+,=:@/-]+")
_ALIAS: Final = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?")
_WINDOWS_PATH: Final = re.compile(r"[A-Za-z]:[\\/]|\\\\|//[?.]/")
_WINDOWS_LONG_PREFIX: Final = re.compile(r"[\\/]{2}[?.][\\/](?:UNC[\\/])?", re.IGNORECASE)
_HOME_PARENTS: Final = re.compile(
    r"(?:/export|/var|/usr|/mnt/[a-z]|[a-z]:|/[a-z])?/(?:home|users)|", re.IGNORECASE
)
_UNLISTED: Final = "unlisted-"


class InvalidAliasError(ValueError):
    """An alias is no lower-case name of 1 to 64 letters, digits, dots, hyphens, underscores.

    Also raised for an alias that begins with `unlisted-`, which is for paths outside all roots,
    and for a root that is not absolute.
    """


def file_uri(alias: str, path: str) -> str:
    """Returns `file:///<alias>/<path>`, a fixed point of `canonicalise`.

    Args:
        alias: Name of a root.
        path: Below that root, `/` between segments; dot segments are resolved and cannot leave it.
            Bytes that the file system could not decode (surrogateescape) are spelled as they are.

    Raises:
        InvalidAliasError: see there.
    """
    if _ALIAS.fullmatch(alias) is None:
        raise InvalidAliasError(
            "an alias is 1 to 64 of a-z 0-9 . _ - and begins and ends with a-z 0-9"
        )
    below = posixpath.normpath("/" + path.lstrip("/"))
    if path.endswith("/") and below != "/":
        below += "/"
    return f"file:///{alias}{_spelled(below)}"


class PathAliases:
    """Maps paths to `file:` URIs by configured roots. Pure: no file system is looked at."""

    __slots__ = ("_home", "_roots", "_working_directory")

    def __init__(
        self,
        roots: Mapping[str, str],
        *,
        home: str = "",
        working_directory: str = "",
    ) -> None:
        """Takes the roots.

        Args:
            roots: Alias to absolute directory. The longest directory that holds a path wins.
            home: What `~` stands for; empty if unknown.
            working_directory: What relative paths are relative to; empty if unknown.

        Raises:
            InvalidAliasError: see there.
        """
        self._home = home
        self._working_directory = working_directory
        listed: list[tuple[str, str]] = []
        for alias, directory in roots.items():
            if _ALIAS.fullmatch(alias) is None or alias.startswith(_UNLISTED):
                raise InvalidAliasError(
                    "an alias is a lower-case name that does not begin unlisted-"
                )
            absolute, known = self._absolute(directory)
            if not known:
                raise InvalidAliasError("a root is an absolute directory")
            listed.append((absolute.rstrip("/"), alias))
        self._roots = sorted(listed, key=lambda entry: (-len(entry[0]), entry[1]))

    @property
    def roots(self) -> dict[str, str]:
        """Alias to directory, normalised, `/` between segments."""
        return {alias: directory or "/" for directory, alias in self._roots}

    def to_uri(self, path: str) -> str:
        """Returns the `file:` URI of a path as a tool named it.

        Understands absolute, relative and `~` paths, Windows paths (drive, UNC, verbatim), dot
        segments and `file:` URIs. A path outside every root gets an alias made of a digest of its
        directory and keeps only its last segment; of a home directory itself nothing is kept.
        """
        if path[:5].lower() == "file:":
            path = _path_of_file_uri(path)
        absolute, _ = self._absolute(path)
        folded = _folded(absolute)
        for directory, alias in self._roots:
            if folded == _folded(directory) or folded.startswith(_folded(directory) + "/"):
                return file_uri(alias, absolute[len(directory) :])
        return _unlisted(absolute)

    def _absolute(self, path: str) -> tuple[str, bool]:
        """Returns the path with `/`, dot segments resolved, and whether it is absolute."""
        if path == "~" or path.startswith(("~/", "~\\")):
            if not self._home:
                return posixpath.normpath(path.replace("\\", "/")), False
            path = _joined(self._home, path[2:])
        elif not path.startswith(("/", "~")) and _WINDOWS_PATH.match(path) is None:
            if not self._working_directory:
                return posixpath.normpath(path), False
            path = _joined(self._working_directory, path)
        if _WINDOWS_PATH.match(path) is not None:
            return _windows(path), True
        return "/" + posixpath.normpath(path).lstrip("/"), path.startswith("/")


def _joined(directory: str, path: str) -> str:
    if _WINDOWS_PATH.match(directory) is not None:
        return ntpath.join(directory, path)
    return posixpath.join(directory, path)


def _windows(path: str) -> str:
    prefix = _WINDOWS_LONG_PREFIX.match(path)
    if prefix is not None:
        rest = path[prefix.end() :]
        path = rest if ntpath.splitdrive(rest)[0] else "\\\\" + rest
    normal = ntpath.normpath(path).replace("\\", "/")
    return normal[0].upper() + normal[1:] if normal[1:2] == ":" else normal


def _folded(absolute: str) -> str:
    """Windows paths are compared without regard to case, others exactly."""
    on_windows = absolute[1:2] == ":" or absolute.startswith("//")
    return absolute.lower() if on_windows else absolute


def _unlisted(absolute: str) -> str:
    directory, _, name = absolute.rpartition("/")
    owner = _owner_of(absolute)
    named = name not in (".", "..") and name != owner
    if not named or (len(owner) > 2 and owner.lower() in name.lower()):
        directory, name = absolute, ""
    digest = hashlib.sha256(b"sourcecorpus.identity/path/" + _bytes(_folded(directory))).digest()
    return f"file:///{_UNLISTED}{identifiers.encode_bits(digest)}{_spelled('/' + name)}"


def _owner_of(absolute: str) -> str:
    """Name of the person in whose home directory the path lies, or the empty string."""
    segments = absolute.split("/")
    for position in range(1, min(len(segments), 5)):
        parent = "/".join(segments[:position])
        if parent and _HOME_PARENTS.fullmatch(parent) is not None:
            return segments[position]
    return ""


def _path_of_file_uri(uri: str) -> str:
    rest = uri[5:]
    host = ""
    if rest.startswith("//"):
        host, slash, path = rest[2:].partition("/")
        rest = slash + path
    decoded = escapes.decode_bytes(rest).decode("utf-8", "surrogateescape")
    if host and host.lower() != "localhost":
        return f"\\\\{host}{decoded}"
    return decoded[1:] if re.match(r"/[A-Za-z]:[\\/]", decoded) is not None else decoded


def _bytes(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _spelled(path: str) -> str:
    return _KEPT_IN_PATH.sub(lambda match: escapes.percent_encode(_bytes(match[0])), path)
