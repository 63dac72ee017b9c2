"""A backend in memory: the second witness of the storage contract.

It keeps nothing beyond its process and computes everything from first principles, so that it can
disagree with the embedded backend.
"""

from corpus_service.storage.memory.store import MemoryStore

__all__ = ["MemoryStore"]
