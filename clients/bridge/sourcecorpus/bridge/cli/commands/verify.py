"""``source-corpus verify``: whether stored versions hold quotations."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Final

from sourcecorpus.bridge.cli.commands.common import add_game, open_client, resolve_game
from sourcecorpus.bridge.cli.commands.reading import failure_text
from sourcecorpus.bridge.cli.faults import CommandError
from sourcecorpus.bridge.cli.output import message_document, print_json, printable, warn
from sourcecorpus.corpus.v1.quotes_pb2 import (
    QuoteResult,
    QuoteScope,
    QuoteToVerify,
    QuoteVerdict,
    VerifyQuotesRequest,
)
from sourcecorpus.rpc.limits import MESSAGE_BYTES_MAX, VERIFY_QUOTES_MAX

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

_SCOPES: Final = {
    "game": QuoteScope.QUOTE_SCOPE_GAME,
    "run": QuoteScope.QUOTE_SCOPE_RUN,
    "source": QuoteScope.QUOTE_SCOPE_SOURCE,
    "version": QuoteScope.QUOTE_SCOPE_VERSION,
}
_HELD: Final = (QuoteVerdict.QUOTE_VERDICT_EXACT, QuoteVerdict.QUOTE_VERDICT_NORMALISED)


def register(_name: str, parser: argparse.ArgumentParser) -> None:
    """Register the arguments."""
    parser.description = (
        "Say whether a stored version holds a quotation: EXACT, NORMALISED (white space, quotation marks, case),"
        " ELSEWHERE (another version holds it) or ABSENT. Exits with 1 unless the version holds every one."
    )
    parser.add_argument(
        "place", metavar="PLACE", help='ref or version id, or "-" for lines of JSON'
    )
    parser.add_argument(
        "quotes",
        nargs="*",
        metavar="QUOTE",
        help='with "-": none; standard input has a line {"ref": …, "quote": …} for each',
    )
    add_game(parser)
    parser.add_argument(
        "--scope", choices=sorted(_SCOPES), default="game", help="where else to look"
    )
    parser.add_argument("--run", dest="run_id", default="", help="run, with --scope run")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print a verdict for every quotation."""
    quotes = list(_from_lines() if options.place == "-" else _from_arguments(options))
    held = True
    with open_client() as client:
        game_id = resolve_game(client, options.game)
        for first in range(0, len(quotes), VERIFY_QUOTES_MAX):
            some = quotes[first : first + VERIFY_QUOTES_MAX]
            answer = client.citations.VerifyQuotes(
                VerifyQuotesRequest(
                    game_id=game_id,
                    quotes=some,
                    scope=_SCOPES[options.scope],
                    run_id=options.run_id,
                )
            )
            for quote, result in zip(some, answer.results, strict=True):
                if options.json:
                    print_json(message_document(result))
                else:
                    _print_result(quote, result)
                held = held and result.verification.verdict in _HELD
    return 0 if held else 1


def _from_arguments(options: argparse.Namespace) -> Iterator[QuoteToVerify]:
    if not options.quotes:
        raise CommandError("no quotation given")
    for quote in options.quotes:
        yield _quote(options.place, quote)


def _from_lines() -> Iterator[QuoteToVerify]:
    for number, line in enumerate(sys.stdin.read(MESSAGE_BYTES_MAX).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
            yield _quote(str(fields["ref"]), str(fields["quote"]))
        except (ValueError, KeyError, TypeError):
            raise CommandError(f'line {number} is not {{"ref": …, "quote": …}}') from None


def _quote(place: str, quote: str) -> QuoteToVerify:
    if place.startswith("ver-"):
        return QuoteToVerify(quote=quote, version_id=place)
    return QuoteToVerify(quote=quote, ref=place)


def _print_result(quote: QuoteToVerify, result: QuoteResult) -> None:
    place = printable(quote.ref or quote.version_id)
    if result.HasField("failure"):
        warn(f"{place}: {failure_text(result.failure)}")
        return
    found = result.verification
    print(QuoteVerdict.Name(found.verdict).removeprefix("QUOTE_VERDICT_") + f"  {place}")
    if found.HasField("citation"):
        citation = found.citation
        state = "superseded" if citation.superseded else "current"
        print(f"   cite: {citation.ref}  ({', '.join((state, *citation.cautions))})")
        print(f"   {printable(citation.title)}  {printable(citation.original_uri)}")
    if found.outside_ref:
        print("   not within the span of the ref")
    if found.HasField("nearest"):
        print(f"   nearest: {printable(' '.join(found.nearest.text.split()))}")
        print(f"      {found.nearest.ref}, {found.nearest.similarity:.0%} alike")
    if found.scope_cut:
        print("   not everything was looked at")
