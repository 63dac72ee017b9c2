"""Sections of a document: the lines under a heading, up to the next heading that is not below it.

Headings are those that the text marks itself (Markdown); a chunk begins at each of them, so that the
chunks know where a section begins and ends. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from corpus_service.chunking.structure import TITLE_CHARACTERS_MAX
from corpus_service.domain.documents import HeadedChunk
from corpus_service.search.exact_view import fold_title
from corpus_service.services.failures import not_found
from corpus_service.services.limits import LOCATOR_CANDIDATES_MAX
from sourcecorpus.rpc.failures import Failure, FailureCode

_NOWHERE: Final[tuple[str, ...]] = ()


def section_lines(
    chunks: Sequence[HeadedChunk], headings: Sequence[str], line_count: int, field: str
) -> tuple[int, int]:
    """Returns the first and last line of the one section with these headings.

    Args:
        chunks: Chunks of the document in text order.
        headings: The last headings of the section's path, outermost first: one is enough where it is
            unique. Width, case and white space do not count.
        line_count: Lines of the document.
        field: Field that failures are about.

    Raises:
        Failure: NOT_FOUND SECTION_NOT_FOUND; FAILED_PRECONDITION AMBIGUOUS_LOCATOR with the lines of
            up to `LOCATOR_CANDIDATES_MAX` sections.
    """
    wanted = tuple(fold_title(heading[:TITLE_CHARACTERS_MAX]) for heading in headings)
    found: list[tuple[int, int]] = []
    before = _NOWHERE
    ends = [chunk.first_line for chunk in chunks[1:]] + [line_count + 1]
    for chunk, end in zip(chunks, ends, strict=True):
        named = _named(tuple(map(fold_title, chunk.heading_path)), wanted)
        if named and named == before:
            found[-1] = (found[-1][0], end - 1)
        elif named:
            found.append((chunk.first_line, end - 1))
        before = named
    if not found:
        raise not_found("SECTION_NOT_FOUND", field)
    if len(found) > 1:
        shown = found[:LOCATOR_CANDIDATES_MAX]
        raise Failure(
            FailureCode.FAILED_PRECONDITION,
            "AMBIGUOUS_LOCATOR",
            field,
            metadata={
                "count": str(len(found)),
                "lines": " ".join(f"{first}-{last}" for first, last in shown),
            },
        )
    return found[0]


def lines_below(
    chunks: Sequence[HeadedChunk], names: frozenset[str], line_count: int
) -> list[tuple[int, int]]:
    """Returns the first and last lines of every section whose heading is one of some names.

    Args:
        chunks: Chunks of the document in text order.
        names: Headings, folded by `fold_title`.
        line_count: Lines of the document.
    """
    found: list[tuple[int, int]] = []
    before = _NOWHERE
    ends = [chunk.first_line for chunk in chunks[1:]] + [line_count + 1]
    for chunk, end in zip(chunks, ends, strict=True):
        path = tuple(map(fold_title, chunk.heading_path))
        depth = next((depth for depth, name in enumerate(path, 1) if name in names), 0)
        section = path[:depth]
        if section and section == before:
            found[-1] = (found[-1][0], max(found[-1][1], end - 1))
        elif section:
            found.append((chunk.first_line, max(chunk.first_line, end - 1)))
        before = section
    return found


def _named(path: tuple[str, ...], wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the outermost beginning of a path that ends in the headings, () where none does."""
    for length in range(len(wanted), len(path) + 1):
        if path[length - len(wanted) : length] == wanted:
            return path[:length]
    return _NOWHERE
