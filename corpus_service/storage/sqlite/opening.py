"""Opens database files: flags, pragmas, ownership, version floor.

Settings follow the SQLite documentation (pragma.html, c3ref/c_dbconfig_defensive.html) and are set
in one place, so that no connection differs by accident.
"""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Final

import apsw

from corpus_service.limits import (
    BUSY_TIMEOUT_MILLISECONDS,
    PAGE_BYTES,
    READER_PAGE_CACHE_KIBIBYTES,
    STATEMENT_CACHE_SIZE,
    WAL_SIZE_BYTES_MAX,
    WRITER_PAGE_CACHE_KIBIBYTES,
)
from corpus_service.storage.sqlite.failures import StoreOpenError

SQLITE_VERSION_MIN: Final = (3, 51, 3)
"""Older versions may corrupt the write-ahead log when it is reset (SQLite 3.51.3 release notes)."""


class DatabaseKind(enum.Enum):
    """The files of the store by their application id (SQLite file header, offset 68)."""

    CATALOG = 0x53434361
    GAME = 0x53434761


def check_sqlite_version(version: str | None = None) -> None:
    """Refuse a library below the floor.

    Raises:
        StoreOpenError: The linked SQLite is older than 3.51.3.
    """
    found = version or apsw.sqlite_lib_version()
    if tuple(int(part) for part in found.split(".")[:3]) < SQLITE_VERSION_MIN:
        floor = ".".join(str(part) for part in SQLITE_VERSION_MIN)
        raise StoreOpenError(f"SQLite {found} is too old, at least {floor} is needed")


def open_writer(path: Path, kind: DatabaseKind) -> apsw.Connection:
    """Open a file for writing; a missing one is made, a foreign one is refused untouched.

    Raises:
        StoreOpenError: The file is no database of this kind, or cannot be opened.
    """
    check_sqlite_version()
    connection = _connect(path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    try:
        _claim(connection, path, kind)
        _set_up(connection, WRITER_PAGE_CACHE_KIBIBYTES)
        connection.transaction_mode = "IMMEDIATE"
        for setting in (
            "journal_mode = WAL",
            "synchronous = FULL",
            "secure_delete = ON",
            # The writer checkpoints by itself, between two commits.
            "wal_autocheckpoint = 0",
            f"journal_size_limit = {WAL_SIZE_BYTES_MAX}",
        ):
            connection.execute(f"PRAGMA {setting}").fetchall()
    except apsw.Error as error:
        connection.close()
        raise _refusal(path, error) from error
    except StoreOpenError:
        connection.close()
        raise
    return connection


def open_reader(path: Path) -> apsw.Connection:
    """Open a file that a writer of this process holds open, for reading alone."""
    connection = _connect(path, apsw.SQLITE_OPEN_READONLY)
    _set_up(connection, READER_PAGE_CACHE_KIBIBYTES)
    connection.execute("PRAGMA query_only = ON")
    return connection


def open_maintenance(path: Path) -> apsw.Connection:
    """Open a file that a writer of this process holds open, for a checkpoint outside its thread."""
    connection = _connect(path, apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_timeout(BUSY_TIMEOUT_MILLISECONDS)
    # A connection that has read nothing does not know that there is a log.
    connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    return connection


def _connect(path: Path, flags: int) -> apsw.Connection:
    try:
        return apsw.Connection(str(path), flags=flags, statementcachesize=STATEMENT_CACHE_SIZE)
    except apsw.Error as error:
        raise _refusal(path, error) from error


def _claim(connection: apsw.Connection, path: Path, kind: DatabaseKind) -> None:
    """Compare the application id; an empty file becomes ours with the first migration."""
    found = connection.pragma("application_id")
    if found == kind.value:
        return
    objects = connection.execute("SELECT count(*) FROM sqlite_schema").get
    if found != 0 or objects or connection.pragma("user_version"):
        raise StoreOpenError(f"{path} is not a {kind.name.lower()} database of SourceCorpus")
    connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")


def _set_up(connection: apsw.Connection, cache_kibibytes: int) -> None:
    connection.set_busy_timeout(BUSY_TIMEOUT_MILLISECONDS)
    for option, value in (
        (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
        (apsw.SQLITE_DBCONFIG_DQS_DDL, 0),
        (apsw.SQLITE_DBCONFIG_DQS_DML, 0),
        (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    ):
        connection.config(option, value)
    for setting in (
        "foreign_keys = ON",
        "cell_size_check = ON",
        "temp_store = MEMORY",
        f"cache_size = -{cache_kibibytes}",
    ):
        connection.execute(f"PRAGMA {setting}").fetchall()


def _refusal(path: Path, error: apsw.Error) -> StoreOpenError:
    if isinstance(error, apsw.NotADBError):
        return StoreOpenError(f"{path} is not a SQLite database")
    if isinstance(error, apsw.CorruptError):
        return StoreOpenError(f"{path} is damaged", damaged=True)
    if isinstance(error, apsw.FullError):
        return StoreOpenError(f"{path} cannot be opened: the disk is full")
    return StoreOpenError(f"{path} cannot be opened: {type(error).__name__}")
