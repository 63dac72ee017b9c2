"""The agent's tools against a corpus in memory."""

from typing import Any

import pytest

from sourcecorpus.corpus.v1.citation_pb2 import Citation, LineRange, Span
from sourcecorpus.corpus.v1.citation_service_pb2 import (
    CitationFailure,
    ResolveCitationsResponse,
    ResolvedCitation,
)
from sourcecorpus.corpus.v1.quotes_pb2 import (
    NearestPassage,
    QuoteFailure,
    QuoteResult,
    QuoteVerdict,
    QuoteVerification,
    VerifyQuotesResponse,
)
from sourcecorpus.corpus.v1.search_service_pb2 import (
    FindTextResponse,
    FoundDocument,
    FoundLine,
    FoundPassage,
    MatchMode,
    SearchHit,
    SearchResponse,
)
from sourcecorpus.corpus.v1.source_pb2 import Trust, Version
from sourcecorpus.corpus.v1.source_service_pb2 import (
    Line,
    ListSourcesResponse,
    ReadDocumentRequest,
    ReadDocumentResponse,
)
from sourcecorpus.hermes.sidecar.agent_answers import found_document
from sourcecorpus.hermes.sidecar.agent_tools import AgentTools
from sourcecorpus.hermes.sidecar.answers import Answers
from sourcecorpus.hermes.sidecar.games import CurrentGame

TEXT = "# Cold iron\n\nCold iron ends wards. 冷铁 🗡\n" + "x" * 50 + "\nlast line"


class CorpusDouble:
    """One document; reading gives at most 20 characters of a line at a time."""

    def __init__(self) -> None:
        self.requests: list[Any] = []
        self.search = self.sources = self.citations = self
        self.verdicts: list[QuoteResult] = []

    def Search(self, request: Any, timeout: float) -> SearchResponse:  # noqa: N802
        self.requests.append(request)
        hit = SearchHit(title="T" * 900, snippet="s" * 9_000, ref="v-1#0-5", chunk_id="chk-1")
        hit.trust = Trust.TRUST_FETCHED
        more = "" if request.page_token else "opaque-token"
        return SearchResponse(hits=[hit], next_page_token=more)

    def FindText(self, request: Any, timeout: float) -> FindTextResponse:  # noqa: N802
        self.requests.append(request)
        if not request.page_token:
            return FindTextResponse(next_page_token="opaque-token", scanned_documents=256)
        lines = [
            FoundLine(number=3, text="Cold iron ends wards.", matches=[Span(start=13, end=17)]),
            FoundLine(number=4, text="x", partial=True),
        ]
        document = FoundDocument(version=Version(title="T" * 900, version_id="1", current=True))
        document.passages.append(FoundPassage(lines=lines, ref="v-1#13-39"))
        return FindTextResponse(documents=[document], exhausted=True)

    def ListSources(self, request: Any, timeout: float) -> ListSourcesResponse:  # noqa: N802
        self.requests.append(request)
        return ListSourcesResponse()

    def ReadDocument(  # noqa: N802
        self, request: ReadDocumentRequest, timeout: float
    ) -> ReadDocumentResponse:
        number, skip = max(1, request.first_line), request.first_line_offset
        line = TEXT.split("\n")[number - 1]
        offset = sum(len(part) + 1 for part in TEXT.split("\n")[: number - 1]) + skip
        text = line[skip : skip + 20]
        partial = skip + 20 < len(line)
        found = ReadDocumentResponse(
            version=Version(version_id="1", text_length=len(TEXT), line_count=5, current=True),
            lines=[Line(number=number, text=text, offset=offset, partial=partial)],
            ref="v-1#0-9",
        )
        if partial or number < 5:
            following = ReadDocumentRequest(game_id=request.game_id, version_id="1")
            following.first_line = number if partial else number + 1
            following.first_line_offset = skip + 20 if partial else 0
            found.continuation.CopyFrom(following)
        return found

    def ResolveCitations(self, request: Any, timeout: float) -> ResolveCitationsResponse:  # noqa: N802
        results = []
        for ref in request.refs:
            if ref == "gone":
                failure = CitationFailure(reason="VERSION_DELETED")
                results.append(ResolvedCitation(ref=ref, failure=failure))
                continue
            citation = Citation(
                ref=ref,
                version_id="1",
                span=Span(start=0, end=40),
                lines=LineRange(first=1, last=3),
            )
            citation.quote = TEXT[:40]
            results.append(ResolvedCitation(ref=ref, citation=citation))
        return ResolveCitationsResponse(results=results)

    def VerifyQuotes(self, request: Any, timeout: float) -> VerifyQuotesResponse:  # noqa: N802
        self.requests.append(request)
        return VerifyQuotesResponse(results=self.verdicts)


@pytest.fixture
def corpus() -> CorpusDouble:
    return CorpusDouble()


@pytest.fixture
def answers(corpus: CorpusDouble) -> Answers:
    def current(question: dict[str, Any]) -> CurrentGame:
        return CurrentGame(question.get("default_game", ""))

    return Answers(AgentTools(corpus, current).handlers())  # type: ignore[arg-type]


def ask(answers: Answers, tool: str, game: str = "emberfall", **arguments: Any) -> dict[str, Any]:
    return answers(tool, {"arguments": arguments, "default_game": game})


def test_without_a_game_nothing_is_asked(answers: Answers, corpus: CorpusDouble) -> None:
    assert ask(answers, "corpus_search", game="", query="x")["error"] == "NO_GAME"
    assert corpus.requests == []


def test_texts_are_bounded_and_ids_are_hidden(answers: Answers) -> None:
    (hit,) = ask(answers, "corpus_search", query="x")["hits"]
    assert len(hit["snippet"]) == 600
    assert len(hit["title"]) == 200
    assert hit["trust"] == "FETCHED"
    assert "chk-1" not in str(hit)


def test_next_page_has_a_short_name_that_keeps_the_question(
    answers: Answers, corpus: CorpusDouble
) -> None:
    first = ask(answers, "corpus_search", query="cold iron", limit=3)
    assert first["next_page"].startswith("p-")
    assert len(first["next_page"]) == 10
    second = ask(answers, "corpus_search", page=first["next_page"])
    assert "next_page" not in second
    request = corpus.requests[-1]
    assert (request.query, request.page_size) == ("cold iron", 3)
    assert request.page_token == "opaque-token"


def test_page_of_another_tool_or_game_or_time_is_expired(answers: Answers) -> None:
    page = ask(answers, "corpus_search", query="x")["next_page"]
    for tool, game, name in (
        ("corpus_search", "emberfall", "p-00000000"),
        ("corpus_sources", "emberfall", page),
        ("corpus_search", "saltmouth", page),
    ):
        assert ask(answers, tool, game, page=name)["error"] == "PAGE_EXPIRED"


@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("corpus_search", {}, "query"),
        ("corpus_search", {"query": 7}, "query"),
        ("corpus_search", {"query": "x", "limit": 0}, "limit"),
        ("corpus_search", {"query": "x", "limit": True}, "limit"),
        ("corpus_find", {}, "text"),
        ("corpus_find", {"text": "x", "regex": "yes"}, "regex"),
        ("corpus_find", {"text": "x", "limit": -1}, "limit"),
        ("corpus_find", {"speaker": ["W"]}, "speaker"),
        ("corpus_read", {}, "ref"),
        ("corpus_read", {"ref": "v-1#0-1", "url": "http://a/"}, "ref"),
        ("corpus_read", {"ref": "v-1#0-1", "first_line": "one"}, "first_line"),
        ("corpus_cite", {}, "citations"),
        ("corpus_cite", {"citations": []}, "citations"),
        ("corpus_cite", {"citations": [{"ref": "a"}] * 21}, "citations"),
        ("corpus_cite", {"citations": [{"ref": "a"}, {"quote": "x"}]}, "citations[1].ref"),
        ("corpus_sources", {"url_prefix": ["x"]}, "url_prefix"),
    ],
)
def test_wrong_argument_is_named(
    answers: Answers, tool: str, arguments: dict[str, Any], field: str
) -> None:
    answer = ask(answers, tool, **arguments)
    assert answer["field"] == field
    assert answer["error"] in {"FIELD_REQUIRED", "FIELD_INVALID"}


def test_finding_goes_on_behind_an_empty_page_until_it_is_exhausted(
    answers: Answers, corpus: CorpusDouble
) -> None:
    first = ask(answers, "corpus_find", text="cold", url_prefix="https://a.example/")
    assert (first["documents"], first["exhausted"]) == ([], False)
    last = ask(answers, "corpus_find", page=first["next_page"])
    assert last["exhausted"]
    assert "next_page" not in last
    (document,) = last["documents"]
    assert len(document["title"]) == 200
    (passage,) = document["passages"]
    assert passage == {
        "first_line": 3,
        "matching_lines": [3],
        "text": "Cold iron ends wards.\nx",
        "text_is_cut": True,
        "ref": "v-1#13-39",
    }
    request = corpus.requests[-1]
    assert (request.query, request.match_mode) == ("cold", MatchMode.MATCH_MODE_LITERAL)
    assert list(request.filter.uri_prefixes) == ["https://a.example/"]


def test_a_page_of_passages_is_bounded() -> None:
    line = FoundLine(number=1, text="x" * 2_000)
    passages = [FoundPassage(lines=[line] * 3, ref="v-1#0-5")] * 40
    document = found_document(FoundDocument(passages=passages), text_characters_max=16_000)
    assert len(document["passages"]) == 4
    assert document["passages_left_out"] == 36
    assert {len(passage["text"]) for passage in document["passages"]} == {4_000}
    assert all(passage["text_is_cut"] for passage in document["passages"])
    one = found_document(FoundDocument(passages=passages[:1]), text_characters_max=10)
    assert len(one["passages"]) == 1
    assert "passages_left_out" not in one


def test_a_speaker_alone_can_be_found(answers: Answers, corpus: CorpusDouble) -> None:
    ask(answers, "corpus_find", speaker="Warden", regex=True)
    request = corpus.requests[-1]
    assert (request.query, list(request.speakers)) == ("", ["Warden"])
    assert request.match_mode == MatchMode.MATCH_MODE_REGEX


def test_long_line_is_told_as_split(answers: Answers) -> None:
    first = ask(answers, "corpus_read", ref="[v-1#0-9]", first_line=4)
    assert first["ends_inside_line"]
    second = ask(answers, "corpus_read", page=first["next_page"])
    assert second["starts_inside_line"]
    assert (second["first_line"], second["text"]) == (4, "x" * 20)


EXACT = QuoteVerification(
    verdict=QuoteVerdict.QUOTE_VERDICT_EXACT, citation=Citation(ref="v-1#7-17-ab")
)
OUTSIDE = QuoteVerification(
    verdict=QuoteVerdict.QUOTE_VERDICT_EXACT,
    citation=Citation(ref="v-1#91-99-ab"),
    outside_ref=True,
)
NORMALISED = QuoteVerification(
    verdict=QuoteVerdict.QUOTE_VERDICT_NORMALISED,
    citation=Citation(ref="v-1#7-17-ab", quote="Cold iron " * 200),
)
ELSEWHERE = QuoteVerification(
    verdict=QuoteVerdict.QUOTE_VERDICT_ELSEWHERE,
    citation=Citation(ref="v-2#7-17-ab", title="Other", original_uri="https://o.example/"),
)
ABSENT = QuoteVerification(
    verdict=QuoteVerdict.QUOTE_VERDICT_ABSENT,
    nearest=NearestPassage(ref="v-1#0-9-ab", text="near"),
    scope_cut=True,
)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (EXACT, {"verdict": "EXACT", "quote_ref": "v-1#7-17-ab"}),
        (OUTSIDE, {"verdict": "EXACT", "quote_ref": "v-1#91-99-ab", "inside_ref": False}),
        (
            NORMALISED,
            {"verdict": "NORMALISED", "quote_ref": "v-1#7-17-ab", "stored_text": "Cold iron " * 60},
        ),
        (
            ELSEWHERE,
            {
                "verdict": "ELSEWHERE",
                "quote_ref": "v-2#7-17-ab",
                "quote_title": "Other",
                "quote_url": "https://o.example/",
            },
        ),
        (
            ABSENT,
            {
                "verdict": "ABSENT",
                "nearest_text": "near",
                "nearest_ref": "v-1#0-9-ab",
                "scope_was_cut": True,
            },
        ),
    ],
)
def test_a_quote_has_the_verdict_of_the_corpus(
    answers: Answers, corpus: CorpusDouble, found: QuoteVerification, expected: dict[str, Any]
) -> None:
    corpus.verdicts = [QuoteResult(verification=found)]
    citations = [{"ref": "v-1#0-40", "quote": "words"}]
    (document,) = ask(answers, "corpus_cite", citations=citations)["citations"]
    shown = {"ref", "lines", "text", "title", "url"}
    assert {name: value for name, value in document.items() if name not in shown} == expected


def test_only_refs_that_open_have_their_quotes_proven(
    answers: Answers, corpus: CorpusDouble
) -> None:
    failed = QuoteResult(failure=QuoteFailure(reason="STORED_HASH_MISMATCH"))
    corpus.verdicts = [QuoteResult(verification=EXACT), failed]
    citations = [
        {"ref": "gone", "quote": "a"},
        {"ref": "v-1#0-40", "quote": "b"},
        {"ref": "v-1#0-40"},
        {"ref": "v-1#0-41", "quote": "c"},
    ]
    documents = ask(answers, "corpus_cite", citations=citations)["citations"]
    assert [document.get("verdict") for document in documents] == [
        None,
        "EXACT",
        None,
        "NOT_CHECKED",
    ]
    assert documents[3]["verdict_error"] == "STORED_HASH_MISMATCH"
    assert [quote.quote for quote in corpus.requests[-1].quotes] == ["b", "c"]


def test_ref_that_does_not_open_says_why(answers: Answers) -> None:
    answer = ask(answers, "corpus_cite", citations=["gone", {"ref": "v-1#0-40"}])
    assert answer["citations"][0] == {"ref": "gone", "error": "VERSION_DELETED"}
    assert answer["citations"][1]["lines"] == [1, 3]
    assert "verdict" not in answer["citations"][1]


def test_a_text_that_was_read_is_told_with_its_question(corpus: CorpusDouble) -> None:
    told: list[tuple[Any, str, str]] = []
    tools = AgentTools(
        corpus,  # type: ignore[arg-type]
        lambda _: CurrentGame("emberfall"),
        lambda question, game, ref: told.append((question["run"], game, ref)),
    )
    answers = Answers(tools.handlers())
    answers("corpus_read", {"arguments": {"ref": "v-1#0-9"}, "run": "turn"})
    answers("corpus_search", {"arguments": {"query": "x"}, "run": "turn"})
    answers("corpus_read", {"arguments": {}, "run": "turn"})
    assert told == [("turn", "emberfall", "v-1#0-9")]
