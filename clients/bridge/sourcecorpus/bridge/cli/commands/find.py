"""``source-corpus find``: finds exact text, every line of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from sourcecorpus.bridge.cli.commands.common import (
    add_game,
    open_client,
    resolve_game,
    whole_number,
)
from sourcecorpus.bridge.cli.output import message_document, print_json, printable, warn
from sourcecorpus.corpus.v1.search_service_pb2 import (
    FindTextRequest,
    FindTextResponse,
    FoundDocument,
    FoundLine,
    FoundLineRole,
    MatchMode,
    SearchFilter,
    VersionScope,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator


def register(_name: str, parser: argparse.ArgumentParser) -> None:
    """Register the arguments."""
    parser.description = (
        "Find every line that holds a text, in the order in which documents were stored. Case, width and runs of"
        " spaces make no difference. Ends only when everything was looked at, so that nothing means nothing."
    )
    parser.add_argument(
        "query", nargs="*", metavar="TEXT", help="may be left out where something else is asked for"
    )
    add_game(parser)
    parser.add_argument("--regex", action="store_true", help="the text is an RE2 expression")
    parser.add_argument(
        "--near", action="append", default=[], metavar="TEXT", help="also within three lines"
    )
    parser.add_argument("--speaker", action="append", default=[], help='lines "NAME: …" only')
    parser.add_argument(
        "--section",
        action="append",
        default=[],
        metavar="HEADING",
        help="only lines below this heading; without TEXT the whole section",
    )
    parser.add_argument("--family", action="append", default=[], help="only this family")
    parser.add_argument("--kind", action="append", default=[], help="only this kind")
    parser.add_argument("--host", action="append", default=[], help="only this host")
    parser.add_argument("--title", action="append", default=[], help="only with this whole title")
    parser.add_argument(
        "--collection", action="append", default=[], help="only pages of this job: its id or title"
    )
    parser.add_argument("--language", action="append", default=[], help="only this language")
    parser.add_argument(
        "--all-versions", action="store_true", help="look at superseded versions too"
    )
    parser.add_argument(
        "--limit",
        type=whole_number,
        default=0,
        metavar="N",
        help="stop after N documents; 0 means all",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print every match; exit 0 with none as well, because zero is an answer."""
    documents = 0
    with open_client() as client:
        request = _request(options, resolve_game(client, options.game))
        while True:
            answer: FindTextResponse = client.search.FindText(request)
            for document in answer.documents:
                _print_document(document, as_json=options.json)
            documents += len(answer.documents)
            if answer.exhausted:
                break
            if options.limit and documents >= options.limit:
                warn("there may be more: not everything was looked at")
                return 0
            request.page_token = answer.next_page_token
    if not documents:
        warn("nothing found; everything was looked at")
    return 0


def _request(options: argparse.Namespace, game_id: str) -> FindTextRequest:
    scope = (
        VersionScope.VERSION_SCOPE_ALL
        if options.all_versions
        else VersionScope.VERSION_SCOPE_LATEST
    )
    return FindTextRequest(
        game_id=game_id,
        query=" ".join(options.query),
        match_mode=MatchMode.MATCH_MODE_REGEX if options.regex else MatchMode.MATCH_MODE_LITERAL,
        context_terms=options.near,
        speakers=options.speaker,
        sections=options.section,
        filter=SearchFilter(
            families=options.family,
            kinds=options.kind,
            hosts=options.host,
            languages=options.language,
            titles=options.title,
            collections=options.collection,
            version_scope=scope,
        ),
        page_size=options.limit,
    )


def _print_document(document: FoundDocument, *, as_json: bool) -> None:
    if as_json:
        print_json(message_document(document))
        return
    version = document.version
    print(printable(version.title or version.canonical_uri))
    print(f"   {printable(version.canonical_uri)}")
    for passage in document.passages:
        for line in passage.lines:
            print(f"{_mark(line)}{line.number:>6}  {''.join(_marked(line))}")
        print(f"   cite: {passage.ref}")


def _mark(line: FoundLine) -> str:
    return " > " if line.role == FoundLineRole.FOUND_LINE_ROLE_MATCH else "   "


def _marked(line: FoundLine) -> Iterator[str]:
    """The line with its matches in bold on a terminal."""
    bold, plain = ("\x1b[1m", "\x1b[0m") if sys.stdout.isatty() else ("", "")
    position = 0
    for span in line.matches:
        start, end = span.start - line.offset, span.end - line.offset
        if start < position or end > len(line.text):
            continue
        yield printable(line.text[position:start])
        yield bold + printable(line.text[start:end]) + plain
        position = end
    yield printable(line.text[position:])
