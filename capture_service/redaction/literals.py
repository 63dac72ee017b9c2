"""Secrets known by their text: configured ones, and those seen earlier in a conversation. In RAM only."""

import html
import json
import re
import threading
from collections import OrderedDict
from typing import Final
from urllib.parse import quote, quote_plus

from capture_service.redaction.encodings import base64_spellings
from capture_service.redaction.engine import Trigger, TriggerEngine, build_engine
from capture_service.redaction.judge import is_placeholder, is_words
from capture_service.redaction.limits import (
    MAX_REMEMBERED_BYTES,
    MAX_REMEMBERED_SECRETS,
    MIN_REMEMBERED_BYTES,
)
from capture_service.redaction.scan import LOOSE, STRUCTURED, Span
from capture_service.redaction.token_rules import escape

_SCAN_BY_FIND_BYTES: Final = 4_000_000
"""Bytes times spellings up to which plain searches are cheaper than compiling a database."""
_PERCENT: Final = re.compile(rb"%[0-9A-F]{2}")
_BASE64: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=")


def spellings(secret: bytes) -> dict[bytes, bool]:
    """Return the encodings of a secret to look for; True marks base64, whose whole run is masked."""
    plain = {secret, quote(secret, safe="").encode(), quote(secret).encode()}
    plain.add(quote_plus(secret).encode())
    plain.add(_PERCENT.sub(lambda match: match.group().lower(), quote(secret, safe="").encode()))
    plain |= _text_spellings(secret)
    plain |= {secret.hex().encode(), secret.hex().upper().encode()}
    plain.add(b"".join(b"&#%d;" % byte for byte in secret))
    plain.add(b"".join(b"\\u%04x" % byte for byte in secret))
    plain.add(b"".join(b"%%%02X" % byte for byte in secret))
    plain.add(b"".join(b"\\x%02x" % byte for byte in secret))
    plain.add(b"".join(b"&#x%X;" % byte for byte in secret))
    plain.add(b"".join(b"&#x%x;" % byte for byte in secret))
    found = dict.fromkeys(sorted(plain), False)
    for spelling in base64_spellings(secret):
        if len(spelling) >= MIN_REMEMBERED_BYTES:
            found.setdefault(spelling, True)
    return found


def _text_spellings(secret: bytes) -> set[bytes]:
    """Return how JSON and HTML spell a secret that is valid UTF-8."""
    try:
        text = secret.decode("utf-8")
    except UnicodeDecodeError:
        return set()
    found = {html.escape(text).encode(), html.escape(text, quote=False).encode()}
    for ascii_only in (True, False):
        once = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
        found |= {once.encode(), once.replace("/", "\\/").encode()}
        found.add(json.dumps(once, ensure_ascii=ascii_only)[1:-1].encode())
    return found


class LiteralSearch:
    """Finds known secrets in any of their spellings."""

    def __init__(self, secrets: tuple[bytes, ...]) -> None:
        self._forms: list[tuple[bytes, bool, bytes]] = [
            (form, encoded, secret)
            for secret in secrets
            for form, encoded in spellings(secret).items()
        ]
        self._engine: TriggerEngine | None = None

    def spans(self, data: bytes, rule: str, precedence: int = STRUCTURED) -> list[Span]:
        """Return the spans of all known secrets in `data`."""
        found: list[Span] = []
        for start, index in self._hits(data):
            form, encoded, secret = self._forms[index]
            begin, end = start, start + len(form)
            if encoded:
                begin, end = _run_around(data, begin, end)
            found.append(Span(begin, end, precedence, rule, secret))
        return found

    def _hits(self, data: bytes) -> list[tuple[int, int]]:
        if len(data) * len(self._forms) <= _SCAN_BY_FIND_BYTES:
            hits = []
            for index, (form, _, _) in enumerate(self._forms):
                position = data.find(form)
                while position >= 0:
                    hits.append((position, index))
                    position = data.find(form, position + len(form))
            return hits
        if self._engine is None:
            self._engine = build_engine(
                [
                    Trigger(index, escape(form), width=len(form))
                    for index, (form, _, _) in enumerate(self._forms)
                ]
            )
        return self._engine.events(data)


def _run_around(data: bytes, start: int, end: int) -> tuple[int, int]:
    low = max(0, start - MAX_REMEMBERED_BYTES)
    high = min(len(data), end + MAX_REMEMBERED_BYTES)
    while start > low and data[start - 1] in _BASE64:
        start -= 1
    while end < high and data[end] in _BASE64:
        end += 1
    return start, end


class SessionMemory:
    """Secrets seen earlier in one conversation, so that they are masked wherever they stand later.

    Bounded by ``MAX_REMEMBERED_SECRETS`` secrets of ``MIN_REMEMBERED_BYTES`` to ``MAX_REMEMBERED_BYTES`` bytes;
    the one seen longest ago is forgotten first. Never written anywhere; safe to share between threads.
    """

    __slots__ = ("_lock", "_search", "_secrets", "forgotten")

    def __init__(self) -> None:
        self._secrets: OrderedDict[bytes, None] = OrderedDict()
        self._search: LiteralSearch | None = None
        self._lock = threading.Lock()
        self.forgotten = 0

    def __len__(self) -> int:
        return len(self._secrets)

    def __repr__(self) -> str:
        return f"SessionMemory({len(self._secrets)} secrets)"

    def remember(self, secret: bytes) -> bool:
        """Remember a secret; False when it is too short, too long or too common to be masked everywhere."""
        if not MIN_REMEMBERED_BYTES <= len(secret) <= MAX_REMEMBERED_BYTES:
            return False
        if (
            len(set(secret)) < 5
            or is_placeholder(secret)
            or (len(secret) < 16 and is_words(secret))
        ):
            return False
        with self._lock:
            known = secret in self._secrets
            self._secrets[secret] = None
            self._secrets.move_to_end(secret)
            if not known:
                self._search = None
            while len(self._secrets) > MAX_REMEMBERED_SECRETS:
                self._secrets.popitem(last=False)
                self.forgotten += 1
        return True

    def spans(self, data: bytes) -> list[Span]:
        """Return the spans of remembered secrets in `data`."""
        with self._lock:
            if not self._secrets:
                return []
            if self._search is None:
                self._search = LiteralSearch(tuple(self._secrets))
            search = self._search
        # The rule of the place names the mask, so that a page has one content hash whoever saw it first.
        return search.spans(data, "seen-before", LOOSE)
