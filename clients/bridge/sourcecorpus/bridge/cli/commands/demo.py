"""``source-corpus demo``: from a captured tool result to a proven quote, on the running services."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING, Final

from sourcecorpus.bridge.cli.commands.capture import outcome_name
from sourcecorpus.bridge.cli.commands.common import open_client
from sourcecorpus.bridge.cli.faults import CommandError
from sourcecorpus.bridge.cli.output import message_document, print_json, printable
from sourcecorpus.bridge.sample import SAMPLE_GAME, load_sample
from sourcecorpus.corpus.v1.citation_service_pb2 import ResolveCitationsRequest
from sourcecorpus.corpus.v1.search_service_pb2 import SearchFilter, SearchRequest, SearchResponse
from sourcecorpus.corpus.v1.source_service_pb2 import ListVersionsRequest

if TYPE_CHECKING:
    import argparse

    from sourcecorpus.bridge.client import SourceCorpusClient

QUERY: Final = "cold iron"
SEARCHABLE_SECONDS_MAX: Final = 20.0
_POLL_SECONDS: Final = 0.1


def register(_name: str, parser: argparse.ArgumentParser) -> None:
    """Register the arguments."""
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Load the sample, search it, list the versions of the best hit, open its citation."""
    with open_client() as client:
        counts = Counter(outcome_name(outcome.outcome) for outcome in load_sample(client))
        answer = _search_when_delivered(client)
        hit = answer.hits[0]
        versions = client.sources.ListVersions(
            ListVersionsRequest(game_id=SAMPLE_GAME, source_id=hit.source_id)
        ).versions
        citation = client.citations.ResolveCitations(
            ResolveCitationsRequest(game_id=SAMPLE_GAME, refs=[hit.ref])
        ).results[0]
    if options.json:
        print_json(
            {
                "captures": dict(counts),
                "hit": message_document(hit),
                "versions": [message_document(version) for version in versions],
                "citation": message_document(citation),
            }
        )
        return 0
    print("1. captures:  " + ", ".join(f"{count} {name}" for name, count in sorted(counts.items())))
    print(f"2. search:    {QUERY!r} finds {printable(hit.title)} ({printable(hit.canonical_uri)})")
    print(f"3. versions:  {len(versions)} stored, this hit is in {hit.version_id}")
    print(f"4. citation:  {hit.ref}")
    print(f"              {citation.citation.quote_hash}")
    for line in citation.citation.quote.strip().split("\n")[:3]:
        print(f"              | {printable(line)}")
    return 0


def _search_when_delivered(client: SourceCorpusClient) -> SearchResponse:
    """Search until the outbox has been delivered; an acknowledgement means durable, not yet searchable."""
    # Pages rather than lists of pages: the demonstration ends at a statement of a source.
    pages = SearchFilter(families=["gtc_page"])
    request = SearchRequest(game_id=SAMPLE_GAME, query=QUERY, filter=pages)
    pause = threading.Event()
    for _ in range(int(SEARCHABLE_SECONDS_MAX / _POLL_SECONDS)):
        answer = client.search.Search(request)
        if answer.hits:
            return answer
        pause.wait(_POLL_SECONDS)
    raise CommandError("the sample did not become searchable; see: source-corpus health")
