"""DiffVersions: from its messages to the comparison and back."""

from __future__ import annotations

from typing import Final

from corpus_service.differences import LineChange
from corpus_service.servicers.conversions import version_message
from corpus_service.servicers.filters import require_game
from corpus_service.servicers.paging import Pager
from corpus_service.services.failures import invalid
from corpus_service.services.locating import ReadingStore
from corpus_service.services.version_differences import Differences, DifferencesUseCase, words_of
from sourcecorpus.corpus.v1 import citation_pb2, differences_pb2
from sourcecorpus.rpc import deadline
from sourcecorpus.rpc.limits import (
    DIFF_CHANGE_CODE_POINTS_MAX,
    DIFF_PAGE_SIZE_DEFAULT,
    DIFF_PAGE_SIZE_MAX,
)
from sourcecorpus.rpc.page_tokens import PageTokenSigner, page_size

_COMPARE: Final = "/sourcecorpus.corpus.v1.SourceService/DiffVersions"


class DifferenceCalls:
    """DiffVersions. Safe from any thread."""

    def __init__(self, store: ReadingStore, signer: PageTokenSigner) -> None:
        self._store = store
        self._differences = DifferencesUseCase(store)
        self._pager = Pager(signer, _COMPARE)

    def compare(
        self, request: differences_pb2.DiffVersionsRequest
    ) -> differences_pb2.DiffVersionsResponse:
        """Compares two versions; see the contract.

        Raises:
            Failure: What `DifferencesUseCase.compare` raises; INVALID_ARGUMENT PAGE_TOKEN_INVALID;
                FAILED_PRECONDITION SNAPSHOT_CHANGED.
        """
        game_id = require_game(request.game_id)
        size = page_size(request.page_size, DIFF_PAGE_SIZE_DEFAULT, DIFF_PAGE_SIZE_MAX)
        snapshot = self._store.snapshot(game_id)
        page = self._pager.begin(request, request.page_token, game_id, snapshot)
        match page.position:
            case None:
                first = 0
            case (int(first),) if first >= 0:
                pass
            case _:
                raise invalid("PAGE_TOKEN_INVALID", "page_token")
        # Versions never change, so that every page comes from the same comparison.
        found = self._differences.compare(game_id, request.base_version_id, request.version_id)
        regions = [change.lines for change in found.changes]
        response = differences_pb2.DiffVersionsResponse(
            base=version_message(found.base),
            version=version_message(found.version),
            change_count=len(regions),
            inserted_line_count=sum(region.new_last - region.new_first for region in regions),
            deleted_line_count=sum(region.last - region.first for region in regions),
        )
        for change in found.changes[first : first + size]:
            deadline.require_time()
            message = response.changes.add()
            message.CopyFrom(_change_message(found, change))
            if request.with_words and message.kind == differences_pb2.CHANGE_KIND_REPLACED:
                _add_words(message, found, change)
        if first + size < len(regions):
            response.next_page_token = self._pager.token(request, game_id, page, (first + size,))
        return response


def _change_message(found: Differences, change: LineChange) -> differences_pb2.TextChange:
    region = change.lines
    kind = differences_pb2.CHANGE_KIND_REPLACED
    if region.first == region.last:
        kind = differences_pb2.CHANGE_KIND_INSERTED
    elif region.new_first == region.new_last:
        kind = differences_pb2.CHANGE_KIND_DELETED
    base_text = found.base_text[slice(*change.span)]
    text = found.text[slice(*change.new_span)]
    return differences_pb2.TextChange(
        kind=kind,
        base_span=_span(change.span),
        span=_span(change.new_span),
        base_lines=_lines(region.first, region.last),
        lines=_lines(region.new_first, region.new_last),
        base_text=base_text[:DIFF_CHANGE_CODE_POINTS_MAX],
        text=text[:DIFF_CHANGE_CODE_POINTS_MAX],
        cut=max(len(base_text), len(text)) > DIFF_CHANGE_CODE_POINTS_MAX,
        coarse=region.coarse,
    )


def _add_words(message: differences_pb2.TextChange, found: Differences, change: LineChange) -> None:
    words = words_of(found, change)
    message.words_complete = words.complete
    message.words.extend(
        differences_pb2.WordChange(base_span=_span(entry.span), span=_span(entry.new_span))
        for entry in words.changes
    )


def _span(span: tuple[int, int]) -> citation_pb2.Span:
    return citation_pb2.Span(start=span[0], end=span[1])


def _lines(first: int, last: int) -> citation_pb2.LineRange | None:
    """Lines ``[first, last)`` from 0, as the contract counts them."""
    return citation_pb2.LineRange(first=first + 1, last=last) if first < last else None
