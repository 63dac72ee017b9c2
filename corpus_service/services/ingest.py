"""Stores capture records: checks, reads texts, compresses, hands over to the game's writer."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final, Protocol

from corpus_service.domain.records import CapturedSource, CaptureRecord, IngestResult
from corpus_service.domain.vocabulary import IngestStatus, Instant, Outcome
from corpus_service.extraction.limits import CONTENT_BYTES_MAX
from corpus_service.extraction.types import FailureReason
from corpus_service.limits import RECORDS_PREPARED_TOGETHER
from corpus_service.services.ingest_checks import RecordFault, check_record
from corpus_service.services.ingest_findings import with_findings
from corpus_service.services.ingest_texts import ReadingJob, TextMaker
from corpus_service.storage.interface import CaptureWriter, GameCatalog
from corpus_service.storage.pieces import compress_content
from corpus_service.storage.preparation import PreparedContent, PreparedRecord, PreparedSource
from corpus_service.trust import Verdict, judge
from sourcecorpus.identity import artifact_id
from sourcecorpus.rpc.failures import Failure, FailureCode

_LOG: Final = logging.getLogger(__name__)
_NOT_READ: Final = PreparedSource()
_TOO_LARGE: Final = PreparedSource(extraction_failure=FailureReason.CONTENT_TOO_LARGE.value)
_MISSING: Final = frozenset({FailureCode.NOT_FOUND, FailureCode.DATA_LOSS})


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a record needs before its transaction.

    Contents to read and failures that are known without reading, both by the source's position;
    hashes to ask for.
    """

    jobs: dict[int, ReadingJob]
    refused: dict[int, PreparedSource]
    unread_contents: frozenset[str]


class IngestStore(CaptureWriter, GameCatalog, Protocol):
    """What ingest needs of a store."""


@dataclass(frozen=True, slots=True)
class IngestUseCase:
    """Stores records, each one as a whole or not at all. Safe from several threads.

    Attributes:
        store: The writer's side of a store.
        texts: Makes texts of contents.
        clock: Present time.
    """

    store: IngestStore
    texts: TextMaker
    clock: Callable[[], Instant]

    def ingest(self, records: Sequence[CaptureRecord]) -> list[Future[IngestResult]]:
        """Queue records; each future is done after the durable commit of its record.

        Portions of a batch are prepared one behind another, so that the writer has work meanwhile.
        The futures never fail: what goes wrong is a result.
        """
        futures: list[Future[IngestResult]] = []
        for start in range(0, len(records), RECORDS_PREPARED_TOGETHER):
            futures += self._ingest_portion(records[start : start + RECORDS_PREPARED_TOGETHER])
        return futures

    def _ingest_portion(self, records: Sequence[CaptureRecord]) -> list[Future[IngestResult]]:
        plans = [self._plan(record) for record in records]
        ready = [plan for plan in plans if isinstance(plan, _Plan)]
        texts = iter(self.texts.read_all([job for plan in ready for job in plan.jobs.values()]))
        futures: list[Future[IngestResult]] = []
        for record, plan in zip(records, plans, strict=True):
            if isinstance(plan, IngestResult):
                futures.append(_done(plan))
                continue
            read = plan.refused | {position: next(texts) for position in plan.jobs}
            failed = [text for text in read.values() if isinstance(text, Exception)]
            if failed:
                futures.append(_done(_retry_later(record.envelope_id, failed[0])))
            else:
                futures.append(self._submit(record, plan, read))
        return futures

    def _plan(self, record: CaptureRecord) -> _Plan | IngestResult:
        try:
            refusal = self._refusal(record)
            if refusal is not None:
                return refusal
            check_record(record)
            return _Plan({}, {}, frozenset()) if record.probe else self._plan_texts(record)
        except RecordFault as fault:
            return _rejected(record, Outcome.REJECTED, fault.reason, fault.faulty_field)
        except Exception as error:  # noqa: BLE001 - one record must not take its batch along
            return _retry_later(record.envelope_id, error)

    def _refusal(self, record: CaptureRecord) -> IngestResult | None:
        game = self.store.get_game(record.game_id)
        if game is None or game.game_id != record.game_id:
            return _rejected(record, Outcome.UNKNOWN_GAME, "UNKNOWN_GAME", "game_id")
        if game.paused:
            return _rejected(record, Outcome.PAUSED, "GAME_PAUSED", "game_id")
        return None

    def _plan_texts(self, record: CaptureRecord) -> _Plan:
        """Find the contents to read: those of artifacts that no present extractor has read."""
        names = {
            position: artifact_id(record.game_id, source.canonical_uri, source.content_hash)
            for position, source in enumerate(record.sources)
            if _wants_text(record, source)
        }
        known = (
            self.store.extracted_artifacts(
                record.game_id, frozenset(names.values()), self.texts.extractors
            )
            if names
            else frozenset()
        )
        data = {content.content_hash: content.data for content in record.contents}
        sizes = {content.content_hash: content.size_bytes for content in record.contents}
        unread: set[str] = set()
        refused: dict[int, PreparedSource] = {}
        jobs: dict[int, ReadingJob] = {}
        for position, name in names.items():
            if name in known:
                continue
            source = record.sources[position]
            if sizes[source.content_hash] > CONTENT_BYTES_MAX:
                # Known beforehand: such bytes are not even gathered.
                refused[position] = _TOO_LARGE
                continue
            content = data[source.content_hash]
            if content is None:
                content = data[source.content_hash] = self._stored(record.game_id, source)
            if content is None:
                unread.add(source.content_hash)
            else:
                jobs[position] = ReadingJob(source, content)
        return _Plan(jobs, refused, frozenset(unread))

    def _stored(self, game_id: str, source: CapturedSource) -> bytes | None:
        """Bytes that were uploaded or that the store has; None where they have to be sent."""
        try:
            content = self.store.open_for_extraction(game_id, source.content_hash)
            # A join would hold all pieces beside the whole.
            whole = io.BytesIO()
            whole.writelines(content.pieces())
            return whole.getvalue()
        except Failure as failure:
            if failure.code in _MISSING:
                return None
            raise

    def _submit(
        self,
        record: CaptureRecord,
        plan: _Plan,
        read: Mapping[int, PreparedSource | Exception],
    ) -> Future[IngestResult]:
        envelope_id = record.envelope_id
        answer: Future[IngestResult] = Future()

        def settle(done: Future[IngestResult]) -> None:
            error = done.exception()
            answer.set_result(done.result() if error is None else _retry_later(envelope_id, error))

        try:
            prepared = self._prepared(record, plan, read)
            self.store.submit(record.game_id, prepared).add_done_callback(settle)
        except Failure as failure:
            answer.set_result(_retry_later(envelope_id, failure))
        return answer

    def _prepared(
        self,
        record: CaptureRecord,
        plan: _Plan,
        read: Mapping[int, PreparedSource | Exception],
    ) -> PreparedRecord:
        sources = [
            text if isinstance(text := read.get(position, _NOT_READ), PreparedSource) else _NOT_READ
            for position in range(len(record.sources))
        ]
        contents = tuple(
            PreparedContent(
                content.content_hash, content.size_bytes, compress_content(content.data)
            )
            for content in record.contents
            if content.data is not None and not record.probe
        )
        found, entries = with_findings(record, sources)
        return PreparedRecord(found, contents, entries, self.clock(), plan.unread_contents)


def _wants_text(record: CaptureRecord, source: CapturedSource) -> bool:
    """Texts are made of what readers will see; the rest keeps its raw bytes alone."""
    if not source.content_hash:
        return False
    verdict = judge(
        probe=record.probe,
        role=source.role,
        completeness=source.completeness,
        http_status=source.http_status,
        has_content=True,
    )
    return verdict is Verdict.READABLE


def _rejected(
    record: CaptureRecord, outcome: Outcome, reason: str, faulty_field: str
) -> IngestResult:
    return IngestResult(
        record.envelope_id,
        IngestStatus.REJECTED,
        outcome,
        reason=reason,
        faulty_field=faulty_field,
    )


def _retry_later(envelope_id: str, error: BaseException) -> IngestResult:
    if isinstance(error, Failure):
        return IngestResult(
            envelope_id,
            IngestStatus.RETRY_LATER,
            reason=error.reason,
            faulty_field=error.field,
        )
    _LOG.error("a record could not be stored", exc_info=error)
    return IngestResult(envelope_id, IngestStatus.RETRY_LATER, reason="INTERNAL")


def _done(result: IngestResult) -> Future[IngestResult]:
    future: Future[IngestResult] = Future()
    future.set_result(result)
    return future
