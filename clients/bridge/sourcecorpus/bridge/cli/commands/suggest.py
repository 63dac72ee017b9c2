"""``source-corpus suggest``: suggests words that a game has for what was typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcecorpus.bridge.cli.commands.common import (
    add_game,
    open_client,
    resolve_game,
    whole_number,
)
from sourcecorpus.bridge.cli.output import (
    enum_text,
    message_document,
    print_json,
    print_rows,
    warn,
)
from sourcecorpus.corpus.v1.suggestions_pb2 import (
    Suggestion,
    SuggestionKind,
    SuggestTermsRequest,
)

if TYPE_CHECKING:
    import argparse


def register(_name: str, parser: argparse.ArgumentParser) -> None:
    """Register the arguments."""
    parser.description = "Suggest words that a game has: completions of the last word, corrections of mistyped words."
    parser.add_argument("text", nargs="+", metavar="WORD")
    add_game(parser)
    parser.add_argument(
        "--limit", type=whole_number, default=0, metavar="N", help="suggestions, at most 20"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the suggestions; exit 0 with none as well, because none is an answer."""
    with open_client() as client:
        answer = client.search.SuggestTerms(
            SuggestTermsRequest(
                game_id=resolve_game(client, options.game),
                text=" ".join(options.text),
                suggestions_max=options.limit,
            )
        )
    if options.json:
        print_json(message_document(answer))
        return 0
    print_rows(_row(suggestion) for suggestion in answer.suggestions)
    if not answer.suggestions:
        warn("nothing to suggest")
    return 0


def _row(suggestion: Suggestion) -> tuple[str, str, str]:
    kind = enum_text(SuggestionKind.Name(suggestion.kind), "SUGGESTION_KIND_").lower()
    number = f"{suggestion.documents}{'+' if suggestion.at_least else ''}"
    return kind, f"{number} documents", suggestion.text
