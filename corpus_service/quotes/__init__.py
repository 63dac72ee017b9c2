"""Whether a stored text holds a quotation: verdict, spans, and the nearest passage. Pure."""

from __future__ import annotations

from corpus_service.quotes.ellipsis import pieces_of
from corpus_service.quotes.nearest import NearPassage, find_nearest
from corpus_service.quotes.verdicts import Likeness, Quote, QuotedText, QuoteMatch

__all__ = [
    "Likeness",
    "NearPassage",
    "Quote",
    "QuoteMatch",
    "QuotedText",
    "find_nearest",
    "pieces_of",
]
