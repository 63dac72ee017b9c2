"""Page tokens of listings and searches: one way for all methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from google.protobuf.message import Message

from corpus_service.domain.sources import Snapshot
from sourcecorpus.rpc.page_tokens import PagePosition, PageTokenSigner, PositionValue
from sourcecorpus.rpc.page_tokens import Snapshot as TokenSnapshot

Position = tuple[PositionValue, ...]
_NO_SNAPSHOT: Final = Snapshot("", 0)


@dataclass(frozen=True, slots=True)
class Page:
    """Where a page begins.

    Attributes:
        as_of: Snapshot of the first page.
        position: Position behind the page before, None on the first page.
    """

    as_of: Snapshot
    position: Position | None


class Pager:
    """Reads and makes the page tokens of one method."""

    def __init__(self, signer: PageTokenSigner, method: str) -> None:
        self._signer = signer
        self._method = method

    def begin(
        self, request: Message, token: str, game_id: str, current: Snapshot = _NO_SNAPSHOT
    ) -> Page:
        """Reads the token of a request.

        Raises:
            Failure: INVALID_ARGUMENT PAGE_TOKEN_INVALID; FAILED_PRECONDITION SNAPSHOT_CHANGED.
        """
        if not token:
            return Page(current, None)
        found: PagePosition = self._signer.decode(
            token,
            method=self._method,
            game_id=game_id,
            request=request,
            current=TokenSnapshot(current.epoch, current.sequence),
        )
        as_of = Snapshot(current.epoch, found.snapshot.as_of_sequence)
        return Page(as_of, found.position)

    def token(self, request: Message, game_id: str, page: Page, position: Position) -> str:
        """Makes the token of the page behind a position; "" where it would be too large."""
        try:
            return self._signer.encode(
                method=self._method,
                game_id=game_id,
                snapshot=TokenSnapshot(page.as_of.epoch, page.as_of.sequence),
                request=request,
                position=position,
            )
        except ValueError:
            return ""
