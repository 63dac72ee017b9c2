"""Locations of the Citations feature of the Anthropic API, both ways.

Source: the API's public documentation, "Citations" and "Search results" (char_location, page_location,
content_block_location, search_result_location, web_search_result_location). Character and block indices count from 0,
page numbers from 1; every end is exclusive.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from sourcecorpus.bridge.citation_shapes.places import CitedPlace, ShapeError

Location = dict[str, Any]
TYPES: Final = frozenset(
    {"char_location", "page_location", "content_block_location", "search_result_location"}
    | {"web_search_result_location"}
)


@dataclass(frozen=True, slots=True)
class LocatedQuote:
    """What a location says: a place in one of the documents that were sent, and the words said to stand there.

    Attributes:
        document: Index of the document or search result; None where an address names it.
        start: First code point; None where the location knows no place.
        end: Code point behind the last one.
        quote: The cited text, to be verified.
        uri: Address of a web search result; else empty.
    """

    document: int | None
    start: int | None
    end: int | None
    quote: str
    uri: str = ""


def char_location(place: CitedPlace, document_index: int) -> Location:
    """A place in a plain text document whose text is the version's text."""
    return {
        "type": "char_location",
        "cited_text": place.quote,
        "document_index": document_index,
        "document_title": place.title or None,
        "start_char_index": place.start,
        "end_char_index": place.end,
    }


def page_location(place: CitedPlace, document_index: int, page_starts: Sequence[int]) -> Location:
    """The pages that a place touches.

    Args:
        place: The place.
        document_index: Index of the PDF.
        page_starts: First code point of each page, ascending, beginning with 0.

    Raises:
        ShapeError: ``page_starts`` does not begin with 0 or does not ascend.
    """
    first, last = _touched(place, page_starts)
    return {
        "type": "page_location",
        "cited_text": place.quote,
        "document_index": document_index,
        "document_title": place.title or None,
        "start_page_number": first + 1,
        "end_page_number": last + 2,
    }


def content_block_location(
    place: CitedPlace, document_index: int, block_starts: Sequence[int]
) -> Location:
    """The blocks of a custom content document that a place touches; blocks may be a version's chunks.

    Raises:
        ShapeError: ``block_starts`` does not begin with 0 or does not ascend.
    """
    first, last = _touched(place, block_starts)
    return {
        "type": "content_block_location",
        "cited_text": place.quote,
        "document_index": document_index,
        "document_title": place.title or None,
        "start_block_index": first,
        "end_block_index": last + 1,
    }


def search_result_location(
    place: CitedPlace, search_result_index: int, block_starts: Sequence[int]
) -> Location:
    """The blocks of a search result that a place touches. ``source`` is the ref, so that the way back is exact.

    Raises:
        ShapeError: ``block_starts`` does not begin with 0 or does not ascend.
    """
    first, last = _touched(place, block_starts)
    return {
        "type": "search_result_location",
        "cited_text": place.quote,
        "source": place.ref,
        "title": place.title or None,
        "search_result_index": search_result_index,
        "start_block_index": first,
        "end_block_index": last + 1,
    }


def read_location(
    location: Mapping[str, Any], starts: Sequence[int] = (), end: int = 0
) -> LocatedQuote:
    """Reads any of the five locations.

    Args:
        location: The location.
        starts: First code points of the document's pages or blocks; needed for locations that count them.
        end: Code point behind the document's last one; needed with ``starts``.

    Returns:
        The place and the words. For pages and blocks the place is that of the whole pages or blocks.

    Raises:
        ShapeError: It is no such location, or lies outside of ``starts``.
    """
    kind = location.get("type")
    quote = location.get("cited_text")
    if kind not in TYPES or not isinstance(quote, str):
        raise ShapeError("not a citation location")
    if kind == "web_search_result_location":
        return LocatedQuote(None, None, None, quote, _text(location, "url"))
    if kind == "char_location":
        first, last = _number(location, "start_char_index"), _number(location, "end_char_index")
        if last < first:
            raise ShapeError("the end lies before the start")
        return LocatedQuote(_number(location, "document_index"), first, last, quote)
    if kind == "page_location":
        first = _number(location, "start_page_number") - 1
        last = _number(location, "end_page_number") - 1
    else:
        first, last = _number(location, "start_block_index"), _number(location, "end_block_index")
    _check_starts(starts)
    if not 0 <= first < last <= len(starts):
        raise ShapeError("the location lies outside of the document")
    index = "search_result_index" if kind == "search_result_location" else "document_index"
    behind = starts[last] if last < len(starts) else end
    return LocatedQuote(_number(location, index), starts[first], behind, quote)


def _touched(place: CitedPlace, starts: Sequence[int]) -> tuple[int, int]:
    _check_starts(starts)
    first = bisect_right(starts, place.start) - 1
    # An empty place touches the part that it stands in; others end before their end.
    last = max(first, bisect_right(starts, max(place.start, place.end - 1)) - 1)
    return first, last


def _check_starts(starts: Sequence[int]) -> None:
    if not starts or starts[0] != 0:
        raise ShapeError("the first part does not begin with the text")
    if any(later <= earlier for earlier, later in pairwise(starts)):
        raise ShapeError("the parts do not ascend")


def _number(location: Mapping[str, Any], name: str) -> int:
    value = location.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ShapeError(f"{name} is not a number")
    return value


def _text(location: Mapping[str, Any], name: str) -> str:
    value = location.get(name)
    if not isinstance(value, str):
        raise ShapeError(f"{name} is not a text")
    return value
