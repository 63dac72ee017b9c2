"""Texts with planted secrets as envelopes, and the search for what must not be left of them."""

import base64
import html
import json
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

import hyperscan

from sourcecorpus.capture.v1.envelope_pb2 import Envelope
from tests.process.calls import GAME
from tests.process.captures import envelope
from tests.redaction.cases import collected_cases, generated_cases
from tests.redaction.cases.model import Case

LONG_ENOUGH_BYTES = 12
"""Shorter strings occur by chance in hashes, ids and compressed pieces."""


def planted_cases() -> list[Case]:
    """Texts of every kind with secrets that stand nowhere else in them."""
    return [case for case in collected_cases() + generated_cases("planted") if case.secrets]


def planted_strings(cases: Iterable[Case]) -> set[str]:
    """The secrets that a search can tell from chance and from what has to stay."""
    cases = list(cases)
    kept = "\n".join(text for case in cases for text in case.keep)
    return {
        secret
        for case in cases
        for secret in case.secrets
        if len(secret.encode("utf-8", "surrogatepass")) >= LONG_ENOUGH_BYTES and secret not in kept
    }


def encodings(secret: str) -> set[bytes]:
    """The secret itself and its spellings in other encodings, base64 at each of its three offsets."""
    plain = secret.encode("utf-8", "surrogatepass")
    found = {plain, plain.hex().encode(), plain.hex().upper().encode()}
    found |= {quote(plain, safe="").encode(), quote_plus(plain).encode()}
    found |= {html.escape(secret).encode("utf-8", "surrogatepass")}
    found |= {json.dumps(secret)[1:-1].encode(), json.dumps(json.dumps(secret))[3:-3].encode()}
    found |= {secret.encode(form, "surrogatepass") for form in ("utf-16-le", "utf-16-be")}
    for shift in range(3):
        # Characters that the bytes beside the secret take part in are left out.
        coded = base64.b64encode(bytes(shift) + plain)
        inner = coded[(0, 2, 3)[shift] : (shift + len(plain)) * 8 // 6]
        found |= {inner, inner.replace(b"+", b"-").replace(b"/", b"_")}
    return {form for form in found if len(form) >= LONG_ENOUGH_BYTES}


class Search:
    """Looks for many byte strings at once."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._forms = sorted({form for secret in secrets for form in encodings(secret)})
        self._database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        self._database.compile(
            expressions=[b"".join(b"\\x%02x" % byte for byte in form) for form in self._forms],
            ids=list(range(len(self._forms))),
            flags=hyperscan.HS_FLAG_SINGLEMATCH,
        )
        self._scratch = hyperscan.Scratch(self._database)

    def found(self, data: bytes) -> set[bytes]:
        """Return the forms that stand in `data`."""
        hits: set[bytes] = set()

        def on_match(index: int, _start: int, _end: int, _flags: int, _context: object) -> None:
            hits.add(self._forms[index])

        self._database.scan(data, match_event_handler=on_match, scratch=self._scratch)
        return hits


def planted_envelopes(cases: Iterable[Case]) -> list[Envelope]:
    """One envelope for each text, carried by results, arguments, errors and side files in turn."""
    carriers = (_page, _command, _file, _search, _bytes)
    found = []
    for number, case in enumerate(cases):
        one = envelope(number + 1, GAME, prefix="planted")
        # Every text is a conversation of its own, so that none is masked by the memory of another.
        one.head.session_id = f"planted-{number}"
        carriers[number % len(carriers)](one, number, case.text)
        found.append(one)
    return found


def _written(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _page(one: Envelope, number: int, text: str) -> None:
    url = f"http://93.184.216.34/planted/{number}"
    one.head.tool_name = "web_extract"
    one.head.arguments = json.dumps({"urls": [url]}).encode()
    page = {"url": url, "title": f"Planted {number}", "content": text, "error": None}
    one.result = json.dumps({"results": [page]}).encode()
    one.side_files.add(name=f"{number}.md", media_type="text/markdown", data=_written(text))


def _command(one: Envelope, number: int, text: str) -> None:
    one.head.tool_name = "terminal"
    one.head.arguments = json.dumps(
        {"command": f"curl -s http://127.0.0.1:18803/{number}"}
    ).encode()
    one.result = json.dumps({"output": text, "exit_code": 0, "error": None}).encode()


def _file(one: Envelope, number: int, text: str) -> None:
    one.head.tool_name = "read_file"
    one.head.arguments = json.dumps({"path": f"/home/player/{number}.txt"}).encode()
    one.result = json.dumps({"content": text, "total_lines": 9, "truncated": False}).encode()


def _search(one: Envelope, number: int, text: str) -> None:
    one.head.tool_name = "web_search"
    one.head.arguments = json.dumps({"query": f"planted {number}", "note": text}).encode()
    hit = {"url": f"http://93.184.216.34/hit/{number}", "title": "Hit", "description": text}
    one.result = json.dumps({"success": True, "data": {"web": [hit]}}).encode()
    one.head.error = text.encode("utf-8", "replace").decode()


def _bytes(one: Envelope, number: int, text: str) -> None:
    one.head.tool_name = "terminal"
    one.head.arguments = json.dumps({"command": f"cat {number}"}).encode()
    one.result = _written(text)
