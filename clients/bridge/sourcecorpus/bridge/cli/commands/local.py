"""``source-corpus canonical-uri`` and ``redact``: need no service."""

from __future__ import annotations

import dataclasses
import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sourcecorpus.bridge.cli.output import print_json

if TYPE_CHECKING:
    import argparse

    from capture_service.redaction import Redactor
    from capture_service.redaction.command import Explanation


def register(name: str, parser: argparse.ArgumentParser) -> None:
    """Register the arguments of one of the two commands."""
    if name == "canonical-uri":
        parser.description = (
            "Show the canonical form of addresses, one a line; it is a key, not a link."
        )
        parser.add_argument("uris", nargs="+", metavar="URL")
        parser.set_defaults(run=run_canonical_uri)
        return
    parser.description = (
        'Without options: a filter, JSON lines {"text": …} in, {"text": …} out, same order; a line that is something '
        "else or that is refused gives an empty text. --explain reads plain text and shows what fired and where, never "
        "the value; --check does so for files and exits with 1 when something fired."
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--explain", action="store_true", help="read text, list what fired and where")
    mode.add_argument("--check", nargs="+", type=Path, metavar="FILE", help="try files of your own")
    parser.set_defaults(run=run_redact)


def run_canonical_uri(options: argparse.Namespace) -> int:
    """Print canonical forms."""
    from sourcecorpus.identity import canonicalise

    for uri in options.uris:
        canonical = canonicalise(uri)
        if options.json:
            print_json(
                {
                    "uri": uri,
                    "canonical_uri": canonical.value,
                    "canonicalised": canonical.canonicalised,
                    "locator": canonical.locator,
                    "removed_parameters": list(canonical.removed_parameters),
                }
            )
        else:
            print(canonical.value)
    return 0


def run_redact(options: argparse.Namespace) -> int:
    """Run the redactor as a filter, or say what it would do."""
    from capture_service.redaction import command

    redactor = command.build_redactor()
    if options.check:
        return _check_files(options, redactor)
    if options.explain:
        for place in command.explain(sys.stdin.buffer.read(), redactor):
            _print_place(place, options, "")
        return 0
    # The filter speaks UTF-8 whatever the locale says.
    output = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="\n")
    command.filter_lines(sys.stdin.buffer, output, redactor)
    output.detach()
    return 0


def _check_files(options: argparse.Namespace, redactor: Redactor) -> int:
    """Say what would be masked in files; 1 where something would, or where a file was refused."""
    from capture_service.redaction import command

    fired = False
    for checked in command.check_files(options.check, redactor):
        fired = fired or bool(checked.explanations or checked.reason)
        if checked.reason and options.json:
            print_json({"file": str(checked.path), "reason": checked.reason})
        elif checked.reason:
            print(f"{checked.path}: {checked.reason}")
        for place in checked.explanations:
            _print_place(place, options, str(checked.path))
    return 1 if fired else 0


def _print_place(place: Explanation, options: argparse.Namespace, file: str) -> None:
    if options.json:
        facts = dataclasses.asdict(place)
        print_json({"file": file, **facts} if file else facts)
        return
    where = f"{file}:{place.line}:{place.column}" if file else f"{place.line}:{place.column}"
    print(f"{where}: {place.rule}")
