"""Runs: what each one discovered, consulted and cited, by ids and places alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from corpus_service.domain.run_links import CitingRun, RunLink, RunSource
from corpus_service.domain.sources import Snapshot
from corpus_service.domain.vocabulary import Instant, RunUse
from corpus_service.services.failures import invalid
from corpus_service.services.refs import Ref, read_ref
from corpus_service.storage.interface import SourceReader
from corpus_service.storage.run_interface import RunLinks
from sourcecorpus.identity import is_identifier
from sourcecorpus.rpc.limits import IDENTIFIER_BYTES_MAX, LINK_SOURCES_MAX


class RunStore(RunLinks, SourceReader, Protocol):
    """What runs need of a store."""


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """What a link names: exactly one of the three is not empty."""

    use: RunUse
    ref: str = ""
    version_id: str = ""
    artifact_id: str = ""


class RunUseCase:
    """Links runs to sources and lists both ways. Safe from any thread."""

    def __init__(self, store: RunStore, clock: Callable[[], Instant]) -> None:
        self._store = store
        self._clock = clock

    def link(self, game_id: str, run_id: str, targets: Sequence[LinkTarget]) -> list[RunUse | str]:
        """Links a run to what it used; durable on return.

        Returns:
            For each target the use that holds now, or the reason why nothing is kept of it.

        Raises:
            Failure: INVALID_ARGUMENT FIELD_REQUIRED, FIELD_TOO_LARGE, BATCH_EMPTY, FIELD_TOO_MANY_VALUES; NOT_FOUND
                UNKNOWN_GAME; RESOURCE_EXHAUSTED WRITER_BUSY.
        """
        check_run_id(run_id)
        if not targets:
            raise invalid("BATCH_EMPTY", "links")
        if len(targets) > LINK_SOURCES_MAX:
            raise invalid("FIELD_TOO_MANY_VALUES", "links", limit=LINK_SOURCES_MAX)
        read = [_read(target) for target in targets]
        links = {place: link for place, link in enumerate(read) if isinstance(link, RunLink)}
        refused = self._refused(game_id, links)
        kept = {place: link for place, link in links.items() if place not in refused}
        results: list[RunUse | str] = [link if isinstance(link, str) else "" for link in read]
        for place, reason in refused.items():
            results[place] = reason
        if kept:
            uses = self._store.link_run(game_id, run_id, list(kept.values()), at=self._clock())
            for (place, link), use in zip(kept.items(), uses, strict=True):
                results[place] = use or _absent(link)
        return results

    def _refused(self, game_id: str, links: dict[int, RunLink]) -> dict[int, str]:
        """Reasons of links whose version or span does not exist."""
        wanted = {link.version_id for link in links.values() if link.version_id}
        versions = self._store.get_versions(game_id, wanted)
        absent = wanted - versions.keys()
        deleted = self._store.deleted_versions(game_id, absent) if absent else frozenset()
        reasons: dict[int, str] = {}
        for place, link in links.items():
            if link.version_id in deleted:
                reasons[place] = "VERSION_DELETED"
            elif link.version_id in absent:
                reasons[place] = "VERSION_NOT_FOUND"
            elif link.span is not None:
                start, end = link.span
                if not start <= end <= versions[link.version_id].text_length:
                    reasons[place] = "SPAN_OUT_OF_RANGE"
        return reasons

    def list_sources(
        self,
        game_id: str,
        run_id: str,
        *,
        least_use: RunUse,
        limit: int,
        after: int,
        as_of: Snapshot,
    ) -> Sequence[RunSource]:
        """Lists what a run used; see `RunLinks.list_run_sources`.

        Raises:
            Failure: INVALID_ARGUMENT FIELD_REQUIRED, FIELD_TOO_LARGE.
        """
        check_run_id(run_id)
        return self._store.list_run_sources(
            game_id, run_id, least_use=least_use, limit=limit, after=after, as_of=as_of
        )

    def list_runs(
        self,
        game_id: str,
        *,
        source_id: str,
        version_id: str,
        least_use: RunUse,
        limit: int,
        after: tuple[int, str] | None,
        as_of: Snapshot,
    ) -> Sequence[CitingRun]:
        """Lists runs that used a source or a version; see `RunLinks.list_citing_runs`.

        Raises:
            Failure: INVALID_ARGUMENT LOCATOR_REQUIRED.
        """
        if not source_id and not version_id:
            raise invalid("LOCATOR_REQUIRED", "locator")
        return self._store.list_citing_runs(
            game_id,
            source_id=source_id,
            version_id=version_id,
            least_use=least_use,
            limit=limit,
            after=after,
            as_of=as_of,
        )


def check_run_id(run_id: str) -> None:
    """Checks the form of a run id.

    Raises:
        Failure: INVALID_ARGUMENT FIELD_REQUIRED, FIELD_TOO_LARGE.
    """
    if not run_id:
        raise invalid("FIELD_REQUIRED", "run_id")
    if len(run_id.encode("utf-8", "replace")) > IDENTIFIER_BYTES_MAX:
        raise invalid("FIELD_TOO_LARGE", "run_id", limit_bytes=IDENTIFIER_BYTES_MAX)


def _read(target: LinkTarget) -> RunLink | str:
    """The link of a target, or the reason why there is none."""
    if target.ref:
        ref = read_ref(target.ref)
        if not isinstance(ref, Ref):
            return ref
        return RunLink(target.use, version_id=ref.version_id, span=ref.span)
    if target.version_id:
        if not is_identifier(target.version_id, "version"):
            return "VERSION_NOT_FOUND"
        return RunLink(target.use, version_id=target.version_id)
    if not is_identifier(target.artifact_id, "artifact"):
        return "ARTIFACT_NOT_FOUND"
    return RunLink(target.use, artifact_id=target.artifact_id)


def _absent(link: RunLink) -> str:
    return "VERSION_NOT_FOUND" if link.version_id else "ARTIFACT_NOT_FOUND"
