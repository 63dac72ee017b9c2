"""ProposeCitations over a real socket: evidence in both texts, the scope, and nothing remembered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus_service.proposals.limits import SENTENCES_MAX
from sourcecorpus.corpus.v1 import citation_service_pb2 as citation_pb
from sourcecorpus.corpus.v1 import proposals_pb2 as pb
from sourcecorpus.corpus.v1 import search_service_pb2 as search_pb
from sourcecorpus.rpc.limits import ANSWER_CODE_POINTS_MAX
from tests.reading.stocked import BACKENDS, GAME, Stock, Stubs, over_socket, refused, stocks

GATE = (
    "The castle moves at dusk. Its great northern gate was built in 1203 by Aldric. Nobody sees it."
)
CELLAR = "The cellar of the castle holds nine barrels of salted fish and one of tar."


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    for opened in stocks(request.param, tmp_path):
        opened.add("https://castle.example/gate", GATE, title="Gate", run_id="r1")
        opened.add("https://castle.example/cellar", CELLAR, title="Cellar", run_id="r2")
        yield opened


def ask(answer: str, run: str = "r1", *, whole_game: bool = False) -> pb.ProposeCitationsRequest:
    return pb.ProposeCitationsRequest(
        game_id=GAME, run_id=run, answer_text=answer, whole_game=whole_game
    )


def test_each_sentence_gets_proposals_with_evidence_or_a_reason(stock: Stock) -> None:
    answer = (
        "Hm. Its great northern gate was built in 1203. In 1207 Aldric made the northern gate. "
        "Dolphins sing to volcanoes."
    )

    async def body(stubs: Stubs) -> None:
        found = await stubs.citation.ProposeCitations(ask(answer))
        assert [answer[s.span.start : s.span.end] for s in found.sentences] == [
            "Hm.",
            "Its great northern gate was built in 1203.",
            "In 1207 Aldric made the northern gate.",
            "Dolphins sing to volcanoes.",
        ]
        short, exact, words, nothing = found.sentences
        assert short.none_reason == pb.NO_PROPOSAL_REASON_TOO_SHORT
        assert nothing.none_reason == pb.NO_PROPOSAL_REASON_NONE_FOUND
        assert not nothing.proposals
        first = exact.proposals[0]
        assert first.grade == pb.PROPOSAL_GRADE_OVERLAP
        assert not first.numbers_differ
        assert first.citation.quote == "Its great northern gate was built in 1203 by Aldric."
        for stretch in first.evidence:
            here = answer[stretch.answer.start : stretch.answer.end]
            assert here == GATE[stretch.version.start : stretch.version.end]
        second = words.proposals[0]
        assert second.grade == pb.PROPOSAL_GRADE_LEXICAL
        assert second.numbers_differ
        resolved = await stubs.citation.ResolveCitations(
            citation_pb.ResolveCitationsRequest(game_id=GAME, refs=[first.citation.ref])
        )
        assert resolved.results[0].citation == first.citation

    over_socket(stock, body)


def test_the_scope_is_the_run_or_the_game(stock: Stock) -> None:
    answer = "The cellar of the castle holds nine barrels of salted fish."

    async def body(stubs: Stubs) -> None:
        of_run = await stubs.citation.ProposeCitations(ask(answer))
        assert not of_run.sentences[0].proposals
        of_other = await stubs.citation.ProposeCitations(ask(answer, "r2"))
        of_game = await stubs.citation.ProposeCitations(ask(answer, "", whole_game=True))
        assert of_other.sentences[0].proposals[0].citation.title == "Cellar"
        assert of_game.sentences == of_other.sentences

    over_socket(stock, body)


def test_text_of_a_model_supports_nothing(stock: Stock) -> None:
    claim = "Aldric drowned in the moat on a windy morning."
    stock.add("https://castle.example/summary", claim, run_id="r1", synthetic=True)

    async def body(stubs: Stubs) -> None:
        found = await stubs.citation.ProposeCitations(ask(claim))
        assert all(p.citation.quote != claim for p in found.sentences[0].proposals)

    over_socket(stock, body)


def test_the_answer_is_forgotten(stock: Stock) -> None:
    before = stock.store.snapshot(GAME)
    answer = "Zyzzyva weevils guard the great northern gate built in 1203."

    async def body(stubs: Stubs) -> None:
        await stubs.citation.ProposeCitations(ask(answer))
        hits = await stubs.search.Search(search_pb.SearchRequest(game_id=GAME, query="Zyzzyva"))
        assert not hits.hits

    over_socket(stock, body)
    assert stock.store.snapshot(GAME) == before


def test_requests_are_bounded(stock: Stock) -> None:
    async def body(stubs: Stubs) -> None:
        propose = stubs.citation.ProposeCitations
        assert await refused(propose(ask(" \n"))) == (
            "INVALID_ARGUMENT",
            "FIELD_REQUIRED",
            "answer_text",
        )
        assert await refused(propose(ask("x" * (ANSWER_CODE_POINTS_MAX + 1)))) == (
            "INVALID_ARGUMENT",
            "FIELD_TOO_LARGE",
            "answer_text",
        )
        assert await refused(propose(ask("Text.", ""))) == (
            "INVALID_ARGUMENT",
            "FIELD_REQUIRED",
            "run_id",
        )
        long = await propose(ask("No gate. " * (SENTENCES_MAX + 5)))
        assert len(long.sentences) == SENTENCES_MAX
        assert long.sentences_cut

    over_socket(stock, body)
