"""What a run did with sources: facts about ids and places, never content."""

from __future__ import annotations

from dataclasses import dataclass

from corpus_service.domain.vocabulary import Instant, RunUse, Trust


@dataclass(frozen=True, slots=True)
class RunLink:
    """A use of one version or artifact by a run.

    Attributes:
        use: What the run did.
        version_id: The version; "" where the artifact is named.
        artifact_id: The artifact; "" where the version is named.
        span: Start and end of a place in the version, in code points; None for all of it.
    """

    use: RunUse
    version_id: str = ""
    artifact_id: str = ""
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class RunPlace:
    """A place that a run read or cited."""

    version_id: str
    start: int
    end: int
    use: RunUse


@dataclass(frozen=True, slots=True)
class RunSource:
    """One content of one source as a run used it.

    Attributes:
        row: Number of the artifact; listings are in this order.
        version_id: Newest text of exactly this content; "" where none was made.
        places: Places in that content's versions, by version and span.
        places_cut: There are more places.
    """

    row: int
    artifact_id: str
    source_id: str
    version_id: str
    canonical_uri: str
    original_uri: str
    title: str
    family: str
    kind: str
    trust: Trust
    fetched_time: Instant | None
    use: RunUse
    places: tuple[RunPlace, ...] = ()
    places_cut: bool = False


@dataclass(frozen=True, slots=True)
class CitingRun:
    """A run that used a source.

    Attributes:
        use: The strongest use of any of its contents.
        sequence: Commit that brought its first link; listings are newest first.
    """

    run_id: str
    use: RunUse
    sequence: int
