"""Markdown footnotes, as GitHub and Pandoc read them, and the refs back out of a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from sourcecorpus.bridge.citation_shapes.places import CitedPlace

_REF: Final = re.compile(r"`(v-[0-9a-z]+(?:#[0-9]+-[0-9]+(?:-[a-z]{2})?)?)`\s*$", re.MULTILINE)
_ESCAPED: Final = re.compile(r"([\\`*_{}\[\]<>()#+!|~-])")
_QUOTE_CODE_POINTS_MAX: Final = 300


def footnote_mark(number: int) -> str:
    """The mark in the text."""
    return f"[^{number}]"


def footnotes(places: Sequence[CitedPlace], first_number: int = 1) -> str:
    """One footnote a line: title and address, quotation, lines, fetch time, and the ref at the end."""
    return "\n".join(
        f"[^{number}]: {_footnote(place)}" for number, place in enumerate(places, first_number)
    )


def refs_in_footnotes(markdown: str) -> list[str]:
    """Refs of the footnotes of a text, in order."""
    return [match[1] for match in _REF.finditer(markdown)]


def _footnote(place: CitedPlace) -> str:
    title = _escaped(place.title) or "Untitled"
    parts = [f"[{title}](<{_address(place.uri)}>)" if place.uri else title]
    if place.quote:
        quote = " ".join(place.quote.split())
        cut = quote[:_QUOTE_CODE_POINTS_MAX] + ("…" if len(quote) > _QUOTE_CODE_POINTS_MAX else "")
        parts.append(f"“{_escaped(cut)}”")
    if place.first_line:
        lines = f"{place.first_line}–{place.last_line}"
        one = place.last_line <= place.first_line
        parts.append(f"line {place.first_line}" if one else f"lines {lines}")
    if place.fetched is not None:
        parts.append(place.fetched.strftime("fetched %Y-%m-%d"))
    return ", ".join(parts) + f", `{place.ref}`"


def _escaped(text: str) -> str:
    """Text that stands for itself: no markup, no line end, no control character."""
    shown = "".join(character if character.isprintable() else " " for character in text)
    return _ESCAPED.sub(r"\\\1", " ".join(shown.split()))


def _address(uri: str) -> str:
    return uri.replace("<", "%3C").replace(">", "%3E").replace("\n", "%0A").replace(" ", "%20")
