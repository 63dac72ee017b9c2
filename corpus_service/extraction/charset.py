"""Which charset a document is in, why, and how sure that is.

Order: byte order mark, strict UTF-8, header, meta declaration, detector. Strict UTF-8 stands before the
header because text in another charset practically never is valid UTF-8, while headers often lie. A
declaration is believed only if the bytes decode with it and the result looks like text: see
`suspicion`. Labels follow the WHATWG Encoding Standard where Python's codec is narrower (GBK, Shift_JIS,
ISO-8859-1, EUC-KR).
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import Final

from corpus_service.extraction.limits import (
    CHARSET_PRESCAN_BYTES,
    CHARSET_SAMPLE_BYTES,
    CHARSET_SUSPICION_MAX,
)
from corpus_service.extraction.types import CharsetReason


@dataclass(frozen=True, slots=True)
class DecodedText:
    """Text and how its charset was found."""

    text: str
    charset: str
    reason: CharsetReason
    confidence: float
    conflict: bool = False
    """A declaration was there and not believed."""

    undecodable: int = 0
    """Byte sequences that became U+FFFD."""

    def repairs(self) -> dict[str, int]:
        """Return what decoding itself repaired, under the names of `ExtractedText.repairs`."""
        marked = int(self.reason is CharsetReason.BYTE_ORDER_MARK)
        counts = {"bom": marked, "undecodable": self.undecodable}
        return {name: count for name, count in counts.items() if count}


# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Labels that mean a superset on the web (WHATWG Encoding Standard 4.2).
_SUPERSETS: Final = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
# Text codecs of Python that name no charset of documents; some cannot even replace what they refuse.
_NOT_OF_DOCUMENTS: Final = frozenset(
    {"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape", "mbcs", "oem"}
)
_CHARSET_PARAMETER: Final = re.compile(
    r"charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE
)
_META: Final = re.compile(
    rb"<meta[^>]{0,1000}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})"
    rb"|<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_.:-]{1,40})"
    rb"|@charset \"([A-Za-z0-9_.:-]{1,40})\"",
    re.IGNORECASE,
)
_NON_ASCII: Final = re.compile(r"[^\x00-\x7f]")
# What decoding with a wrong charset leaves behind: controls of the C1 block, private use,
# replacement characters; runs of Latin-1 letters and signs; half-width kana between Latin letters;
# Greek, Cyrillic, Hebrew, Arabic or Thai glued to Latin; one Han or Hangul inside a Latin word.
_SUSPICIOUS: Final = re.compile(
    "[\x80-\x9f\ufffd\ue000-\uf8ff]"
    "|[\u00a0-\u00ff\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc"
    "\u2013\u2014\u2018-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122]{3,}"
    "|[A-Za-z][\uff61-\uff9f]+|[\uff61-\uff9f]+[A-Za-z]"
    "|(?<=[A-Za-z])[\u0370-\u06ff\u0e00-\u0e7f]{1,2}(?=[A-Za-z])"
    "|(?<=[a-z])[\u4e00-\u9fff\uac00-\ud7a3](?=[a-z])"
)


def decode(content: bytes, content_type: str = "") -> DecodedText:
    """Decode bytes of unknown charset.

    Args:
        content: the stored bytes.
        content_type: declared media type; its charset parameter is the header's word.

    Returns:
        The text, BOM removed. Never raises: what no charset fits is decoded with U+FFFD.
    """
    for mark, name in _MARKS:
        if content.startswith(mark):
            # Whatever follows a mark is decoded as it says; broken sequences are counted.
            text, undecodable = _decode_counting(content[len(mark) :], name)
            return DecodedText(
                text, name, CharsetReason.BYTE_ORDER_MARK, 1.0, undecodable=undecodable
            )
    header = _codec(_CHARSET_PARAMETER.search(content_type or ""))
    strict = _strict_utf8(content, header)
    if strict is not None:
        return strict
    return _decode_declared(content, header)


def _strict_utf8(content: bytes, header: str | None) -> DecodedText | None:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if text.isascii():
        if "\x1b" in text or "\x00" in text or header in {"utf-7", "hz"}:
            # ISO-2022, HZ and UTF-16 or UTF-32 of Latin text are valid ASCII bytes.
            other = _seven_bit(content, header)
            if other is not None:
                return other
        return DecodedText(text, "utf-8", CharsetReason.STRICT_UTF_8, 1.0)
    conflict = header is not None and header != "utf-8"
    return DecodedText(text, "utf-8", CharsetReason.STRICT_UTF_8, 0.99, conflict=conflict)


def _seven_bit(content: bytes, header: str | None) -> DecodedText | None:
    """Decode stateful and wide encodings whose bytes all lie under 0x80, or return None."""
    declared = header or _meta_codec(content)
    candidates: list[tuple[str, CharsetReason, float]] = []
    if declared and declared.startswith(("iso2022", "hz", "utf-16", "utf-32")):
        candidates.append((declared, CharsetReason.HEADER if header else CharsetReason.META, 0.95))
    if b"\x1b$" in content or b"\x1b(J" in content:
        candidates.append(("iso2022_jp", CharsetReason.DETECTOR, 0.9))
    guessed = _wide_without_mark(content)
    if guessed:
        candidates.append((guessed, CharsetReason.DETECTOR, 0.9))
    for name, reason, confidence in candidates:
        try:
            text = content.decode(name)
        except (UnicodeError, LookupError):
            continue
        return DecodedText(text, name, reason, confidence)
    return None


def _wide_without_mark(content: bytes) -> str | None:
    """Name UTF-16 without a mark by where its zero bytes lie."""
    sample = content[:CHARSET_SAMPLE_BYTES]
    if len(sample) < 4 or len(content) % 2:
        return None
    half = len(sample) // 2
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if odd > 0.4 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.4 * half and odd < 0.05 * half:
        return "utf-16-be"
    return None


def _decode_declared(content: bytes, header: str | None) -> DecodedText:
    """Decode by declaration or detector what is not UTF-8."""
    meta = _meta_codec(content)
    wide = _wide_without_mark(content)
    candidates: list[tuple[str, CharsetReason]] = []
    if header:
        candidates.append((header, CharsetReason.HEADER))
    if meta and meta != header:
        candidates.append((meta, CharsetReason.META))
    rejected: list[tuple[float, str, CharsetReason]] = []
    for name, reason in candidates:
        doubt = _doubt(content, name)
        if doubt <= CHARSET_SUSPICION_MAX:
            agreed = bool(header and meta == header)
            confidence = round((1.0 if agreed else 0.95) - doubt, 3)
            return _decoded(content, name, reason, confidence, conflict=bool(rejected))
        rejected.append((doubt, name, reason))
    detected = ("utf-16-le", 0.9) if wide == "utf-16-le" else _detect(content, wide)
    if detected is not None:
        doubt = _doubt(content, detected[0])
        rejected.append((doubt - 0.05, detected[0], CharsetReason.DETECTOR))
    if not rejected:
        return _decoded(content, "utf-8", CharsetReason.FALLBACK, 0.1, conflict=False)
    # The least doubtful one; a declaration wins a near tie only by being less doubtful.
    doubt, name, reason = min(rejected, key=lambda entry: entry[0])
    sure = detected[1] if detected and reason is CharsetReason.DETECTOR else 0.5
    confidence = round(max(0.05, min(sure, 1.0 - doubt)), 3)
    return _decoded(content, name, reason, confidence, conflict=bool(candidates))


def _detect(content: bytes, wide: str | None) -> tuple[str, float] | None:
    """Ask the detector; the library is loaded only when a document needs it."""
    if wide is not None:
        return wide, 0.9
    import chardet

    found = chardet.detect(content[:CHARSET_SAMPLE_BYTES])
    name = _known(str(found.get("encoding") or ""))
    if name is None:
        return None
    return name, float(found.get("confidence") or 0.0)


def _doubt(content: bytes, name: str) -> float:
    """Return 0 to 1: how little the bytes look like text in that charset."""
    sample = content[:CHARSET_SAMPLE_BYTES]
    text, undecodable = _decode_counting(sample, name)
    if undecodable > 1:
        # The sample may end inside a sequence; more than that says the charset is wrong.
        share = undecodable / max(1, len(_NON_ASCII.findall(text)))
        if share > 0.02:
            return min(1.0, 0.5 + share)
    return suspicion(text)


def suspicion(text: str) -> float:
    """Return the share of non-ASCII characters that speak for a wrong charset, 0 to 1."""
    total = len(_NON_ASCII.findall(text))
    if not total:
        return 0.0
    return min(1.0, sum(len(found) for found in _SUSPICIOUS.findall(text)) / total)


def _decoded(
    content: bytes, name: str, reason: CharsetReason, confidence: float, *, conflict: bool
) -> DecodedText:
    text, undecodable = _decode_counting(content, name)
    return DecodedText(text, name, reason, confidence, conflict, undecodable)


def _decode_counting(content: bytes, name: str) -> tuple[str, int]:
    """Decode; replace and count what the charset does not know."""
    try:
        return content.decode(name), 0
    except (UnicodeError, LookupError):
        text = content.decode(name, "replace")
        return text, text.count("\ufffd")


def _meta_codec(content: bytes) -> str | None:
    match = _META.search(content, 0, CHARSET_PRESCAN_BYTES)
    if match is None:
        return None
    label = next(group for group in match.groups() if group is not None)
    name = _known(label.decode("ascii"))
    # A declaration that could be read as bytes cannot be UTF-16 (HTML Standard, prescan step 15).
    return "utf-8" if name and name.startswith("utf-16") else name


def _codec(match: re.Match[str] | None) -> str | None:
    return _known(match[1]) if match else None


def _known(label: str) -> str | None:
    """Return the codec for a label, or None for unknown and for non-text codecs."""
    try:
        found = codecs.lookup(label.strip())
    except (LookupError, ValueError):
        return None
    # `rot13`, `base64` and their kind are codecs that do not decode bytes to text.
    if not getattr(found, "_is_text_encoding", False) or found.name in _NOT_OF_DOCUMENTS:
        return None
    return _SUPERSETS.get(found.name, found.name)
