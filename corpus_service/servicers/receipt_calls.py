"""PutReceipt and ListReceipts: from their messages to their use case and back."""

from __future__ import annotations

from corpus_service.servicers.filters import require_game
from corpus_service.services.receipts import NestedCall, Receipt, ReceiptSource, ReceiptUseCase
from sourcecorpus.corpus.v1 import citation_pb2, receipts_pb2


def put_receipt(
    use_case: ReceiptUseCase, request: receipts_pb2.PutReceiptRequest
) -> receipts_pb2.PutReceiptResponse:
    """Keeps a receipt; see the contract."""
    kept = use_case.put(
        require_game(request.game_id),
        NestedCall(
            request.run_id, request.parent_tool_call_id, request.tool_name, request.tool_call_id
        ),
        [
            ReceiptSource(source.ref, tuple((lines.first, lines.last) for lines in source.ranges))
            for source in request.sources
        ],
    )
    return receipts_pb2.PutReceiptResponse(
        sources_kept=kept.sources, sources_refused=kept.refused, sources_truncated=kept.truncated
    )


def list_receipts(
    use_case: ReceiptUseCase, request: receipts_pb2.ListReceiptsRequest
) -> receipts_pb2.ListReceiptsResponse:
    """Gives receipts, each once; see the contract."""
    found, counters = use_case.take(
        require_game(request.game_id),
        NestedCall(
            request.run_id, request.parent_tool_call_id, request.tool_name, request.tool_call_id
        ),
    )
    return receipts_pb2.ListReceiptsResponse(
        receipts=[_message(receipt) for receipt in found],
        counters=receipts_pb2.ReceiptCounters(
            pending=counters.pending,
            evicted=counters.evicted,
            expired=counters.expired,
            truncated=counters.truncated,
            taken=counters.taken,
        ),
    )


def _message(receipt: Receipt) -> receipts_pb2.Receipt:
    return receipts_pb2.Receipt(
        tool_call_id=receipt.call.tool_call_id,
        sources=[
            receipts_pb2.ReceiptSource(
                ref=source.ref,
                ranges=[
                    citation_pb2.LineRange(first=first, last=last) for first, last in source.ranges
                ],
            )
            for source in receipt.sources
        ],
        sources_truncated=receipt.truncated,
    )
