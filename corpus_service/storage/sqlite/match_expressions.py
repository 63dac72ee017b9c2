"""Writes a query tree as an FTS5 expression. Tokens are quoted, so none of them is syntax."""

from __future__ import annotations

from corpus_service.domain.queries import And, Not, Or, Phrase, Prefix, Query, Term


def match_expression(query: Query) -> str:
    """Return the expression (https://www.sqlite.org/fts5.html#full_text_query_syntax).

    Raises:
        ValueError: A leaf without tokens, or a token that no index holds: the caller made the tree
            wrongly.
    """
    if isinstance(query, Term):
        return _string((query.token,))
    if isinstance(query, Phrase):
        return _string(query.tokens)
    if isinstance(query, Prefix):
        return _string(query.tokens) + " *"
    if isinstance(query, Not):
        return f"({match_expression(query.wanted)} NOT {match_expression(query.unwanted)})"
    operator = " AND " if isinstance(query, And) else " OR "
    if not query.parts:
        raise ValueError("a query node has no parts")
    return f"({operator.join(match_expression(part) for part in query.parts)})"


def leaves_of(query: Query) -> list[Term | Phrase | Prefix]:
    """Return the positive leaves, which give the score, in the order of the expression."""
    if isinstance(query, (And, Or)):
        return [leaf for part in query.parts for leaf in leaves_of(part)]
    if isinstance(query, Not):
        return leaves_of(query.wanted)
    return [query]


def _string(tokens: tuple[str, ...]) -> str:
    if not tokens or not all(tokens) or any("\0" in token for token in tokens):
        raise ValueError("a leaf holds a token that no index has")
    return '"' + " ".join(tokens).replace('"', '""') + '"'
