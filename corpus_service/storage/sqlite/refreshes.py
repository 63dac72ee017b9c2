"""Refresh requests in the file of a game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import astuple
from typing import Final

import apsw

from corpus_service.domain.refreshes import RefreshRefusal, RefreshRequest, RefreshState
from corpus_service.storage.refresh_interface import Answer, Change
from corpus_service.storage.sqlite.game_database import GameDatabase
from corpus_service.storage.sqlite.rows import Row, all_rows
from corpus_service.storage.sqlite.writing import Transaction

_COLUMNS: Final = (
    "id, source_id, canonical_uri, uri, family, reason, requested_time, state, attempts,"
    " lease_end_time, finished_time, envelope_id, refusal"
)


class SqliteRefreshes(ABC):
    """`RefreshStore` over the file of each game."""

    @abstractmethod
    def _lease(self, game_id: str) -> AbstractContextManager[GameDatabase]:
        """Lend the open game."""

    @abstractmethod
    def _reader(
        self, game_id: str, deadline_seconds: float | None = None
    ) -> AbstractContextManager[apsw.Connection]:
        """Give a connection for reading."""

    def refresh_requests(self, game_id: str) -> Sequence[RefreshRequest]:
        """See `RefreshStore.refresh_requests`."""
        with self._reader(game_id) as connection:
            return _load(connection)

    def change_refresh_requests(self, game_id: str, change: Change[Answer]) -> Answer:
        """See `RefreshStore.change_refresh_requests`."""
        with self._lease(game_id) as database:
            return database.write(lambda transaction: _apply(transaction, change)).result()


def _apply(transaction: Transaction, change: Change[Answer]) -> Answer:
    connection = transaction.connection
    before = {request.request_id: request for request in _load(connection)}
    wanted, answer = change(tuple(before.values()))
    after = {request.request_id: request for request in wanted}
    for name in before.keys() - after.keys():
        connection.execute("DELETE FROM refresh_requests WHERE id = ?", (name,))
    for name, request in after.items():
        if before.get(name) != request:
            connection.execute(
                f"INSERT INTO refresh_requests ({_COLUMNS})"  # noqa: S608 - constants alone
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
                " state = excluded.state, attempts = excluded.attempts,"
                " lease_end_time = excluded.lease_end_time,"
                " finished_time = excluded.finished_time, envelope_id = excluded.envelope_id,"
                " refusal = excluded.refusal",
                astuple(request),
            )
    return answer


def _load(connection: apsw.Connection) -> list[RefreshRequest]:
    rows = all_rows(
        connection,
        f"SELECT {_COLUMNS} FROM refresh_requests ORDER BY row",  # noqa: S608 - constants alone
    )
    return [_request(row) for row in rows]


def _request(row: Row) -> RefreshRequest:
    values = [*row[:7], RefreshState(row[7]), *row[8:12], RefreshRefusal(row[12])]
    return RefreshRequest(*values)
