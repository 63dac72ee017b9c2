"""Reading a file: the whole, a window, the "unchanged" stub, a failure."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from capture_service.domain.envelope import Completeness, Derivation, ToolStatus
from capture_service.domain.sources import JsonValue, SourceDraft, SourceRole, Window
from capture_service.tool_families.call import ToolCall, UnknownShapeError
from capture_service.tool_families.context import AdaptContext
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.failures import Failure, failure
from capture_service.tool_families.local_file.kinds import file_kind, text_media_type
from capture_service.tool_families.local_file.numbered_lines import (
    NumberedText,
    read_numbered_lines,
)
from capture_service.tool_families.values import (
    JsonObject,
    field,
    integer_field,
    text_field,
    utf8,
)

FAMILY: Final = "local_file"
_BLOCKED: Final = re.compile(r"BLOCKED\b")
_KEPT_FACTS: Final = ("total_lines", "file_size", "truncated_by", "next_offset", "is_image")


def add_read_file(collector: DraftCollector, call: ToolCall, context: AdaptContext) -> None:
    """Adds the one file that was read.

    Raises:
        UnknownShapeError: the result is of no known shape.
    """
    path = text_field(call.arguments, "path", "file_path", "filename", "file")
    if not path:
        raise UnknownShapeError
    uri = context.path_aliases.to_uri(path)
    value = call.body.value
    text = call.body.text
    if isinstance(value, str) or (text and field(value, "total_lines") is None):
        # The text of a file may be JSON; what it says is not about the call.
        _add_text(collector, call, context, path, text or str(value))
        return
    if not isinstance(value, dict):
        raise UnknownShapeError
    error = text_field(value, "error")
    content = value.get("content")
    unchanged = value.get("status") == "unchanged" or value.get("content_returned") is False
    if unchanged or _BLOCKED.match(error):
        facts: dict[str, JsonValue] = {"repeat": "blocked" if error else "unchanged"}
        collector.add(file_stub(uri, context, repeats=True, metadata=facts))
    elif error:
        collector.add(failed_file(uri, context, failure(without_path(error, path, uri))))
    elif value.get("is_binary") is True or value.get("is_image") is True:
        collector.add(file_stub(uri, context, metadata={**_facts(value), "binary": True}))
    elif isinstance(content, str):
        collector.add(_file(call, context, uri, value, content))
    else:
        raise UnknownShapeError


def failed_file(uri: str, context: AdaptContext, reason: Failure) -> SourceDraft:
    """Returns a failed observation of a file."""
    return SourceDraft(
        uri=uri,
        family=FAMILY,
        kind=file_kind(uri, context),
        role=SourceRole.FAILED,
        completeness=Completeness.UNSPECIFIED,
        error=reason.error,
        error_code=reason.code,
        never_current=True,
    )


def whole_text(uri: str, context: AdaptContext, content: str) -> SourceDraft:
    """Returns a file whose text came without numbers."""
    return SourceDraft(
        uri=uri,
        family=FAMILY,
        kind=file_kind(uri, context),
        role=SourceRole.DOCUMENT,
        completeness=Completeness.FULL,
        title=title_of(uri),
        content=utf8(content),
        content_type=text_media_type(uri),
    )


def title_of(uri: str) -> str:
    """Returns the last segment of a URI as the title of its file."""
    return uri.rstrip("/").rpartition("/")[2]


def without_path(words: str, path: str, uri: str) -> str:
    """Replaces a personal path in an error text by the URI that stands for it."""
    return words.replace(path, uri)


def _add_text(
    collector: DraftCollector, call: ToolCall, context: AdaptContext, path: str, value: str
) -> None:
    """A bare text: the content from an MCP server, an error from anywhere else."""
    uri = context.path_aliases.to_uri(path)
    failed = call.body.failed or call.envelope.status not in (ToolStatus.OK, ToolStatus.UNSPECIFIED)
    if failed or not call.body.wrapped:
        words = value.strip() or call.envelope.error or "the result is empty"
        collector.add(failed_file(uri, context, failure(without_path(words, path, uri))))
        return
    draft = whole_text(uri, context, value)
    part = integer_field(call.arguments, "head", "tail", "limit", "offset", "length")
    if part is not None:
        lines = max(1, value.count("\n") + (not value.endswith("\n")))
        from_start = integer_field(call.arguments, "head") is not None
        window = Window("lines", 1, lines) if from_start else None
        draft = replace(draft, completeness=Completeness.WINDOWED, window=window)
    collector.add(draft)


def file_stub(
    uri: str,
    context: AdaptContext,
    *,
    rank: int = 0,
    repeats: bool = False,
    metadata: dict[str, JsonValue] | None = None,
) -> SourceDraft:
    """Returns a file that was named, without content.

    Args:
        uri: The `file:` URI.
        context: Tells its kind.
        rank: Rank in a list, 0 for none.
        repeats: Whether the tool said that its content is the one it gave before.
        metadata: Further facts.
    """
    return SourceDraft(
        uri=uri,
        family=FAMILY,
        kind=file_kind(uri, context),
        role=SourceRole.STUB,
        completeness=Completeness.STUB,
        title=title_of(uri),
        rank=rank,
        metadata=metadata or {},
        repeats_earlier_content=repeats,
    )


def _file(
    call: ToolCall, context: AdaptContext, uri: str, value: JsonObject, content: str
) -> SourceDraft:
    first = max(1, integer_field(call.arguments, "offset") or 1)
    numbered = read_numbered_lines(content, first)
    declared = integer_field(value, "total_lines") or 0
    window = None
    if numbered.start:
        window = Window("lines", numbered.start, numbered.end, max(declared, numbered.end))
    completeness = _completeness(value, numbered, first, content)
    metadata: dict[str, JsonValue] = _facts(value)
    metadata["line_prefixes"] = "undone" if numbered.undone else "kept"
    if numbered.cut_lines:
        metadata["cut_lines"] = numbered.cut_lines
    extracted = field(value, "extracted_document") is True
    if extracted:
        metadata["extracted_by_tool"] = True
    return SourceDraft(
        uri=uri,
        family=FAMILY,
        kind=file_kind(uri, context),
        role=SourceRole.DOCUMENT,
        completeness=completeness,
        title=title_of(uri),
        content=utf8(numbered.text),
        content_type="text/plain; charset=utf-8" if extracted else text_media_type(uri),
        window=window if completeness is not Completeness.FULL else None,
        derivation=Derivation.NUMBERED_LINES,
        metadata=metadata,
    )


def _completeness(
    value: JsonObject, numbered: NumberedText, first: int, content: str
) -> Completeness:
    if numbered.cut_lines:
        return Completeness.TRUNCATED
    if value.get("truncated") is True or first > 1:
        return Completeness.WINDOWED
    if content and not numbered.start:
        return Completeness.UNKNOWN
    return Completeness.FULL


def _facts(value: JsonObject) -> dict[str, JsonValue]:
    """Facts that the tool declares; `total_lines` does not count a last line without newline."""
    return {name: value[name] for name in _KEPT_FACTS if value.get(name) not in (None, False)}
