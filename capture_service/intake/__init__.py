"""Use cases of the capture service: take envelopes, tell about sessions."""
