"""Every bound of the servicers, with its unit. Bounds of the wire stand in ``rpc.limits``."""

from __future__ import annotations

from typing import Final

from sourcecorpus.rpc.limits import KIBIBYTE, MEBIBYTE, SUBMIT_ENVELOPES_MAX

# An acknowledgement must fit into one message with room to spare.
ACK_BYTES_MAX: Final = 2 * MEBIBYTE
STREAM_OUTCOME_BYTES_MAX: Final = 512 * KIBIBYTE
UNARY_OUTCOME_BYTES_MAX: Final = 3 * MEBIBYTE // SUBMIT_ENVELOPES_MAX
# After misuse the envelopes that ended before it are still acknowledged, for so long at most.
FLUSH_SECONDS_MAX: Final = 1.0
# After finished the client's own end is awaited, so that a frame behind finish is noticed.
FINISH_GRACE_SECONDS: Final = 0.5
DRAIN_RETRY_SECONDS: Final = 1.0
BUSY_RETRY_SECONDS: Final = 0.1
