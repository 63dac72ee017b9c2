"""Calls of the real Hermes as envelopes, as a client hands them over."""

import json
import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from capture_service.domain.envelope import Envelope, SideFile, ToolStatus
from tests.e2e.hermes.real_hermes import (
    HERMES_PYTHON,
    RUN_SECONDS_MAX,
    _with_side_files,
    prepare_home,
)

HERE = Path(__file__).resolve().parent


def call(tool: str, arguments: dict[str, Any], number: int, **ids: str) -> dict[str, Any]:
    given = {"session_id": "session", "task_id": "task", "tool_call_id": f"call_{number}"}
    return {"tool": tool, "args": arguments, "ids": {**given, "turn_id": "turn", **ids}}


def record_batches(
    home: Path, web_port: int, batches: list[list[dict[str, Any]]]
) -> list[dict[str, Any]]:
    """Run batches of calls in a home of their own; gives the events of the hook in order."""
    prepare_home(home)
    server = {"command": str(HERMES_PYTHON), "args": [str(HERE / "page_server.py")]}
    config = {
        "plugins": {"enabled": ["recorder"]},
        "web": {
            "backend": "firecrawl",
            "extract_backend": "firecrawl",
            "search_backend": "firecrawl",
        },
        "mcp_servers": {"pages": server},
    }
    # JSON is YAML.
    home.joinpath("config.yaml").write_text(json.dumps(config), encoding="utf-8")
    batches_file, record_file = home / "batches.json", home / "events.jsonl"
    batches_file.write_text(json.dumps(batches), encoding="utf-8")
    done = subprocess.run(
        [str(HERMES_PYTHON), str(HERE / "drive_calls.py"), str(batches_file)],
        env={
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(home),
            "HERMES_HOME": str(home),
            "RECORDER_FILE": str(record_file),
            "FIRECRAWL_API_URL": f"http://127.0.0.1:{web_port}",
            "FIRECRAWL_API_KEY": "fc-local",
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        cwd=home,
        check=False,
        timeout=RUN_SECONDS_MAX,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    lines = record_file.read_text(encoding="utf-8").split("\n")
    return [_with_side_files(json.loads(line)) for line in lines if line]


def envelope_of(event: dict[str, Any], number: int) -> Envelope:
    """The envelope of an event; a client adds nothing to what the hook told."""
    told = event["kwargs"]
    finished = datetime.fromtimestamp(event["time"], UTC)
    return Envelope(
        envelope_id=f"live-{number}",
        tool_name=told["tool_name"],
        arguments=json.dumps(told["args"]).encode(),
        result=told["result"].encode("utf-8", "surrogatepass"),
        session_id=told.get("session_id") or "",
        task_id=told.get("task_id") or "",
        turn_id=told.get("turn_id") or "",
        tool_call_id=told.get("tool_call_id") or "",
        status=ToolStatus[(told.get("status") or "ok").upper()],
        error=told.get("error_message") or "",
        started_at=finished - timedelta(milliseconds=told["duration_ms"]),
        finished_at=finished,
        side_files=tuple(
            SideFile(name, "text/markdown", text.encode())
            for name, text in event.get("side_files", {}).items()
        ),
    )
