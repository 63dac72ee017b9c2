"""The canonical URI: a key that says which resource was asked for. It is never a link.

It rewrites only what cannot change the resource. RFC 3986 decides where its grammar accepts the
input, the WHATWG URL Standard where it does not (backslashes, tabs, numeric IPv4 addresses, escapes
in hosts). docs/identity.md lists every rule and every difference from the WHATWG URL Standard.
"""

import re
from dataclasses import dataclass
from typing import Final

from sourcecorpus.identity import escapes, hosts, queries
from sourcecorpus.identity.limits import MAXIMUM_HOST_CODE_POINTS, MAXIMUM_URI_CODE_POINTS

DEFAULT_PORTS: Final = {"ftp": 21, "http": 80, "https": 443, "ws": 80, "wss": 443}
"""WHATWG URL Standard section 4.2; other ports and other schemes keep what is written."""

_LARGEST_PORT: Final = 65_535
_PORT_DIGITS: Final = 5
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_HOST_AND_PORT: Final = re.compile(r"[0-9]{1,5}(?:[/?#\\]|$)")
_EDGES: Final = "".join(map(chr, range(0x21)))
_REMOVED_INSIDE: Final = str.maketrans("", "", "\t\n\r")
_AUTHORITY_END: Final = re.compile("[/?#]")
_DRIVE: Final = re.compile("[A-Za-z][:|]")
_DIRECTIVE: Final = ":~:"
_ORDINARY: Final = re.compile(
    r"(https?)://((?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*)"
    r"(/[A-Za-z0-9._~!$&'()*+,=:@/-]*)?"
    r"(?:\?([A-Za-z0-9._~!$&'()*+,;=:@/?-]*))?(?:#([A-Za-z0-9._-]*))?"
)


@dataclass(frozen=True, slots=True)
class CanonicalUri:
    """What `canonicalise` found.

    Attributes:
        value: The key. Only ASCII if `canonicalised`, otherwise the input, unchanged.
        canonicalised: Whether the input was understood.
        locator: The fragment as it was given, without `#` and without secret parameters: an anchor,
            a page, a text directive. Empty if there is none. Routes stay in `value`.
        removed_parameters: Decoded names, in order, of the parameters that left the key.
    """

    value: str
    canonicalised: bool
    locator: str
    removed_parameters: tuple[str, ...]


class _UnparsableError(ValueError):
    """The input is no URI for us; it is returned as it came."""


def canonicalise(uri: str) -> CanonicalUri:
    """Returns the canonical URI of any text.

    Total: it never raises for a `str`. Idempotent: the value of a value is that value.

    Args:
        uri: Up to `MAXIMUM_URI_CODE_POINTS` code points; longer text is not canonicalised, nor is
            one whose canonical form would be longer.
    """
    if len(uri) > MAXIMUM_URI_CODE_POINTS:
        return CanonicalUri(uri, False, "", ())
    try:
        found = _ordinary(uri) or _parse(uri)
    except (_UnparsableError, hosts.InvalidHostError):
        return CanonicalUri(uri, False, "", ())
    if len(found.value) > MAXIMUM_URI_CODE_POINTS:
        return CanonicalUri(uri, False, "", ())
    return found


def _ordinary(uri: str) -> CanonicalUri | None:
    """The shape that most captures have: nothing to decode, nothing to encode, no odd host."""
    match = _ORDINARY.fullmatch(uri)
    if match is None:
        return None
    scheme, host, path, query, fragment = match.groups()
    if path is None:
        path = "/"
    elif "/." in path:
        return None
    if "xn--" in host or len(host) > MAXIMUM_HOST_CODE_POINTS:
        return None
    value = f"{scheme}://{host}{path}"
    removed: tuple[str, ...] = ()
    if query is not None:
        value, removed = _with_query(value, query, host)
    return CanonicalUri(value, True, fragment or "", removed)


def _parse(uri: str) -> CanonicalUri:
    if not uri.isascii():
        uri = escapes.scalar_values(uri)
    text = uri.strip(_EDGES)
    if text[:5].lower() == "tool:":
        return _tool(uri.lstrip(_EDGES))
    text = text.translate(_REMOVED_INSIDE)
    match = _SCHEME.match(text)
    if match is None:
        raise _UnparsableError
    scheme = match[1].lower()
    rest = text[match.end() :]
    if scheme == "tool":
        return _tool(text)
    rest, mark, fragment = rest.partition("#")
    rest, question, query = rest.partition("?")
    value, host, removed = _before_query(scheme, rest)
    if question:
        query = escapes.normalise(query, escapes.QUERY_ENCODED)
        value, more = _with_query(value, query, host)
        removed += more
    if not mark:
        return CanonicalUri(value, True, "", removed)
    route, locator, more = _fragment(fragment)
    return CanonicalUri(value + route, True, locator, removed + more)


def _before_query(scheme: str, rest: str) -> tuple[str, str, tuple[str, ...]]:
    """Returns the URI up to its path, the host, and the names removed from the path."""
    if scheme in DEFAULT_PORTS:
        authority, path = _split_authority(rest.replace("\\", "/").lstrip("/"))
        host_text, port_text = _without_user(authority)
        host = hosts.canonical_domain(host_text)
        port = _port(port_text, DEFAULT_PORTS[scheme])
        path, removed = _path(path)
        return f"{scheme}://{host}{port}{path}", host, removed
    if scheme == "file":
        host, path = _file_parts(rest.replace("\\", "/"))
        path, removed = _path(path, drives=True)
        return f"file://{host}{path}", host, removed
    if rest.startswith("//"):
        authority, path = _split_authority(rest[2:])
        host_text, port_text = _without_user(authority)
        host = hosts.canonical_opaque_host(host_text)
        port = _port(port_text, None)
        path, removed = _path(path)
        return f"{scheme}://{host}{port}{path}", host, removed
    if len(scheme) == 1 or "." in scheme or _HOST_AND_PORT.match(rest) is not None:
        # A drive letter, or a host with a port: there is no scheme, and none is guessed.
        raise _UnparsableError
    if rest.startswith("/"):
        path, removed = _path(rest)
        # Without the dot a path that begins with two slashes would read as a host.
        dot = "/." if path.startswith("//") else ""
        return f"{scheme}:{dot}{path}", "", removed
    return f"{scheme}:{escapes.normalise(rest, escapes.OPAQUE_ENCODED)}", "", ()


def _with_query(value: str, query: str, host: str) -> tuple[str, tuple[str, ...]]:
    kept, removed = queries.filter_query(query, host)
    if removed and not kept:
        return value, removed
    return f"{value}?{kept}", removed


def _fragment(fragment: str) -> tuple[str, str, tuple[str, ...]]:
    """Splits a fragment into the route that stays (with `#`), the locator, and removed names."""
    if not fragment.startswith(("!", "/")):
        if "=" not in fragment:
            return "", fragment, ()
        return "", *queries.filter_secrets(fragment)
    # The directive is searched in the normalised text, or a second pass could find one more.
    route = escapes.normalise(fragment, escapes.FRAGMENT_ENCODED)
    route, delimiter, directive = route.partition(_DIRECTIVE)
    removed: tuple[str, ...] = ()
    if "?" in route:
        route, _, query = route.partition("?")
        query, removed = queries.filter_secrets(query)
        if query or not removed:
            route = f"{route}?{query}"
    return "#" + route, delimiter + directive, removed


def _tool(text: str) -> CanonicalUri:
    """`tool:` names what a tool was asked; every character behind the scheme is data."""
    rest = escapes.normalise(text[5:], escapes.TOOL_ENCODED)
    return CanonicalUri("tool:" + rest, True, "", ())


def _split_authority(text: str) -> tuple[str, str]:
    match = _AUTHORITY_END.search(text)
    return (text, "") if match is None else (text[: match.start()], text[match.start() :])


def _without_user(authority: str) -> tuple[str, str]:
    """Returns host and port text (with its colon) of an authority, the user part dropped."""
    rest = authority.rpartition("@")[2]
    if rest.startswith("["):
        host, bracket, port = rest.partition("]")
        return host + bracket, port
    host, colon, port = rest.partition(":")
    if not host and (colon or authority):
        raise _UnparsableError
    return host, colon + port


def _port(text: str, default: int | None) -> str:
    if not text:
        return ""
    digits = text[1:]
    if text[0] != ":" or (digits and not (digits.isascii() and digits.isdigit())):
        raise _UnparsableError
    if not digits:
        return ""
    digits = digits.lstrip("0") or "0"
    if len(digits) > _PORT_DIGITS or int(digits) > _LARGEST_PORT:
        raise _UnparsableError
    return "" if int(digits) == default else ":" + digits


def _file_parts(rest: str) -> tuple[str, str]:
    """Host and path of a `file:` URI (RFC 8089; a drive as host as in WHATWG section 4.4)."""
    if not rest.startswith("//"):
        return "", rest if rest.startswith("/") else "/" + rest
    authority, path = _split_authority(rest[2:])
    if _DRIVE.fullmatch(authority) is not None:
        return "", f"/{authority}{path}"
    host = hosts.canonical_domain(authority) if authority else ""
    return "" if host == "localhost" else host, path


def _path(path: str, *, drives: bool = False) -> tuple[str, tuple[str, ...]]:
    """Normalises escapes, drops session parameters, then resolves dot segments."""
    path = escapes.normalise(path or "/", escapes.PATH_ENCODED)
    removed: tuple[str, ...] = ()
    if ";" in path:
        path, removed = queries.remove_path_sessions(path)
    if "/." in path or drives:
        path = _without_dot_segments(path, drives=drives)
    return path, removed


def _without_dot_segments(path: str, *, drives: bool) -> str:
    """RFC 3986 section 5.2.4 for a path that begins with a slash.

    Args:
        path: The path.
        drives: Whether a first segment such as `c|` is a drive, which `..` does not leave.
    """
    segments = path.split("/")[1:]
    last = len(segments) - 1
    kept: list[str] = []
    on_drive = False
    for position, segment in enumerate(segments):
        if segment in (".", ".."):
            if segment == ".." and len(kept) > on_drive:
                kept.pop()
            if position == last:
                kept.append("")
        elif drives and not kept and _DRIVE.fullmatch(segment) is not None:
            kept.append(segment[0] + ":")
            on_drive = True
        else:
            kept.append(segment)
    return "/" + "/".join(kept)
