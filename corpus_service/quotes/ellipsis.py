"""Quotations that leave something out: their pieces, and places of all of them in one order. Pure."""

from __future__ import annotations

import re
from typing import Final

from corpus_service.quotes.limits import (
    FOLDING_GROWTH_MAX,
    PIECE_CHARACTERS_MIN,
    PIECE_GAP_CODE_POINTS_MAX,
    PIECE_PLACES_MAX,
    QUOTE_PIECES_MAX,
)
from corpus_service.quotes.view import QuoteView

_MARK: Final = r"(?:\[(?:…|\.\.\.)\]|…|\.\.\.)"
_ELLIPSIS: Final = re.compile(rf"{_MARK}(?:\s*{_MARK})*")

Span = tuple[int, int]


def pieces_of(quote: str) -> tuple[str, ...]:
    """Returns the pieces between ellipses, without empty ones; () where there is no ellipsis."""
    if not _ELLIPSIS.search(quote):
        return ()
    return tuple(piece for piece in _ELLIPSIS.split(quote) if piece.strip())


def piece_views(quote: str) -> tuple[str, ...]:
    """Returns the views of the pieces; () where one is too short, or too many, to prove anything."""
    pieces = pieces_of(quote)
    if len(pieces) > QUOTE_PIECES_MAX:
        return ()
    views = [QuoteView(piece.strip()) for piece in pieces]
    if any(view.unfolded_length < PIECE_CHARACTERS_MIN for view in views):
        return ()
    return tuple(view.text.strip(" ") for view in views)


def find_in_order(text: QuoteView, pieces: tuple[str, ...]) -> tuple[Span, ...]:
    """Finds places of all pieces in order, without overlap, none too far behind the one before.

    Every place of a piece is tried, none twice, so that an early piece that stands alone hides
    nothing; after `PIECE_PLACES_MAX` places the search ends without an answer.

    Returns:
        Spans of the text, one for each piece; () where there are none.
    """
    if not pieces or any(text.find(piece) < 0 for piece in pieces):
        return ()
    starts = [0] * len(pieces)
    ends = [len(text.text)] * len(pieces)
    tried: list[set[int]] = [set() for _ in pieces]
    path: list[Span] = []
    for _ in range(PIECE_PLACES_MAX):
        number = len(path)
        piece = pieces[number]
        at = text.find(piece, starts[number], ends[number])
        span = text.span(at, at + len(piece)) if at >= 0 else None
        if span is None or (path and span[0] - path[-1][1] > PIECE_GAP_CODE_POINTS_MAX):
            if not path:
                return ()
            path.pop()
            continue
        starts[number] = at + 1
        if at in tried[number]:
            continue
        tried[number].add(at)
        path.append(span)
        if len(path) == len(pieces):
            return tuple(path)
        starts[number + 1] = at + len(piece)
        ends[number + 1] = (
            at
            + len(piece)
            + FOLDING_GROWTH_MAX * PIECE_GAP_CODE_POINTS_MAX
            + len(pieces[number + 1])
        )
    return ()
