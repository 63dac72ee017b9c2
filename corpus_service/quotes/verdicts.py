"""What a text says about a quotation: held as it stands, held in its view, or not held.

There is no fourth answer. One changed word, number or negation is another statement, however near
the rest is.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from corpus_service.quotes.ellipsis import Span, find_in_order, piece_views
from corpus_service.quotes.limits import QUOTE_PLACES_MAX
from corpus_service.quotes.view import QuoteView


class Likeness(enum.IntEnum):
    """How a text holds a quotation; greater is better."""

    NORMALISED = 1
    EXACT = 2


@dataclass(frozen=True, slots=True)
class QuoteMatch:
    """Where a text holds a quotation.

    Attributes:
        likeness: How.
        start: First code point that matched.
        end: Code point behind the last one that matched.
        parts: Spans of the pieces of a quotation with ellipses, in order; else empty.
    """

    likeness: Likeness
    start: int
    end: int
    parts: tuple[Span, ...] = ()


class Quote:
    """A quotation with its view, made once for all texts it is looked for in.

    Attributes:
        text: As it was given.
        view: Its view without white space at the edges; "" where there is nothing to compare.
    """

    __slots__ = ("_pieces", "text", "view")

    def __init__(self, text: str) -> None:
        self.text = text
        self.view = QuoteView(text).text.strip(" ")
        self._pieces: tuple[str, ...] | None = None

    @property
    def pieces(self) -> tuple[str, ...]:
        """Views of the pieces between ellipses; () without an ellipsis or with a short piece."""
        if self._pieces is None:
            self._pieces = piece_views(self.text)
        return self._pieces


class QuotedText:
    """A text in which quotations are looked for; its view is made when the first one needs it."""

    __slots__ = ("_view", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._view: QuoteView | None = None

    @property
    def view(self) -> QuoteView:
        """The view of the text."""
        if self._view is None:
            self._view = QuoteView(self.text)
        return self._view

    def find(self, quote: Quote) -> QuoteMatch | None:
        """Returns the first place of the best likeness, None where the text does not hold it.

        A quotation without anything to compare (`Quote.view` is "") is in no text.
        """
        if not quote.view:
            return None
        at = self.text.find(quote.text)
        if at >= 0:
            return QuoteMatch(Likeness.EXACT, at, at + len(quote.text))
        at = self.view.find(quote.view)
        if at >= 0:
            return QuoteMatch(Likeness.NORMALISED, *self.view.span(at, at + len(quote.view)))
        if quote.pieces:
            parts = find_in_order(self.view, quote.pieces)
            if parts:
                return QuoteMatch(Likeness.NORMALISED, parts[0][0], parts[-1][1], parts)
        return None

    def find_all(self, quote: Quote) -> list[QuoteMatch]:
        """Returns every place of the best likeness in order, at most `QUOTE_PLACES_MAX`.

        Of a quotation with ellipses only the first place is told.
        """
        first = self.find(quote)
        if first is None or first.parts:
            return [] if first is None else [first]
        if first.likeness is Likeness.EXACT:
            return [
                QuoteMatch(Likeness.EXACT, at, at + len(quote.text))
                for at in islice(_all_places(self.text, quote.text), QUOTE_PLACES_MAX)
            ]
        length = len(quote.view)
        return [
            QuoteMatch(Likeness.NORMALISED, *self.view.span(at, at + length))
            for at in islice(self.view.find_all(quote.view), QUOTE_PLACES_MAX)
        ]


def _all_places(text: str, quote: str) -> Iterator[int]:
    at = text.find(quote)
    while at >= 0:
        yield at
        at = text.find(quote, at + 1)
