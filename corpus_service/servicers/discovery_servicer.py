"""DiscoveryService."""

from __future__ import annotations

from typing import Any, Final

import grpc

from corpus_service.presentation.limits import RECORDS_MAX
from corpus_service.presentation.records import PresentationRecord
from corpus_service.servicers.execution import ReadPool
from corpus_service.servicers.filters import require_game
from corpus_service.servicers.paging import Pager
from corpus_service.servicers.receipt_calls import list_receipts, put_receipt
from corpus_service.services.failures import invalid
from corpus_service.services.presentation import PresentationStore, PresentationUseCase
from corpus_service.services.receipts import ReceiptUseCase
from sourcecorpus.corpus.v1 import (
    citation_pb2,
    discovery_service_pb2_grpc,
    presentation_pb2,
    receipts_pb2,
    run_links_pb2,
)
from sourcecorpus.corpus.v1.source_pb2 import Trust
from sourcecorpus.rpc.page_tokens import PageTokenSigner, page_size

SERVICE: Final = "sourcecorpus.corpus.v1.DiscoveryService"
Context = grpc.aio.ServicerContext[Any, Any]


class DiscoveryServicer(discovery_service_pb2_grpc.DiscoveryServiceServicer):
    """Shows what runs met."""

    def __init__(
        self,
        store: PresentationStore,
        receipts: ReceiptUseCase,
        signer: PageTokenSigner,
        pool: ReadPool,
    ) -> None:
        self._store = store
        self._receipts = receipts
        self._use_case = PresentationUseCase(store)
        self._pager = Pager(signer, f"/{SERVICE}/ListPresentationRecords")
        self._pool = pool

    async def ListPresentationRecords(  # noqa: N802 - name of the contract
        self, request: presentation_pb2.ListPresentationRecordsRequest, context: Context
    ) -> presentation_pb2.ListPresentationRecordsResponse:
        """Lists bounded records of the sources of a run; see the contract."""
        del context
        require_game(request.game_id)
        return await self._pool.run(self._list_records, request)

    async def PutReceipt(  # noqa: N802 - name of the contract
        self, request: receipts_pb2.PutReceiptRequest, context: Context
    ) -> receipts_pb2.PutReceiptResponse:
        """Keeps what a nested tool call used; see the contract."""
        del context
        return await self._pool.run(put_receipt, self._receipts, request)

    async def ListReceipts(  # noqa: N802 - name of the contract
        self, request: receipts_pb2.ListReceiptsRequest, context: Context
    ) -> receipts_pb2.ListReceiptsResponse:
        """Gives receipts, each once; see the contract."""
        del context
        return await self._pool.run(list_receipts, self._receipts, request)

    def _list_records(
        self, request: presentation_pb2.ListPresentationRecordsRequest
    ) -> presentation_pb2.ListPresentationRecordsResponse:
        size = page_size(request.page_size, RECORDS_MAX, RECORDS_MAX)
        snapshot = self._store.snapshot(request.game_id)
        page = self._pager.begin(request, request.page_token, request.game_id, snapshot)
        match page.position:
            case None:
                after = 0
            case (int(after),):
                pass
            case _:
                raise invalid("PAGE_TOKEN_INVALID", "page_token")
        found = self._use_case.list_records(
            request.game_id, request.run_id, limit=size + 1, after=after, as_of=page.as_of
        )
        response = presentation_pb2.ListPresentationRecordsResponse(
            records=[_record_message(record) for record, _ in found[:size]]
        )
        if len(found) > size:
            response.records_truncated = True
            response.next_page_token = self._pager.token(
                request, request.game_id, page, (found[size - 1][1],)
            )
        return response


def _record_message(record: PresentationRecord) -> presentation_pb2.PresentationRecord:
    return presentation_pb2.PresentationRecord(
        record_id=record.record_id,
        title=record.title,
        kind=record.kind,
        family=record.family,
        state=run_links_pb2.RunUse.ValueType(record.state),
        excerpt=record.excerpt,
        source_id=record.source_id,
        version_id=record.version_id,
        ref=record.ref,
        safe_url=record.safe_url,
        ranges=[citation_pb2.LineRange(first=first, last=last) for first, last in record.ranges],
        ranges_truncated=record.ranges_truncated,
        trust=Trust.ValueType(record.trust),
    )
