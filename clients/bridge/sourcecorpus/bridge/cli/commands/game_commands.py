"""``source-corpus command``: game commands as JSON lines in, answers as JSON lines out."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sourcecorpus.bridge.cli.commands.common import open_client
from sourcecorpus.bridge.game_commands.checking import COMMAND_BYTES_MAX

if TYPE_CHECKING:
    import argparse


def register(_name: str, parser: argparse.ArgumentParser) -> None:
    """Register the arguments."""
    parser.add_argument(
        "--export-folder",
        type=Path,
        default=None,
        metavar="FOLDER",
        help="where corpus_export may write; without it exports are refused",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Answer each line of standard input; a line that is no command is answered as such."""
    from sourcecorpus.bridge.game_commands import GameCommands

    with open_client() as client:
        commands = GameCommands(client, options.export_folder)
        while line := sys.stdin.buffer.readline(COMMAND_BYTES_MAX + 1):
            whole = line.endswith(b"\n") or len(line) <= COMMAND_BYTES_MAX
            document = _document(line) if whole else None
            if not whole:
                _skip_rest()
            answer = commands.handle(document)
            print(json.dumps(answer, ensure_ascii=False), flush=True)
    return 0


def _document(line: bytes) -> object:
    """The JSON value of a line; None, which is no command, where it is none."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _skip_rest() -> None:
    while (rest := sys.stdin.buffer.readline(COMMAND_BYTES_MAX)) and not rest.endswith(b"\n"):
        pass
