"""Reads the text of versions: exact spans and lines out of the chunks that hold them."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, Final

import apsw

from corpus_service.domain.lines import cut_lines
from corpus_service.domain.sources import LineSlice, Passage, SpanText
from corpus_service.limits import CHUNKS_SCANNED_MAX
from corpus_service.storage.sqlite.proven_texts import prove, proven_rows
from corpus_service.storage.sqlite.rows import all_rows
from sourcecorpus.rpc.failures import Failure, FailureCode

_PASSAGE: Final = (
    "id, version_id, ordinal, span_start, span_end, first_line, heading_path, text, token_count"
)


def read_span(connection: apsw.Connection, version_id: str, start: int, end: int) -> str:
    """See `TextReader.read_span`."""
    row, chunk_count, text_length, _ = _version(connection, version_id)
    if not 0 <= start <= end <= text_length:
        raise Failure(FailureCode.INVALID_ARGUMENT, "SPAN_OUT_OF_RANGE", "span")
    if start == end:
        return ""
    first, last = row, row + chunk_count - 1
    low = _chunk_at(connection, "span_start", start, first, last)
    high = _chunk_at(connection, "span_start", end - 1, low, last)
    rows = all_rows(
        connection,
        "SELECT span_start, text FROM readable_chunks WHERE id BETWEEN ? AND ? ORDER BY id",
        (low, high),
    )
    if len(rows) != high - low + 1:
        raise Failure(FailureCode.DATA_LOSS, "STORE_DAMAGED")
    base = rows[0][0]
    return "".join(row[1] for row in rows)[start - base : end - base]


def read_lines(
    connection: apsw.Connection,
    version_id: str,
    *,
    first_line: int,
    first_line_offset: int,
    max_lines: int,
    max_characters: int,
) -> LineSlice:
    """See `TextReader.read_lines`."""
    row, chunk_count, text_length, line_count = _version(connection, version_id)
    if not 1 <= first_line <= max(1, line_count):
        raise Failure(FailureCode.INVALID_ARGUMENT, "SPAN_OUT_OF_RANGE", "first_line")
    last = row + chunk_count - 1
    start = _line_start(connection, row, last, first_line) + first_line_offset
    if start > text_length:
        raise Failure(FailureCode.INVALID_ARGUMENT, "SPAN_OUT_OF_RANGE", "first_line_offset")
    # One code point more than is shown tells whether the last line goes on.
    window = read_span(
        connection, version_id, start, min(text_length, start + max_characters + max_lines + 1)
    )
    proven = proven_rows(connection)
    if chunk_count:
        # A blank text has no chunks: nothing is stored which could be proven.
        prove(connection, row, chunk_count, text_length, proven)
    lines = cut_lines(
        window,
        start=start,
        first_line=first_line,
        first_line_offset=first_line_offset,
        reaches_end=start + len(window) == text_length,
        max_lines=max_lines,
        max_characters=max_characters,
    )
    return replace(lines, proven=row in proven)


def line_numbers(
    connection: apsw.Connection, version_id: str, start: int, end: int
) -> tuple[int, int]:
    """See `TextReader.line_numbers`."""
    row, chunk_count, text_length, _ = _version(connection, version_id)
    if not 0 <= start <= end <= text_length:
        raise Failure(FailureCode.INVALID_ARGUMENT, "SPAN_OUT_OF_RANGE", "span")
    last = row + chunk_count - 1
    first = _line_at(connection, row, last, start)
    return first, first if end <= start + 1 else _line_at(connection, row, last, end - 1)


def read_spans(
    connection: apsw.Connection, spans: Collection[tuple[str, int, int]]
) -> dict[tuple[str, int, int], SpanText]:
    """See `TextReader.read_spans`."""
    found: dict[tuple[str, int, int], SpanText] = {}
    versions: dict[str, tuple[int, int, int, int] | None] = {}
    for version_id, _, _ in spans:
        if version_id not in versions:
            versions[version_id] = _find_version(connection, version_id)
    proven = proven_rows(connection)
    for version in filter(None, versions.values()):
        prove(connection, *version[:3], proven)
    for version_id, start, end in spans:
        asked = versions[version_id]
        if asked is not None and 0 <= start <= end <= asked[2]:
            found[version_id, start, end] = _span_text(connection, asked, start, end)
    return found


def _span_text(
    connection: apsw.Connection, version: tuple[int, int, int, int], start: int, end: int
) -> SpanText:
    """Return a span with its lines, out of the chunks that it crosses."""
    row, chunk_count, _, _ = version
    last = row + chunk_count - 1
    if start == end:
        line = _line_at(connection, row, last, start)
        return SpanText("", line, line)
    if chunk_count > CHUNKS_SCANNED_MAX:
        row = _chunk_at(connection, "span_start", start, row, last)
        last = _chunk_at(connection, "span_start", end - 1, row, last)
    rows = all_rows(
        connection,
        "SELECT span_start, first_line, text FROM readable_chunks"
        " WHERE id BETWEEN ? AND ? AND span_start < ? AND span_end > ? ORDER BY id",
        (row, last, end, start),
    )
    if not rows:
        raise Failure(FailureCode.DATA_LOSS, "STORE_DAMAGED")
    base, first_line, _ = rows[0]
    text = rows[0][2] if len(rows) == 1 else "".join(chunk[2] for chunk in rows)
    start, end = start - base, end - base
    if end > len(text):
        raise Failure(FailureCode.DATA_LOSS, "STORE_DAMAGED")
    first = first_line + text.count("\n", 0, start)
    return SpanText(text[start:end], first, first + text.count("\n", start, end - 1))


def list_chunks(
    connection: apsw.Connection, version_id: str, *, after_ordinal: int, limit: int
) -> Sequence[Passage]:
    """See `TextReader.list_chunks`."""
    row, chunk_count, _, _ = _version(connection, version_id)
    rows = all_rows(
        connection,
        f"SELECT {_PASSAGE} FROM readable_chunks"  # noqa: S608 - constants alone
        " WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?",
        (row + after_ordinal + 1, row + chunk_count - 1, limit),
    )
    return [passage_of(found) for found in rows]


def passage_of(row: tuple[Any, ...]) -> Passage:
    """Make a passage of a row of readable_chunks."""
    headings: list[str] = json.loads(row[6]) if row[6] != "[]" else []
    return Passage(
        row[0],
        row[1],
        row[2],
        row[3],
        row[4],
        row[5],
        tuple(headings),
        row[7],
        row[8],
    )


def _version(connection: apsw.Connection, version_id: str) -> tuple[int, int, int, int]:
    found = _find_version(connection, version_id)
    if found is None:
        raise Failure(FailureCode.NOT_FOUND, "VERSION_NOT_FOUND", "version_id")
    return found


def _find_version(connection: apsw.Connection, version_id: str) -> tuple[int, int, int, int] | None:
    found: tuple[int, int, int, int] | None = connection.execute(
        "SELECT row, chunk_count, text_length, line_count FROM passage_versions WHERE id = ?",
        (version_id,),
    ).fetchone()
    return found


def _chunk_at(connection: apsw.Connection, column: str, value: int, first: int, last: int) -> int:
    """Return the last chunk whose column is not above a value; both grow with the number.

    A binary search over the primary key: a text of 64 MB has some 70,000 chunks, 17 look-ups.
    """
    if last - first < CHUNKS_SCANNED_MAX:
        near = connection.execute(
            f"SELECT max(id) FROM readable_chunks"  # noqa: S608 - our own names
            f" WHERE id BETWEEN ? AND ? AND {column} <= ?",
            (first, last, value),
        ).get
        if near is None:
            raise Failure(FailureCode.DATA_LOSS, "STORE_DAMAGED")
        return int(near)
    while first < last:
        middle = (first + last + 1) // 2
        found = connection.execute(
            f"SELECT {column} FROM readable_chunks WHERE id = ?",  # noqa: S608 - our own names
            (middle,),
        ).get
        if found is None:
            raise Failure(FailureCode.DATA_LOSS, "STORE_DAMAGED")
        if found <= value:
            first = middle
        else:
            last = middle - 1
    return first


def _line_start(connection: apsw.Connection, first: int, last: int, line: int) -> int:
    """Return the code point at which a line begins."""
    if line == 1:
        return 0
    # The line begins behind the (line - 1)-th line feed, in the last chunk that begins in an
    # earlier line.
    chunk = _chunk_at(connection, "first_line", line - 1, first, last)
    start, first_line, text = _chunk(connection, chunk)
    position = -1
    for _ in range(line - first_line):
        position = text.index("\n", position + 1)
    return start + position + 1


def _line_at(connection: apsw.Connection, first: int, last: int, position: int) -> int:
    """Return the line that a code point stands in."""
    if last < first:
        return 1
    chunk = _chunk_at(connection, "span_start", position, first, last)
    start, first_line, text = _chunk(connection, chunk)
    return first_line + text.count("\n", 0, position - start)


def _chunk(connection: apsw.Connection, number: int) -> tuple[int, int, str]:
    """Return start, first line and text of a chunk that has to be there."""
    found = connection.execute(
        "SELECT span_start, first_line, text FROM readable_chunks WHERE id = ?", (number,)
    ).fetchone()
    if found is None:
        raise Failure(FailureCode.DATA_LOSS, "STORE_DAMAGED")
    return found[0], found[1], found[2]
