"""What an export of a game holds: tables of facts by public ids, without numbers of any backend.

Every row stands for something that readers may see. Rows of a table come in the order in which they
were stored, so that an import gives the same order of documents. What follows from other rows, such
as counts and first and last times, is not exported but made again.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from corpus_service.domain.games import Game

Value: TypeAlias = str | int | bytes | None
Row: TypeAlias = tuple[Any, ...]
"""Values of the columns of a table, each a `Value` of the column's kind."""
TakeRow: TypeAlias = Callable[[str, Row], None]
"""Takes the next row of a table, by name."""


class Kind(enum.Enum):
    """What a column holds. A flag is 0 or 1; numbers are signed and have 64 bits."""

    TEXT = "text"
    NUMBER = "number"
    FLAG = "flag"
    BYTES = "bytes"


@dataclass(frozen=True, slots=True)
class Column:
    """One fact of a row; ``optional`` columns may be None."""

    name: str
    kind: Kind = Kind.TEXT
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table of an export.

    Attributes:
        name: Name in the archive.
        columns: Facts of each row, in order.
        catalogue: Whether it belongs to an export without contents.
    """

    name: str
    columns: tuple[Column, ...]
    catalogue: bool = False

    @property
    def column_names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(column.name for column in self.columns)


class ExportScope(enum.IntEnum):
    """How much an export holds; values are those of the contract.

    A catalogue says which sources and versions there are and who used them, without their words.
    """

    EVERYTHING = 1
    CATALOGUE = 2


@dataclass(frozen=True, slots=True)
class GameState:
    """A game with the number of its newest commit."""

    game: Game
    sequence: int


_MARKS: Final = {"#": Kind.NUMBER, "!": Kind.FLAG, "*": Kind.BYTES}


def _table(name: str, columns: str, *, catalogue: bool = False) -> Table:
    """Writes a table down: words of text columns, ``#`` numbers, ``!`` flags, ``*`` bytes, ``?`` optional."""
    made = []
    for word in columns.split():
        plain = word.removesuffix("?")
        kind = _MARKS.get(plain[0], Kind.TEXT)
        made.append(Column(plain.lstrip("#!*"), kind, word.endswith("?")))
    return Table(name, tuple(made), catalogue)


CONTENTS: Final = _table("contents", "content_hash #size_bytes content_type")
SOURCES: Final = _table(
    "sources",
    "source_id canonical_uri original_uri family kind title #trust license_hint",
    catalogue=True,
)
ARTIFACTS: Final = _table(
    "artifacts",
    "artifact_id source_id canonical_uri content_hash content_type #size_bytes family kind title"
    " run_id tool_call_id parent_id license_hint metadata_json #completeness #grade #trust"
    " !synthetic extraction_failure failed_extractor failed_extractor_version",
    catalogue=True,
)
VERSIONS: Final = _table(
    "versions",
    "version_id artifact_id extractor extractor_version language #created_time #sequence text_hash"
    " #text_length #line_count #chunk_count title repairs_json facts_json",
    catalogue=True,
)
CURRENTS: Final = _table(
    "currents",
    "source_id artifact_id version_id #grade !time_known #time",
    catalogue=True,
)
CHUNKS: Final = _table(
    "chunks", "version_id #ordinal #start #end #first_line #token_count heading_path text"
)
ENVELOPES: Final = _table(
    "envelopes",
    "envelope_id fingerprint #sequence #committed_time #outcome tool_name capture_session_id"
    " run_id session_id parent_session_id task_id turn_id tool_call_id parent_tool_call_id"
    " #attempt *arguments result_hash result_media_type #status error #started_time?"
    " #finished_time #received_time rule_set_version redaction_key_id masks_json !authenticated"
    " !paywalled robots client_name client_version traceparent",
)
OBSERVATIONS: Final = _table(
    "observations",
    "envelope_id #position source_id artifact_id version_id parent_source_id #outcome #role"
    " #completeness #derivation #fetched_time? !fetch_time_unknown family kind title content_type"
    " requested_uri final_uri !canonicalised locator window_json? #http_status headers_json? error"
    " error_code #rank list_group #list_order claims_json? metadata_json license_hint language"
    " !synthetic !shape_unknown snippet !never_current !also_stub !upstream_masked job_id"
    " !repeats_earlier_content",
)
REPRESENTATIONS: Final = _table(
    "representations", "envelope_id #position #number name media_type content_hash"
)
RUN_LINKS: Final = _table("run_links", "run_id artifact_id #use #sequence", catalogue=True)
RUN_PLACES: Final = _table(
    "run_places", "run_id version_id #start #end #use #sequence", catalogue=True
)
TOMBSTONES: Final = _table(
    "tombstones",
    "version_id source_id canonical_uri title content_hash #fetched_time? #deleted_time #reason"
    " note",
    catalogue=True,
)

TABLES: Final = (
    CONTENTS,
    SOURCES,
    ARTIFACTS,
    VERSIONS,
    CURRENTS,
    CHUNKS,
    ENVELOPES,
    OBSERVATIONS,
    REPRESENTATIONS,
    RUN_LINKS,
    RUN_PLACES,
    TOMBSTONES,
)
"""Every table in the order of the archive: rows refer to rows before them."""


def tables_of(scope: ExportScope) -> tuple[Table, ...]:
    """The tables that an export of a scope has."""
    if scope is ExportScope.CATALOGUE:
        return tuple(table for table in TABLES if table.catalogue)
    return TABLES
