"""The agent's tools on the corpus: bounded answers without ids that a model has no use for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

from google.protobuf.message import Message

from sourcecorpus.corpus.v1.citation_service_pb2 import ResolveCitationsRequest
from sourcecorpus.corpus.v1.quotes_pb2 import QuoteToVerify, VerifyQuotesRequest
from sourcecorpus.corpus.v1.search_service_pb2 import FindTextRequest, MatchMode, SearchRequest
from sourcecorpus.corpus.v1.source_service_pb2 import ListSourcesRequest, ReadDocumentRequest
from sourcecorpus.hermes.sidecar.agent_answers import (
    cited_document,
    found_document,
    hit_document,
    read_document,
    source_document,
    verdict_document,
)
from sourcecorpus.hermes.sidecar.games import CurrentGame
from sourcecorpus.hermes.sidecar.pages import PageBook
from sourcecorpus.rpc.failures import Failure, FailureCode

if TYPE_CHECKING:
    from sourcecorpus.hermes.sidecar.services import Services

SEARCH_LIMIT_DEFAULT: Final = 8
SEARCH_LIMIT_MAX: Final = 20
FIND_LIMIT_DEFAULT: Final = 8
FIND_LIMIT_MAX: Final = 20
SOURCES_LIMIT_DEFAULT: Final = 20
SOURCES_LIMIT_MAX: Final = 50
READ_LINES_DEFAULT: Final = 150
READ_LINES_MAX: Final = 500
READ_CHARACTERS_MAX: Final = 16_000
CITATIONS_MAX: Final = 20
TEXT_CHARACTERS_MAX: Final = 8_192
QUOTE_CHARACTERS_MAX: Final = 16_384
CALL_SECONDS_MAX: Final = 20.0

Answer = dict[str, Any]
Request = TypeVar("Request", bound=Message)


class AgentTools:
    """Serves the tools. Safe for several threads."""

    def __init__(
        self,
        services: Services,
        current_game: Callable[[dict[str, Any]], CurrentGame],
        consulted: Callable[[dict[str, Any], str, str], None] = lambda _question, _game, _ref: None,
    ) -> None:
        """Wire the tools.

        Args:
            services: Stubs of the corpus.
            current_game: The game of the sessions that a question names.
            consulted: Told the question, the game and the ref of a text that was read.
        """
        self._consulted = consulted
        self._services = services
        self._current_game = current_game
        self._pages = PageBook()

    def handlers(self) -> dict[str, Callable[[dict[str, Any]], Answer]]:
        """What answers which question."""
        tools = {
            "corpus_search": self.search,
            "corpus_find": self.find,
            "corpus_read": self.read,
            "corpus_cite": self.cite,
            "corpus_sources": self.sources,
        }
        return {name: self._with_game(tool) for name, tool in tools.items()}

    def search(self, arguments: dict[str, Any], game_id: str) -> Answer:
        """Search passages.

        Raises:
            Failure: An argument is wrong.
            grpc.RpcError: The corpus refuses or is away.
        """
        request = self._page_or(
            "corpus_search",
            arguments,
            SearchRequest(game_id=game_id),
            lambda: SearchRequest(
                game_id=game_id,
                query=_required_text(arguments, "query"),
                page_size=_number(arguments, "limit", SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX),
            ),
        )
        found = self._services.search.Search(request, timeout=CALL_SECONDS_MAX)
        answer: Answer = {"game": game_id, "hits": [hit_document(hit) for hit in found.hits]}
        explanation = found.explanation
        if explanation.relaxed:
            answer["relaxed"] = True
        if explanation.excluded:
            answer["excluded_words"] = list(explanation.excluded)
        if explanation.dropped:
            answer["dropped_words"] = list(explanation.dropped)
        if explanation.empty_reason:
            answer["empty_reason"] = explanation.empty_reason
        if found.next_page_token:
            following = SearchRequest()
            following.CopyFrom(request)
            following.page_token = found.next_page_token
            answer["next_page"] = self._pages.remember("corpus_search", following)
        return answer

    def find(self, arguments: dict[str, Any], game_id: str) -> Answer:
        """Find every line with a text; raises as ``search`` does."""
        request = self._page_or(
            "corpus_find",
            arguments,
            FindTextRequest(game_id=game_id),
            lambda: _find_request(arguments, game_id),
        )
        found = self._services.search.FindText(request, timeout=CALL_SECONDS_MAX)
        answer: Answer = {
            "game": game_id,
            "documents": [
                found_document(document, TEXT_CHARACTERS_MAX * 2 // len(found.documents))
                for document in found.documents
            ],
            "exhausted": found.exhausted,
        }
        if found.next_page_token:
            following = FindTextRequest()
            following.CopyFrom(request)
            following.page_token = found.next_page_token
            answer["next_page"] = self._pages.remember("corpus_find", following)
        return answer

    def sources(self, arguments: dict[str, Any], game_id: str) -> Answer:
        """List sources; raises as ``search`` does."""
        request = self._page_or(
            "corpus_sources",
            arguments,
            ListSourcesRequest(game_id=game_id),
            lambda: ListSourcesRequest(
                game_id=game_id,
                uri_prefix=_text(arguments, "url_prefix"),
                page_size=_number(arguments, "limit", SOURCES_LIMIT_DEFAULT, SOURCES_LIMIT_MAX),
            ),
        )
        found = self._services.sources.ListSources(request, timeout=CALL_SECONDS_MAX)
        answer: Answer = {
            "game": game_id,
            "sources": [source_document(source) for source in found.sources],
        }
        if found.next_page_token:
            following = ListSourcesRequest()
            following.CopyFrom(request)
            following.page_token = found.next_page_token
            answer["next_page"] = self._pages.remember("corpus_sources", following)
        return answer

    def read(self, arguments: dict[str, Any], game_id: str) -> Answer:
        """Read exact lines; raises as ``search`` does."""
        request = self._page_or(
            "corpus_read",
            arguments,
            ReadDocumentRequest(game_id=game_id),
            lambda: self._read_request(arguments, game_id),
        )
        found = self._services.sources.ReadDocument(request, timeout=CALL_SECONDS_MAX)
        answer = read_document(found, starts_inside_line=bool(request.first_line_offset))
        if found.HasField("continuation"):
            answer["next_page"] = self._pages.remember("corpus_read", found.continuation)
        return answer

    def cite(self, arguments: dict[str, Any], game_id: str) -> Answer:
        """Open refs and prove quotations; raises as ``search`` does."""
        wanted = _wanted_citations(arguments)
        resolved = self._services.citations.ResolveCitations(
            ResolveCitationsRequest(game_id=game_id, refs=[ref for ref, _ in wanted]),
            timeout=CALL_SECONDS_MAX,
        )
        documents = [
            cited_document(result, TEXT_CHARACTERS_MAX // len(wanted))
            for result in resolved.results
        ]
        # A ref that does not open has its error; its quote has nothing to be proven against.
        quoted = [
            (document, ref, quote)
            for document, (ref, quote) in zip(documents, wanted, strict=True)
            if quote and "error" not in document
        ]
        if quoted:
            verified = self._services.citations.VerifyQuotes(
                VerifyQuotesRequest(
                    game_id=game_id,
                    quotes=[QuoteToVerify(ref=ref, quote=quote) for _, ref, quote in quoted],
                ),
                timeout=CALL_SECONDS_MAX,
            )
            for (document, _, _), result in zip(quoted, verified.results, strict=True):
                document.update(verdict_document(result))
        return {"game": game_id, "citations": documents}

    def _with_game(
        self, tool: Callable[[dict[str, Any], str], Answer]
    ) -> Callable[[dict[str, Any]], Answer]:
        def handle(question: dict[str, Any]) -> Answer:
            arguments = question.get("arguments")
            game = self._current_game(question)
            if not game.game_id:
                return {"error": "NO_GAME", "hint": "no game is set: /game ID sets one"}
            answer = tool(arguments if isinstance(arguments, dict) else {}, game.game_id)
            if tool == self.read and answer.get("ref"):
                self._consulted(question, game.game_id, answer["ref"])
            return answer

        return handle

    def _page_or(
        self, tool: str, arguments: dict[str, Any], kind: Request, first: Callable[[], Request]
    ) -> Request:
        """The request behind a page's name, or the first one."""
        name = _text(arguments, "page")
        if not name:
            return first()
        request = self._pages.find(tool, name, getattr(kind, "game_id", ""))
        if not isinstance(request, type(kind)):
            raise PageExpired
        return request

    def _read_request(self, arguments: dict[str, Any], game_id: str) -> ReadDocumentRequest:
        ref = _text(arguments, "ref").strip().strip("[]")
        url = _text(arguments, "url")
        if bool(ref) == bool(url):
            raise Failure(FailureCode.INVALID_ARGUMENT, "FIELD_REQUIRED", "ref")
        request = ReadDocumentRequest(
            game_id=game_id,
            first_line=_number(arguments, "first_line", 0, 2**31),
            max_lines=_number(arguments, "max_lines", READ_LINES_DEFAULT, READ_LINES_MAX),
            max_chars=READ_CHARACTERS_MAX,
        )
        if ref:
            request.citation = ref
        else:
            request.canonical_uri = url
        return request


class PageExpired(Exception):  # noqa: N818 - an outcome of a question
    """The page of an answer is not known any more."""


def _find_request(arguments: dict[str, Any], game_id: str) -> FindTextRequest:
    regex = arguments.get("regex", False)
    if not isinstance(regex, bool):
        raise Failure(FailureCode.INVALID_ARGUMENT, "FIELD_INVALID", "regex")
    speaker = _text(arguments, "speaker")
    request = FindTextRequest(
        game_id=game_id,
        # Without a text and without a speaker FindText would list documents; that is corpus_sources' work.
        query=_text(arguments, "text") if speaker else _required_text(arguments, "text"),
        match_mode=MatchMode.MATCH_MODE_REGEX if regex else MatchMode.MATCH_MODE_LITERAL,
        speakers=[speaker] if speaker else [],
        page_size=_number(arguments, "limit", FIND_LIMIT_DEFAULT, FIND_LIMIT_MAX),
    )
    url_prefix = _text(arguments, "url_prefix")
    if url_prefix:
        request.filter.uri_prefixes.append(url_prefix)
    return request


def _wanted_citations(arguments: dict[str, Any]) -> list[tuple[str, str]]:
    """Refs with the quotes to prove, "" for none."""
    wanted = arguments.get("citations")
    if not isinstance(wanted, list) or not 1 <= len(wanted) <= CITATIONS_MAX:
        raise Failure(
            FailureCode.INVALID_ARGUMENT,
            "FIELD_INVALID",
            "citations",
            metadata={"limit": str(CITATIONS_MAX)},
        )
    found = []
    for position, given in enumerate(wanted):
        item = {"ref": given} if isinstance(given, str) else given
        if not isinstance(item, dict) or not isinstance(item.get("ref"), str):
            raise Failure(
                FailureCode.INVALID_ARGUMENT, "FIELD_REQUIRED", f"citations[{position}].ref"
            )
        quote = _text(item, "quote", QUOTE_CHARACTERS_MAX)
        found.append((item["ref"].strip().strip("[]"), quote))
    return found


def _text(arguments: dict[str, Any], name: str, characters_max: int = 4_096) -> str:
    value = arguments.get(name)
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > characters_max:
        raise Failure(FailureCode.INVALID_ARGUMENT, "FIELD_INVALID", name)
    return value.encode("utf-8", "replace").decode()


def _required_text(arguments: dict[str, Any], name: str) -> str:
    value = _text(arguments, name)
    if not value:
        raise Failure(FailureCode.INVALID_ARGUMENT, "FIELD_REQUIRED", name)
    return value


def _number(arguments: dict[str, Any], name: str, default: int, most: int) -> int:
    value = arguments.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise Failure(FailureCode.INVALID_ARGUMENT, "FIELD_INVALID", name)
    return min(value, most)
