"""Runs inside Hermes' own virtual environment: calls of the real dispatcher, in batches of threads.

Usage: drive_calls.py BATCHES.json — a list of batches; the calls {"tool", "args", "ids"} of a batch run at
once. MCP servers of the configuration are started first.
"""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def main() -> None:
    from hermes_cli.plugins import discover_plugins
    from model_tools import handle_function_call
    from tools.mcp_tool import discover_mcp_tools

    discover_plugins()
    discover_mcp_tools()

    def call(wanted: dict) -> str:
        return str(handle_function_call(wanted["tool"], wanted["args"], **wanted["ids"]))

    for batch in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")):
        with ThreadPoolExecutor(len(batch)) as threads:
            list(threads.map(call, batch))
    sys.stdout.flush()
    # Threads of servers would keep the process.
    os._exit(0)


if __name__ == "__main__":
    main()
