"""Encoded secrets: runs of base64 and hex that spell a keyword, and a view of the text with escapes undone."""

import base64
import re
from bisect import bisect_right
from collections.abc import Callable
from typing import Final

from capture_service.redaction.encoded_values import decode_base64, mostly_printable
from capture_service.redaction.limits import MAX_DECODED_BYTES, MAX_VALUE_BYTES
from capture_service.redaction.scan import ENCODED, Scan, Span

KEYWORDS: Final = (
    b"password",
    b"PASSWORD",
    b"Password",
    b"passwd",
    b"secret",
    b"SECRET",
    b"Secret",
    b"token",
    b"TOKEN",
    b"Token",
    b"api_key",
    b"API_KEY",
    b"apiKey",
    b"apikey",
    b"api-key",
    b"Authorization",
    b"authorization",
    b"Bearer ",
    b"credential",
    b"PRIVATE KEY",
    b"postgres://",
    b"postgresql://",
    b"mysql://",
    b"mongodb://",
    b"mongodb+srv://",
    b"redis://",
    b"rediss://",
    b"amqp://",
    b"amqps://",
    b"https://",
    b"http://",
    b"ftp://",
    b"smtp://",
    b"ghp_",
    b"gho_",
    b"ghs_",
    b"github_pat_",
    b"glpat-",
    b"xoxb-",
    b"xoxp-",
    b"sk_live_",
    b"sk-proj-",
    b"sk-ant-",
    b"AKIA",
    b"ASIA",
    b"AIza",
    b"SG.",
    b"npm_",
    b"pypi-",
    b"hvs.",
    b"dop_v1_",
    b"shpat_",
    b"hf_",
    b"eyJhbGciOi",
    b"_KEY=",
    b'_KEY":',
    b"_PASS=",
    b"_PWD=",
    b"passphrase",
    b"Cookie: ",
    b"PRIVATE-TOKEN",
    b"glsa_",
    b"tvly-",
    b"whsec_",
    b"figd_",
    b"lin_api_",
    b"pwd=",
    b"Pwd=",
    b"AccountKey",
    b'"auth"',
    b"GOCSPX-",
    b"ya29.",
    b"PuTTY-User",
    b"AGE-SECRET",
)
"""Words whose base64 or hex spelling makes a run worth decoding."""

MIN_ENCODED_BYTES: Final = 20
"""Shortest base64 run that is decoded."""
ESCAPE_GAP_BYTES: Final = 64
"""Bytes between escapes that are looked at together."""
NAME_REACH_BYTES: Final = 128
"""Bytes before the unbroken text around an escape that may hold the name of its value."""
VALUE_REACH_BYTES: Final = 256
"""Bytes behind the unbroken text around an escape that may hold the value of a name spelled with escapes."""
_UNBROKEN: Final = re.compile(rb"[^\s\"'<>]*")
_RUN_BACK: Final = re.compile(rb"[A-Za-z0-9+/_-]*")
_RUN: Final = re.compile(rb"[A-Za-z0-9+/_-]+={0,2}")
_RUN_NEXT: Final = re.compile(
    rb"(?:\r?\n|(?:\\r)?\\n)[ \t]{0,16}([A-Za-z0-9+/_-]{4,}={0,2})(?=[\s\\\"'<,]|\Z)"
)
_WRAPPED_LINE_BYTES: Final = 60
_HEX_RUN: Final = re.compile(rb"(?:[0-9a-fA-F]{2})+")
_URL_WITH_PASSWORD: Final = re.compile(rb"://[^\s/:@]{1,64}:[^\s/@]{1,128}@")


def base64_spellings(word: bytes) -> set[bytes]:
    """Return what a word looks like inside base64, at each of the three alignments, without unsure edges."""
    spellings: set[bytes] = set()
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + word)
        first = (0, 2, 3)[shift]
        usable = (shift + len(word)) * 8 // 6
        spelling = encoded[first:usable]
        if len(spelling) >= 4:
            spellings.add(spelling)
            spellings.add(spelling.translate(bytes.maketrans(b"+/", b"-_")))
    return spellings


def keyword_spellings() -> list[bytes]:
    """Return all base64 spellings that trigger a decode."""
    return sorted({spelling for word in KEYWORDS for spelling in base64_spellings(word)})


def hex_spellings() -> list[bytes]:
    """Return all hexadecimal spellings that trigger a decode."""
    return sorted({word.hex().encode() for word in KEYWORDS if len(word) >= 4})


FindSpans = Callable[[bytes], list[Span]]


def confirm_base64(scan: Scan, position: int, find: FindSpans) -> None:
    """Decode the base64 run around `position` and mask it when the decoded text holds a secret."""
    if position < scan.consumed:
        return
    data = scan.data
    low = max(0, position - MAX_DECODED_BYTES)
    window = data[max(low, position - 512) : position][::-1]
    back = _RUN_BACK.match(window)
    start = position - (len(back.group()) if back else 0)
    if start == position - 512:
        wide = data[low:position][::-1]
        back = _RUN_BACK.match(wide)
        start = position - (len(back.group()) if back else 0)
    start = _wrapped_start(data, start, low)
    run = _RUN.match(data, start, start + 2 * MAX_DECODED_BYTES)
    if run is None:
        return
    end = _wrapped_end(data, start, run.end())
    scan.budget.spend(end - start + 64)
    scan.consumed = max(scan.consumed, end)
    if end - start < MIN_ENCODED_BYTES:
        return
    _mask_decoded(scan, start, end, find)


def _wrapped_end(data: bytes, start: int, end: int) -> int:
    """Follow base64 wrapped into lines to its last line."""
    width = end - start
    while width >= _WRAPPED_LINE_BYTES and end - start <= 2 * MAX_DECODED_BYTES:
        following = _RUN_NEXT.match(data, end)
        if following is None or len(following.group(1)) > width:
            return end
        end = following.end()
        if len(following.group(1)) < width:
            return end
    return end


def _wrapped_start(data: bytes, start: int, low: int) -> int:
    """Follow base64 wrapped into equal lines back to its first line."""
    for _ in range(1024):
        newline = start - 1
        if newline <= low or data[newline] != 0x0A:
            return start
        previous = data.rfind(b"\n", max(low, newline - 100), newline)
        line = data[previous + 1 : newline].strip(b"\r")
        if not 60 <= len(line) <= 80 or _RUN_BACK.fullmatch(line) is None:
            return start
        start = previous + 1
    return start


def _mask_decoded(scan: Scan, start: int, end: int, find: FindSpans) -> None:
    text = scan.data[start:end]
    if b"\n" in text or b"\\" in text:
        text = re.sub(rb"\\+[rn]|\s", b"", text)
    if len(text) > MAX_DECODED_BYTES:
        scan.add(start, end, ENCODED, "encoded-secret")
        return
    decoded = decode_base64(text)
    if decoded is None or not mostly_printable(decoded):
        return
    _mask_found(scan, start, end, decoded, find)


def _mask_found(scan: Scan, start: int, end: int, decoded: bytes, find: FindSpans) -> None:
    scan.budget.spend(len(decoded))
    spans = find(decoded)
    if not spans:
        return
    canonical = decoded[spans[0].start : spans[0].end] if len(spans) == 1 else decoded
    rule = spans[0].rule if len(spans) == 1 else "encoded-secret"
    scan.add(start, end, ENCODED, rule, canonical)


def confirm_hex(scan: Scan, position: int, find: FindSpans) -> None:
    """Decode the hexadecimal run around `position` and mask it when the decoded text holds a secret."""
    if position < scan.consumed:
        return
    data = scan.data
    back = re.match(rb"[0-9a-fA-F]*", data[max(0, position - 4096) : position][::-1])
    start = position - (len(back.group()) if back else 0)
    for aligned in (start, start + 1):
        run = _HEX_RUN.match(data, aligned, aligned + MAX_DECODED_BYTES)
        if run is None:
            continue
        scan.budget.spend(run.end() - aligned)
        decoded = bytes.fromhex(run.group().decode("ascii"))
        if mostly_printable(decoded):
            scan.consumed = max(scan.consumed, run.end())
            _mask_found(scan, aligned, run.end(), decoded, find)
            return


_ESCAPES: Final = re.compile(
    rb"[\\&%\x1b\xc2\xe2\xef=<](?:"
    rb"(?<=\\)\\*(?P<json>(?:u00|x)[2-7][0-9a-fA-F]|u\{0{0,4}[2-7][0-9a-fA-F]\})|"
    rb"(?<=&)(?:amp;){0,2}#(?P<entity>(?:0{0,4}[0-9]{2,3}|[xX]0{0,4}[2-7][0-9a-fA-F])"
    rb"(?![0-9a-fA-F]);?)|"
    rb"(?<=&)(?P<named>(?:colon|equals|lowbar|hyphen|dash|period|num|sol|plus);)|"
    rb"(?<=%)(?:25){0,2}(?P<percent>3[0-9]|[46][1-9a-fA-F]|[57][0-9aA]|2[dDeE]|5[fF]|7[eE])|"
    rb"(?<=\xef)(?P<wide>\xbc[\x81-\xbf]|\xbd[\x80-\x9e])|"
    rb"(?P<gone>(?<=\xe2)(?:\x80[\x8b-\x8f]|\x81\xa0)|(?<=\xef)\xbb\xbf|(?<=\xc2)\xad|"
    rb"(?<=&)(?:shy|zwnj|zwj|ZeroWidthSpace|#8203|#173|#x200[bBcCdD]|#xAD);?|"
    rb"(?<=\\)\\*u(?:200[b-fB-F]|00[aA][dD]|2060|[fF][eE][fF][fF])|"
    rb"(?<=\x1b)\[[0-9;]{0,16}[mK]|(?<=\\)\\*(?:u001[bB]|x1[bB]|033|e)\[[0-9;]{0,16}[mK]|"
    rb"(?<=<)wbr ?/?>|(?<==)\r?\n))"
)
"""Each branch looks back at the first byte, so that one character class finds where an escape may begin."""
_NAMED: Final = {
    b"colon;": b":",
    b"equals;": b"=",
    b"lowbar;": b"_",
    b"hyphen;": b"-",
    b"dash;": b"-",
    b"period;": b".",
    b"num;": b"#",
    b"sol;": b"/",
    b"plus;": b"+",
}
_BYTES: Final = tuple(bytes([code]) for code in range(256))
_KEPT: Final = frozenset(b"\"'\\<>&{}[](),;")
"""Characters that delimit values: their escapes stay escapes in the view."""


def _decoded_escape(match: re.Match[bytes]) -> bytes | None:
    kind = match.lastgroup or "gone"
    if kind == "gone":
        return b""
    text = match.group(kind)
    if kind == "named":
        return _NAMED[text]
    if kind == "wide":
        code = ord((b"\xef" + text).decode("utf-8")) - 0xFEE0
    elif kind == "entity":
        digits = text.rstrip(b";")
        code = int(digits[1:], 16) if digits[:1] in b"xX" else int(digits)
    else:
        code = int(text.rstrip(b"}")[-2:], 16)
    if not 0x20 < code < 0x7F or code in _KEPT:
        return None
    return _BYTES[code]


def escape_windows(data: bytes) -> list[tuple[int, int]]:
    """Return the stretches of text around escapes that stand for letters, digits or punctuation."""
    quoted_printable = b"=3D" in data or b"quoted-printable" in data
    clusters: list[tuple[int, int]] = []
    for match in _ESCAPES.finditer(data):
        if _decoded_escape(match) is None or (data[match.start()] == 0x3D and not quoted_printable):
            continue
        start, end = match.span()
        if clusters and start <= clusters[-1][1] + ESCAPE_GAP_BYTES:
            clusters[-1] = (clusters[-1][0], end)
        else:
            clusters.append((start, end))
    windows: list[tuple[int, int]] = []
    for start, end in clusters:
        low, high = _widened(data, start, end)
        if windows and low <= windows[-1][1]:
            windows[-1] = (windows[-1][0], max(high, windows[-1][1]))
        else:
            windows.append((low, high))
    return windows


def _widened(data: bytes, start: int, end: int) -> tuple[int, int]:
    """Widen a stretch by the unbroken text on both sides, a name before it, and a value behind it."""
    for reach in (0, NAME_REACH_BYTES):
        start = max(0, start - reach)
        before = _UNBROKEN.match(data[max(0, start - MAX_VALUE_BYTES) : start][::-1])
        start -= before.end() if before else 0
    for reach in (0, VALUE_REACH_BYTES):
        end = min(len(data), end + reach)
        behind = _UNBROKEN.match(data, end, end + MAX_VALUE_BYTES)
        end = behind.end() if behind else end
    return start, end


class EscapeView:
    """The text with escapes of letters, digits and punctuation undone, and the way back to the offsets."""

    __slots__ = ("_sources", "_starts", "data")

    def __init__(self, data: bytes) -> None:
        pieces: list[bytes] = []
        self._starts = [0]
        self._sources = [(0, False)]
        length = 0
        position = 0
        quoted_printable = b"=3D" in data or b"quoted-printable" in data
        for match in _ESCAPES.finditer(data):
            decoded = _decoded_escape(match)
            if decoded is None or (data[match.start()] == 0x3D and not quoted_printable):
                continue
            plain = data[position : match.start()]
            pieces.append(plain)
            length += len(plain)
            if decoded:
                self._starts.append(length)
                self._sources.append((match.start(), True))
                pieces.append(decoded)
                length += 1
            self._starts.append(length)
            self._sources.append((match.end(), False))
            position = match.end()
        pieces.append(data[position:])
        self.data = b"".join(pieces)

    def _source(self, offset: int) -> tuple[int, bool, int]:
        index = bisect_right(self._starts, offset) - 1
        source, escaped = self._sources[index]
        return source, escaped, offset - self._starts[index]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of the original text that a range of the view stands for."""
        source, escaped, inside = self._source(start)
        first = source if escaped else source + inside
        source, escaped, inside = self._source(end - 1)
        if escaped:
            index = bisect_right(self._starts, end - 1) - 1
            return first, self._sources[index + 1][0]
        return first, source + inside + 1
