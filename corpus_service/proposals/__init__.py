"""Which passages may support a sentence: shared stretches, likeness, shared words. Pure."""
