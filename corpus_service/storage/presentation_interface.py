"""The storage capability of presentation; what `corpus_service.storage.interface` promises holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from corpus_service.domain.run_links import RunSource
from corpus_service.domain.sources import Snapshot


class PresentedSources(Protocol):
    """What runs met, in the versions of that moment."""

    def list_presented(
        self,
        game_id: str,
        run_id: str,
        *,
        limit: int,
        after: int = 0,
        as_of: Snapshot | None = None,
    ) -> Sequence[RunSource]:
        """Returns what `RunLinks.list_run_sources` returns, with version and title of the first link.

        The version is the newest text of the content at the commit that linked it to the run, ""
        where there was none; texts that were made of it later do not count. Without a version there
        is no title, since a source's own title changes.

        Raises:
            Failure: FAILED_PRECONDITION ``SNAPSHOT_CHANGED`` where ``as_of`` is of another epoch.
        """
