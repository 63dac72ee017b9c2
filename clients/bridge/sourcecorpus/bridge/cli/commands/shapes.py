"""Citations in other programs' shapes, for ``source-corpus cite --format``."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from sourcecorpus.bridge.citation_shapes import (
    anthropic,
    csl,
    footnotes,
    text_fragments,
    web_annotation,
)
from sourcecorpus.bridge.citation_shapes.places import (
    CONTEXT_CODE_POINTS,
    CitedPlace,
    ShapeError,
    cited_place,
)
from sourcecorpus.bridge.cli.faults import CommandError
from sourcecorpus.corpus.v1.source_service_pb2 import ReadDocumentRequest

if TYPE_CHECKING:
    from sourcecorpus.bridge.client import SourceCorpusClient
    from sourcecorpus.corpus.v1.citation_pb2 import Citation

_Maker = Callable[[CitedPlace, int], Any]
MAKERS: Final[dict[str, _Maker]] = {
    "anthropic": anthropic.char_location,
    "w3c": lambda place, _: web_annotation.annotation(place),
    "csl": lambda place, _: csl.csl_item(place),
    "text-fragment": lambda place, _: text_fragments.text_fragment_link(place),
    "markdown": lambda place, number: footnotes.footnotes([place], number + 1),
}
# As many lines before the cited ones are read, to have the words before a quotation.
_LINES_BEFORE: Final = 3
_AROUND_CODE_POINTS_MAX: Final = 40_000


def print_shapes(client: SourceCorpusClient, citations: Sequence[Citation], shape: str) -> None:
    """Print each citation in a shape: one JSON value, link or footnote a line.

    Raises:
        CommandError: A citation has no such shape.
    """
    for number, citation in enumerate(citations):
        try:
            made = MAKERS[shape](_place(client, citation), number)
        except ShapeError as error:
            raise CommandError(f"{citation.ref}: {error}") from None
        print(made if isinstance(made, str) else json.dumps(made, ensure_ascii=False))


def _place(client: SourceCorpusClient, citation: Citation) -> CitedPlace:
    """The place with the text around it, read from the same version."""
    first = max(1, citation.lines.first - _LINES_BEFORE)
    answer = client.sources.ReadDocument(
        ReadDocumentRequest(
            game_id=citation.game_id,
            version_id=citation.version_id,
            first_line=first,
            max_lines=citation.lines.last - first + 1 + _LINES_BEFORE,
            max_chars=_AROUND_CODE_POINTS_MAX,
        )
    )
    if not answer.lines:
        return cited_place(citation)
    start = answer.lines[0].offset
    text = ""
    for line in answer.lines:
        text += "\n" * (line.offset - start - len(text)) + line.text
    if len(text) < citation.span.end - start + CONTEXT_CODE_POINTS and answer.HasField(
        "continuation"
    ):
        # The cited lines are longer than what was read: without the whole there is nothing around it.
        return cited_place(citation)
    return cited_place(citation, text, start)
