"""Runs inside Hermes' own virtual environment: one real agent, one turn for each prompt, then a wait.

Usage: drive_agent.py SECONDS PROMPT… — waits so long for threads that go on after the turn, or until the file
DRIVE_AGENT_END_FILE exists, then leaves by os._exit.
"""

import os
import sys
import time
from pathlib import Path


def main() -> None:
    from hermes_cli.config import load_config
    from run_agent import AIAgent
    from tools.mcp_tool import discover_mcp_tools

    model = load_config()["model"]
    discover_mcp_tools()
    agent = AIAgent(
        api_key=model["api_key"],
        base_url=model["base_url"],
        provider="custom",
        model=model["default"],
        quiet_mode=True,
        platform="cli",
    )
    for prompt in sys.argv[2:]:
        agent.run_conversation(prompt)
    end_file = os.environ.get("DRIVE_AGENT_END_FILE", "")
    deadline = time.monotonic() + float(sys.argv[1])
    while time.monotonic() < deadline and not (end_file and Path(end_file).exists()):
        time.sleep(0.05)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
