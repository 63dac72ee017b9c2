"""The storage capability that keeps refresh requests; see `corpus_service.storage.interface`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from corpus_service.domain.refreshes import RefreshRequest

Answer = TypeVar("Answer")
Change = Callable[[Sequence[RefreshRequest]], tuple[Sequence[RefreshRequest], Answer]]


class RefreshStore(Protocol):
    """Keeps the refresh requests of a game; their number is bounded by `domain.refreshes`."""

    def refresh_requests(self, game_id: str) -> Sequence[RefreshRequest]:
        """Returns all requests as they were last written, oldest first."""

    def change_refresh_requests(self, game_id: str, change: Change[Answer]) -> Answer:
        """Replaces the requests by what a pure function makes of them, in one transaction.

        Durable on return. Changes follow one another: no two see the same requests. What the
        function raises leaves everything as it was. Deleting a source deletes its requests.
        """
