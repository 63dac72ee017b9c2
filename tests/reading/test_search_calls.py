"""SearchService over a real socket: hits ready to cite, filters, page tokens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import grpc
import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from corpus_service.domain.sources import Snapshot
from sourcecorpus.corpus.v1 import citation_service_pb2, source_pb2
from sourcecorpus.corpus.v1 import search_service_pb2 as pb
from sourcecorpus.rpc.limits import FILTER_VALUE_CODE_POINTS_MAX, FILTER_VALUES_MAX
from tests.reading.stocked import BACKENDS, GAME, Stock, Stubs, over_socket, refused, stocks


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


async def names(stubs: Stubs, query: str, **fields: Any) -> list[str]:
    answer = await stubs.search.Search(pb.SearchRequest(game_id=GAME, query=query, **fields))
    return [hit.canonical_uri.rpartition("/")[2] for hit in answer.hits]


def test_a_hit_holds_all_that_a_view_needs(stock: Stock) -> None:
    old = stock.add("https://example.org/a", "# Guide\n\nThe İron sword of 悬空引用", title="Old")
    text = "# Guide\n\nThe iron sword, 悬空引用 修复"
    version = stock.add("https://example.org/a", text, title="New")

    async def body(stubs: Stubs) -> None:
        answer = await stubs.search.Search(pb.SearchRequest(game_id=GAME, query="悬空 iron"))
        (hit,) = answer.hits
        assert hit.version_id == version
        assert (hit.title, list(hit.heading_path), hit.game_id) == ("New", ["Guide"], GAME)
        assert hit.trust == source_pb2.TRUST_FETCHED
        assert hit.score > 0
        assert not hit.superseded
        assert text[hit.snippet_span.start : hit.snippet_span.end] == hit.snippet
        shown = [hit.snippet[span.start : span.end] for span in hit.highlights]
        assert shown == ["iron", "悬空"]
        resolved = await stubs.citation.ResolveCitations(
            citation_service_pb2.ResolveCitationsRequest(game_id=GAME, refs=[hit.ref])
        )
        citation = resolved.results[0].citation
        assert citation.quote == text[hit.chunk_span.start : hit.chunk_span.end]
        scope = pb.SearchFilter(version_scope=pb.VERSION_SCOPE_ALL)
        both = await stubs.search.Search(
            pb.SearchRequest(game_id=GAME, query="悬空 iron", filter=scope)
        )
        assert {hit.version_id: hit.superseded for hit in both.hits} == {old: True, version: False}

    over_socket(stock, body)


def test_filters_are_or_inside_and_and_across(stock: Stock) -> None:
    stock.add(
        "https://one.example/guide-x", "word", kind="guide", content_type="text/html", title="第1章"
    )
    stock.add("https://two.example/guide-y", "word", kind="guide", run_id="r1")
    stock.add("https://bücher.example/patch-x", "word", kind="patch", title="第11章")

    async def body(stubs: Stubs) -> None:
        async def found(**fields: Any) -> set[str]:
            return set(await names(stubs, "word", filter=pb.SearchFilter(**fields)))

        assert await found(kinds=["guide", "patch"], hosts=["ONE.example"]) == {"guide-x"}
        assert await found(hosts=["bücher.example"]) == {"patch-x"}
        assert await found(run_ids=["r1"]) == {"guide-y"}
        assert await found(content_types=["Text/HTML; charset=utf-8"]) == {"guide-x"}
        assert await found(uri_prefixes=["https://two."]) == {"guide-y"}
        assert await found(families=["nothing"]) == set()
        assert await found(languages=["EN-us"]) == {"guide-x", "guide-y", "patch-x"}
        assert await found(fetched_after=Timestamp(seconds=2)) == {"guide-y", "patch-x"}
        assert await found(fetched_before=Timestamp(seconds=2)) == {"guide-x"}
        assert await found(fetched_before=Timestamp(seconds=253402300799)) == {
            "guide-x", "guide-y", "patch-x",
        }  # fmt: skip
        assert await found(trust=[source_pb2.TRUST_SYNTHETIC]) == set()
        assert await found(titles=[" 第１章 ", "word"]) == {"guide-x"}

    over_socket(stock, body)


@pytest.mark.parametrize(
    ("fields", "reason", "field"),
    [
        ({"kinds": ["a", " "]}, "FIELD_VALUE_EMPTY", "filter.kinds[1]"),
        ({"kinds": ["a"] * (FILTER_VALUES_MAX + 1)}, "FIELD_TOO_MANY_VALUES", "filter.kinds"),
        ({"families": ["字" * 513]}, "FIELD_TOO_LARGE", "filter.families[0]"),
        ({"hosts": ["a/b"]}, "FIELD_INVALID", "filter.hosts[0]"),
        ({"titles": ["a", "\u3000"]}, "FIELD_VALUE_EMPTY", "filter.titles[1]"),
        ({"trust": [0]}, "FIELD_VALUE_EMPTY", "filter.trust[0]"),
        ({"trust": [99]}, "FIELD_INVALID", "filter.trust[0]"),
        ({"version_scope": 9}, "FIELD_INVALID", "filter.version_scope"),
        ({"fetched_after": Timestamp(nanos=-1)}, "FIELD_INVALID", "filter.fetched_after"),
    ],
)
def test_bad_filters_name_their_field(
    stock: Stock, fields: dict[str, Any], reason: str, field: str
) -> None:
    stock.add("https://one.example/a", "word")

    async def body(stubs: Stubs) -> None:
        request = pb.SearchRequest(game_id=GAME, query="word", filter=pb.SearchFilter(**fields))
        assert await refused(stubs.search.Search(request)) == ("INVALID_ARGUMENT", reason, field)

    over_socket(stock, body)


def test_a_hit_says_what_it_does_not_hold(stock: Stock) -> None:
    stock.add("https://one.example/all", 'iron sword and "cold steel" of the gate')
    stock.add("https://one.example/some", "an iron gate", title="The sword")
    stock.add("https://one.example/heading", "# Cold steel\n\nwith iron")
    stock.add("https://one.example/forms", "installed swords")
    stock.add("https://one.example/run", "悬空引用")

    async def body(stubs: Stubs) -> None:
        async def missing(query: str) -> dict[str, list[str]]:
            answer = await stubs.search.Search(pb.SearchRequest(game_id=GAME, query=query))
            return {
                hit.canonical_uri.rpartition("/")[2]: list(hit.missing_terms) for hit in answer.hits
            }

        assert await missing('the sword of iron "cold steel"') == {
            "all": [], "some": ["cold steel"], "heading": ["sword"],
        }  # fmt: skip
        assert await missing("installing") == {"forms": []}
        assert (await missing("iron gate dolphins"))["some"] == ["dolphins"]
        assert await missing("悬空引用已验证修复 dolphins") == {
            "run": ["悬空引用已验证修复", "dolphins"]
        }

    over_socket(stock, body)


def test_widest_filter_pages(stock: Stock) -> None:
    for number in range(5):
        stock.add(f"https://one.example/{number}", "word", kind="guide")
    kinds = ["guide", *(f"{'字' * (FILTER_VALUE_CODE_POINTS_MAX - 2)}{n:02}" for n in range(15))]

    async def body(stubs: Stubs) -> None:
        request = pb.SearchRequest(
            game_id=GAME, query="word", filter=pb.SearchFilter(kinds=kinds), page_size=2
        )
        seen: list[str] = []
        for _ in range(3):
            answer = await stubs.search.Search(request)
            seen += [hit.canonical_uri for hit in answer.hits]
            request.page_token = answer.next_page_token
        assert len(seen) == len(set(seen)) == 5
        assert request.page_token == ""

    over_socket(stock, body)


def test_thirty_documents_by_twelve_while_new_ones_arrive(stock: Stock) -> None:
    for number in range(30):
        stock.add(f"https://one.example/{number}", "命中 text")

    async def body(stubs: Stubs) -> None:
        request = pb.SearchRequest(game_id=GAME, query="命中", page_size=12)
        sizes = []
        seen: set[str] = set()
        for number in range(3):
            answer = await stubs.search.Search(request)
            sizes.append(len(answer.hits))
            seen |= {hit.chunk_id for hit in answer.hits}
            request.page_token = answer.next_page_token
            stock.add(f"https://one.example/late-{number}", "命中 命中 命中")
        assert (sizes, len(seen), request.page_token) == ([12, 12, 6], 30, "")
        assert len(await names(stubs, "命中", page_size=100)) == 33

    over_socket(stock, body)


def test_of_equal_scores_what_was_stored_last_comes_first(stock: Stock) -> None:
    for number in range(40):
        stock.add(f"https://one.example/{number:02}", "same words")

    async def body(stubs: Stubs) -> None:
        newest = [f"{number:02}" for number in reversed(range(40))]
        assert await names(stubs, "words", page_size=100) == newest
        assert await names(stubs, "words", page_size=3) == newest[:3]
        request = pb.SearchRequest(game_id=GAME, query="words", page_size=7)
        seen: list[str] = []
        for _ in range(6):
            answer = await stubs.search.Search(request)
            seen += [hit.canonical_uri.rpartition("/")[2] for hit in answer.hits]
            request.page_token = answer.next_page_token
        assert seen == newest

    over_socket(stock, body)


def test_tokens_fit_one_request_only(stock: Stock) -> None:
    for game in (GAME, "g2"):
        for number in range(3):
            stock.add(f"https://one.example/{number}", "word other", game=game)

    async def body(stubs: Stubs) -> None:
        first = await stubs.search.Search(pb.SearchRequest(game_id=GAME, query="word", page_size=1))
        token = first.next_page_token
        flipped = ("A" if token[20] != "A" else "B").join((token[:20], token[21:]))
        for changed in (
            pb.SearchRequest(game_id=GAME, query="other", page_size=1, page_token=token),
            pb.SearchRequest(game_id="g2", query="word", page_size=1, page_token=token),
            pb.SearchRequest(game_id=GAME, query="word", page_size=1, page_token=flipped),
            pb.SearchRequest(game_id=GAME, query="word", page_token="nonsense"),
            pb.SearchRequest(
                game_id=GAME, query="word", page_token=token, filter=pb.SearchFilter(kinds=["page"])
            ),
        ):
            answer = await refused(stubs.search.Search(changed))
            assert answer == ("INVALID_ARGUMENT", "PAGE_TOKEN_INVALID", "page_token")
        other_size = pb.SearchRequest(game_id=GAME, query="word", page_size=5, page_token=token)
        assert len((await stubs.search.Search(other_size)).hits) == 2

    over_socket(stock, body)


def test_token_of_another_epoch_is_void_before_anything_is_searched(
    stock: Stock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        stock.add(f"https://one.example/{number}", "word")
    present = stock.store.snapshot(GAME)

    def search(*arguments: object, **named: object) -> NoReturn:
        raise AssertionError("searched in spite of a void token")

    async def body(stubs: Stubs) -> None:
        request = pb.SearchRequest(game_id=GAME, query="word", page_size=1)
        request.page_token = (await stubs.search.Search(request)).next_page_token
        later = Snapshot(f"{present.epoch}-rewritten", present.sequence)
        monkeypatch.setattr(stock.store, "snapshot", lambda game_id: later)
        monkeypatch.setattr(stock.store, "search", search)
        answer = await refused(stubs.search.Search(request))
        assert answer[:2] == ("FAILED_PRECONDITION", "SNAPSHOT_CHANGED")

    over_socket(stock, body)


def test_refusals_never_repeat_the_query(stock: Stock) -> None:
    stock.add("https://one.example/a", "word")
    marker = "unrepeatable"

    async def body(stubs: Stubs) -> None:
        for request in (
            pb.SearchRequest(game_id=GAME, query=marker * 400),
            pb.SearchRequest(game_id=GAME, query=marker, page_token="x"),
            pb.SearchRequest(
                game_id=GAME, query=marker, filter=pb.SearchFilter(hosts=[marker + "/"])
            ),
        ):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await stubs.search.Search(request)
            assert marker not in repr(caught.value)
            assert all(marker not in str(value) for _, value in caught.value.trailing_metadata())

    over_socket(stock, body)


def test_bad_requests(stock: Stock) -> None:
    stock.add("https://one.example/a", "word")

    async def body(stubs: Stubs) -> None:
        async def search(**fields: Any) -> tuple[str, str, str]:
            return await refused(stubs.search.Search(pb.SearchRequest(**fields)))

        invalid = "INVALID_ARGUMENT"
        assert await search(query="x") == (invalid, "FIELD_REQUIRED", "game_id")
        assert await search(game_id=GAME) == (invalid, "QUERY_EMPTY", "query")
        long = await search(game_id=GAME, query="x" * 4_097)
        assert long == (invalid, "QUERY_TOO_LONG", "query")
        size = await search(game_id=GAME, query="x", page_size=-1)
        assert size == (invalid, "PAGE_SIZE_NEGATIVE", "page_size")
        share = await search(game_id=GAME, query="x", hits_per_document_max=-1)
        assert share == (invalid, "FIELD_INVALID", "hits_per_document_max")
        unknown = await search(game_id="nobody", query="x")
        assert unknown == ("NOT_FOUND", "UNKNOWN_GAME", "game_id")

    over_socket(stock, body)


def test_probes_are_nowhere(stock: Stock) -> None:
    stock.add("https://one.example/a", "shared words")
    stock.add("https://one.example/a", "shared words", probe=True)
    stock.add("https://one.example/probe", "shared words", probe=True)

    async def body(stubs: Stubs) -> None:
        assert await names(stubs, "shared") == ["a"]

    over_socket(stock, body)
