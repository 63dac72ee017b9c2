"""ListChunks: from its messages to the store and back."""

from __future__ import annotations

from typing import Final, Protocol

from corpus_service.domain.sources import Passage
from corpus_service.servicers.filters import require_game
from corpus_service.servicers.paging import Pager
from corpus_service.services.failures import invalid
from corpus_service.services.locating import ReadingStore
from corpus_service.services.reading import ReadingUseCase
from corpus_service.services.refs import format_ref
from corpus_service.storage.interface import SourceReader
from sourcecorpus.corpus.v1 import chunks_pb2, citation_pb2
from sourcecorpus.identity.identifiers import chunk_id
from sourcecorpus.rpc.limits import CHUNK_PAGE_SIZE_DEFAULT, CHUNK_PAGE_SIZE_MAX
from sourcecorpus.rpc.page_tokens import PageTokenSigner, page_size

_LIST: Final = "/sourcecorpus.corpus.v1.SourceService/ListChunks"


class ChunkStore(ReadingStore, SourceReader, Protocol):
    """What listing chunks needs of a store."""


class ChunkCalls:
    """ListChunks. Safe from any thread."""

    def __init__(self, store: ChunkStore, signer: PageTokenSigner) -> None:
        self._store = store
        self._reading = ReadingUseCase(store)
        self._pager = Pager(signer, _LIST)

    def list(self, request: chunks_pb2.ListChunksRequest) -> chunks_pb2.ListChunksResponse:
        """Lists chunks in text order; see the contract.

        Raises:
            Failure: INVALID_ARGUMENT PAGE_TOKEN_INVALID; NOT_FOUND VERSION_NOT_FOUND;
                FAILED_PRECONDITION VERSION_DELETED, SNAPSHOT_CHANGED.
        """
        game_id = require_game(request.game_id)
        size = page_size(request.page_size, CHUNK_PAGE_SIZE_DEFAULT, CHUNK_PAGE_SIZE_MAX)
        snapshot = self._store.snapshot(game_id)
        page = self._pager.begin(request, request.page_token, game_id, snapshot)
        match page.position:
            case None:
                after = -1
            case (int(after),):
                pass
            case _:
                raise invalid("PAGE_TOKEN_INVALID", "page_token")
        version = self._reading.get_version(game_id, request.version_id)
        found = self._store.list_chunks(
            game_id, version.version_id, after_ordinal=after, limit=size + 1
        )
        response = chunks_pb2.ListChunksResponse(
            chunks=[_chunk_message(chunk) for chunk in found[:size]]
        )
        if len(found) > size:
            response.next_page_token = self._pager.token(
                request, game_id, page, (found[size - 1].ordinal,)
            )
        return response


def _chunk_message(chunk: Passage) -> chunks_pb2.Chunk:
    return chunks_pb2.Chunk(
        chunk_id=chunk_id(chunk.version_id, chunk.ordinal),
        ordinal=chunk.ordinal,
        span=citation_pb2.Span(start=chunk.start, end=chunk.end),
        first_line=chunk.first_line,
        heading_path=chunk.heading_path,
        text=chunk.text,
        token_count=chunk.token_count,
        ref=format_ref(chunk.version_id, chunk.start, chunk.end),
    )
