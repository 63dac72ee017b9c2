"""Commands as request messages of the contract. Pure: a checked command in, a message out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sourcecorpus.corpus.v1.citation_service_pb2 import ResolveCitationsRequest
from sourcecorpus.corpus.v1.deletion_pb2 import DeleteSourceRequest, DeletionReason
from sourcecorpus.corpus.v1.game_service_pb2 import UpdateGameRequest
from sourcecorpus.corpus.v1.quotes_pb2 import QuoteScope, QuoteToVerify, VerifyQuotesRequest
from sourcecorpus.corpus.v1.refresh_pb2 import RequestRefreshRequest
from sourcecorpus.corpus.v1.run_links_pb2 import LinkRunSourcesRequest, RunSourceLink, RunUse
from sourcecorpus.corpus.v1.search_service_pb2 import (
    FacetField,
    FindTextRequest,
    MatchMode,
    SearchFilter,
    SearchRequest,
    VersionScope,
)
from sourcecorpus.corpus.v1.source_service_pb2 import ListSourcesRequest, ReadDocumentRequest
from sourcecorpus.corpus.v1.suggestions_pb2 import SuggestTermsRequest

Command = Mapping[str, Any]


def save_request(command: Command, game_id: str) -> LinkRunSourcesRequest:
    """``corpus_save``: refs and uses; there is no field for anything else."""
    return LinkRunSourcesRequest(
        game_id=game_id,
        run_id=command["run"],
        links=[
            RunSourceLink(ref=source["ref"], use=RunUse.Value(f"RUN_USE_{source['use'].upper()}"))
            for source in command["sources"]
        ],
    )


def search_request(command: Command, game_id: str) -> SearchRequest:
    """``corpus_search``."""
    narrowing = _filter(command)
    if command.get("all_versions"):
        narrowing.version_scope = VersionScope.VERSION_SCOPE_ALL
    return SearchRequest(
        game_id=game_id,
        query=command["query"],
        filter=narrowing,
        page_size=command.get("limit", 0),
        page_token=command.get("page_token", ""),
        sections=command.get("sections", ()),
        speakers=command.get("speakers", ()),
        facets=[
            FacetField.Value(f"FACET_FIELD_{field.upper()}") for field in command.get("facets", ())
        ],
    )


def suggest_request(command: Command, game_id: str) -> SuggestTermsRequest:
    """``corpus_suggest``."""
    return SuggestTermsRequest(
        game_id=game_id, text=command["text"], suggestions_max=command.get("limit", 0)
    )


def find_request(command: Command, game_id: str) -> FindTextRequest:
    """``corpus_find``."""
    regex = command.get("regex", False)
    return FindTextRequest(
        game_id=game_id,
        query=command["text"],
        match_mode=MatchMode.MATCH_MODE_REGEX if regex else MatchMode.MATCH_MODE_LITERAL,
        filter=_filter(command),
        context_terms=command.get("context_terms", ()),
        speakers=command.get("speakers", ()),
        page_size=command.get("limit", 0),
        page_token=command.get("page_token", ""),
    )


def read_request(command: Command, game_id: str) -> ReadDocumentRequest:
    """``corpus_read``."""
    request = ReadDocumentRequest(
        game_id=game_id,
        first_line=command.get("first_line", 0),
        first_line_offset=command.get("first_line_offset", 0),
        max_lines=command.get("max_lines", 0),
        max_chars=command.get("max_chars", 0),
    )
    if "ref" in command:
        request.citation = command["ref"]
    elif "version" in command:
        request.version_id = command["version"]
    elif "source" in command:
        request.source_id = command["source"]
    else:
        request.canonical_uri = command["url"]
    return request


def cite_request(command: Command, game_id: str) -> ResolveCitationsRequest:
    """``corpus_cite``."""
    return ResolveCitationsRequest(game_id=game_id, refs=command["refs"])


def verify_request(command: Command, game_id: str) -> VerifyQuotesRequest:
    """``corpus_verify``."""
    scope = command.get("scope", "unspecified")
    return VerifyQuotesRequest(
        game_id=game_id,
        quotes=[
            QuoteToVerify(ref=quote["ref"], quote=quote["quote"]) for quote in command["quotes"]
        ],
        scope=QuoteScope.Value(f"QUOTE_SCOPE_{scope.upper()}"),
        run_id=command.get("run", ""),
    )


def sources_request(command: Command, game_id: str) -> ListSourcesRequest:
    """``corpus_sources``."""
    return ListSourcesRequest(
        game_id=game_id,
        families=command.get("families", ()),
        kinds=command.get("kinds", ()),
        run_id=command.get("run", ""),
        uri_prefix=command.get("url_prefix", ""),
        page_size=command.get("limit", 0),
        page_token=command.get("page_token", ""),
    )


def delete_request(command: Command, game_id: str) -> DeleteSourceRequest:
    """``corpus_delete``."""
    reason = command.get("reason", "unwanted")
    request = DeleteSourceRequest(
        game_id=game_id,
        version_id=command.get("version", ""),
        reason=DeletionReason.Value(f"DELETION_REASON_{reason.upper()}"),
        note=command.get("note", ""),
    )
    if "source" in command:
        request.source_id = command["source"]
    else:
        request.uri = command["url"]
    return request


def refresh_request(command: Command, game_id: str) -> RequestRefreshRequest:
    """``corpus_refresh``."""
    return RequestRefreshRequest(
        game_id=game_id,
        source_ids=command.get("sources", ()),
        uris=command.get("urls", ()),
        reason=command.get("reason", ""),
    )


def pause_request(command: Command, game_id: str) -> UpdateGameRequest:
    """``corpus_pause``."""
    return UpdateGameRequest(game_id=game_id, paused=command["paused"])


def _filter(command: Command) -> SearchFilter:
    return SearchFilter(
        families=command.get("families", ()),
        kinds=command.get("kinds", ()),
        hosts=command.get("hosts", ()),
        uri_prefixes=command.get("url_prefixes", ()),
        languages=command.get("languages", ()),
        run_ids=command.get("run_ids", ()),
        titles=command.get("titles", ()),
        collections=command.get("collections", ()),
    )
