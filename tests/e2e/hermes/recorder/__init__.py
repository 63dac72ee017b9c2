"""A Hermes plugin that records what the hook receives, for tests against the real Hermes."""

import json
import os
import threading
import time
from pathlib import Path

_LOCK = threading.Lock()


def register(ctx):
    """Called by Hermes' plugin manager."""
    ctx.register_hook("post_tool_call", record)


def record(**kwargs):
    """Append the event; never raise, because a hook that raises is logged and lost."""
    event = {"hook": "post_tool_call", "time": time.time(), "kwargs": kwargs}
    line = json.dumps(event, default=str)
    with _LOCK, Path(os.environ["RECORDER_FILE"]).open("a", encoding="utf-8") as file:
        file.write(line + "\n")
