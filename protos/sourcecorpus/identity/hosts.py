"""Canonical hosts: UTS 46 A-labels, IPv4 in every spelling, IPv6 as RFC 5952.

The parser follows the WHATWG URL Standard, section 3.5. Two things differ on purpose: the root dot
at the end is dropped, and a host with an empty label at its end is refused.
"""

import ipaddress
import re
import unicodedata
from functools import lru_cache
from typing import Final

import idna
from idna import idnadata

from sourcecorpus.identity import escapes
from sourcecorpus.identity.limits import MAXIMUM_CACHED_HOSTS, MAXIMUM_HOST_CODE_POINTS

UNICODE_VERSION: Final = idnadata.__version__
"""Version of the Unicode tables behind the UTS 46 mapping; another one may map other hosts."""

_FORBIDDEN_IN_DOMAIN: Final = re.compile("[\x00-\x20#/:<>?@\\[\\\\\\]^|%\x7f]")
_FORBIDDEN_IN_OPAQUE_HOST: Final = re.compile("[\x00\t\n\r #/:<>?@\\[\\\\\\]^|]")
_IPV6_LITERAL: Final = re.compile(r"[0-9A-Fa-f:.]+")
_LOWER_CASE_ESCAPE: Final = re.compile("%[0-9a-f]{2}")
_DECIMAL: Final = re.compile("[0-9]+")
_HEXADECIMAL: Final = re.compile("0[xX][0-9A-Fa-f]*")
_OCTAL: Final = re.compile("0[0-7]+")
_JOINERS: Final = frozenset("\u200c\u200d")
_RIGHT_TO_LEFT: Final = frozenset(("R", "AL", "AN"))


class InvalidHostError(ValueError):
    """The text is no host; the caller leaves the whole URI as it is."""


@lru_cache(maxsize=MAXIMUM_CACHED_HOSTS)
def canonical_domain(host: str) -> str:
    """Returns the canonical form of the host of a special scheme (http, https, ws, wss, ftp, file).

    Args:
        host: As it stands in the authority, without user part and port, no lone surrogates.

    Raises:
        InvalidHostError: WHATWG parsing fails, the host has an empty label at its end, or it is
            longer than `MAXIMUM_HOST_CODE_POINTS`.
    """
    if len(host) > MAXIMUM_HOST_CODE_POINTS:
        raise InvalidHostError
    if host.startswith("["):
        return canonical_ipv6(host)
    if "%" in host:
        try:
            host = escapes.decode_bytes(host).decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidHostError from error
    host = _without_root_dot(_to_ascii(host))
    if _FORBIDDEN_IN_DOMAIN.search(host) is not None:
        raise InvalidHostError
    return _ipv4(host) if _ends_in_number(host) else host


@lru_cache(maxsize=MAXIMUM_CACHED_HOSTS)
def canonical_opaque_host(host: str) -> str:
    """Returns the canonical form of the host of any other scheme: RFC 3986 section 3.2.2.

    Args:
        host: As it stands in the authority, without user part and port, no lone surrogates.

    Raises:
        InvalidHostError: it holds a delimiter, or is longer than `MAXIMUM_HOST_CODE_POINTS`.
    """
    if len(host) > MAXIMUM_HOST_CODE_POINTS:
        raise InvalidHostError
    if host.startswith("["):
        return canonical_ipv6(host)
    if _FORBIDDEN_IN_OPAQUE_HOST.search(host) is not None:
        raise InvalidHostError
    spelled = escapes.normalise(host, escapes.OPAQUE_ENCODED).lower()
    spelled = _LOWER_CASE_ESCAPE.sub(lambda match: match[0].upper(), spelled)
    return _without_root_dot(spelled)


def canonical_ipv6(literal: str) -> str:
    """Returns a bracketed IPv6 address as RFC 5952 writes it, an embedded IPv4 address in hex.

    Zone identifiers are refused, as in the WHATWG URL Standard.

    Raises:
        InvalidHostError: it is no bracketed IPv6 address.
    """
    inner = literal[1:-1]
    if not literal.endswith("]") or _IPV6_LITERAL.fullmatch(inner) is None:
        raise InvalidHostError
    try:
        address = int(ipaddress.IPv6Address(inner))
    except ValueError as error:
        raise InvalidHostError from error
    groups = [f"{(address >> shift) & 0xFFFF:x}" for shift in range(112, -1, -16)]
    return f"[{_compressed(groups)}]"


def _compressed(groups: list[str]) -> str:
    """Shortens the first longest run of two or more zero groups (RFC 5952 section 4.2)."""
    best_start, best_length = 0, 1
    start = 0
    while start < len(groups):
        end = start
        while end < len(groups) and groups[end] == "0":
            end += 1
        if end - start > best_length:
            best_start, best_length = start, end - start
        start = max(end, start + 1)
    if best_length < 2:
        return ":".join(groups)
    head = ":".join(groups[:best_start])
    tail = ":".join(groups[best_start + best_length :])
    return f"{head}::{tail}"


def _without_root_dot(host: str) -> str:
    if host.endswith("."):
        host = host[:-1]
        if not host or host.endswith("."):
            raise InvalidHostError
    return host


def _to_ascii(host: str) -> str:
    """UTS 46 ToASCII: non-transitional, CheckBidi, CheckJoiners, neither STD3 nor CheckHyphens."""
    if host.isascii():
        host = host.lower()
        if not host:
            raise InvalidHostError
        if "xn--" not in host:
            return host
    else:
        try:
            host = idna.uts46_remap(host, std3_rules=False, transitional=False)
        except idna.IDNAError as error:
            raise InvalidHostError from error
    labels = host.split(".")
    unicode_labels = [_decoded_label(label) for label in labels]
    _check_direction(unicode_labels)
    ascii_labels = [_encoded_label(label) for label in unicode_labels]
    result = ".".join(ascii_labels)
    if not result or len(result) > MAXIMUM_HOST_CODE_POINTS:
        raise InvalidHostError
    return result


def _decoded_label(label: str) -> str:
    """Returns the Unicode form of a mapped label, after the validity criteria of UTS 46."""
    decoded = label
    if label.startswith("xn--"):
        try:
            decoded = label[4:].encode("ascii").decode("punycode")
            stable = idna.uts46_remap(decoded, std3_rules=False, transitional=False) == decoded
            stable = stable and _encoded_label(decoded) == label
        except (UnicodeError, IndexError, OverflowError) as error:
            raise InvalidHostError from error
        if not stable or decoded.isascii() or "." in decoded:
            raise InvalidHostError
    if decoded.isascii():
        return decoded
    if unicodedata.category(decoded[0]).startswith("M"):
        raise InvalidHostError
    for position, character in enumerate(decoded):
        if character in _JOINERS and not _joins(decoded, position):
            raise InvalidHostError
    return decoded


def _joins(label: str, position: int) -> bool:
    try:
        return idna.valid_contextj(label, position)
    except ValueError:
        return False


def _encoded_label(label: str) -> str:
    if label.isascii():
        return label
    return "xn--" + label.encode("punycode").decode("ascii")


def _check_direction(labels: list[str]) -> None:
    """RFC 5893 for every label, if one of them makes the name a right-to-left one."""
    joined = "".join(labels)
    if joined.isascii():
        return
    if not any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in joined):
        return
    for label in filter(None, labels):
        try:
            idna.check_bidi(label, check_ltr=True)
        except idna.IDNAError as error:
            raise InvalidHostError from error


def _ends_in_number(host: str) -> bool:
    last = host.rpartition(".")[2]
    return _DECIMAL.fullmatch(last) is not None or _HEXADECIMAL.fullmatch(last) is not None


def _ipv4(host: str) -> str:
    parts = host.split(".")
    if len(parts) > 4:
        raise InvalidHostError
    numbers = [_ipv4_number(part) for part in parts]
    if any(number > 255 for number in numbers[:-1]):
        raise InvalidHostError
    if numbers[-1] >= 256 ** (5 - len(numbers)):
        raise InvalidHostError
    address = numbers[-1]
    for position, number in enumerate(numbers[:-1]):
        address += number << (8 * (3 - position))
    return ".".join(str((address >> shift) & 0xFF) for shift in (24, 16, 8, 0))


def _ipv4_number(part: str) -> int:
    if _HEXADECIMAL.fullmatch(part) is not None:
        return int(part[2:] or "0", 16)
    if _OCTAL.fullmatch(part) is not None:
        return int(part, 8)
    if _DECIMAL.fullmatch(part) is not None and (part == "0" or not part.startswith("0")):
        return int(part)
    raise InvalidHostError
