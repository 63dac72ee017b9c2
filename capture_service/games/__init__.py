"""Which game an envelope belongs to."""
