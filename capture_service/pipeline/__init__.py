"""From an envelope to a prepared capture: redact, adapt, identify, record.

Each stage is a small piece without I/O. They run in worker threads; nothing unredacted leaves the
first stage.
"""
