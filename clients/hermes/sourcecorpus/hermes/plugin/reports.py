"""Counts of a plugin that reaches no sidecar, in a small file, so that ``source-corpus status`` can show them.

Only numbers and fixed reasons stand in it, never anything of an event.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from .locations import report_folder


def write_report(instance: str, losses: dict[str, int], waiting: int) -> None:
    """Replace the file of this process, or remove it where there is nothing to tell; never raises."""
    path = report_folder() / f"{instance}.json"
    try:
        if not losses and not waiting:
            path.unlink(missing_ok=True)
            return
        path.parent.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.parent.mkdir(exist_ok=True, mode=0o700)
        document = {
            "pid": os.getpid(),
            "losses": losses,
            "waiting": waiting,
            "written_seconds": time.time(),
        }
        private = Path(f"{path}.part")
        private.write_text(json.dumps(document), encoding="utf-8")
        private.replace(path)
    except OSError:
        return
