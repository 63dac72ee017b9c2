"""A durable queue of small payloads and their contents in one SQLite file, with group commit.

Independent of what the payloads mean: the capture service keeps records for the corpus in it, a
client may keep envelopes for the capture service. One thread writes; a commit is durable
(``synchronous=FULL``) before its caller hears of it.
"""

from capture_service.spool.database import Migration, Schema, open_reader, open_writer, refusing
from capture_service.spool.errors import (
    DatabaseRefusedError,
    SpoolBusyError,
    SpoolClosedError,
    SpoolFaultError,
    SpoolFullError,
    StoredContentDamagedError,
)
from capture_service.spool.group_commit import GroupCommitWriter
from capture_service.spool.queue import (
    QUEUE_MIGRATIONS,
    Content,
    QueuedEntry,
    QueueLimits,
    QueueTotals,
)

__all__ = [
    "QUEUE_MIGRATIONS",
    "Content",
    "DatabaseRefusedError",
    "GroupCommitWriter",
    "Migration",
    "QueueLimits",
    "QueueTotals",
    "QueuedEntry",
    "Schema",
    "SpoolBusyError",
    "SpoolClosedError",
    "SpoolFaultError",
    "SpoolFullError",
    "StoredContentDamagedError",
    "open_reader",
    "open_writer",
    "refusing",
]
