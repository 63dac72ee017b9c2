"""CSL-JSON items for citation managers, and the ref back out of one.

Source: citation-style-language/schema, csl-data.json: ``id`` and ``type`` are required, dates are ``date-parts``, and
``archive`` with ``archive_location`` name where a copy is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sourcecorpus.bridge.citation_shapes.places import CitedPlace, ShapeError

ARCHIVE: Final = "SourceCorpus"
_TYPES: Final = {
    "page": "webpage",
    "thread": "post",
    "manual": "document",
    "pdf": "document",
    "code": "software",
}
Item = dict[str, Any]


def csl_item(place: CitedPlace) -> Item:
    """An item of CSL-JSON; ``archive_location`` is the ref, which opens the exact version."""
    item: Item = {
        "id": place.ref,
        "type": _TYPES.get(place.kind, "webpage" if place.uri.startswith("http") else "document"),
        "archive": ARCHIVE,
        "archive_location": place.ref,
    }
    if place.title:
        item["title"] = place.title
    if place.uri:
        item["URL"] = place.uri
    if place.language:
        item["language"] = place.language
    if place.fetched is not None:
        fetched = place.fetched
        item["accessed"] = {"date-parts": [[fetched.year, fetched.month, fetched.day]]}
    if place.quote:
        item["note"] = place.quote
    return item


def ref_of_item(item: Mapping[str, Any]) -> str:
    """The ref that an item of ours names.

    Raises:
        ShapeError: The item is not one of ours.
    """
    ref = item.get("archive_location")
    if item.get("archive") != ARCHIVE or not isinstance(ref, str) or not ref:
        raise ShapeError("the item names no ref")
    return ref
