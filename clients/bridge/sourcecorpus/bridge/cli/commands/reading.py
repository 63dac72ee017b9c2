"""``source-corpus read``, ``raw`` and ``cite``: exact lines, exact bytes, exact citations."""

from __future__ import annotations

import hashlib
import sys
from typing import TYPE_CHECKING

from sourcecorpus.bridge.cli.commands.common import (
    add_game,
    located,
    open_client,
    resolve_game,
    whole_number,
)
from sourcecorpus.bridge.cli.faults import CommandError
from sourcecorpus.bridge.cli.output import message_document, print_json, printable, time_text, warn
from sourcecorpus.corpus.v1.citation_service_pb2 import (
    CitationFailure,
    ResolveCitationsRequest,
    ResolvedCitation,
)
from sourcecorpus.corpus.v1.deletion_pb2 import DeletionReason
from sourcecorpus.corpus.v1.quotes_pb2 import QuoteFailure
from sourcecorpus.corpus.v1.source_service_pb2 import (
    ReadDocumentRequest,
    ReadDocumentResponse,
    ReadRawContentRequest,
)

if TYPE_CHECKING:
    import argparse


def register(name: str, parser: argparse.ArgumentParser) -> None:
    """Register the arguments of one of the three commands."""
    add_game(parser)
    if name == "cite":
        parser.add_argument("refs", nargs="+", metavar="REF", help="ref, such as v-…#120-180")
        parser.add_argument(
            "--format",
            dest="shape",
            choices=("anthropic", "w3c", "csl", "text-fragment", "markdown"),
            default="",
            help="print citations in a shape of other programs",
        )
        parser.set_defaults(run=run_cite)
        return
    if name == "read":
        parser.add_argument(
            "document",
            metavar="DOCUMENT",
            help="version id, source id, ref, or any spelling of an address",
        )
        parser.add_argument(
            "--by",
            choices=("title", "collection"),
            default="",
            help="take DOCUMENT for a title; or for a job whose pages are read one behind another",
        )
        parser.add_argument(
            "--section",
            action="append",
            default=[],
            metavar="HEADING",
            help="only the lines under this heading; again for a heading below it",
        )
        parser.add_argument("--from", dest="first", type=whole_number, default=0, metavar="LINE")
        parser.add_argument(
            "--lines", type=whole_number, default=0, metavar="N", help="at most so many lines"
        )
        parser.add_argument("--numbers", action="store_true", help="print line numbers")
        parser.set_defaults(run=run_read)
        return
    parser.description = (
        "Write stored bytes to standard output, exactly, after their hash was verified. "
        "With --json: the facts alone."
    )
    parser.add_argument(
        "content", metavar="CONTENT", help="version id, artifact id, sha256:… hash, or envelope id"
    )
    parser.set_defaults(run=run_raw)


def run_read(options: argparse.Namespace) -> int:
    """Print lines; says on standard error how to go on."""
    with open_client() as client:
        request = ReadDocumentRequest(
            game_id=resolve_game(client, options.game),
            first_line=options.first,
            max_lines=options.lines,
        )
        if options.section:
            request.in_section.headings.extend(options.section)
        by_name = (options.by, options.document)
        located(request, by_name if options.by else _document_locator(options.document))
        answer = client.sources.ReadDocument(request)
    if options.json:
        print_json(message_document(answer))
        return 0
    for line in answer.lines:
        number = f"{line.number:6}  " if options.numbers else ""
        print(number + printable(line.text.replace("\t", "    ")))
    warn(f"version {answer.version.version_id}, cite: {answer.ref}")
    if answer.HasField("continuation"):
        warn(f"more: {_going_on(answer)}")
    return 0


def _going_on(answer: ReadDocumentResponse) -> str:
    """Arguments of the command that reads on."""
    following = answer.continuation
    if following.version_id != answer.version.version_id:
        return following.version_id
    return f"--from {following.first_line or following.range.first}"


def run_raw(options: argparse.Namespace) -> int:
    """Write bytes, and check their hash once more on this side."""
    digest = hashlib.sha256()
    last = None
    with open_client() as client:
        request = located(
            ReadRawContentRequest(game_id=resolve_game(client, options.game)),
            _content_locator(options.content),
        )
        for part in client.sources.ReadRawContent(request):
            digest.update(part.data)
            if not options.json:
                sys.stdout.buffer.write(part.data)
            last = part
    if last is None or last.content_hash != f"sha256:{digest.hexdigest()}":
        raise CommandError("the bytes that arrived do not have the hash that was promised")
    if options.json:
        print_json(
            {
                "content_hash": last.content_hash,
                "size_bytes": str(last.size_bytes),
                "content_type": last.content_type,
            }
        )
    sys.stdout.buffer.flush()
    return 0


def run_cite(options: argparse.Namespace) -> int:
    """Open refs; exits with 1 when one of them does not resolve."""
    with open_client() as client:
        answer = client.citations.ResolveCitations(
            ResolveCitationsRequest(game_id=resolve_game(client, options.game), refs=options.refs)
        )
        if options.shape:
            from sourcecorpus.bridge.cli.commands.shapes import print_shapes

            found = [result.citation for result in answer.results if result.HasField("citation")]
            print_shapes(client, found, options.shape)
    for result in answer.results:
        if options.shape and result.HasField("citation"):
            continue
        if options.json:
            print_json(message_document(result))
        else:
            _print_citation(result)
    return 1 if any(result.HasField("failure") for result in answer.results) else 0


def failure_text(failure: CitationFailure | QuoteFailure) -> str:
    """Why there is no citation; of a deleted version when, why and what it was."""
    if not failure.HasField("tombstone"):
        return failure.reason
    tombstone = failure.tombstone
    why = DeletionReason.Name(tombstone.reason).removeprefix("DELETION_REASON_").lower()
    told = [f"{time_text(tombstone.deleted_time)}: {why}", tombstone.note]
    told += [tombstone.title, tombstone.canonical_uri]
    return f"{failure.reason} " + ", ".join(printable(text) for text in told if text)


def _print_citation(result: ResolvedCitation) -> None:
    if result.HasField("failure"):
        warn(f"{printable(result.ref)}: {failure_text(result.failure)}")
        return
    citation = result.citation
    state = "superseded" if citation.superseded else "current"
    print(f"{citation.ref}  ({state})")
    print(f"  {printable(citation.title)}  {printable(citation.original_uri)}")
    print(
        f"  fetched {time_text(citation.fetched_time)}, lines {citation.lines.first}-{citation.lines.last}"
    )
    print(f"  quote {citation.quote_hash}")
    for line in citation.quote.split("\n"):
        print(f"  | {printable(line)}")


def _document_locator(document: str) -> tuple[str, str]:
    by_prefix = {"ver-": "version_id", "src-": "source_id", "v-": "citation"}
    return (_field_by_prefix(document, by_prefix, "canonical_uri"), document)


def _content_locator(content: str) -> tuple[str, str]:
    by_prefix = {"ver-": "version_id", "art-": "artifact_id", "sha256:": "content_hash"}
    return (_field_by_prefix(content, by_prefix, "envelope_id"), content)


def _field_by_prefix(name: str, by_prefix: dict[str, str], otherwise: str) -> str:
    matching = (field for prefix, field in by_prefix.items() if name.startswith(prefix))
    return next(matching, otherwise)
