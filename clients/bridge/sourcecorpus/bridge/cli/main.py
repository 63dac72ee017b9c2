"""Entry point of ``source-corpus``: parses arguments, runs one command, turns failures into one line.

Nothing heavy is imported here, so that ``--help`` answers at once; each command imports what it needs.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

EXIT_OK: Final = 0
EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
EXIT_UNREACHABLE: Final = 3
EXIT_INTERRUPTED: Final = 130


@dataclass(frozen=True, slots=True)
class CommandModule:
    """Where a command lives and what it is for."""

    name: str
    module: str
    summary: str


COMMANDS: Final = (
    CommandModule("up", "services", "start both services; Ctrl-C drains both"),
    CommandModule("health", "services", "ask both services whether they serve"),
    CommandModule(
        "config", "services", "list every setting: its value, its place in the file, its meaning"
    ),
    CommandModule("demo", "demo", "load the sample game and walk from a search to a proven quote"),
    CommandModule("capture", "capture", "send captured tool results from files"),
    CommandModule("games", "games", "list, make, pause and resume games"),
    CommandModule("export", "transfer", "write a game into one file"),
    CommandModule("import", "transfer", "make a game out of a file that export wrote"),
    CommandModule("search", "search", "search passages"),
    CommandModule("suggest", "suggest", "suggest words that a game has for what was typed"),
    CommandModule("find", "find", "find exact text, every line of it"),
    CommandModule("sources", "sources", "list the sources of a game, or show one"),
    CommandModule("versions", "sources", "list the versions of a source"),
    CommandModule("diff", "differences", "say what differs between two versions"),
    CommandModule("read", "reading", "read exact lines of a version"),
    CommandModule("raw", "reading", "write the stored bytes of a version to standard output"),
    CommandModule("delete", "deletion", "delete a source, or withdraw one version of it"),
    CommandModule(
        "refresh", "refresh", "ask Hermes to capture sources again, or list what came of it"
    ),
    CommandModule("cite", "reading", "open citation refs: the exact stored version or an error"),
    CommandModule("verify", "verify", "say whether stored versions hold quotations"),
    CommandModule(
        "command", "game_commands", "answer game commands: JSON lines in, JSON lines out"
    ),
    CommandModule(
        "runs", "runs", "show what runs used, which runs cite a source, propose citations"
    ),
    CommandModule("link", "runs", "remember that a run used places: refs, never text"),
    CommandModule("hermes", "hermes", "install the plugin into Hermes, or check the whole chain"),
    CommandModule("sidecar", "hermes", "run the sidecar of Hermes in the foreground"),
    CommandModule("status", "hermes", "show what the sidecar keeps, and what was lost and why"),
    CommandModule("canonical-uri", "local", "show the canonical form of addresses"),
    CommandModule("redact", "local", "redact text: filter, check files, or explain"),
)


def build_parser(wanted: str | None = None) -> argparse.ArgumentParser:
    """Build the parser.

    Args:
        wanted: Name of the one command whose arguments are needed; None registers those of all.
    """
    parser = argparse.ArgumentParser(
        prog="source-corpus",
        description="Keeps what each tool really returned: redacted, versioned, searchable, citable.",
        epilog="Exit codes: 0 done, 1 failed, 2 wrong usage, 3 a service cannot be reached.",
    )
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        subparser = subparsers.add_parser(
            command.name, help=command.summary, description=command.summary
        )
        subparser.add_argument("--json", action="store_true", help="print JSON, one value per line")
        if wanted in (None, command.name):
            module = importlib.import_module(f"sourcecorpus.bridge.cli.commands.{command.module}")
            module.register(command.name, subparser)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    wanted = next((word for word in words if not word.startswith("-")), "")
    options = build_parser(wanted).parse_args(words)
    from sourcecorpus.bridge.cli.faults import CommandError, report_fault

    if sys.stdout is None:
        return report_fault(CommandError("standard output is closed"), as_json=options.json)
    _prepare_streams()
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader has gone, as in ``| head``; a second flush at exit must not complain either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_OK
    except Exception as error:  # noqa: BLE001 - the outermost edge turns every fault into one line
        return report_fault(error, as_json=options.json)
    return code


def _prepare_streams() -> None:
    """Take a closed standard input for an empty one; show what the terminal's encoding lacks as an escape."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123 - open until the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
