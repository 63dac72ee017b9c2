"""``source-corpus sources`` and ``versions``: what a game holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sourcecorpus.bridge.cli.commands.common import (
    add_game,
    located,
    open_client,
    pages,
    resolve_game,
    whole_number,
)
from sourcecorpus.bridge.cli.output import (
    enum_text,
    message_document,
    print_json,
    print_rows,
    time_text,
)
from sourcecorpus.capture.v1.envelope_pb2 import Completeness
from sourcecorpus.corpus.v1.source_pb2 import Source, Trust, Version
from sourcecorpus.corpus.v1.source_service_pb2 import (
    GetSourceRequest,
    ListSourcesRequest,
    ListVersionsRequest,
    SourceOrder,
)

ORDERS: Final = {
    "newest": "SOURCE_ORDER_UNSPECIFIED",
    "title": "SOURCE_ORDER_TITLE",
    "kind": "SOURCE_ORDER_KIND",
    "trust": "SOURCE_ORDER_TRUST",
    "fetched": "SOURCE_ORDER_FETCHED_TIME",
    "size": "SOURCE_ORDER_SIZE",
    "versions": "SOURCE_ORDER_VERSION_COUNT",
    "observed": "SOURCE_ORDER_OBSERVED_TIME",
}
TRUSTS: Final = ("fetched", "local", "discovery", "synthetic")

if TYPE_CHECKING:
    import argparse

    from sourcecorpus.bridge.client import SourceCorpusClient


def register(name: str, parser: argparse.ArgumentParser) -> None:
    """Register the arguments of one of the two commands."""
    required = None if name == "versions" else "?"
    parser.add_argument(
        "source",
        nargs=required,
        default="",
        metavar="SOURCE",
        help="source id or any spelling of its address",
    )
    add_game(parser)
    parser.add_argument(
        "--limit", type=whole_number, default=0, metavar="N", help="at most so many; 0 means all"
    )
    if name == "sources":
        parser.add_argument("--family", action="append", default=[], help="only this family")
        parser.add_argument("--kind", action="append", default=[], help="only this kind")
        parser.add_argument(
            "--run", dest="run_id", default="", metavar="RUN", help="only what this run brought"
        )
        _add_narrowing(parser)
    parser.set_defaults(run=run_versions if name == "versions" else run_sources)


def _add_narrowing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", action="append", default=[], help="only this host")
    parser.add_argument(
        "--language", action="append", default=[], help="only this language, such as ja"
    )
    parser.add_argument(
        "--type", dest="content_type", action="append", default=[], help="only this media type"
    )
    parser.add_argument(
        "--trust", action="append", default=[], choices=TRUSTS, help="only this kind of witness"
    )
    parser.add_argument(
        "--prefix", dest="uri_prefix", default="", metavar="URI", help="only addresses below this"
    )
    parser.add_argument("--text", default="", help="only where title or address holds this text")
    parser.add_argument(
        "--sort", choices=tuple(ORDERS), default="newest", help="order; newest is the usual one"
    )
    parser.add_argument("--descending", action="store_true", help="greatest first")


def run_sources(options: argparse.Namespace) -> int:
    """List the sources, or show one with its observations."""
    with open_client() as client:
        game_id = resolve_game(client, options.game)
        if options.source:
            return _show_source(client, game_id, options)
        found = pages(
            lambda token: client.sources.ListSources(
                ListSourcesRequest(
                    game_id=game_id,
                    families=options.family,
                    kinds=options.kind,
                    run_id=options.run_id,
                    uri_prefix=options.uri_prefix,
                    hosts=options.host,
                    languages=options.language,
                    content_types=options.content_type,
                    trust=[Trust.Value(f"TRUST_{trust.upper()}") for trust in options.trust],
                    text=options.text,
                    order=SourceOrder.Value(ORDERS[options.sort]),
                    descending=options.descending,
                    page_token=token,
                )
            ),
            "sources",
            options.limit,
        )
        sources = [source for source in found if isinstance(source, Source)]
    if options.json:
        for source in sources:
            print_json(source)
        return 0
    print_rows(
        (
            source.source_id,
            source.family,
            _completeness(source.completeness),
            f"{source.version_count}v",
            time_text(source.last_observed_time),
            source.title or source.canonical_uri,
        )
        for source in sources
    )
    return 0


def run_versions(options: argparse.Namespace) -> int:
    """List the versions of a source, newest first."""
    with open_client() as client:
        game_id = resolve_game(client, options.game)
        found = pages(
            lambda token: client.sources.ListVersions(
                located(
                    ListVersionsRequest(game_id=game_id, page_token=token),
                    source_locator(options.source),
                )
            ),
            "versions",
            options.limit,
        )
        versions = [version for version in found if isinstance(version, Version)]
    if options.json:
        for version in versions:
            print_json(version)
        return 0
    print_rows(
        (
            version.version_id,
            "current" if version.current else "-",
            _completeness(version.completeness),
            f"{version.size_bytes} bytes",
            f"seen {version.observation_count}x",
            time_text(version.fetched_time),
            version.content_hash,
        )
        for version in versions
    )
    return 0


def source_locator(source: str) -> tuple[str, str]:
    """The locator field and its value for a source id or an address."""
    return ("source_id" if source.startswith("src-") else "uri", source)


def _show_source(client: SourceCorpusClient, game_id: str, options: argparse.Namespace) -> int:
    answer = client.sources.GetSource(
        located(GetSourceRequest(game_id=game_id), source_locator(options.source))
    )
    if options.json:
        print_json(message_document(answer))
        return 0
    source = answer.source
    print_rows(
        [
            ("title", source.title or "-"),
            ("address", source.canonical_uri),
            ("family", f"{source.family} / {source.kind}"),
            ("completeness", _completeness(source.completeness)),
            ("current", source.current_version_id or "-"),
            ("versions", str(source.version_count)),
            ("fetched", time_text(source.fetched_time)),
        ]
    )
    print_rows(
        (
            "  " + time_text(observation.observed_time),
            observation.tool_name,
            _completeness(observation.completeness),
            observation.artifact_id or observation.error or "-",
        )
        for observation in answer.observations
    )
    return 0


def _completeness(value: Completeness.ValueType) -> str:
    return enum_text(Completeness.Name(value), "COMPLETENESS_").lower()
