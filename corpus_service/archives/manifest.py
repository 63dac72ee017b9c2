"""The manifest of an archive: whose game it is, and what every entry must be."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from corpus_service.archives.limits import (
    COMMITS_MAX,
    CONTENTS_BYTES_MAX,
    ROWS_MAX,
    TABLE_BYTES_MAX,
)
from corpus_service.domain.exports import ExportScope, GameState, tables_of
from corpus_service.domain.games import Game
from sourcecorpus.identity import is_content_hash
from sourcecorpus.rpc.failures import Failure, FailureCode

FORMAT: Final = "source-corpus-export"
FORMAT_VERSION: Final = 1
MANIFEST_NAME: Final = "manifest.json"


@dataclass(frozen=True, slots=True)
class TableEntry:
    """What the file of a table must be: rows, bytes, hash of the bytes."""

    name: str
    rows: int
    size_bytes: int
    hash: str

    @property
    def path(self) -> str:
        """Name of the entry."""
        return f"tables/{self.name}.jsonl"


@dataclass(frozen=True, slots=True)
class Manifest:
    """Everything that an archive says about itself, before its first row.

    Attributes:
        state: The game and its newest commit.
        scope: What the archive holds.
        tables: Its tables, in order.
        content_count: Raw contents behind the tables.
        content_bytes: Their bytes together.
    """

    state: GameState
    scope: ExportScope
    tables: tuple[TableEntry, ...]
    content_count: int
    content_bytes: int

    def encode(self) -> bytes:
        """Returns the manifest as JSON, in exactly one form."""
        game = self.state.game
        document = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "scope": self.scope.name.lower(),
            "game": {
                "game_id": game.game_id,
                "title": game.title,
                "aliases": list(game.aliases),
                "paused": game.paused,
                "created_time": game.created_time,
                "sequence": self.state.sequence,
            },
            "tables": [
                {
                    "name": entry.name,
                    "rows": entry.rows,
                    "size_bytes": entry.size_bytes,
                    "hash": entry.hash,
                }
                for entry in self.tables
            ],
            "contents": {"count": self.content_count, "size_bytes": self.content_bytes},
        }
        return json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"


def read_manifest(data: bytes) -> Manifest:
    """Returns what a manifest says.

    Raises:
        Failure: INVALID_ARGUMENT ``ARCHIVE_UNREADABLE``, ``ARCHIVE_VERSION_UNKNOWN``;
            RESOURCE_EXHAUSTED ``ARCHIVE_TOO_LARGE`` where it announces more than there may be.
    """
    try:
        document = json.loads(data)
        if document["format"] != FORMAT:
            raise unreadable(MANIFEST_NAME)
        version = document["format_version"]
        if version != FORMAT_VERSION:
            raise Failure(
                FailureCode.INVALID_ARGUMENT,
                "ARCHIVE_VERSION_UNKNOWN",
                metadata={"known": str(FORMAT_VERSION)},
            )
        manifest = _manifest(document)
        if manifest.encode() != data:
            raise unreadable(MANIFEST_NAME)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise unreadable(MANIFEST_NAME) from None
    _check(manifest)
    return manifest


def _manifest(document: dict[str, Any]) -> Manifest:
    game = document["game"]
    tables = tuple(
        TableEntry(entry["name"], entry["rows"], entry["size_bytes"], entry["hash"])
        for entry in document["tables"]
    )
    return Manifest(
        GameState(
            Game(
                str(game["game_id"]),
                str(game["title"]),
                tuple(str(alias) for alias in game["aliases"]),
                bool(game["paused"]),
                int(game["created_time"]),
            ),
            int(game["sequence"]),
        ),
        ExportScope[document["scope"].upper()],
        tables,
        int(document["contents"]["count"]),
        int(document["contents"]["size_bytes"]),
    )


def _check(manifest: Manifest) -> None:
    names = tuple(table.name for table in tables_of(manifest.scope))
    if tuple(entry.name for entry in manifest.tables) != names:
        raise unreadable(MANIFEST_NAME)
    within(manifest.state.sequence, COMMITS_MAX, MANIFEST_NAME)
    if not 0 <= manifest.state.game.created_time < 2**63:
        raise unreadable(MANIFEST_NAME)
    for entry in manifest.tables:
        within(entry.rows, ROWS_MAX, entry.path)
        within(entry.size_bytes, TABLE_BYTES_MAX, entry.path)
        if not is_content_hash(entry.hash):
            raise unreadable(MANIFEST_NAME)
    within(manifest.content_count, ROWS_MAX, "contents")
    within(manifest.content_bytes, CONTENTS_BYTES_MAX, "contents")


def within(value: object, limit: int, entry: str) -> None:
    """Refuses what is no number of things or above its limit.

    Raises:
        Failure: See `read_manifest`.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise unreadable(MANIFEST_NAME)
    if value > limit:
        raise Failure(
            FailureCode.RESOURCE_EXHAUSTED,
            "ARCHIVE_TOO_LARGE",
            metadata={"entry": entry, "limit": str(limit)},
        )


def unreadable(entry: str) -> Failure:
    """The answer to what is no archive of an export; ``entry`` is a name of the format."""
    return Failure(FailureCode.INVALID_ARGUMENT, "ARCHIVE_UNREADABLE", metadata={"entry": entry})
