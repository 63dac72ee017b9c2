"""``source-corpus runs`` and ``link``: what runs did with sources, and what may support an answer."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from sourcecorpus.bridge.cli.commands.common import (
    RequestType,
    add_game,
    located,
    open_client,
    pages,
    resolve_game,
)
from sourcecorpus.bridge.cli.faults import CommandError
from sourcecorpus.bridge.cli.output import print_json, print_rows, printable, warn
from sourcecorpus.corpus.v1.presentation_pb2 import (
    ListPresentationRecordsRequest,
    PresentationRecord,
)
from sourcecorpus.corpus.v1.proposals_pb2 import (
    NoProposalReason,
    ProposalGrade,
    ProposeCitationsRequest,
    ProposedSentence,
)
from sourcecorpus.corpus.v1.run_links_pb2 import (
    CitingRun,
    LinkRunSourcesRequest,
    ListCitingRunsRequest,
    ListRunSourcesRequest,
    RunSource,
    RunSourceLink,
    RunUse,
)
from sourcecorpus.rpc.limits import ANSWER_CODE_POINTS_MAX, LINK_SOURCES_MAX

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from google.protobuf.message import Message

    from sourcecorpus.bridge.client import SourceCorpusClient

_USES: Final = {
    "discovered": RunUse.RUN_USE_DISCOVERED,
    "consulted": RunUse.RUN_USE_CONSULTED,
    "cited": RunUse.RUN_USE_CITED,
}


def register(name: str, parser: argparse.ArgumentParser) -> None:
    """Register the arguments of one of the two commands."""
    if name == "link":
        parser.description = (
            "Remember that a run used places. A use only rises. Refs alone are taken, no text."
        )
        parser.add_argument("run_id", metavar="RUN")
        parser.add_argument("use", choices=list(_USES))
        parser.add_argument("refs", nargs="+", metavar="REF", help="ref or version id")
        add_game(parser)
        parser.set_defaults(run=run_link)
        return
    views = parser.add_mutually_exclusive_group(required=True)
    views.add_argument("--sources", metavar="RUN", help="what a run used, with its refs")
    views.add_argument("--records", metavar="RUN", help="the same as a reader is shown it")
    views.add_argument("--citing", metavar="PLACE", help="runs that used a source or a version")
    views.add_argument(
        "--propose",
        metavar="RUN",
        help="passages that may support the answer on standard input; it is not stored",
    )
    add_game(parser)
    parser.add_argument("--use", choices=list(_USES), help="at least this use")
    parser.add_argument(
        "--whole-game", action="store_true", help="with --propose: not the run alone"
    )
    parser.set_defaults(run=run_runs)


def run_link(options: argparse.Namespace) -> int:
    """Link a run; prints the use that holds, or the reason, for every ref."""
    failed = False
    with open_client() as client:
        game_id = resolve_game(client, options.game)
        for first in range(0, len(options.refs), LINK_SOURCES_MAX):
            refs = options.refs[first : first + LINK_SOURCES_MAX]
            links = [RunSourceLink(ref=ref, use=_USES[options.use]) for ref in refs]
            answer = client.citations.LinkRunSources(
                LinkRunSourcesRequest(game_id=game_id, run_id=options.run_id, links=links)
            )
            for ref, result in zip(refs, answer.results, strict=True):
                failed = failed or bool(result.failure_reason)
                if options.json:
                    print_json(result)
                else:
                    print_rows([(ref, result.failure_reason or _use(result.use))])
    return 1 if failed else 0


def run_runs(options: argparse.Namespace) -> int:
    """Show one view of runs."""
    with open_client() as client:
        game_id = resolve_game(client, options.game)
        if options.propose is not None:
            return _propose(client, game_id, options)
        found = list(_listed(client, game_id, options))
    for item in found:
        if options.json:
            print_json(item)
        elif isinstance(item, CitingRun):
            print_rows([(_use(item.use), item.run_id)])
        elif isinstance(item, RunSource):
            print_rows([(_use(item.use), item.version_id or "-", item.title or item.canonical_uri)])
            for ref in item.refs:
                print(f"   {_use(ref.use)}  {ref.ref}")
        elif isinstance(item, PresentationRecord):
            print_rows(
                [(_use(item.state), item.ref or "-", item.title or "-", item.safe_url or "-")]
            )
    return 0


def _listed(client: SourceCorpusClient, game_id: str, options: argparse.Namespace) -> list[Message]:
    least = _USES[options.use] if options.use else RunUse.RUN_USE_UNSPECIFIED
    if options.sources is not None:
        request = ListRunSourcesRequest(game_id=game_id, run_id=options.sources, least_use=least)
        return list(pages(_paged(client.citations.ListRunSources, request), "sources", 0))
    if options.records is not None:
        records = ListPresentationRecordsRequest(game_id=game_id, run_id=options.records)
        return list(
            pages(_paged(client.discoveries.ListPresentationRecords, records), "records", 0)
        )
    field = "source_id" if options.citing.startswith("src-") else "version_id"
    citing = located(
        ListCitingRunsRequest(game_id=game_id, least_use=least), (field, options.citing)
    )
    return list(pages(_paged(client.sources.ListCitingRuns, citing), "runs", 0))


def _paged(
    call: Callable[[RequestType], Message], request: RequestType
) -> Callable[[str], Message]:
    """The same request for one page after another."""

    def page(token: str) -> Message:
        return call(located(request, ("page_token", token)))

    return page


def _propose(client: SourceCorpusClient, game_id: str, options: argparse.Namespace) -> int:
    text = sys.stdin.read(ANSWER_CODE_POINTS_MAX + 1)
    if len(text) > ANSWER_CODE_POINTS_MAX:
        raise CommandError(f"the answer is longer than {ANSWER_CODE_POINTS_MAX:,} characters")
    answer = client.citations.ProposeCitations(
        ProposeCitationsRequest(
            game_id=game_id,
            run_id=options.propose,
            answer_text=text,
            whole_game=options.whole_game,
        )
    )
    for sentence in answer.sentences:
        if options.json:
            print_json(sentence)
        else:
            _print_sentence(text, sentence)
    if answer.sentences_cut:
        warn("the answer has more sentences than were compared")
    return 0


def _print_sentence(text: str, sentence: ProposedSentence) -> None:
    print(printable(text[sentence.span.start : sentence.span.end]))
    if not sentence.proposals:
        reason = NoProposalReason.Name(sentence.none_reason)
        print(f"   none: {reason.removeprefix('NO_PROPOSAL_REASON_').lower()}")
    for proposal in sentence.proposals:
        grade = ProposalGrade.Name(proposal.grade).removeprefix("PROPOSAL_GRADE_").lower()
        numbers = ", numbers differ" if proposal.numbers_differ else ""
        print(f"   maybe ({grade} {proposal.share:.0%}{numbers}): {proposal.citation.ref}")
        print(f"      {printable(proposal.citation.quote)}")


def _use(use: RunUse.ValueType) -> str:
    return RunUse.Name(use).removeprefix("RUN_USE_").lower()
