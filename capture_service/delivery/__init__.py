"""The way from the outbox to the corpus: batches, uploads, retries."""
