"""What a row of an archive must be like in itself; what it refers to is looked at by the store.

Ids are computed again, and every observation is judged by the predicate of `corpus_service.trust`, so
that an archive brings nothing that a capture could not have brought.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import Any, Final

from corpus_service.archives.limits import CONTENT_BYTES_MAX
from corpus_service.domain.currency import GRADE_PART, GRADE_WHOLE
from corpus_service.domain.deletions import DeletionReason
from corpus_service.domain.exports import TABLES, Row
from corpus_service.domain.text_facts import TextFacts
from corpus_service.domain.vocabulary import (
    Completeness,
    Derivation,
    Outcome,
    RunUse,
    SourceRole,
    ToolStatus,
    Trust,
)
from corpus_service.storage.import_faults import row_invalid, row_repeated
from corpus_service.trust import Verdict, judge
from sourcecorpus.identity import content_hash, is_content_hash
from sourcecorpus.identity.identifiers import artifact_id, source_id, version_id
from sourcecorpus.rpc.limits import ENVELOPE_ID_CHARACTERS_MAX, URI_BYTES_MAX

_NO_TEXT: Final = content_hash(b"")
# Numbers of things travel to readers in fields of 32 bits.
_COUNT_MAX: Final = 2**31 - 1
_COUNTS: Final = (
    *("position", "number", "ordinal", "start", "end", "first_line", "token_count"),
    *("text_length", "line_count", "chunk_count", "attempt", "rank", "list_order", "http_status"),
)
_COLUMNS: Final = {table.name: table.column_names for table in TABLES}
Facts = dict[str, Any]


class RowChecks:
    """Checks of the rows of one archive, in order."""

    def __init__(self, game_id: str, sequence: int) -> None:
        """Take the game's id and the number of its newest commit."""
        self._game_id = game_id
        self._sequence = sequence
        self._content = ""
        self._checks: Final[dict[str, Callable[[Facts], bool]]] = {
            "contents": self._is_content,
            "sources": self._is_source,
            "artifacts": self._is_artifact,
            "versions": self._is_version,
            "currents": _is_current,
            "chunks": _is_chunk,
            "envelopes": self._is_envelope,
            "observations": _is_observation,
            "representations": _is_representation,
            "run_links": self._is_link,
            "run_places": self._is_link,
            "tombstones": _is_tombstone,
        }

    def check(self, table: str, row: Row) -> None:
        """Refuse a row that no export has.

        Raises:
            Failure: INVALID_ARGUMENT ``ARCHIVE_ROW_INVALID``; ``ARCHIVE_ROW_REPEATED`` for a content
                that does not come behind the one before it.
        """
        facts = dict(zip(_COLUMNS[table], row, strict=True))
        try:
            fits = _are_bounded(facts) and self._checks[table](facts)
        except (ValueError, TypeError, KeyError, RecursionError):
            # An enum without the value, or JSON that is none.
            fits = False
        if not fits:
            raise row_invalid(table)

    def _is_content(self, row: Facts) -> bool:
        name: str = row["content_hash"]
        if name <= self._content:
            raise row_repeated("contents")
        self._content = name
        return is_content_hash(name) and 0 <= row["size_bytes"] <= CONTENT_BYTES_MAX

    def _is_source(self, row: Facts) -> bool:
        uri: str = row["canonical_uri"]
        return (
            row["source_id"] == source_id(self._game_id, uri)
            and 0 < len(uri.encode()) <= URI_BYTES_MAX
            and bool(row["family"] and row["kind"])
            and Trust(row["trust"]) is not Trust.UNSPECIFIED
        )

    def _is_artifact(self, row: Facts) -> bool:
        Completeness(row["completeness"])
        uri, of_content = row["canonical_uri"], row["content_hash"]
        return (
            row["source_id"] == source_id(self._game_id, uri)
            and row["artifact_id"] == artifact_id(self._game_id, uri, of_content)
            and is_content_hash(of_content)
            and 0 <= row["size_bytes"] <= CONTENT_BYTES_MAX
            and 0 <= row["grade"] <= GRADE_WHOLE
            and Trust(row["trust"]) is not Trust.UNSPECIFIED
            and _is_metadata(row["metadata_json"])
        )

    def _is_version(self, row: Facts) -> bool:
        names = (row["artifact_id"], row["extractor"], row["extractor_version"])
        TextFacts.from_json(row["facts_json"])
        length, chunks = row["text_length"], row["chunk_count"]
        return (
            row["version_id"] == version_id(*names)
            and self._is_commit(row["sequence"])
            and is_content_hash(row["text_hash"])
            and chunks <= length
            and row["line_count"] <= length + 1
            and bool(chunks) == bool(length)
            and (bool(length) or row["text_hash"] == _NO_TEXT)
            and _are_counts(row["repairs_json"])
        )

    def _is_envelope(self, row: Facts) -> bool:
        Outcome(row["outcome"])
        ToolStatus(row["status"])
        return (
            0 < len(row["envelope_id"]) <= ENVELOPE_ID_CHARACTERS_MAX
            and is_content_hash(row["fingerprint"])
            and self._is_commit(row["sequence"])
            and bool(row["tool_name"])
            and (not row["result_hash"] or is_content_hash(row["result_hash"]))
            and _are_counts(row["masks_json"])
        )

    def _is_link(self, row: Facts) -> bool:
        RunUse(row["use"])
        return bool(row["run_id"]) and self._is_commit(row["sequence"])

    def _is_commit(self, sequence: int) -> bool:
        return 1 <= sequence <= self._sequence


def _are_bounded(row: Facts) -> bool:
    return all(0 <= row[name] <= _COUNT_MAX for name in _COUNTS if name in row)


def _is_current(row: Facts) -> bool:
    return GRADE_PART <= int(row["grade"]) <= GRADE_WHOLE


def _is_chunk(row: Facts) -> bool:
    headings = json.loads(row["heading_path"])
    return _are(headings, list, str)


def _is_observation(row: Facts) -> bool:
    Outcome(row["outcome"])
    Derivation(row["derivation"])
    role, completeness = SourceRole(row["role"]), Completeness(row["completeness"])
    window = _parsed(row["window_json"])
    headers = _parsed(row["headers_json"])
    claims = _parsed(row["claims_json"])
    verdict = judge(
        probe=False,
        role=role,
        completeness=completeness,
        http_status=row["http_status"],
        has_content=True,
        unchanged=bool(row["repeats_earlier_content"]),
    )
    return (
        verdict is Verdict.READABLE
        and role is not SourceRole.UNSPECIFIED
        and bool(row["family"] and row["kind"])
        and (window is None or _is_window(window))
        and (
            headers is None or (isinstance(headers, dict) and _are([*headers.values()], list, str))
        )
        and (claims is None or _are_pairs(claims))
        and _is_metadata(row["metadata_json"])
    )


def _is_representation(row: Facts) -> bool:
    return is_content_hash(row["content_hash"]) and bool(row["name"])


def _is_tombstone(row: Facts) -> bool:
    named = bool(row["canonical_uri"] or row["title"])
    return is_content_hash(row["content_hash"]) and (
        not named or DeletionReason(row["reason"]).keeps_names
    )


def _parsed(text: str | None) -> Any:  # noqa: ANN401 - JSON is what it is
    return None if text is None else json.loads(text)


def _is_window(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 4
        and isinstance(value[0], str)
        and _are(value[1:], list, int)
    )


def _are_pairs(value: object) -> bool:
    return isinstance(value, list) and all(
        len(pair) == 2 and _are(pair, list, str) for pair in value
    )


def _are(value: object, kind: type[Collection[object]], of: type) -> bool:
    return isinstance(value, kind) and all(type(item) is of for item in value)


def _are_counts(text: str) -> bool:
    counts = json.loads(text)
    return (
        isinstance(counts, dict)
        and _are([*counts.values()], list, int)
        and all(0 <= count <= _COUNT_MAX for count in counts.values())
    )


def _is_metadata(text: str) -> bool:
    return not text or isinstance(json.loads(text), dict)
