"""Every bound of the delivery, with its unit. Bounds of the wire stand in ``rpc.limits``."""

from __future__ import annotations

from typing import Final

from sourcecorpus.rpc.limits import INGEST_BATCH_BYTES_MAX, INGEST_RECORDS_MAX, KIBIBYTE

# As many as the wire takes: the full-text index of the corpus is written once for each commit, and
# larger commits make fewer segments that have to be merged.
BATCH_RECORDS_MAX: Final = INGEST_RECORDS_MAX
# The batch's own framing and its hashes come on top.
BATCH_BYTES_MAX: Final = INGEST_BATCH_BYTES_MAX - 32 * KIBIBYTE
CALL_SECONDS_MAX: Final = 60.0
UPLOAD_SECONDS_MAX: Final = 300.0
BACKOFF_SECONDS_FIRST: Final = 0.1
BACKOFF_SECONDS_MAX: Final = 10.0
"""Also the longest time between the return of the corpus and the next attempt."""
HELD_LANES_MAX: Final = 500
"""Games that wait for their own reasons at once; beyond it all wait together."""
