"""What the capture service keeps: the queue for the corpus, the ledger, the dedupe index, counters.

Everything stands in one SQLite file, so that one transaction covers an envelope.
"""
