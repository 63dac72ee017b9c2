"""Search: from its messages to its use cases and back, in one game or in several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from corpus_service.domain.sources import Snapshot
from corpus_service.servicers.conversions import explanation_message, hit_message
from corpus_service.servicers.facet_messages import counts_message, facet_fields
from corpus_service.servicers.filters import passage_filter, require_game, search_filter
from corpus_service.servicers.paging import Pager, Position
from corpus_service.services.delivered_rows import read_rows, write_rows
from corpus_service.services.failures import invalid, precondition
from corpus_service.services.search import (
    SearchPage,
    SearchPagePosition,
    SearchRequest,
    SearchStore,
    SearchUseCase,
)
from corpus_service.services.search_games import GamePosition, SearchGamesUseCase
from sourcecorpus.corpus.v1 import search_service_pb2
from sourcecorpus.rpc.failures import Failure
from sourcecorpus.rpc.limits import (
    SEARCH_GAMES_MAX,
    SEARCH_HITS_PER_DOCUMENT_DEFAULT,
    SEARCH_PAGE_SIZE_DEFAULT,
    SEARCH_PAGE_SIZE_MAX,
)
from sourcecorpus.rpc.page_tokens import PositionValue, page_size

# What a token holds of each game: epoch, commit, stage, rows.
_VALUES_OF_A_GAME: Final = 4
_BEGINNING: Final = -1
_END: Final = -2


@dataclass(frozen=True, slots=True)
class WantedSearch:
    """A checked request; ``game_ids`` are empty where it asks for one game."""

    request: SearchRequest
    game_ids: tuple[str, ...]


def read_search(request: search_service_pb2.SearchRequest) -> WantedSearch:
    """Checks a request.

    Raises:
        Failure: INVALID_ARGUMENT with the field.
    """
    game_ids = _game_ids(request)
    game_id = game_ids[0] if game_ids else require_game(request.game_id)
    if not request.query:
        raise invalid("QUERY_EMPTY", "query")
    if request.hits_per_document_max < 0:
        raise invalid("FIELD_INVALID", "hits_per_document_max")
    wanted = SearchRequest(
        game_id=game_id,
        query=request.query,
        narrowing=search_filter(request.filter),
        page_size=page_size(request.page_size, SEARCH_PAGE_SIZE_DEFAULT, SEARCH_PAGE_SIZE_MAX),
        hits_per_document=request.hits_per_document_max or SEARCH_HITS_PER_DOCUMENT_DEFAULT,
        facets=facet_fields(request.facets),
        within=passage_filter(request),
    )
    return WantedSearch(wanted, game_ids)


class SearchCalls:
    """Answers checked requests on a thread of the read pool."""

    def __init__(self, store: SearchStore, pager: Pager) -> None:
        self._store = store
        self._pager = pager
        self._one = SearchUseCase(store)
        self._several = SearchGamesUseCase(self._one)

    def answer(
        self, request: search_service_pb2.SearchRequest, wanted: WantedSearch
    ) -> search_service_pb2.SearchResponse:
        """Searches; see the contract."""
        if wanted.game_ids:
            return self._answer_several(request, wanted)
        game_id = wanted.request.game_id
        present = self._store.snapshot(game_id)
        page = self._pager.begin(request, request.page_token, game_id, present)
        found = self._one.search(wanted.request, page.as_of, _position(page.position), present)
        response = _response(found)
        if found.following is not None:
            position = (found.following.stage, write_rows(found.following.delivered))
            token = self._pager.token(request, game_id, page, position)
            _add_token(response, token, len(found.following.delivered))
        return response

    def _answer_several(
        self, request: search_service_pb2.SearchRequest, wanted: WantedSearch
    ) -> search_service_pb2.SearchResponse:
        games = "\n".join(wanted.game_ids)
        present = [
            self._snapshot(game_id, number) for number, game_id in enumerate(wanted.game_ids)
        ]
        page = self._pager.begin(request, request.page_token, games)
        as_of, positions = _game_positions(page.position, present)
        found = self._several.search(
            wanted.request, list(zip(wanted.game_ids, as_of, strict=True)), positions
        )
        response = _response(found.page)
        if found.following is not None:
            values = [
                value
                for snapshot, position in zip(as_of, found.following, strict=True)
                for value in _values(snapshot, position)
            ]
            token = self._pager.token(request, games, page, tuple(values))
            _add_token(response, token, sum(one.delivered for one in found.following))
        return response

    def _snapshot(self, game_id: str, number: int) -> Snapshot:
        try:
            return self._store.snapshot(game_id)
        except Failure as failure:
            if failure.reason == "UNKNOWN_GAME":
                raise Failure(failure.code, failure.reason, f"game_ids[{number}]") from None
            raise


def _game_ids(request: search_service_pb2.SearchRequest) -> tuple[str, ...]:
    if not request.game_ids:
        return ()
    if request.game_id:
        raise invalid("FIELDS_CONFLICT", "game_ids")
    if len(request.game_ids) > SEARCH_GAMES_MAX:
        raise invalid("FIELD_TOO_MANY_VALUES", "game_ids", limit=SEARCH_GAMES_MAX)
    found = [
        require_game(game_id, f"game_ids[{number}]")
        for number, game_id in enumerate(request.game_ids)
    ]
    return tuple(dict.fromkeys(found))


def _response(found: SearchPage) -> search_service_pb2.SearchResponse:
    return search_service_pb2.SearchResponse(
        hits=[hit_message(hit) for hit in found.hits],
        explanation=explanation_message(found.explanation),
        facet_counts=counts_message(found.counts),
    )


def _add_token(response: search_service_pb2.SearchResponse, token: str, delivered: int) -> None:
    response.next_page_token = token
    if not token:
        # The token cannot hold more rows: say that further matches are out of reach.
        response.explanation.candidate_limit = delivered


def _position(position: Position | None) -> SearchPagePosition | None:
    if position is None:
        return None
    match position:
        case (int(stage), str(rows)) if stage >= 0:
            return SearchPagePosition(stage, read_rows(rows))
        case _:
            raise invalid("PAGE_TOKEN_INVALID", "page_token")


def _values(snapshot: Snapshot, position: GamePosition) -> tuple[PositionValue, ...]:
    if position.within is not None:
        stage, rows = position.within.stage, write_rows(position.within.delivered)
    else:
        stage, rows = _END if position.ended else _BEGINNING, ""
    return snapshot.epoch, snapshot.sequence, stage, rows


def _game_positions(
    position: Position | None, present: list[Snapshot]
) -> tuple[list[Snapshot], list[GamePosition]]:
    """Returns the snapshot of the first page and the position of this one for each game."""
    if position is None:
        return present, [GamePosition()] * len(present)
    if len(position) != _VALUES_OF_A_GAME * len(present):
        raise invalid("PAGE_TOKEN_INVALID", "page_token")
    as_of: list[Snapshot] = []
    positions: list[GamePosition] = []
    for number, now in enumerate(present):
        first = _VALUES_OF_A_GAME * number
        match position[first : first + _VALUES_OF_A_GAME]:
            case (str(epoch), int(sequence), int(stage), str(rows)):
                if epoch != now.epoch or sequence > now.sequence:
                    raise precondition("SNAPSHOT_CHANGED", "page_token")
                as_of.append(Snapshot(epoch, sequence))
                within = SearchPagePosition(stage, read_rows(rows)) if stage >= 0 else None
                positions.append(GamePosition(within, ended=stage == _END))
            case _:
                raise invalid("PAGE_TOKEN_INVALID", "page_token")
    return as_of, positions
