"""``source-corpus capture``: sends captured tool results from files."""

from __future__ import annotations

import sys
import uuid
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from sourcecorpus.bridge.capture_stream import stream_envelopes
from sourcecorpus.bridge.cli.commands.common import open_client
from sourcecorpus.bridge.cli.output import enum_text, print_json, printable, warn
from sourcecorpus.bridge.envelope_files import read_envelopes
from sourcecorpus.capture.v1.outcome_pb2 import CaptureOutcome, EnvelopeOutcome

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from sourcecorpus.capture.v1.envelope_pb2 import Envelope

_REFUSED = frozenset(
    {
        CaptureOutcome.CAPTURE_OUTCOME_NO_GAME,
        CaptureOutcome.CAPTURE_OUTCOME_UNKNOWN_GAME,
        CaptureOutcome.CAPTURE_OUTCOME_OVER_QUOTA,
        CaptureOutcome.CAPTURE_OUTCOME_PAUSED,
        CaptureOutcome.CAPTURE_OUTCOME_QUARANTINED,
        CaptureOutcome.CAPTURE_OUTCOME_REJECTED,
    }
)


def register(_name: str, parser: argparse.ArgumentParser) -> None:
    """Register the arguments."""
    parser.description = (
        "Send captures: envelopes as proto JSON (one object, an array, or JSON Lines), or recorded "
        "Hermes hook events. Exits with 1 when a capture was refused."
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--game", default="", metavar="ID", help="game of envelopes that name none")
    parser.add_argument(
        "--session", default="", metavar="ID", help="capture session (fresh if absent)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Send the files and print one line for each envelope."""
    session = options.session or f"cli-{uuid.uuid4().hex}"
    refused = 0
    counts: Counter[str] = Counter()
    with open_client() as client:
        envelopes = with_game(_all_envelopes(options.files), options.game)
        outcomes = stream_envelopes(client.captures, envelopes, capture_session_id=session)
        for outcome in with_progress(outcomes, quiet=options.json):
            refused += outcome.outcome in _REFUSED
            counts[outcome_name(outcome.outcome)] += 1
            _print_outcome(outcome, as_json=options.json)
    if not options.json:
        warn(
            ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "nothing sent"
        )
    return 1 if refused else 0


def with_game(envelopes: Iterable[Envelope], game_id: str) -> Iterator[Envelope]:
    """Name the game in every envelope that names none."""
    for envelope in envelopes:
        if game_id and not envelope.head.game_id:
            envelope.head.game_id = game_id
        yield envelope


def with_progress(outcomes: Iterator[EnvelopeOutcome], *, quiet: bool) -> Iterable[EnvelopeOutcome]:
    """Show a progress bar on a terminal where the library for it is installed."""
    if quiet or not sys.stderr.isatty():
        return outcomes
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        return outcomes
    progress: Iterable[EnvelopeOutcome] = tqdm(outcomes, unit=" captures", leave=False)
    return progress


def outcome_name(outcome: CaptureOutcome.ValueType) -> str:
    """The outcome's name without the prefix that the contract's style asks for."""
    return enum_text(CaptureOutcome.Name(outcome), "CAPTURE_OUTCOME_")


def _all_envelopes(files: list[Path]) -> Iterator[Envelope]:
    for file in files:
        yield from read_envelopes(file)


def _print_outcome(outcome: EnvelopeOutcome, *, as_json: bool) -> None:
    if as_json:
        print_json(outcome)
        return
    reason = f" {outcome.reason} {outcome.field}".rstrip()
    masks = sum(outcome.masks.values())
    masked = f", {masks} masked" if masks else ""
    print(
        f"{outcome_name(outcome.outcome)}{reason}  {printable(outcome.envelope_id)}"
        f"  {outcome.source_count} sources{masked}"
    )
    for source in outcome.sources:
        print(f"    {outcome_name(source.outcome):14}  {printable(source.canonical_uri)}")
