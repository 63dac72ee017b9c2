"""Calls about runs: from their messages to their use case and back."""

from __future__ import annotations

from typing import Final

from corpus_service.domain.run_links import RunSource
from corpus_service.domain.vocabulary import RunUse
from corpus_service.servicers.conversions import timestamp
from corpus_service.servicers.filters import require_game
from corpus_service.servicers.paging import Pager
from corpus_service.services.failures import invalid
from corpus_service.services.refs import format_ref
from corpus_service.services.run_links import LinkTarget, RunStore, RunUseCase
from sourcecorpus.corpus.v1 import run_links_pb2 as messages
from sourcecorpus.corpus.v1.source_pb2 import Trust
from sourcecorpus.rpc.limits import LIST_PAGE_SIZE_DEFAULT, LIST_PAGE_SIZE_MAX
from sourcecorpus.rpc.page_tokens import PageTokenSigner, page_size

_CITATIONS: Final = "/sourcecorpus.corpus.v1.CitationService"
_SOURCES: Final = "/sourcecorpus.corpus.v1.SourceService"


class RunCalls:
    """LinkRunSources, ListRunSources and ListCitingRuns. Safe from any thread."""

    def __init__(self, store: RunStore, use_case: RunUseCase, signer: PageTokenSigner) -> None:
        self._store = store
        self._use_case = use_case
        self._sources_pager = Pager(signer, f"{_CITATIONS}/ListRunSources")
        self._runs_pager = Pager(signer, f"{_SOURCES}/ListCitingRuns")

    def link(self, request: messages.LinkRunSourcesRequest) -> messages.LinkRunSourcesResponse:
        """Remembers uses; see the contract."""
        game_id = require_game(request.game_id)
        targets = [_target(link, place) for place, link in enumerate(request.links)]
        results = self._use_case.link(game_id, request.run_id, targets)
        return messages.LinkRunSourcesResponse(
            results=[
                messages.LinkedRunSource(failure_reason=result)
                if isinstance(result, str)
                else messages.LinkedRunSource(use=messages.RunUse.ValueType(result))
                for result in results
            ]
        )

    def list_sources(
        self, request: messages.ListRunSourcesRequest
    ) -> messages.ListRunSourcesResponse:
        """Lists what a run used; see the contract."""
        game_id = require_game(request.game_id)
        size = page_size(request.page_size, LIST_PAGE_SIZE_DEFAULT, LIST_PAGE_SIZE_MAX)
        page = self._sources_pager.begin(
            request, request.page_token, game_id, self._store.snapshot(game_id)
        )
        match page.position:
            case None:
                after = 0
            case (int(after),):
                pass
            case _:
                raise invalid("PAGE_TOKEN_INVALID", "page_token")
        found = self._use_case.list_sources(
            game_id,
            request.run_id,
            least_use=_least_use(request.least_use, RunUse.DISCOVERED),
            limit=size + 1,
            after=after,
            as_of=page.as_of,
        )
        response = messages.ListRunSourcesResponse(
            sources=[_source_message(source) for source in found[:size]]
        )
        if len(found) > size:
            response.next_page_token = self._sources_pager.token(
                request, game_id, page, (found[size - 1].row,)
            )
        return response

    def list_runs(self, request: messages.ListCitingRunsRequest) -> messages.ListCitingRunsResponse:
        """Lists the runs that used a source; see the contract."""
        game_id = require_game(request.game_id)
        size = page_size(request.page_size, LIST_PAGE_SIZE_DEFAULT, LIST_PAGE_SIZE_MAX)
        page = self._runs_pager.begin(
            request, request.page_token, game_id, self._store.snapshot(game_id)
        )
        after: tuple[int, str] | None = None
        match page.position:
            case None:
                pass
            case (int(sequence), str(run_id)):
                after = (sequence, run_id)
            case _:
                raise invalid("PAGE_TOKEN_INVALID", "page_token")
        found = self._use_case.list_runs(
            game_id,
            source_id=request.source_id,
            version_id=request.version_id,
            least_use=_least_use(request.least_use, RunUse.CITED),
            limit=size + 1,
            after=after,
            as_of=page.as_of,
        )
        response = messages.ListCitingRunsResponse(
            runs=[
                messages.CitingRun(run_id=run.run_id, use=messages.RunUse.ValueType(run.use))
                for run in found[:size]
            ]
        )
        if len(found) > size:
            last = found[size - 1]
            response.next_page_token = self._runs_pager.token(
                request, game_id, page, (last.sequence, last.run_id)
            )
        return response


def _target(link: messages.RunSourceLink, place: int) -> LinkTarget:
    field = f"links[{place}]"
    if link.use == messages.RunUse.RUN_USE_UNSPECIFIED:
        raise invalid("FIELD_REQUIRED", f"{field}.use")
    if not (link.ref or link.version_id or link.artifact_id):
        raise invalid("LOCATOR_REQUIRED", f"{field}.target")
    return LinkTarget(_use(link.use, f"{field}.use"), link.ref, link.version_id, link.artifact_id)


def _least_use(value: int, default: RunUse) -> RunUse:
    return _use(value, "least_use") if value else default


def _use(value: int, field: str) -> RunUse:
    try:
        return RunUse(value)
    except ValueError:
        raise invalid("FIELD_INVALID", field) from None


def _source_message(source: RunSource) -> messages.RunSource:
    return messages.RunSource(
        artifact_id=source.artifact_id,
        source_id=source.source_id,
        version_id=source.version_id,
        canonical_uri=source.canonical_uri,
        original_uri=source.original_uri,
        title=source.title,
        family=source.family,
        kind=source.kind,
        trust=Trust.ValueType(source.trust),
        fetched_time=timestamp(source.fetched_time),
        use=messages.RunUse.ValueType(source.use),
        refs=[
            messages.RunRef(
                ref=format_ref(place.version_id, place.start, place.end),
                use=messages.RunUse.ValueType(place.use),
            )
            for place in source.places
        ],
        refs_cut=source.places_cut,
    )
