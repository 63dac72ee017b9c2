"""Calls about refresh requests: from their messages to their use case and back."""

from __future__ import annotations

from typing import Final

from corpus_service.domain.refreshes import RefreshRefusal, RefreshRequest
from corpus_service.servicers.conversions import timestamp
from corpus_service.servicers.filters import require_game
from corpus_service.servicers.paging import Pager
from corpus_service.services.failures import invalid
from corpus_service.services.locating import SourceLocator
from corpus_service.services.refresh import RefreshOutcome, RefreshUseCase
from sourcecorpus.capture.v1 import refresh_pb2 as shared
from sourcecorpus.corpus.v1 import refresh_pb2 as messages
from sourcecorpus.rpc.limits import (
    IDENTIFIER_BYTES_MAX,
    LIST_PAGE_SIZE_DEFAULT,
    LIST_PAGE_SIZE_MAX,
)
from sourcecorpus.rpc.page_tokens import PageTokenSigner, page_size

_LIST: Final = "/sourcecorpus.corpus.v1.SourceService/ListRefreshRequests"


class RefreshCalls:
    """RequestRefresh, ListRefreshRequests, TakeRefreshRequests, ReportRefresh. Safe from any thread."""

    def __init__(self, use_case: RefreshUseCase, signer: PageTokenSigner) -> None:
        self._use_case = use_case
        self._pager = Pager(signer, _LIST)

    def ask(self, request: messages.RequestRefreshRequest) -> messages.RequestRefreshResponse:
        """Asks for sources to be captured again; see the contract."""
        game_id = require_game(request.game_id)
        locators = [SourceLocator(source_id=name) for name in request.source_ids]
        locators += [SourceLocator(uri=uri) for uri in request.uris]
        found = self._use_case.ask(game_id, locators, request.reason)
        return messages.RequestRefreshResponse(
            requests=[_message(game_id, entry) for entry in found]
        )

    def list(
        self, request: messages.ListRefreshRequestsRequest
    ) -> messages.ListRefreshRequestsResponse:
        """Lists requests, newest first; see the contract."""
        game_id = require_game(request.game_id)
        size = page_size(request.page_size, LIST_PAGE_SIZE_DEFAULT, LIST_PAGE_SIZE_MAX)
        page = self._pager.begin(request, request.page_token, game_id)
        match page.position:
            case None:
                after = ""
            case (str(after),):
                pass
            case _:
                raise invalid("PAGE_TOKEN_INVALID", "page_token")
        found = self._use_case.list(game_id, after=after, limit=size + 1)
        response = messages.ListRefreshRequestsResponse(
            requests=[_message(game_id, entry) for entry in found[:size]]
        )
        if len(found) > size:
            response.next_page_token = self._pager.token(
                request, game_id, page, (found[size - 1].request_id,)
            )
        return response

    def take(
        self, request: messages.TakeRefreshRequestsRequest
    ) -> messages.TakeRefreshRequestsResponse:
        """Leases waiting requests; see the contract."""
        game_id = require_game(request.game_id)
        found = self._use_case.take(game_id, request.limit)
        return messages.TakeRefreshRequestsResponse(
            requests=[_message(game_id, entry) for entry in found]
        )

    def report(self, request: messages.ReportRefreshRequest) -> messages.ReportRefreshResponse:
        """Notes what came of a request; see the contract."""
        game_id = require_game(request.game_id)
        if len(request.envelope_id.encode()) > IDENTIFIER_BYTES_MAX:
            raise invalid("FIELD_TOO_LARGE", "envelope_id", limit_bytes=IDENTIFIER_BYTES_MAX)
        try:
            refusal = RefreshRefusal(request.refusal)
        except ValueError:
            raise invalid("FIELD_INVALID", "refusal") from None
        outcome = RefreshOutcome(request.envelope_id, refusal)
        found = self._use_case.report(game_id, request.request_id, outcome)
        return messages.ReportRefreshResponse(request=_message(game_id, found))


def _message(game_id: str, entry: RefreshRequest) -> shared.RefreshRequest:
    return shared.RefreshRequest(
        request_id=entry.request_id,
        game_id=game_id,
        source_id=entry.source_id,
        uri=entry.uri,
        canonical_uri=entry.canonical_uri,
        family=entry.family,
        reason=entry.reason,
        state=shared.RefreshState.ValueType(entry.state),
        requested_time=timestamp(entry.requested_time),
        attempts=entry.attempts,
        lease_end_time=timestamp(entry.lease_end_time),
        finished_time=timestamp(entry.finished_time),
        envelope_id=entry.envelope_id,
        refusal=shared.RefreshRefusal.ValueType(entry.refusal),
    )
