"""Every bound of the intake, with its unit."""

from __future__ import annotations

from typing import Final

from sourcecorpus.rpc.limits import ENVELOPE_BYTES_MAX, MEBIBYTE

# Bytes of all envelopes that are not committed yet: one large one, and a shared part for the rest.
OPEN_ENVELOPES_SHARED_BYTES_MAX: Final = 24 * MEBIBYTE
OPEN_ENVELOPES_BYTES_MAX: Final = OPEN_ENVELOPES_SHARED_BYTES_MAX + ENVELOPE_BYTES_MAX
# A stream that holds the large part and sends nothing for so long has to begin anew.
LARGE_PART_IDLE_SECONDS_MAX: Final = 20.0
# How long a unary call waits for memory or for room in the outbox before it is refused.
UNARY_WAIT_SECONDS_MAX: Final = 5.0
OUTBOX_RETRY_SECONDS: Final = 1.0
