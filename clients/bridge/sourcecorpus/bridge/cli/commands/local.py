"""``source-corpus canonical-uri`` and ``redact``: need no service."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sourcecorpus.bridge.cli.output import print_json

if TYPE_CHECKING:
    import argparse


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
        'Without options: a filter, JSON lines {"text": …} in, {"text": …} out, same order. --explain shows what fired '
        "and where, never the value; --check does so for files and exits with 1 when something fired."
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

    redactor = command.redactor_from_environment(os.environ)
    if options.check:
        rows = command.check_files(options.check, redactor)
    elif options.explain:
        rows = command.explain(sys.stdin.buffer.read(), redactor)
    else:
        command.filter_lines(sys.stdin.buffer, sys.stdout.buffer, redactor)
        return 0
    fired = 0
    for row in rows:
        fired += 1
        if options.json:
            print_json(row.document())
        else:
            print(row.line_text())
    return 1 if options.check and fired else 0
