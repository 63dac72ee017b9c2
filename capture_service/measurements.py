"""What the capture service counts for telemetry; the counters of sessions stand in the database."""

from __future__ import annotations

from typing import Final

from sourcecorpus.rpc.telemetry import counter, up_down_counter

ENVELOPES: Final = counter(
    "sourcecorpus.capture.envelopes", "{envelope}", "Handled envelopes by outcome."
)
MASKS: Final = counter("sourcecorpus.capture.masks", "{mask}", "Masked secrets by rule.")
DROPS: Final = counter("sourcecorpus.capture.drops", "{item}", "Things left out by reason.")
DELIVERIES: Final = counter(
    "sourcecorpus.capture.deliveries", "{record}", "Answers of the corpus by status."
)
OUTBOX: Final = up_down_counter(
    "sourcecorpus.capture.outbox", "{record}", "Records that wait for the corpus."
)
STREAMS: Final = up_down_counter("sourcecorpus.capture.streams", "{stream}", "Open streams.")
OPEN_BYTES: Final = up_down_counter(
    "sourcecorpus.capture.open_bytes", "By", "Bytes of envelopes that are not committed yet."
)
