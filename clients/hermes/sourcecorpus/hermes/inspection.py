"""What is true of the sidecar right now: from itself where it runs, else from its files."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Final

from capture_service.spool import DatabaseRefusedError, open_reader
from sourcecorpus.hermes.plugin.connection import SidecarAbsent, ask
from sourcecorpus.hermes.plugin.locations import read_endpoint
from sourcecorpus.hermes.sidecar.status import plugin_reports, queue_facts
from sourcecorpus.hermes.sidecar.store import read_counters

STATUS_SECONDS_MAX: Final = 10.0


def sidecar_status(folder: Path) -> dict[str, Any]:
    """The status of the sidecar whose files are in a folder.

    Args:
        folder: ``hermes`` in the data folder.

    Returns:
        ``running``, ``queue``, ``counters``, ``reports`` and, of a running one, what else it says; ``fault`` where
        it runs and cannot be asked, or where its file cannot be read.
    """
    endpoint = read_endpoint(folder / "sidecar.json")
    status: dict[str, Any] = {"running": False}
    if endpoint is not None:
        try:
            status = ask("status", {}, STATUS_SECONDS_MAX, endpoint)
        except SidecarAbsent as absent:
            if absent.reason != "SIDECAR_NOT_RUNNING":
                status["fault"] = absent.reason
    if not status.get("running"):
        status |= _from_file(folder / "spool.db")
    status["reports"] = plugin_reports(folder / "reports")
    return status


def _from_file(path: Path) -> dict[str, Any]:
    empty = {"envelopes": 0, "stored_bytes": 0, "oldest_seconds": 0.0, "set_aside": 0}
    if not path.exists():
        return {"queue": empty, "counters": {}}
    try:
        connection = open_reader(path)
        try:
            return {
                "queue": queue_facts(connection, time.time_ns() // 1_000_000),
                "counters": read_counters(connection),
            }
        finally:
            connection.close()
    except DatabaseRefusedError:
        return {"queue": empty, "counters": {}, "fault": "SPOOL_UNUSABLE"}
