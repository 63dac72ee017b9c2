"""``source-corpus search``: searches passages of a game."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from sourcecorpus.bridge.cli.commands.common import (
    open_client,
    resolve_game,
    whole_number,
)
from sourcecorpus.bridge.cli.output import (
    enum_text,
    message_document,
    print_json,
    printable,
    time_text,
    warn,
)
from sourcecorpus.corpus.v1.search_service_pb2 import (
    FacetCounts,
    FacetField,
    SearchFilter,
    SearchHit,
    SearchRequest,
    SearchResponse,
    VersionScope,
)

if TYPE_CHECKING:
    import argparse

_FACETS = (
    FacetField.FACET_FIELD_FAMILY,
    FacetField.FACET_FIELD_HOST,
    FacetField.FACET_FIELD_KIND,
    FacetField.FACET_FIELD_LANGUAGE,
)


def register(_name: str, parser: argparse.ArgumentParser) -> None:
    """Register the arguments."""
    parser.description = (
        'Search passages. Words are words; "…" is a phrase, a trailing * a prefix, a leading - excludes.'
        " Write -- before a query that begins with -."
    )
    parser.add_argument("query", nargs="+", metavar="WORD")
    parser.add_argument(
        "--game",
        metavar="ID",
        action="append",
        default=[],
        help="game id or alias; may be left out if there is one, and given for each of several",
    )
    parser.add_argument("--family", action="append", default=[], help="only this family")
    parser.add_argument("--kind", action="append", default=[], help="only this kind")
    parser.add_argument("--host", action="append", default=[], help="only this host")
    parser.add_argument("--title", action="append", default=[], help="only with this whole title")
    parser.add_argument(
        "--collection", action="append", default=[], help="only pages of this job: its id or title"
    )
    parser.add_argument(
        "--section", action="append", default=[], help="only below a heading with this whole title"
    )
    parser.add_argument(
        "--speaker", action="append", default=[], help='only passages with a line "NAME: …"'
    )
    parser.add_argument("--language", action="append", default=[], help="only this language")
    parser.add_argument(
        "--all-versions", action="store_true", help="search superseded versions too"
    )
    parser.add_argument(
        "--limit", type=whole_number, default=0, metavar="N", help="hits a page, at most 100"
    )
    parser.add_argument(
        "--facets", action="store_true", help="count documents by family, host, kind and language"
    )
    parser.add_argument("--page-token", default="", metavar="TOKEN", help="goes on behind a page")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Search and print the hits; exit 0 with no hits as well, because zero is an answer."""
    scope = (
        VersionScope.VERSION_SCOPE_ALL
        if options.all_versions
        else VersionScope.VERSION_SCOPE_LATEST
    )
    with open_client() as client:
        games = [resolve_game(client, game) for game in options.game or [""]]
        answer = client.search.Search(
            SearchRequest(
                game_id="" if len(games) > 1 else games[0],
                game_ids=games if len(games) > 1 else (),
                query=" ".join(options.query),
                filter=SearchFilter(
                    families=options.family,
                    kinds=options.kind,
                    hosts=options.host,
                    titles=options.title,
                    collections=options.collection,
                    languages=options.language,
                    version_scope=scope,
                ),
                page_size=options.limit,
                page_token=options.page_token,
                sections=options.section,
                speakers=options.speaker,
                facets=_FACETS if options.facets else (),
            )
        )
    if options.json:
        print_json(message_document(answer))
    else:
        _print_answer(answer, name_games=len(games) > 1)
    return 0


def _print_answer(answer: SearchResponse, *, name_games: bool) -> None:
    for number, hit in enumerate(answer.hits, start=1):
        _print_hit(number, hit)
        if name_games:
            print(f"   game: {hit.game_id}")
    if answer.HasField("facet_counts"):
        _print_counts(answer.facet_counts)
    explanation = answer.explanation
    if not answer.hits:
        warn(f"nothing found {explanation.empty_reason}".rstrip())
    if explanation.suggested_query:
        warn(f"did you mean: {printable(explanation.suggested_query)}")
    if explanation.relaxed:
        warn("no passage holds every word; these hold most of them")
    if explanation.excluded:
        warn("left out passages with: " + " ".join(explanation.excluded))
    if answer.next_page_token:
        warn(f"more: --page-token {answer.next_page_token}")


def _print_counts(counts: FacetCounts) -> None:
    print(f"documents: {'at least ' if counts.at_least else ''}{counts.documents}")
    for facet in counts.facets:
        shown = [f"{printable(one.value) or '-'} {one.documents}" for one in facet.values]
        if facet.other_documents:
            shown.append(f"others {facet.other_documents}")
        name = enum_text(FacetField.Name(facet.field), "FACET_FIELD_").lower()
        print(f"   {name}: {', '.join(shown) or '-'}")


def _print_hit(number: int, hit: SearchHit) -> None:
    place = " › ".join(hit.heading_path)
    print(
        f"{number}. {printable(hit.title or hit.canonical_uri)}"
        + (f"  [{printable(place)}]" if place else "")
    )
    print(f"   {printable(hit.canonical_uri)}  fetched {time_text(hit.fetched_time)}")
    print(f"   {_marked(hit)}")
    if hit.missing_terms:
        print(f"   without: {printable(' '.join(hit.missing_terms))}")
    print(f"   cite: {hit.ref}")


def _marked(hit: SearchHit) -> str:
    """The snippet on one line; the query's words stand in bold on a terminal."""
    bold, plain = ("\x1b[1m", "\x1b[0m") if sys.stdout.isatty() else ("", "")
    pieces: list[str] = []
    position = 0
    for span in hit.highlights:
        pieces.append(_one_line(hit.snippet[position : span.start]))
        pieces.append(bold + _one_line(hit.snippet[span.start : span.end]) + plain)
        position = span.end
    pieces.append(_one_line(hit.snippet[position:]))
    return "".join(pieces)


def _one_line(text: str) -> str:
    return printable(text.replace("\n", " "))
