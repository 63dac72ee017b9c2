"""``source-corpus export`` and ``import``: whole games as files."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sourcecorpus.bridge.archive_files import Progress, send_archive, write_archive
from sourcecorpus.bridge.cli.commands.common import open_client, resolve_game
from sourcecorpus.bridge.cli.faults import CommandError
from sourcecorpus.bridge.cli.output import message_document, print_json
from sourcecorpus.corpus.v1.transfer_pb2 import ExportScope

if TYPE_CHECKING:
    import argparse


def register(name: str, parser: argparse.ArgumentParser) -> None:
    """Register the arguments."""
    if name == "export":
        parser.description = (
            "Write everything of a game that can be read into one file, which import takes. The file "
            "appears when it is whole."
        )
        parser.add_argument("game", metavar="GAME", help="game id or alias")
        parser.add_argument("file", type=Path, metavar="FILE", help="a file that is not there yet")
        parser.add_argument(
            "--catalogue",
            action="store_true",
            help="names, licenses and uses alone, without texts and bytes; cannot be imported",
        )
        parser.set_defaults(run=run_export)
        return
    parser.description = (
        "Make a game out of a file that export wrote: all of it or nothing. Citation refs stay what "
        "they are."
    )
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument(
        "--game", metavar="ID", default="", help="refuse a file of a game with another id"
    )
    parser.set_defaults(run=run_import)


def run_export(options: argparse.Namespace) -> int:
    """Write a game to a file."""
    if options.file.exists():
        raise CommandError(f"{options.file} is there already")
    scope = (
        ExportScope.EXPORT_SCOPE_CATALOGUE
        if options.catalogue
        else ExportScope.EXPORT_SCOPE_EVERYTHING
    )
    with open_client() as client, _bar(options.json) as progress:
        game_id = resolve_game(client, options.game)
        written = write_archive(client, game_id, options.file, scope, progress)
    head = written.head
    if options.json:
        facts = {"size_bytes": written.size_bytes, "content_hash": written.content_hash}
        print_json(message_document(head) | facts)
    else:
        print(
            f"{head.game.game_id}: {head.source_count} sources, {head.version_count} versions, "
            f"{head.content_count} contents, {written.size_bytes} bytes, {written.content_hash}"
        )
    return 0


def run_import(options: argparse.Namespace) -> int:
    """Make a game out of a file."""
    with open_client() as client, _bar(options.json) as progress:
        imported = send_archive(client, options.file, options.game, progress)
    if options.json:
        print_json(imported)
    else:
        print(
            f"{imported.game.game_id}: {imported.source_count} sources, "
            f"{imported.version_count} versions, {imported.content_count} contents"
        )
    return 0


@contextmanager
def _bar(quiet: bool) -> Iterator[Progress | None]:
    """Show a progress bar on a terminal where the library for it is installed."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        yield None
        return
    with tqdm(unit="B", unit_scale=True, unit_divisor=1024, leave=False) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show
