"""The passage that is most like a quotation which a text does not hold: beside a verdict, never one.

Samples of the quotation are looked up in the view; places that agree on where the quotation would
begin name the passage, and the share of common pairs of characters says how like it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from corpus_service.quotes.characters import holds_wide
from corpus_service.quotes.limits import (
    NEAR_PASSAGES_MAX,
    NEAR_QUOTE_CHARACTERS_MAX,
    NEAR_SIMILARITY_MIN,
    SAMPLE_CHARACTERS,
    SAMPLE_PLACES_MAX,
    SAMPLES_MAX,
    WIDE_SAMPLE_CHARACTERS,
)
from corpus_service.quotes.verdicts import Quote, QuotedText
from corpus_service.quotes.view import QuoteView


@dataclass(frozen=True, slots=True)
class NearPassage:
    """A passage that is like a quotation without being it.

    Attributes:
        start: First code point.
        end: Code point behind the last one.
        similarity: Share of common pairs of characters of both views (Dice's coefficient), 0 to 1.
    """

    start: int
    end: int
    similarity: float


def find_nearest(text: QuotedText, quote: Quote) -> NearPassage | None:
    """Returns the passage most like a quotation, or None where nothing is near.

    Of a long quotation the beginning is compared, `NEAR_QUOTE_CHARACTERS_MAX` characters of it.
    """
    view, wanted = text.view, quote.view[:NEAR_QUOTE_CHARACTERS_MAX]
    length = len(wanted)
    if not length:
        return None
    wanted_pairs = _pairs(wanted)
    best: tuple[float, int, int] | None = None
    for begin in _likely(sorted(at - offset for offset, at in _places(view, wanted))):
        start, end = _whole_words(view.text, max(begin, 0), min(begin + length, len(view.text)))
        if start >= end:
            continue
        pairs = _pairs(view.text[start:end])
        common = (wanted_pairs & pairs).total()
        similarity = 2 * common / max(wanted_pairs.total() + pairs.total(), 1)
        if best is None or similarity > best[0]:
            best = similarity, start, end
    if best is None or best[0] < NEAR_SIMILARITY_MIN:
        return None
    return NearPassage(*view.span(best[1], best[2]), similarity=round(best[0], 3))


def _likely(places: list[int]) -> list[int]:
    """Returns the beginnings that most samples agree on; near ones mean the same passage."""
    groups: list[list[int]] = []
    for place in places:
        if groups and place <= groups[-1][0] + SAMPLE_CHARACTERS:
            groups[-1].append(place)
        else:
            groups.append([place])
    groups.sort(key=len, reverse=True)
    return [Counter(group).most_common(1)[0][0] for group in groups[:NEAR_PASSAGES_MAX]]


def _places(view: QuoteView, wanted: str) -> Iterator[tuple[int, int]]:
    """Yields places of samples: where in the quotation, where in the text."""
    size = min(len(wanted), WIDE_SAMPLE_CHARACTERS if holds_wide(wanted) else SAMPLE_CHARACTERS)
    room = len(wanted) - size
    count = min(SAMPLES_MAX, room + 1)
    for number in range(count):
        offset = room * number // max(count - 1, 1)
        sample = wanted[offset : offset + size]
        at = view.text.find(sample)
        for _ in range(SAMPLE_PLACES_MAX):
            if at < 0:
                break
            yield offset, at
            at = view.text.find(sample, at + 1)


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Widens a span of a view to the next spaces, no further than a sample's length."""
    if start and text[start - 1] != " ":
        space = text.rfind(" ", max(0, start - SAMPLE_CHARACTERS), start)
        start = space + 1 if space >= 0 else start
    if end < len(text) and text[end] != " ":
        space = text.find(" ", end, end + SAMPLE_CHARACTERS)
        end = space if space >= 0 else end
    while start < end and text[start] == " ":
        start += 1
    while end > start and text[end - 1] == " ":
        end -= 1
    return start, end


def _pairs(text: str) -> Counter[str]:
    return Counter(text[at : at + 2] for at in range(len(text) - 1)) or Counter((text,))
