"""Text fragments: links that open the original at the quotation, both ways.

Source: WICG, "URL Fragment Text Directives" (Draft Community Group Report): the directive is
``text=[prefix-,]start[,end][,-suffix]`` behind ``:~:``; ``-``, ``,`` and ``&`` of the terms are percent-encoded.
Browsers match whole words without regard to case, so terms are cut at white space alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote as percent_encode
from urllib.parse import unquote

from sourcecorpus.bridge.citation_shapes.places import CitedPlace, ShapeError

DELIMITER: Final = ":~:"
EXACT_CODE_POINTS_MAX: Final = 120
"""A longer quotation is given by its first and last words: an exact term must not cross blocks of a page."""
_WORDS: Final = 4
_CONTEXT_WORDS: Final = 3
_PIECE_CODE_POINTS_MAX: Final = 60


@dataclass(frozen=True, slots=True)
class TextDirective:
    """One directive, decoded; empty parts are absent."""

    start: str
    end: str = ""
    prefix: str = ""
    suffix: str = ""


def text_fragment_link(place: CitedPlace) -> str:
    """The address of the original with a directive for the quotation; the address alone where there is none to make.

    Raises:
        ShapeError: The place has no http or https address.
    """
    if not place.uri.lower().startswith(("http://", "https://")):
        raise ShapeError("only web addresses have fragments")
    if not place.quote.strip():
        return place.uri
    directive = format_directive(directive_of(place))
    address, has_fragment, fragment = place.uri.partition("#")
    fragment, has_directive, others = fragment.partition(DELIMITER)
    directives = f"{others}&{directive}" if has_directive and others else directive
    return f"{address}#{fragment if has_fragment else ''}{DELIMITER}{directives}"


def directive_of(place: CitedPlace) -> TextDirective:
    """The directive of a place: the quotation, or its first and last words, with the words around it."""
    quote = place.quote.strip()
    prefix, suffix = _last_words(place.prefix), _first_words(place.suffix)
    if len(quote) <= EXACT_CODE_POINTS_MAX and "\n" not in quote:
        return TextDirective(quote, prefix=prefix, suffix=suffix)
    words = quote.split()
    if len(words) < 2:
        return TextDirective(quote[:_PIECE_CODE_POINTS_MAX], prefix=prefix)
    # Both ends are taken from the quotation without overlapping in it.
    number = min(_WORDS, len(words) // 2)
    return TextDirective(
        _whole_words(words[:number]), _whole_words(words[-number:], from_end=True), prefix, suffix
    )


def format_directive(directive: TextDirective) -> str:
    """Writes a directive, percent-encoded."""
    parts = [_encode(directive.start)]
    if directive.prefix:
        parts.insert(0, _encode(directive.prefix) + "-")
    if directive.end:
        parts.append(_encode(directive.end))
    if directive.suffix:
        parts.append("-" + _encode(directive.suffix))
    return "text=" + ",".join(parts)


def read_directives(link: str) -> list[TextDirective]:
    """Reads the text directives of a link; those of other kinds are skipped, as browsers do.

    Raises:
        ShapeError: A text directive has no start or too many parts.
    """
    _, _, fragment = link.partition("#")
    _, found, directives = fragment.partition(DELIMITER)
    if not found:
        return []
    return [
        _read(part.removeprefix("text="))
        for part in directives.split("&")
        if part.startswith("text=")
    ]


def resolve(directive: TextDirective, text: str) -> tuple[int, int]:
    """Finds the first place of a directive in a text, without regard to case and to runs of white space.

    Returns:
        Start and end in code points.

    Raises:
        ShapeError: The text does not hold it.
    """
    start = _pattern(directive.start)
    body = f"(?P<cited>{start})"
    if directive.end:
        body = rf"(?P<cited>{start}\b.*?{_pattern(directive.end)})"
    before = rf"{_pattern(directive.prefix)}\s*" if directive.prefix else ""
    behind = rf"\s*{_pattern(directive.suffix)}" if directive.suffix else ""
    match = re.search(before + body + behind, text, re.IGNORECASE | re.DOTALL)
    if match is None:
        raise ShapeError("the text does not hold the directive")
    return match.span("cited")


def _read(value: str) -> TextDirective:
    parts = value.split(",")
    prefix = suffix = ""
    if parts[0].endswith("-"):
        prefix = unquote(parts.pop(0)[:-1])
    if parts and parts[-1].startswith("-"):
        suffix = unquote(parts.pop()[1:])
    if not parts or not parts[0] or len(parts) > 2:
        raise ShapeError("a text directive has the wrong parts")
    end = unquote(parts[1]) if len(parts) == 2 else ""
    return TextDirective(unquote(parts[0]), end, prefix, suffix)


def _encode(term: str) -> str:
    # quote() keeps "-" as unreserved, which separates prefix and suffix here.
    return percent_encode(term, safe="").replace("-", "%2D")


def _first_words(text: str) -> str:
    """Words right behind a place, of the same paragraph; the last one may be cut in the text and is left out."""
    return _whole_words(text.split("\n\n", maxsplit=1)[0].split()[:-1][:_CONTEXT_WORDS])


def _last_words(text: str) -> str:
    """Words right before a place, of the same paragraph; the first one may be cut in the text and is left out."""
    words = text.rsplit("\n\n", maxsplit=1)[-1].split()[1:]
    return _whole_words(words[-_CONTEXT_WORDS:], from_end=True)


def _whole_words(words: Sequence[str], *, from_end: bool = False) -> str:
    """As many words as fit; a single longer one, as in scripts without spaces, is cut."""
    kept: list[str] = []
    for word in reversed(words) if from_end else words:
        if kept and sum(map(len, kept)) + len(kept) + len(word) > _PIECE_CODE_POINTS_MAX:
            break
        kept.append(word)
    text = " ".join(reversed(kept) if from_end else kept)
    return text[-_PIECE_CODE_POINTS_MAX:] if from_end else text[:_PIECE_CODE_POINTS_MAX]


def _pattern(term: str) -> str:
    return r"\s+".join(re.escape(word) for word in term.split())
