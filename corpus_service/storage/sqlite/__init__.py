"""The embedded backend: one SQLite database a game and a catalog, through APSW."""

from corpus_service.storage.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
