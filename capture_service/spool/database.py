"""Opening a SQLite file: guards, settings, numbered migrations.

Every setting is explicit, because defaults differ between builds
(https://sqlite.org/pragma.html, https://sqlite.org/security.html).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import apsw

from capture_service.spool import limits
from capture_service.spool.errors import DatabaseRefusedError, SpoolFullError


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of a schema; its statements never change once they are released."""

    name: str
    statements: str


@dataclass(frozen=True, slots=True)
class Schema:
    """The schema of a file.

    Attributes:
        application_id: 32-bit number that marks the file as ours (``PRAGMA application_id``).
        migrations: Steps in order; ``user_version`` is the number of steps that were applied.
    """

    application_id: int
    migrations: tuple[Migration, ...]


def migrations_of(package: str) -> tuple[Migration, ...]:
    """Read the numbered ``.sql`` files of a package's folder ``migrations``, in order."""
    folder = resources.files(package) / "migrations"
    files = sorted(
        (entry for entry in folder.iterdir() if entry.name.endswith(".sql")),
        key=lambda entry: entry.name,
    )
    return tuple(
        Migration(name=entry.name.removesuffix(".sql"), statements=entry.read_text("utf-8"))
        for entry in files
    )


def _nothing() -> None:
    """No fault point."""


def open_writer(
    path: Path, schema: Schema, during_migration: Callable[[], None] = _nothing
) -> apsw.Connection:
    """Open or make a file for its one writer and bring it to the newest schema.

    The caller owns the connection and uses it from one thread at a time.

    Args:
        path: The database file; its folder exists.
        schema: What the file must be.
        during_migration: Called inside the transaction of each step; a test may crash there.

    Raises:
        DatabaseRefusedError: The file is foreign, newer, not a database, cannot be opened, or the
            SQLite library is older than ``SQLITE_VERSION_FLOOR``. The file is as it was.
        SpoolFullError: There is no space for the schema.
    """
    with refusing():
        return _open_writer(path, schema, during_migration)


@contextmanager
def refusing() -> Iterator[None]:
    """Turn what SQLite finds wrong with a file, while it is opened, into a refusal.

    Raises:
        DatabaseRefusedError: The file is damaged, no database, or cannot be used.
        SpoolFullError: There is no space.
    """
    try:
        yield
    except apsw.FullError as error:
        raise SpoolFullError("DISK_FULL") from error
    except apsw.NotADBError as error:
        raise DatabaseRefusedError("the file is not a SQLite database") from error
    except apsw.Error as error:
        raise DatabaseRefusedError(
            f"SQLite cannot use the file ({type(error).__name__})"
        ) from error


def _open_writer(
    path: Path, schema: Schema, during_migration: Callable[[], None]
) -> apsw.Connection:
    _require_sqlite()
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    connection: apsw.Connection | None = None
    try:
        connection = apsw.Connection(
            str(path), flags=flags, statementcachesize=limits.STATEMENT_CACHE_ENTRIES
        )
        connection.set_busy_timeout(limits.BUSY_TIMEOUT_MILLISECONDS)
        applied = _check_owner(connection, schema)
        _configure(connection)
        _configure_writer(connection)
        _migrate(connection, schema, applied, during_migration)
    except BaseException:
        _close(connection)
        raise
    return connection


def open_reader(path: Path) -> apsw.Connection:
    """Open a file that ``open_writer`` has made, for reading in one thread.

    Raises:
        DatabaseRefusedError: SQLite cannot open it.
    """
    with refusing():
        connection = apsw.Connection(
            str(path),
            flags=apsw.SQLITE_OPEN_READONLY,
            statementcachesize=limits.STATEMENT_CACHE_ENTRIES,
        )
        connection.set_busy_timeout(limits.BUSY_TIMEOUT_MILLISECONDS)
        _configure(connection)
    return connection


def _close(connection: apsw.Connection | None) -> None:
    if connection is not None:
        connection.close(True)


def _require_sqlite() -> None:
    if apsw.SQLITE_VERSION_NUMBER < limits.SQLITE_VERSION_FLOOR:
        raise DatabaseRefusedError(
            f"SQLite {apsw.sqlite_lib_version()} is older than the required 3.51.3"
        )


def _check_owner(connection: apsw.Connection, schema: Schema) -> int:
    """Number of applied steps; refuses before anything is written."""
    application_id = connection.pragma("application_id")
    applied = int(str(connection.pragma("user_version")))
    has_tables = bool(connection.execute("SELECT EXISTS (SELECT 1 FROM sqlite_schema)").get)
    if application_id != schema.application_id and (application_id or applied or has_tables):
        raise DatabaseRefusedError("the file belongs to another program")
    if applied > len(schema.migrations):
        raise DatabaseRefusedError(
            f"the file has schema {applied}, this program knows {len(schema.migrations)}"
        )
    return applied


def _configure(connection: apsw.Connection) -> None:
    """What holds for readers and the writer alike."""
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    connection.limit(apsw.SQLITE_LIMIT_SQL_LENGTH, limits.SQL_TEXT_BYTES_MAX)
    connection.pragma("trusted_schema", False)
    connection.pragma("cell_size_check", True)
    connection.pragma("cache_size", -limits.PAGE_CACHE_KIBIBYTES)
    connection.pragma("temp_store", 2)
    connection.pragma("mmap_size", 0)


def _configure_writer(connection: apsw.Connection) -> None:
    connection.pragma("page_size", limits.PAGE_BYTES)
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", 2)
    connection.pragma("foreign_keys", True)
    connection.pragma("secure_delete", True)
    connection.pragma("journal_size_limit", limits.JOURNAL_BYTES_KEPT)
    # The writer copies pages back itself, at a moment when nobody waits for an answer.
    connection.wal_autocheckpoint(0)


def _migrate(
    connection: apsw.Connection,
    schema: Schema,
    applied: int,
    during_migration: Callable[[], None],
) -> None:
    for number, migration in enumerate(schema.migrations[applied:], start=applied + 1):
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute(migration.statements)
            connection.pragma("application_id", schema.application_id)
            connection.pragma("user_version", number)
            during_migration()
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
