"""What an index can say about a literal: a query that every document with the literal matches. Pure.

The index cuts text into chunks, and a long line can be cut anywhere, within the literal too. A literal
is shorter than a chunk, so one cut goes through it at most and destroys one of its tokens; of two
tokens at least one is whole in some chunk of the document.
"""

from __future__ import annotations

from collections.abc import Callable

from corpus_service.domain.queries import Or, Prefix, Query, Term
from corpus_service.search.preparation import Piece, PieceKind, analyse_normalised, normalise

Count = Callable[[Query], int]
"""Number of chunks that match a query."""


def candidate_query(literal: str, count: Count) -> Query | None:
    """Makes the narrowest safe query for a literal.

    Args:
        literal: The folded literal.
        count: Tells common tokens from rare ones.

    Returns:
        A query; None where the index cannot help, such as for a single word, which may stand
        inside a longer one.
    """
    normalised = normalise(literal)
    pieces = analyse_normalised(normalised)
    tokens = list(dict.fromkeys(_safe(piece, normalised) for piece in pieces))
    terms = [Term(token) for token in tokens if token]
    runs = [piece for piece in pieces if piece.kind in (PieceKind.PAIR, PieceKind.LAST)]
    if len(terms) >= 2:
        rarest = sorted(terms, key=count)[:2]
        return Or(tuple(rarest))
    if len(terms) == 1 and len(terms[0].token) == 2 and runs:
        # A cut between the two leaves the first one at the end of a run.
        return Or((terms[0], Term(terms[0].token[0])))
    if not terms and len(pieces) == 1 and pieces[0].kind is PieceKind.PAIR:
        character = pieces[0].token
        return Or((Prefix((character,)), Term(character)))
    return None


def _safe(piece: Piece, normalised: str) -> str:
    """Returns the token where any text around the literal leaves it a token, else ""."""
    if piece.kind is PieceKind.PAIR and piece.end - piece.start == 2:
        return piece.token
    if piece.kind is PieceKind.WORD and piece.start > 0 and piece.end < len(normalised):
        before, after = normalised[piece.start - 1], normalised[piece.end]
        # Punctuation next to a word can change what the index makes of it; a space cannot.
        if before == after == " ":
            return piece.token
    return ""
