"""Writes a search as a text that is stable: what changes from call to call stays out of it.

The raw result stays reachable byte for byte beside it, as the result of the envelope. Ids, credits
and times of a search are in no line here, so the same list is the same content.
"""

from __future__ import annotations

from collections.abc import Sequence

from capture_service.domain.sources import JsonValue
from capture_service.tool_families.discovery.hits import Hit
from capture_service.tool_families.values import JsonObject, json_text, without

CONTENT_TYPE = "text/markdown; charset=utf-8"


def search_text(query: str, arguments: JsonObject, hits: Sequence[Hit], answer: str) -> str:
    """Returns query, options, answer and ranked list."""
    lines = [f"# Search: {query}" if query else "# Search", ""]
    lines += option_lines(without(arguments, ("query", "q")))
    if answer:
        lines += ["Answer made by a model, not by a source:", "", answer, ""]
    lines += hit_lines(hits)
    return "\n".join(lines).rstrip("\n") + "\n"


def answer_text(question: str, answer: str, hits: Sequence[Hit]) -> str:
    """Returns question, answer and the cited list."""
    lines = [f"# Question: {question}" if question else "# Answer", "", answer, ""]
    if hits:
        lines += ["Cited:", "", *hit_lines(hits)]
    return "\n".join(lines).rstrip("\n") + "\n"


def option_lines(options: JsonObject) -> list[str]:
    """Returns one line for each option, sorted by name, and an empty line behind them."""
    lines = [f"{name}: {_shown(options[name])}" for name in sorted(options)]
    return [*lines, ""] if lines else []


def hit_lines(hits: Sequence[Hit]) -> list[str]:
    """Returns the rows with their groups: rank and title, address, words of the list."""
    lines: list[str] = []
    group = ""
    for hit in hits:
        if hit.group != group:
            group = hit.group
            lines += [f"## {group}", ""]
        lines.append(f"{hit.rank}. {hit.title or '(no title)'}")
        lines += [part for part in (hit.address, hit.snippet) if part]
        lines.append("")
    if not hits:
        lines += ["No hits.", ""]
    return lines


def _shown(value: JsonValue) -> str:
    return value if isinstance(value, str) else json_text(value)
