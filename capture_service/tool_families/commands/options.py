"""Reads the options of the fetching programs, as their manual pages list them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_ASSIGNMENT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_PREFIXES: Final = frozenset(
    ("sudo", "time", "nohup", "command", "env", "exec", "nice", "stdbuf", "timeout", "torsocks")
)
_DURATION: Final = re.compile(r"[0-9.]+[smhd]?")


@dataclass(frozen=True, slots=True)
class OptionTable:
    """Options of a program that take a value; all others are switches."""

    short: frozenset[str]
    long: frozenset[str]


# curl 8 manual page: every option whose synopsis names a value.
CURL: Final = OptionTable(
    frozenset("AbcCdDeEFHhKmoPQrtTuUwxXyYz"),
    frozenset(
        (
            *("abstract-unix-socket", "alt-svc", "aws-sigv4", "cacert", "capath", "cert"),
            *("cert-type", "ciphers", "config", "connect-timeout", "connect-to", "continue-at"),
            *("cookie", "cookie-jar", "create-file-mode", "crlfile", "curves", "data"),
            *("data-ascii", "data-binary", "data-raw", "data-urlencode", "dns-interface"),
            *("dns-ipv4-addr", "dns-ipv6-addr", "dns-servers", "doh-url", "dump-header"),
            *("engine", "etag-compare", "etag-save", "expect100-timeout", "form"),
            *("form-string", "happy-eyeballs-timeout-ms", "haproxy-clientip", "header"),
            *("hostpubmd5", "hsts", "interface", "ipfs-gateway", "json", "keepalive-time"),
            *("key", "key-type", "libcurl", "limit-rate", "local-port", "login-options"),
            *("max-filesize", "max-redirs", "max-time", "netrc-file", "noproxy"),
            *("oauth2-bearer", "output", "output-dir", "parallel-max", "pass", "pinnedpubkey"),
            *("preproxy", "proto", "proto-default", "proto-redir", "proxy", "proxy-header"),
            *("proxy-user", "quote", "random-file", "range", "rate", "referer", "request"),
            *("request-target", "resolve", "retry", "retry-delay", "retry-max-time"),
            *("service-name", "socks4", "socks4a", "socks5", "socks5-hostname"),
            *("speed-limit", "speed-time", "stderr", "tls-max", "tls13-ciphers"),
            *("trace", "trace-ascii", "trace-config", "unix-socket", "upload-file", "url"),
            *("url-query", "user", "user-agent", "variable", "write-out"),
        )
    ),
)
# GNU Wget 1.25 manual.
WGET: Final = OptionTable(
    frozenset("aABDeiIlOoPQRtTUwX"),
    frozenset(
        (
            *("output-document", "output-file", "append-output", "input-file", "tries"),
            *("timeout", "wait", "quota", "directory-prefix", "user-agent", "base", "execute"),
            *("level", "accept", "reject", "domains", "include-directories", "header"),
            *("exclude-directories", "user", "password", "http-user", "http-password"),
            *("post-data", "post-file", "body-data", "body-file", "method", "referer"),
            *("load-cookies", "save-cookies", "limit-rate", "dns-timeout", "connect-timeout"),
            *("read-timeout", "max-redirect", "ca-certificate", "certificate", "waitretry"),
        )
    ),
)
# HTTPie 3 manual page.
HTTPIE: Final = OptionTable(
    frozenset("aopsA"),
    frozenset(
        (
            *("auth", "auth-type", "output", "print", "style", "session", "session-read-only"),
            *("proxy", "verify", "timeout", "max-redirects", "max-headers", "cert", "cert-key"),
            *("pretty", "format-options", "raw", "boundary", "default-scheme", "ssl"),
            *("response-charset", "response-mime", "history-print"),
        )
    ),
)


@dataclass(frozen=True, slots=True)
class ParsedOptions:
    """Options in order with their values, and the other words with their literalness."""

    ordered: tuple[tuple[str, str], ...]
    positional: tuple[tuple[str, bool], ...]

    def has(self, *names: str) -> bool:
        """Tells whether one of the options is there."""
        return any(name in names for name, _ in self.ordered)

    def values(self, *names: str) -> tuple[str, ...]:
        """Returns the values of the options, in order."""
        return tuple(value for name, value in self.ordered if name in names)

    def last(self, *names: str) -> str:
        """Returns the last value of the options, "" for none."""
        found = self.values(*names)
        return found[-1] if found else ""


def program_of(words: Sequence[str]) -> tuple[str, int]:
    """Returns the base name of the program and its position, behind assignments and prefixes."""
    behind_prefix = False
    for position, word in enumerate(words):
        name = posixpath.basename(word).removesuffix(".exe")
        if _ASSIGNMENT.match(word):
            continue
        if name in _PREFIXES:
            behind_prefix = True
            continue
        if behind_prefix and (word.startswith("-") or _DURATION.fullmatch(word)):
            continue
        return name, position
    return "", len(words)


def parse(words: Sequence[str], literal: Sequence[bool], table: OptionTable) -> ParsedOptions:
    """Splits words into options and other words."""
    ordered: list[tuple[str, str]] = []
    positional: list[tuple[str, bool]] = []
    position = 0
    while position < len(words):
        word = words[position]
        if word == "--":
            positional.extend(zip(words[position + 1 :], literal[position + 1 :], strict=True))
            break
        if word.startswith("--"):
            name, separator, value = word[2:].partition("=")
            if not separator and name in table.long and position + 1 < len(words):
                position += 1
                value = words[position]
            ordered.append((name, value))
        elif word.startswith("-") and len(word) > 1:
            position += _short(word[1:], words[position + 1 : position + 2], table, ordered)
        else:
            positional.append((word, literal[position]))
        position += 1
    return ParsedOptions(tuple(ordered), tuple(positional))


def _short(
    cluster: str, following: Sequence[str], table: OptionTable, ordered: list[tuple[str, str]]
) -> int:
    """Reads a cluster such as `-sLo`; returns how many words behind it belong to it."""
    for position, letter in enumerate(cluster):
        if letter not in table.short:
            ordered.append((letter, ""))
            continue
        attached = cluster[position + 1 :]
        if attached:
            ordered.append((letter, attached))
            return 0
        ordered.append((letter, following[0] if following else ""))
        return len(following)
    return 0
