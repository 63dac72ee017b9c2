"""Every bound of the pipeline, with its unit."""

from __future__ import annotations

from typing import Final

from sourcecorpus.rpc.limits import INGEST_BATCH_BYTES_MAX, KIBIBYTE

# Conversations whose secrets are remembered at the same time; the one used longest ago goes first.
REMEMBERED_CONVERSATIONS_MAX: Final = 256
# Short texts (ids, names) whose redaction is remembered, because they repeat in every envelope.
REMEMBERED_TEXTS_MAX: Final = 4_096
REMEMBERED_TEXT_CHARACTERS_MAX: Final = 256
# A record must fit into one batch with the batch's own framing.
RECORD_BYTES_MAX: Final = INGEST_BATCH_BYTES_MAX - 64 * KIBIBYTE
# Worker threads: redaction and hashing release the interpreter lock for large inputs only.
WORKER_THREADS: Final = 2
# Envelopes that one worker takes at once, so that the hop between threads is paid once for many.
PREPARE_ENVELOPES_MAX: Final = 32
PREPARE_BYTES_MAX: Final = 1_024 * KIBIBYTE
# From this size on an envelope is prepared alone: its parsed form may be several times larger.
LARGE_ENVELOPE_BYTES: Final = 4 * 1_024 * KIBIBYTE
# Above this a result is redacted frame by frame, so that it is never held twice.
STREAMED_REDACTION_BYTES: Final = 1_024 * KIBIBYTE
# Above this a result is kept whole and not taken apart: its text, its parsed form and the contents
# made of it may be twelve times its size at once.
ADAPTED_RESULT_BYTES_MAX: Final = 8 * 1_024 * KIBIBYTE
