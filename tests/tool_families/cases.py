"""Cases of tool results: recorded hook events and results of web tools with their sources.

Synthetic secrets stand reversed between marks in the stored cases and are put back when a case is
read, so that no file of the repository holds anything that looks like a token.
"""

import gzip
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from capture_service.domain.envelope import Envelope, SideFile, ToolStatus

FOLDER = Path(__file__).parent
FAMILY_FOLDERS = ("discovery", "page", "crawl")
GAME_FOLDER = "/home/player/games/emberfall/data"
_HIDDEN = re.compile("⟦([^⟦⟧]*)⟧")
_STATUS = {status.name.lower(): status for status in ToolStatus}


def reveal(text: str) -> str:
    """Puts the synthetic secrets back."""
    return _HIDDEN.sub(lambda match: match[1][::-1], text)


def read_case(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    case: dict[str, Any] = json.loads(reveal(text.decode("utf-8")))
    return case


@dataclass(frozen=True)
class WebCase:
    """A result of a web tool and the sources that must come out."""

    name: str
    tool_name: str
    arguments: dict[str, Any]
    result: str
    expect: dict[str, Any]
    hook_status: str = "ok"
    sequence: str = ""
    step: int = 0

    def envelope(self) -> Envelope:
        return Envelope(
            envelope_id=f"case-{self.name}",
            tool_name=self.tool_name,
            arguments=json.dumps(self.arguments).encode(),
            result=self.result.encode("utf-8", "surrogatepass"),
            session_id="session-1",
            task_id="task-1",
            tool_call_id="call-1",
            status=_STATUS[self.hook_status],
            finished_at=datetime(2026, 11, 30, 18, 0, tzinfo=UTC),
            redacted=True,
        )


def web_cases() -> dict[str, WebCase]:
    found: dict[str, WebCase] = {}
    for family in FAMILY_FOLDERS:
        for path in sorted((FOLDER / family / "data").glob("*.json")):
            case = read_case(path)
            result = case["result"]
            found[case["name"]] = WebCase(
                name=case["name"],
                tool_name=case["tool_name"],
                arguments=case["arguments"],
                result=result if isinstance(result, str) else json.dumps(result),
                expect=case["expect"],
                hook_status=case.get("hook_status", "ok"),
                sequence=case.get("sequence", ""),
                step=case.get("step", 0),
            )
    big = big_page()
    found[big.name] = big
    return found


def big_page() -> WebCase:
    """A page of 1.5 MB in one line of JSON, made when it is needed."""
    words = ("wharf", "cedar", "brass", "salt", "vane", "plank", "lantern", "drift", "zephyr")
    entries = 2_115
    parts = ["# Ledger of the Salt Company\n"]
    for number in range(1, entries + 1):
        line = " ".join(words[(number * 7 + place * place) % len(words)] for place in range(112))
        parts.append(f"\n## entry {number}\n\n{line.capitalize()}. Mark {number:05d}.\n")
    parts.append(f"\nLast line of Ledger of the Salt Company: {entries} entry in all.\n")
    markdown = "".join(parts)
    address = "https://archive.example.org/salt-company/ledger"
    metadata = {
        "title": "Ledger of the Salt Company",
        "language": "en",
        "scrapeId": "9787ec67-d788-4ce0-a194-cd1b30e7e874",
        "sourceURL": address,
        "url": address,
        "statusCode": 200,
        "contentType": "text/html",
    }
    source = {
        "uri": address,
        "kind": "page",
        "role": "document",
        "title": "Ledger of the Salt Company",
        "completeness": "full",
        "characters": len(markdown),
        "text_contains": ["Mark 00001.", "Mark 01057.", "2115 entry in all."],
    }
    body = {"success": True, "data": {"markdown": markdown, "metadata": metadata}}
    return WebCase(
        "scrape_page_of_1_5_megabytes",
        "gtc_scrape",
        {"url": address, "formats": ["markdown"]},
        json.dumps(body, separators=(",", ":")),
        {"family": "page", "sources": [source]},
    )


@dataclass(frozen=True)
class HermesEvent:
    """A recorded hook event."""

    sequence: int
    hook: str
    time: float
    kwargs: dict[str, Any]

    def envelope(self, side_files: Iterable[SideFile] = ()) -> Envelope:
        finished = datetime.fromtimestamp(self.time, UTC)
        return Envelope(
            envelope_id=f"event-{self.sequence}",
            tool_name=self.kwargs["tool_name"],
            arguments=json.dumps(self.kwargs["args"]).encode(),
            result=self.kwargs["result"].encode("utf-8"),
            session_id=self.kwargs["session_id"],
            task_id=self.kwargs["task_id"],
            turn_id=self.kwargs["turn_id"],
            tool_call_id=self.kwargs["tool_call_id"],
            status=_STATUS[self.kwargs["status"]],
            error=self.kwargs["error_message"] or "",
            started_at=finished - timedelta(milliseconds=self.kwargs["duration_ms"]),
            finished_at=finished,
            side_files=tuple(side_files),
            redacted=True,
        )


def hermes_events() -> dict[int, HermesEvent]:
    events = {}
    for path in sorted((FOLDER / "hermes_events").iterdir()):
        event = read_case(path)
        events[event["seq"]] = HermesEvent(
            event["seq"], event["hook"], event["time"], event["kwargs"]
        )
    return events
