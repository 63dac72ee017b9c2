"""What no adapter could read: one raw artifact, marked, never a crash and never silence."""
