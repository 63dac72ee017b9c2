"""W3C Web Annotation: a target with TextQuoteSelector and TextPositionSelector, both ways.

Source: Web Annotation Data Model, W3C Recommendation of 23 February 2017, sections 4.2.4 (TextQuoteSelector), 4.2.5
(TextPositionSelector), 4.3.1 (TimeState). Positions count characters from 0, the end is exclusive; the quotation is
the text itself, white space and all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from sourcecorpus.bridge.citation_shapes.places import CitedPlace, ShapeError

CONTEXT: Final = "http://www.w3.org/ns/anno.jsonld"
Annotation = dict[str, Any]
_OCCURRENCES_MAX: Final = 10_000


def annotation(place: CitedPlace) -> Annotation:
    """An annotation that points at the original, with the state in which it was fetched.

    Raises:
        ShapeError: The place has no quotation or no address.
    """
    if not place.quote or not place.uri:
        raise ShapeError("an annotation needs a quotation and an address")
    target: Annotation = {"source": place.uri, "selector": selectors(place)}
    if place.fetched is not None:
        target["state"] = {
            "type": "TimeState",
            "sourceDate": place.fetched.strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
    return {
        "@context": CONTEXT,
        "id": f"urn:source-corpus:citation:{place.ref.replace('#', ':')}",
        "type": "Annotation",
        "motivation": "identifying",
        "target": target,
    }


def selectors(place: CitedPlace) -> list[Annotation]:
    """Both selectors of a place; the quotation survives an edit of the page, the position tells repetitions apart."""
    quote: Annotation = {"type": "TextQuoteSelector", "exact": place.quote}
    if place.prefix:
        quote["prefix"] = place.prefix
    if place.suffix:
        quote["suffix"] = place.suffix
    return [quote, {"type": "TextPositionSelector", "start": place.start, "end": place.end}]


def resolve(
    selector: Mapping[str, Any] | Sequence[Mapping[str, Any]], text: str
) -> tuple[int, int]:
    """Finds the place of selectors in a text.

    Args:
        selector: One selector or several for the same place.
        text: The text of exactly the version asked about.

    Returns:
        Start and end in code points.

    Raises:
        ShapeError: There is no selector of the two kinds, no such place, or more than one; never a near one.
    """
    given = [selector] if isinstance(selector, Mapping) else list(selector)
    quote = next((item for item in given if item.get("type") == "TextQuoteSelector"), None)
    position = next((item for item in given if item.get("type") == "TextPositionSelector"), None)
    if position is None and quote is None:
        raise ShapeError("no text selector")
    span = None if position is None else _position(position)
    if span is not None and quote is None:
        if span[1] > len(text):
            raise ShapeError("the position lies outside of the text")
        return span
    places = [] if quote is None else list(_quoted_places(quote, text))
    if span is not None and span in places:
        return span
    if not places:
        raise ShapeError("the text does not hold the quotation")
    if len(places) > 1:
        raise ShapeError("the text holds the quotation more than once")
    return places[0]


def _position(selector: Mapping[str, Any]) -> tuple[int, int]:
    start, end = _number(selector, "start"), _number(selector, "end")
    # In a text that has changed the position may lie anywhere: then the quotation alone decides.
    if not 0 <= start <= end:
        raise ShapeError("the end lies before the start")
    return start, end


def _number(selector: Mapping[str, Any], name: str) -> int:
    value = selector.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ShapeError("a position is not a number")
    return value


def _quoted_places(selector: Mapping[str, Any], text: str) -> Iterator[tuple[int, int]]:
    exact, prefix, suffix = (selector.get(name, "") for name in ("exact", "prefix", "suffix"))
    if not all(isinstance(part, str) for part in (exact, prefix, suffix)) or not exact:
        raise ShapeError("a quotation is not a text")
    found = -1
    for _ in range(_OCCURRENCES_MAX):
        found = text.find(exact, found + 1)
        if found < 0:
            return
        end = found + len(exact)
        if text.endswith(prefix, 0, found) and text.startswith(suffix, end):
            yield found, end
    raise ShapeError("the quotation occurs too often")
