"""Reads curl, wget and HTTPie commands: which addresses, and where the bodies went."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote, unquote, urlsplit

from capture_service.tool_families.commands import options
from capture_service.tool_families.commands.options import ParsedOptions
from capture_service.tool_families.commands.shell_words import SimpleCommand

_GLOB: Final = re.compile(r"[{}\[\]]")
_IPV6: Final = re.compile(r"//\[[0-9A-Fa-f:.]+\]")
_ITEM: Final = re.compile(r"[^:=@]+(?:==|:=|=|:|@)")
_METHOD: Final = re.compile(r"[A-Za-z]{3,10}")
_CREDENTIAL_HEADER: Final = re.compile(
    r"(?:authorization|cookie|x-api-key|proxy-authorization)\s*:", re.IGNORECASE
)
STDOUT: Final = "-"


@dataclass(frozen=True, slots=True)
class Fetch:
    """One fetching command.

    Attributes:
        program: "curl", "wget" or "httpie".
        addresses: Addresses as typed, a missing scheme put in front as the program does.
        method: HTTP method.
        outputs: For each address the file that its body went to, "" for standard output.
        headers_shown: Whether response headers stand before the body on standard output.
        verbose: Whether curl's trace is among the output.
        head_only: Whether only headers were asked for.
        write_out: Format of curl's `-w`, "" for none.
        quiet: Whether progress is silenced.
        authenticated: Whether credentials or cookies were sent.
        body_sent: Data that was sent, which is part of what was asked for.
        unreadable: Addresses that are patterns or hold variables.
    """

    program: str
    addresses: tuple[str, ...]
    method: str = "GET"
    outputs: tuple[str, ...] = ()
    headers_shown: bool = False
    verbose: bool = False
    head_only: bool = False
    write_out: str = ""
    quiet: bool = False
    authenticated: bool = False
    body_sent: tuple[str, ...] = ()
    unreadable: int = 0


@dataclass(slots=True)
class _Addresses:
    readable: list[str] = field(default_factory=list)
    unreadable: int = 0

    def add(self, word: str, literal: bool, default_scheme: str, *, globs: bool) -> None:
        if not literal or (globs and _GLOB.search(_IPV6.sub("", word))):
            self.unreadable += 1
        else:
            has_scheme = "://" in word
            self.readable.append(word if has_scheme else f"{default_scheme}://{word}")


def read_fetch(command: SimpleCommand) -> Fetch | None:
    """Returns what a simple command fetches, None where its program is no fetching one."""
    program, start = options.program_of(command.words)
    reader = _READERS.get(program)
    if reader is None:
        return None
    return reader(command.words[start + 1 :], command.literal[start + 1 :], program)


def _curl(words: Sequence[str], literal: Sequence[bool], program: str) -> Fetch:
    parsed = options.parse(words, literal, options.CURL)
    addresses = _Addresses()
    globs = not parsed.has("g", "globoff")
    typed = [*parsed.positional, *((url, True) for url in parsed.values("url"))]
    for word, is_literal in typed:
        addresses.add(word, is_literal, "http", globs=globs)
    data = (*parsed.values("d", "data", "data-raw", "data-binary", "data-ascii", "json"),)
    encoded = tuple(_encoded(value) for value in parsed.values("data-urlencode"))
    form = parsed.values("F", "form", "form-string")
    head = parsed.has("I", "head")
    as_query = parsed.has("G", "get")
    if as_query and (data or encoded):
        addresses.readable = [_with_query(url, data + encoded) for url in addresses.readable]
    sent = () if as_query else (*data, *encoded, *form)
    method = parsed.last("X", "request") or ("HEAD" if head else "POST" if sent else "GET")
    upload = parsed.has("T", "upload-file")
    dump = parsed.last("D", "dump-header")
    credentials = ("u", "user", "b", "cookie", "oauth2-bearer", "n", "netrc")
    return Fetch(
        program=program,
        addresses=tuple(addresses.readable),
        method="PUT" if upload and method == "GET" else method.upper(),
        outputs=_curl_outputs(parsed, addresses.readable),
        headers_shown=head or parsed.has("i", "include", "show-headers") or dump == STDOUT,
        verbose=parsed.has("v", "verbose", "trace", "trace-ascii"),
        head_only=head,
        write_out=parsed.last("w", "write-out"),
        quiet=parsed.has("s", "silent", "no-progress-meter"),
        authenticated=parsed.has(*credentials) or _sends_credentials(parsed.values("H", "header")),
        body_sent=sent,
        unreadable=addresses.unreadable,
    )


def _curl_outputs(parsed: ParsedOptions, addresses: Sequence[str]) -> tuple[str, ...]:
    """Each `-o` and `-O` belongs to the address at the same position; the rest is printed."""
    named: list[str] = []
    for name, value in parsed.ordered:
        if name in ("o", "output"):
            named.append("" if value == STDOUT else value)
        elif name in ("O", "remote-name"):
            position = len(named)
            named.append(_remote_name(addresses[position]) if position < len(addresses) else "?")
    if parsed.has("remote-name-all") and not named:
        named = [_remote_name(address) for address in addresses]
    named = named[: len(addresses)]
    return (*named, *([""] * (len(addresses) - len(named))))


def _wget(words: Sequence[str], literal: Sequence[bool], program: str) -> Fetch:
    parsed = options.parse(words, literal, options.WGET)
    addresses = _Addresses()
    for word, is_literal in parsed.positional:
        addresses.add(word, is_literal, "http", globs=False)
    document = parsed.last("O", "output-document")
    sent = parsed.values("post-data", "post-file", "body-data", "body-file")
    spider = parsed.has("spider")
    outputs = [
        "" if document == STDOUT else document or _remote_name(address)
        for address in addresses.readable
    ]
    recursive = parsed.has("r", "recursive", "m", "mirror", "i", "input-file")
    credentials = ("user", "password", "http-user", "http-password", "load-cookies")
    return Fetch(
        program=program,
        addresses=tuple(addresses.readable),
        method=(parsed.last("method") or ("POST" if sent else "GET")).upper(),
        outputs=tuple(outputs),
        headers_shown=False,
        verbose=False,
        head_only=spider,
        quiet=parsed.has("q", "quiet"),
        authenticated=parsed.has(*credentials) or _sends_credentials(parsed.values("header")),
        body_sent=sent,
        unreadable=addresses.unreadable + recursive,
    )


def _httpie(words: Sequence[str], literal: Sequence[bool], program: str) -> Fetch:
    parsed = options.parse(words, literal, options.HTTPIE)
    positional = parsed.positional
    method = ""
    if len(positional) > 1 and _METHOD.fullmatch(positional[0][0]):
        method, positional = positional[0][0].upper(), positional[1:]
    addresses = _Addresses()
    items = [word for word, _ in positional[1:]]
    if positional:
        word, is_literal = positional[0]
        word = f"localhost{word}" if re.match(r":(?:\d|/)", word) else word.removeprefix("://")
        scheme = "https" if program in ("https", "xhs") else "http"
        addresses.add(word, is_literal, scheme, globs=False)
    queries = tuple(
        f"{quote(name, safe='')}={quote(value, safe='')}"
        for name, separator, value in (item.partition("==") for item in items)
        if separator
    )
    if queries:
        addresses.readable = [_with_query(url, queries) for url in addresses.readable]
    sent = tuple(item for item in items if _is_data_item(item))
    shown = parsed.last("p", "print")
    verbose = parsed.has("v", "verbose")
    headers_only = parsed.has("h", "headers") or shown == "h"
    output = parsed.last("o", "output")
    saved = output or ("?" if parsed.has("d", "download") else "")
    return Fetch(
        program="httpie",
        addresses=tuple(addresses.readable),
        method=method or ("POST" if sent else "GET"),
        outputs=tuple(saved for _ in addresses.readable),
        headers_shown=verbose or headers_only or "h" in shown,
        verbose=verbose or "H" in shown or "B" in shown,
        head_only=headers_only,
        quiet=True,
        authenticated=parsed.has("a", "auth", "session") or _sends_credentials(items),
        body_sent=sent,
        unreadable=addresses.unreadable,
    )


def _is_data_item(item: str) -> bool:
    match = _ITEM.match(item)
    return match is not None and (match[0][-1] in "=@") and not match[0].endswith("==")


def _sends_credentials(headers: Sequence[str]) -> bool:
    return any(_CREDENTIAL_HEADER.match(header) for header in headers)


def _with_query(address: str, pairs: Sequence[str]) -> str:
    head, mark, fragment = address.partition("#")
    return f"{head}{'&' if '?' in head else '?'}{'&'.join(pairs)}{mark}{fragment}"


def _encoded(value: str) -> str:
    name, separator, content = value.partition("=")
    return f"{name}={quote(content, safe='')}" if separator else quote(value, safe="")


def _remote_name(address: str) -> str:
    try:
        name = posixpath.basename(unquote(urlsplit(address).path))
    except ValueError:
        return "?"
    return name or "index.html"


_READERS: Final[dict[str, Callable[[Sequence[str], Sequence[bool], str], Fetch]]] = {
    "curl": _curl,
    "wget": _wget,
    "http": _httpie,
    "https": _httpie,
    "xh": _httpie,
    "xhs": _httpie,
}
