"""The schema of the capture database."""

from __future__ import annotations

from typing import Final

from capture_service.spool import QUEUE_MIGRATIONS, Schema
from capture_service.spool.database import migrations_of

# "SCap": marks the file as a capture database of this program.
APPLICATION_ID: Final = 0x53436170

CAPTURE_SCHEMA: Final = Schema(
    application_id=APPLICATION_ID,
    migrations=(*QUEUE_MIGRATIONS, *migrations_of("capture_service.outbox")),
)
"""A later migration of either package is appended behind these, never put between them."""
