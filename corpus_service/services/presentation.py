"""ListPresentationRecords: what a run met, as a reader is shown it."""

from __future__ import annotations

from typing import Protocol

from corpus_service.domain.run_links import RunPlace, RunSource
from corpus_service.domain.sources import Snapshot, Version
from corpus_service.domain.vocabulary import RunUse
from corpus_service.presentation.limits import EXCERPT_CODE_POINTS_MAX
from corpus_service.presentation.records import LineRange, PresentationRecord, make_record
from corpus_service.services.refs import format_ref
from corpus_service.services.run_links import check_run_id
from corpus_service.storage.interface import SourceReader, TextReader
from corpus_service.storage.presentation_interface import PresentedSources
from sourcecorpus.rpc import deadline
from sourcecorpus.rpc.failures import Failure

# The version went away between two look-ups.
_GONE = ("VERSION_NOT_FOUND", "SPAN_OUT_OF_RANGE")


class PresentationStore(PresentedSources, SourceReader, TextReader, Protocol):
    """What presentation needs of a store."""


class PresentationUseCase:
    """Makes presentation records. Safe from any thread."""

    def __init__(self, store: PresentationStore) -> None:
        self._store = store

    def list_records(
        self, game_id: str, run_id: str, *, limit: int, after: int, as_of: Snapshot
    ) -> list[tuple[PresentationRecord, int]]:
        """Lists records in the order in which the contents were stored, each with its key.

        Raises:
            Failure: INVALID_ARGUMENT FIELD_REQUIRED, FIELD_TOO_LARGE; DEADLINE_EXCEEDED.
        """
        check_run_id(run_id)
        sources = self._store.list_presented(game_id, run_id, limit=limit, after=after, as_of=as_of)
        names = {source.version_id for source in sources if source.version_id}
        versions = self._store.get_versions(game_id, names)
        records: list[tuple[PresentationRecord, int]] = []
        for source in sources:
            deadline.require_time()
            records.append(
                (self._record(game_id, source, versions.get(source.version_id)), source.row)
            )
        return records

    def _record(
        self, game_id: str, source: RunSource, version: Version | None
    ) -> PresentationRecord:
        if version is None:
            return make_record(source, ref="", excerpt="", ranges=())
        used = [
            place
            for place in source.places
            if place.version_id == version.version_id and place.use >= RunUse.CONSULTED
        ]
        start, end = (used[0].start, used[0].end) if used else (0, version.text_length)
        excerpt = ""
        if source.use >= RunUse.CONSULTED:
            excerpt = self._excerpt(game_id, version, start, end)
        return make_record(
            source,
            ref=format_ref(version.version_id, start, end),
            excerpt=excerpt,
            ranges=[lines for place in used for lines in self._lines(game_id, place)],
        )

    def _excerpt(self, game_id: str, version: Version, start: int, end: int) -> str:
        try:
            return self._store.read_span(
                game_id, version.version_id, start, min(end, start + EXCERPT_CODE_POINTS_MAX)
            )
        except Failure as failure:
            if failure.reason in _GONE:
                return ""
            raise

    def _lines(self, game_id: str, place: RunPlace) -> list[LineRange]:
        try:
            return [self._store.line_numbers(game_id, place.version_id, place.start, place.end)]
        except Failure as failure:
            if failure.reason in _GONE:
                return []
            raise
