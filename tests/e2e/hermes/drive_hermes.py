"""Runs inside Hermes' own virtual environment: drives the real plugin manager and the real dispatcher.

Usage: drive_hermes.py CALLS.json — a JSON list of {"tool", "args", "ids"}; prints one JSON list of the results.
The environment names HERMES_HOME, RECORDER_FILE and the address of a local Firecrawl.
"""

import json
import sys
from pathlib import Path


def main() -> None:
    from hermes_cli.plugins import discover_plugins
    from model_tools import handle_function_call

    discover_plugins()
    calls = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    results = [
        handle_function_call(call["tool"], call["args"], **call.get("ids", {})) for call in calls
    ]
    sys.stdout.write("\n" + json.dumps(results) + "\n")


if __name__ == "__main__":
    main()
