"""Takes tool names apart: `mcp__<server>__<tool>`, snake_case, camelCase."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_MCP_PREFIX: Final = "mcp__"
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


@dataclass(frozen=True, slots=True)
class ToolName:
    """A tool name and its words in lower case.

    Attributes:
        full: The name as the hook gave it.
        server: MCP server, "" for a tool of Hermes itself.
        tool: The name on that server.
        words: Words of `tool`.
        server_words: Words of `server`.
    """

    full: str
    server: str
    tool: str
    words: frozenset[str]
    server_words: frozenset[str]


def read_tool_name(full: str) -> ToolName:
    """Takes a name apart. Server names hold no double underscore, tool names may."""
    server = ""
    tool = full
    if full.startswith(_MCP_PREFIX):
        server, separator, tool = full.removeprefix(_MCP_PREFIX).partition("__")
        if not separator:
            server, tool = "", server
    return ToolName(full, server, tool, _words(tool), _words(server))


def _words(name: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(name))
