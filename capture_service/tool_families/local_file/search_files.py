"""Searching files: matching lines of files, or a list of files. Never a file's whole content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from capture_service.domain.envelope import Completeness, Derivation
from capture_service.domain.sources import JsonValue, SourceDraft, SourceRole, Window
from capture_service.tool_families.call import ToolCall, UnknownShapeError
from capture_service.tool_families.context import AdaptContext
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.failures import failure
from capture_service.tool_families.local_file.kinds import file_kind, text_media_type
from capture_service.tool_families.local_file.read_file import FAMILY, file_stub, title_of
from capture_service.tool_families.personal_paths import aliased, aliased_arguments
from capture_service.tool_families.values import integer_field, objects, text_field, texts, utf8

_OPERATION: Final = "search_files"
_MATCH: Final = re.compile(r"  ([0-9]{1,9})([:-]) ?(.*)", re.DOTALL)
_BETWEEN_RUNS: Final = "\n\n"


@dataclass(frozen=True, slots=True)
class FileMatches:
    """Matching lines of one file: line numbers, and the lines."""

    path: str
    numbers: list[int]
    lines: list[str]


def add_search_files(collector: DraftCollector, call: ToolCall, context: AdaptContext) -> None:
    """Adds a windowed document for each file with matches, or a stub for each file found.

    Raises:
        UnknownShapeError: the result is of no known shape.
    """
    value = call.body.value
    if isinstance(value, str) and call.body.wrapped:
        paths = [line.strip() for line in value.splitlines() if line.strip()]
        value = {"files": [path for path in paths if "/" in path or "\\" in path]}
    if isinstance(value, str):
        value = {"error": value.strip() or call.envelope.error or "the result is empty"}
    if not isinstance(value, dict):
        raise UnknownShapeError
    error = text_field(value, "error")
    matches = value.get("matches_text") or _matches_text(value.get("matches"))
    files = value.get("files")
    if error:
        _add_search(collector, call, context, aliased(error, context.path_aliases))
    elif matches and isinstance(matches, str):
        _add_matches(collector, call, context, value, matches)
    elif isinstance(files, list):
        for rank, path in enumerate(texts(files), 1):
            collector.add(file_stub(context.path_aliases.to_uri(path), context, rank=rank))
    elif integer_field(value, "total_count") != 0:
        raise UnknownShapeError
    if not len(collector):
        _add_search(collector, call, context)


def _add_search(
    collector: DraftCollector, call: ToolCall, context: AdaptContext, error: str = ""
) -> None:
    """A search that named no file, or failed, is kept under its own key."""
    reason = failure(error)
    asked = aliased_arguments(call.identifying_arguments, context.path_aliases)
    collector.add(
        SourceDraft(
            uri=call.key(FAMILY, _OPERATION, asked),
            family=FAMILY,
            kind="search",
            role=SourceRole.FAILED if error else SourceRole.ARTIFACT,
            completeness=Completeness.UNSPECIFIED if error else Completeness.FULL,
            content=None if error else utf8("No matches.\n"),
            content_type="text/plain; charset=utf-8",
            error=reason.error,
            never_current=bool(error),
            metadata={"hits": 0},
        )
    )


def _add_matches(
    collector: DraftCollector,
    call: ToolCall,
    context: AdaptContext,
    value: dict[str, JsonValue],
    matches: str,
) -> None:
    total = integer_field(value, "total_count") or 0
    for rank, found in enumerate(_grouped(matches), 1):
        if not found.numbers:
            collector.drop("files_without_readable_matches")
            continue
        uri = context.path_aliases.to_uri(found.path)
        whole_run = found.numbers[-1] - found.numbers[0] + 1 == len(found.numbers)
        collector.add(
            SourceDraft(
                uri=uri,
                family=FAMILY,
                kind=file_kind(uri, context),
                role=SourceRole.DOCUMENT,
                completeness=Completeness.WINDOWED,
                title=title_of(uri),
                content=utf8(_joined(found)),
                content_type=text_media_type(uri),
                window=Window("lines", found.numbers[0], found.numbers[-1]),
                derivation=Derivation.NUMBERED_LINES,
                rank=rank,
                never_current=True,
                metadata={
                    "matching_lines": [*found.numbers],
                    "window_has_gaps": not whole_run,
                    "pattern": text_field(call.arguments, "pattern"),
                    "total_count": total,
                    "line_prefixes": "undone",
                },
            )
        )


def _matches_text(rows: JsonValue) -> str:
    """Writes matches that came as a list of objects as the tool writes them as text."""
    lines: list[str] = []
    path = ""
    for row in objects(rows):
        if text_field(row, "path") != path:
            path = text_field(row, "path")
            lines.append(path)
        lines.append(f"  {integer_field(row, 'line')}: {text_field(row, 'content')}")
    return "\n".join(lines)


def _grouped(matches: str) -> Iterator[FileMatches]:
    """Yields the files of `matches_text`: a path on its own line, indented rows below it."""
    current: FileMatches | None = None
    for row in matches.split("\n"):
        match = _MATCH.fullmatch(row)
        if match is not None and current is not None:
            current.numbers.append(int(match[1]))
            current.lines.append(match[3])
        elif row.strip() and not row.startswith("  "):
            if current is not None:
                yield current
            current = FileMatches(row.strip(), [], [])
    if current is not None:
        yield current


def _joined(found: FileMatches) -> str:
    """Lines that follow each other stay together, an empty line stands where lines are missing."""
    parts: list[str] = []
    previous = None
    for number, line in zip(found.numbers, found.lines, strict=True):
        if previous is not None:
            parts.append("\n" if number == previous + 1 else _BETWEEN_RUNS)
        parts.append(line)
        previous = number
    return "".join(parts)
