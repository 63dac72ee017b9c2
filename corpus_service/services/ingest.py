"""Stores capture records: checks, reads texts, compresses, hands over to the game's writer."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final, Protocol

from corpus_service.domain.records import CapturedSource, CaptureRecord, IngestResult
from corpus_service.domain.vocabulary import IngestStatus, Instant, Outcome
from corpus_service.services.ingest_checks import RecordFault, check_record
from corpus_service.services.ingest_texts import TOO_LARGE, TextPreparation
from corpus_service.storage.interface import CaptureWriter, GameCatalog
from corpus_service.storage.pieces import compress_content
from corpus_service.storage.preparation import PreparedContent, PreparedRecord, PreparedSource
from corpus_service.trust import Verdict, judge
from sourcecorpus.identity import artifact_id
from sourcecorpus.rpc.failures import Failure, FailureCode

_LOG: Final = logging.getLogger(__name__)
_NOT_READ: Final = PreparedSource()
_MISSING: Final = frozenset({FailureCode.NOT_FOUND, FailureCode.DATA_LOSS})


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
    texts: TextPreparation
    clock: Callable[[], Instant]

    def ingest(self, records: Sequence[CaptureRecord]) -> list[Future[IngestResult]]:
        """Queue records; each future is done after the durable commit of its record.

        All of them are prepared before the first is queued, so that a batch meets in one commit.
        The futures never fail: what goes wrong is a result.
        """
        prepared = [self._prepare(record) for record in records]
        return [
            self._submit(record.game_id, ready)
            if isinstance(ready, PreparedRecord)
            else _done(ready)
            for record, ready in zip(records, prepared, strict=True)
        ]

    def _prepare(self, record: CaptureRecord) -> PreparedRecord | IngestResult:
        try:
            refusal = self._refusal(record)
            if refusal is not None:
                return refusal
            check_record(record)
            if record.probe:
                sources: tuple[PreparedSource, ...] = (_NOT_READ,) * len(record.sources)
                return PreparedRecord(record, (), sources, self.clock())
            return self._with_texts(record)
        except RecordFault as fault:
            return _rejected(record, Outcome.REJECTED, fault.reason, fault.faulty_field)
        except Exception as error:  # noqa: BLE001 - a record that cannot be read must not take its batch along
            return _retry_later(record.envelope_id, error)

    def _refusal(self, record: CaptureRecord) -> IngestResult | None:
        game = self.store.get_game(record.game_id)
        if game is None or game.game_id != record.game_id:
            return _rejected(record, Outcome.UNKNOWN_GAME, "UNKNOWN_GAME", "game_id")
        if game.paused:
            return _rejected(record, Outcome.PAUSED, "GAME_PAUSED", "game_id")
        return None

    def _with_texts(self, record: CaptureRecord) -> PreparedRecord:
        wanted = [_wants_text(record, source) for source in record.sources]
        names = {
            position: artifact_id(record.game_id, source.canonical_uri, source.content_hash)
            for position, source in enumerate(record.sources)
            if wanted[position]
        }
        known = self.store.extracted_artifacts(
            record.game_id, frozenset(names.values()), self.texts.extractors
        )
        data = {content.content_hash: content.data for content in record.contents}
        sizes = {content.content_hash: content.size_bytes for content in record.contents}
        unread: set[str] = set()
        sources: list[PreparedSource] = []
        for position, source in enumerate(record.sources):
            if position not in names or names[position] in known:
                sources.append(_NOT_READ)
                continue
            if sizes[source.content_hash] > self.texts.content_bytes_max:
                sources.append(PreparedSource(extraction_failure=TOO_LARGE))
                continue
            content = data[source.content_hash]
            if content is None:
                content = data[source.content_hash] = self._stored(record.game_id, source)
            if content is None:
                unread.add(source.content_hash)
                sources.append(_NOT_READ)
            else:
                sources.append(self.texts.read(source, content))
        contents = tuple(
            PreparedContent(
                content.content_hash, content.size_bytes, compress_content(content.data)
            )
            for content in record.contents
            if content.data is not None
        )
        return PreparedRecord(record, contents, tuple(sources), self.clock(), frozenset(unread))

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

    def _submit(self, game_id: str, prepared: PreparedRecord) -> Future[IngestResult]:
        envelope_id = prepared.record.envelope_id
        answer: Future[IngestResult] = Future()

        def settle(done: Future[IngestResult]) -> None:
            error = done.exception()
            answer.set_result(done.result() if error is None else _retry_later(envelope_id, error))

        try:
            self.store.submit(game_id, prepared).add_done_callback(settle)
        except Failure as failure:
            answer.set_result(_retry_later(envelope_id, failure))
        return answer


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
