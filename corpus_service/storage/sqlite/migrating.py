"""Numbered migrations: each one whole, in a transaction that also raises ``user_version``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

import apsw

from corpus_service.storage.sqlite.failures import StoreOpenError
from corpus_service.storage.sqlite.opening import DatabaseKind
from sourcecorpus.rpc import faults

_FILE_NAME: Final = re.compile(r"(\d{4})_[a-z0-9_]+\.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    """One file; released files never change."""

    number: int
    name: str
    sql: str


def migrations_of(kind: DatabaseKind) -> tuple[Migration, ...]:
    """Return the migrations of a kind of database, numbered from 1 without gaps."""
    folder = resources.files("corpus_service.storage.sqlite") / "migrations" / kind.name.lower()
    found = []
    for entry in folder.iterdir():
        match = _FILE_NAME.fullmatch(entry.name)
        if match is not None:
            found.append(Migration(int(match[1]), entry.name, entry.read_text("utf-8")))
    found.sort(key=lambda migration: migration.number)
    if [migration.number for migration in found] != list(range(1, len(found) + 1)):
        raise StoreOpenError(f"the migrations of {kind.name.lower()} databases have gaps")
    return tuple(found)


def migrate(
    connection: apsw.Connection,
    path: Path,
    kind: DatabaseKind,
    migrations: tuple[Migration, ...] | None = None,
) -> None:
    """Bring a database to the newest version; a file that already has data is copied beforehand.

    Raises:
        StoreOpenError: The file is newer than this program, or a migration failed; it is unchanged
            then.
    """
    known = migrations_of(kind) if migrations is None else migrations
    version = connection.pragma("user_version")
    if version > len(known):
        raise StoreOpenError(
            f"{path} has version {version}, this program knows up to {len(known)}: use a newer one"
        )
    if version == len(known):
        return
    if version:
        _copy_aside(connection, path, version)
    for migration in known[version:]:
        try:
            with connection:
                connection.execute(migration.sql)
                faults.reach("corpus.during_migration")
                connection.execute(f"PRAGMA user_version = {migration.number}")
                connection.execute(f"PRAGMA application_id = {kind.value}")
        except apsw.Error as error:
            raise StoreOpenError(
                f"{path}: migration {migration.name} failed ({type(error).__name__}), "
                "the file is unchanged",
                damaged=isinstance(error, apsw.CorruptError),
            ) from error


def _copy_aside(connection: apsw.Connection, path: Path, version: int) -> None:
    copy = path.with_name(f"{path.name}.before-version-{version + 1}")
    copy.unlink(missing_ok=True)
    try:
        connection.execute("VACUUM INTO ?", (str(copy),))
    except apsw.Error as error:
        copy.unlink(missing_ok=True)
        raise StoreOpenError(
            f"{path} cannot be copied before its migration ({type(error).__name__})"
        ) from error
