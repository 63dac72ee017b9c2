"""The storage capability of runs; what `corpus_service.storage.interface` promises holds here too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from corpus_service.domain.run_links import CitingRun, RunLink, RunSource
from corpus_service.domain.sources import Snapshot
from corpus_service.domain.vocabulary import Instant, RunUse

RUN_PLACES_SHOWN_MAX: Final = 128
"""Places of one content in a listing of a run's sources."""


class RunLinks(Protocol):
    """What runs did with sources. A use only rises; a link holds no content."""

    def link_run(
        self, game_id: str, run_id: str, links: Sequence[RunLink], *, at: Instant
    ) -> Sequence[RunUse | None]:
        """Links a run to what it used; durable on return, all links in one transaction.

        Returns:
            The use that holds for each link's content now, which may be stronger than the one given; None where
            readers cannot see such a version or artifact: nothing is kept of that link.
        """

    def list_run_sources(
        self,
        game_id: str,
        run_id: str,
        *,
        least_use: RunUse,
        limit: int,
        after: int = 0,
        as_of: Snapshot | None = None,
    ) -> Sequence[RunSource]:
        """Returns what a run used at least so strongly, in the order of storing, behind row ``after``.

        With ``as_of``, links that came later are hidden; uses are the present ones.

        Raises:
            Failure: FAILED_PRECONDITION ``SNAPSHOT_CHANGED`` where ``as_of`` is of another epoch.
        """

    def list_citing_runs(
        self,
        game_id: str,
        *,
        source_id: str = "",
        version_id: str = "",
        least_use: RunUse,
        limit: int,
        after: tuple[int, str] | None = None,
        as_of: Snapshot | None = None,
    ) -> Sequence[CitingRun]:
        """Returns runs that used a source, or the content of a version; newest link first.

        Exactly one of ``source_id`` and ``version_id`` is given; one that does not exist has no runs. ``after`` is
        sequence and run of the last one of the page before.

        Raises:
            Failure: FAILED_PRECONDITION ``SNAPSHOT_CHANGED`` where ``as_of`` is of another epoch.
        """
