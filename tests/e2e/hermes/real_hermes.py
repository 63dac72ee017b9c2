"""The real Hermes in its own virtual environment, driven from a test."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
HERMES_PYTHON = Path(
    os.environ.get("SOURCECORPUS_TEST_HERMES_PYTHON", ROOT / ".venv-hermes" / "bin" / "python")
)
RUN_SECONDS_MAX = 90


def prepare_home(home: Path) -> None:
    """Make a HERMES_HOME in which the recorder plugin is the only one enabled."""
    plugins = home / "plugins"
    plugins.mkdir(parents=True)
    shutil.copytree(HERE / "recorder", plugins / "recorder")
    home.joinpath("config.yaml").write_text(
        "plugins:\n  enabled: [recorder]\nweb:\n  backend: firecrawl\n  extract_backend: firecrawl\n"
        "  search_backend: firecrawl\n",
        encoding="utf-8",
    )


def record_calls(home: Path, web_port: int, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Run the calls through Hermes' dispatcher and give the recorded hook events in order.

    The full text of a windowed page, which Hermes overwrites at the next fetch of the same address, is added as
    a side file of its event.
    """
    record_file = home / "events.jsonl"
    calls_file = home / "calls.json"
    calls_file.write_text(json.dumps(calls), encoding="utf-8")
    environment = {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(home),
        "HERMES_HOME": str(home),
        "RECORDER_FILE": str(record_file),
        "FIRECRAWL_API_URL": f"http://127.0.0.1:{web_port}",
        "FIRECRAWL_API_KEY": "fc-local",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    subprocess.run(
        [str(HERMES_PYTHON), str(HERE / "drive_hermes.py"), str(calls_file)],
        env=environment,
        cwd=home,
        check=True,
        timeout=RUN_SECONDS_MAX,
        capture_output=True,
    )
    lines = record_file.read_text(encoding="utf-8").split("\n")
    return [_with_side_files(json.loads(line)) for line in lines if line]


def _with_side_files(event: dict[str, Any]) -> dict[str, Any]:
    marker = "Full text saved to: "
    result = event["kwargs"].get("result")
    try:
        pages = json.loads(result).get("results", [])
    except (TypeError, ValueError, AttributeError):
        return event
    for page in pages if isinstance(pages, list) else []:
        content = page.get("content") if isinstance(page, dict) else None
        if isinstance(content, str) and marker in content:
            name = content.split(marker, 1)[1].split("\n", 1)[0].strip().rstrip(".]")
            if Path(name).is_file():
                text = Path(name).read_text(encoding="utf-8")
                event.setdefault("side_files", {})[name] = text
    return event
