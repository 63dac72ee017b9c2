"""Runs inside Hermes' own virtual environment: types ``/game`` as the command line's dispatcher does."""

import json
import os
import sys
import time


def main() -> None:
    from hermes_cli.plugins import discover_plugins, get_plugin_command_handler, invoke_hook

    discover_plugins()
    game = get_plugin_command_handler("game")

    def call(result: str) -> None:
        ids = {"session_id": "session-7", "task_id": "task-7", "tool_call_id": "call-7"}
        invoke_hook("post_tool_call", tool_name="web_search", args={}, result=result, **ids)

    answers = {"before a session": game("")}
    invoke_hook("on_session_start", session_id="session-7", model="m", platform="cli")
    deadline = time.monotonic() + 30
    while "cannot be asked" in (shown := game("")) and time.monotonic() < deadline:
        time.sleep(0.2)
    answers["show"] = shown
    answers["unknown"] = game("nowhere")
    answers["alias"] = game("ember")
    answers["show again"] = game("")
    call("kept")
    invoke_hook("on_session_end", session_id="session-7")
    time.sleep(1)
    answers["off"] = game("off")
    call("not kept")
    time.sleep(1)
    sys.stdout.write("\n" + json.dumps(answers) + "\n")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
