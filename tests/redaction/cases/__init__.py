"""Seeded generators of texts with planted secrets and of look-alikes, written from public format descriptions."""
