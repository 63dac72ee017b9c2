"""Recognises the tools that read and search files."""

from __future__ import annotations

from typing import Final

from capture_service.tool_families.call import ToolCall, UnknownShapeError
from capture_service.tool_families.context import AdaptContext
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.failures import failure
from capture_service.tool_families.local_file.read_file import (
    FAMILY,
    add_read_file,
    failed_file,
    whole_text,
    without_path,
)
from capture_service.tool_families.local_file.search_files import add_search_files
from capture_service.tool_families.values import field, texts

_READING: Final = frozenset(("read_file", "read_text_file", "view_file"))
_READING_SEVERAL: Final = frozenset(("read_multiple_files", "read_files"))
_SEARCHING: Final = frozenset(("search_files",))
_BETWEEN_FILES: Final = "\n---\n"


class LocalFileFamily:
    """Tools of Hermes and of MCP file system servers."""

    name: Final = FAMILY

    def recognises(self, call: ToolCall) -> bool:
        """Tells whether the tool reads or searches files."""
        return call.name.tool in _READING | _READING_SEVERAL | _SEARCHING

    def adapt(self, call: ToolCall, context: AdaptContext) -> DraftCollector:
        """Makes drafts.

        Raises:
            UnknownShapeError: the result is of no known shape.
        """
        collector = DraftCollector()
        if call.name.tool in _READING:
            add_read_file(collector, call, context)
        elif call.name.tool in _SEARCHING:
            add_search_files(collector, call, context)
        else:
            _add_several(collector, call, context)
        return collector


def _add_several(collector: DraftCollector, call: ToolCall, context: AdaptContext) -> None:
    """Several files in one text, each behind its path; taken apart only where that is certain.

    The reference server of MCP writes `<path>:`, a newline and the content for each file and
    `---` on its own line between two; `<path>: Error - …` stands for a failure.
    """
    paths = texts(field(call.arguments, "paths"))
    content = call.body.text or call.body.value
    if not isinstance(content, str) or not paths:
        raise UnknownShapeError
    parts = content.split(_BETWEEN_FILES)
    if len(parts) != len(paths):
        raise UnknownShapeError
    for path, part in zip(paths, parts, strict=True):
        uri = context.path_aliases.to_uri(path)
        if part.startswith(f"{path}: Error"):
            words = without_path(part[len(path) + 2 :], path, uri)
            collector.add(failed_file(uri, context, failure(words)))
        elif part.startswith(f"{path}:\n"):
            body = part.removeprefix(f"{path}:\n")
            collector.add(whole_text(uri, context, body.removesuffix("\n")))
        else:
            raise UnknownShapeError
