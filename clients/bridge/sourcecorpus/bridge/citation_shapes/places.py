"""What every shape is made of: a place in one version, and the text around it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sourcecorpus.corpus.v1.citation_pb2 import Citation

CONTEXT_CODE_POINTS: Final = 32
"""Code points of text before and behind a quotation, as many as in examples of the Web Annotation model."""


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """A citation as shapes need it.

    Attributes:
        ref: Ref of the place.
        start: First code point of the version's normalised text.
        end: Code point behind the last one.
        quote: The text of the span; empty where it was too long to be sent whole.
        title: Title of the source.
        uri: Address to open the original.
        canonical_uri: Key of the source.
        fetched: True fetch time in UTC; None where unknown.
        language: Primary subtag; empty where unknown.
        kind: Kind of the source, such as "page".
        prefix: Text directly before the span.
        suffix: Text directly behind it.
        first_line: First line, from 1.
        last_line: Last line.
    """

    ref: str
    start: int
    end: int
    quote: str
    title: str = ""
    uri: str = ""
    canonical_uri: str = ""
    fetched: datetime | None = None
    language: str = ""
    kind: str = ""
    prefix: str = ""
    suffix: str = ""
    first_line: int = 0
    last_line: int = 0


def cited_place(citation: Citation, text: str = "", text_start: int = 0) -> CitedPlace:
    """Takes a citation of the contract.

    Args:
        citation: A resolved citation.
        text: Text of the version around the span, for prefix and suffix; may be empty.
        text_start: First code point of ``text`` within the version.

    Returns:
        The place. Its quote is empty where the citation's own was cut: half a quotation proves nothing.
    """
    start, end = citation.span.start, citation.span.end
    before, behind = start - text_start, end - text_start
    known = bool(text) and before >= 0
    fetched = citation.fetched_time
    return CitedPlace(
        ref=citation.ref,
        start=start,
        end=end,
        quote="" if citation.quote_cut else citation.quote,
        title=citation.title,
        uri=citation.original_uri,
        canonical_uri=citation.version.canonical_uri,
        fetched=fetched.ToDatetime() if fetched.seconds else None,
        language=citation.version.language,
        kind=citation.version.kind,
        prefix=text[max(0, before - CONTEXT_CODE_POINTS) : before] if known else "",
        suffix=text[behind : behind + CONTEXT_CODE_POINTS] if known else "",
        first_line=citation.lines.first,
        last_line=citation.lines.last,
    )


class ShapeError(ValueError):
    """A shape that cannot be made or read; the message says why and repeats no text of it."""
