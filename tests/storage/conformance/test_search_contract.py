"""Hits, ranks and pages of the full-text index."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpus_service.domain.queries import (
    And,
    Candidate,
    Not,
    Or,
    Phrase,
    Prefix,
    Query,
    SearchFilter,
    SearchPosition,
    Term,
)
from corpus_service.domain.sources import Snapshot
from corpus_service.domain.vocabulary import SourceRole, Trust, VersionScope
from corpus_service.search.exact_view import fold_title
from corpus_service.search.preparation import PieceKind, analyse
from corpus_service.storage.interface import CorpusStore
from corpus_service.storage.memory.ranking import IndexedChunk, ranked, tokens_of
from sourcecorpus.rpc.failures import Failure
from tests.storage.records import GAME, SECOND, page, prepared, put, put_page, record, text_of

EVERYTHING = SearchFilter(version_scope=VersionScope.ALL)
WORDS = ("gate", "tower", "moat", "gatehouse", "悬空引用", "ドクター", "성문", "Ärger")
TEXTS = (
    "gate tower gate moat",
    "the gatehouse of the tower, a moat and a gate and a gate",
    "修复悬空引用已验证 gate",
    "ドクターは tower",
    "성문 gate 성문",
    "Ärger im tower moat gate tower moat gate tower moat gate",
    "nothing here",
    "gate",
    "tower gate",
)
LEAF_QUERIES: list[Query] = [
    Term("gate"),
    Term("tower"),
    Term("moat"),
    Term("absent"),
    Term("arger"),
    Phrase(("tower", "gate")),
    Phrase(("gate", "tower")),
    Phrase(("悬空", "空引", "引用")),
    Prefix(("gate",)),
    Prefix(("tower", "mo")),
    Prefix(("ドク",)),
    Phrase(("성문",)),
]
LEAVES = st.sampled_from(LEAF_QUERIES)
TREES: st.SearchStrategy[Query] = st.recursive(
    LEAVES,
    lambda parts: st.one_of(
        st.lists(parts, min_size=1, max_size=3).map(lambda found: And(tuple(found))),
        st.lists(parts, min_size=1, max_size=3).map(lambda found: Or(tuple(found))),
        st.builds(Not, parts, parts),
    ),
    max_leaves=6,
)
FLAT = st.one_of(
    LEAVES,
    st.lists(LEAVES, min_size=1, max_size=4).map(lambda found: And(tuple(found))),
    st.lists(LEAVES, min_size=1, max_size=4).map(lambda found: Or(tuple(found))),
)
SHARED = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None
)


def fill(store: CorpusStore) -> dict[int, IndexedChunk]:
    """Store the texts once, one chunk each, and return the index as the oracle sees it."""
    if store.snapshot(GAME).sequence == 0:
        for number, text in enumerate(TEXTS):
            source = page(f"https://castle.example/{number}", text.encode(), title="castle gate")
            captured = record(f"e{number}", [source], [text.encode()], at=number + 1)
            text_ready = text_of(text.encode(), chunk_characters=100, title="castle gate")
            put(store, prepared(captured, [text_ready]))
    oracle = {}
    for number, text in enumerate(TEXTS):
        (chunk,) = text_of(text.encode(), chunk_characters=100, title="castle gate").chunks
        oracle[number + 1] = IndexedChunk(
            tokens_of(chunk.prepared_heading), tokens_of(chunk.prepared_text)
        )
    return oracle


def found(
    store: CorpusStore, query: Query, narrowing: SearchFilter = EVERYTHING
) -> list[Candidate]:
    return list(store.search(GAME, query, narrowing, limit=100))


@SHARED
@given(query=TREES)
def test_hits_are_those_of_the_tree(store: CorpusStore, query: Query) -> None:
    oracle = fill(store)
    expected = {row for row, chunk in oracle.items() if chunk.matches(query)}
    assert {candidate.row for candidate in found(store, query)} == expected
    assert store.count_matches(GAME, query, limit=100) == len(expected)
    assert store.count_matches(GAME, query, limit=2) == min(2, len(expected))


@SHARED
@given(wanted=FLAT, unwanted=st.lists(LEAVES, max_size=2))
def test_order_and_scores_are_those_of_bm25(
    store: CorpusStore, wanted: Query, unwanted: list[Query]
) -> None:
    oracle = fill(store)
    query = Not(wanted, Or(tuple(unwanted))) if unwanted else wanted
    expected = ranked(oracle, query)
    hits = found(store, query)
    assert [candidate.row for candidate in hits] == [row for _, row in expected]
    for candidate, (score, _) in zip(hits, expected, strict=True):
        assert math.isclose(candidate.score, score, rel_tol=1e-12)


@pytest.mark.parametrize("word", WORDS)
def test_every_script_is_found(store: CorpusStore, word: str) -> None:
    fill(store)
    tokens = [piece.token for piece in analyse(word) if piece.kind is not PieceKind.LAST]
    assert found(store, Phrase(tuple(tokens))), tokens


def test_pages_neither_repeat_nor_skip_while_others_write(store: CorpusStore) -> None:
    fill(store)
    query = Or((Term("gate"), Term("tower"), Prefix(("mo",))))
    before = store.snapshot(GAME)
    whole = found(store, query)
    assert len(whole) > 6
    paged: list[Candidate] = []
    position: SearchPosition | None = None
    while True:
        part = store.search(GAME, query, EVERYTHING, limit=2, after=position, as_of=before)
        if not part:
            break
        paged += part
        position = SearchPosition(part[-1].score, part[-1].row)
        # Each write changes every statistic that BM25 uses.
        put_page(
            store,
            f"w{len(paged)}",
            f"gate gate gate moat {len(paged)}".encode(),
            f"https://new.example/{len(paged)}",
            at=50,
        )
    assert paged == whole
    assert len(found(store, query)) > len(whole)


def test_an_earlier_page_still_sees_what_was_current_then(store: CorpusStore) -> None:
    put_page(store, "e1", b"old gate", at=1)
    put_page(store, "e0", b"other gate", "https://other.example/", at=1)
    before = store.snapshot(GAME)
    whole = list(store.search(GAME, Term("gate"), SearchFilter(), limit=9))
    put_page(store, "e2", b"new gate", at=2)
    put_page(store, "e3", b"old gate", at=3)
    put_page(store, "e4", b"newest", at=4)
    assert list(store.search(GAME, Term("gate"), SearchFilter(), limit=9, as_of=before)) == whole
    now = store.search(GAME, Term("gate"), SearchFilter(), limit=9)
    assert len(now) == 1
    assert len(store.search(GAME, Term("gate"), EVERYTHING, limit=9)) == 3


def test_nothing_was_found_before_there_was_anything(store: CorpusStore) -> None:
    before = store.snapshot(GAME)
    fill(store)
    assert store.search(GAME, Term("gate"), EVERYTHING, limit=9, as_of=before) == []


def test_a_snapshot_of_another_epoch_or_of_the_future_is_refused(store: CorpusStore) -> None:
    fill(store)
    present = store.snapshot(GAME)
    for foreign in (
        Snapshot("other", present.sequence),
        Snapshot(present.epoch, present.sequence + 1),
    ):
        with pytest.raises(Failure) as refused:
            store.search(GAME, Term("gate"), EVERYTHING, limit=9, as_of=foreign)
        assert refused.value.reason == "SNAPSHOT_CHANGED"


def test_filters_are_or_inside_and_across(store: CorpusStore) -> None:
    put_page(store, "e1", b"gate one", "https://a.example/x/1", at=10, language="en")
    put_page(
        store, "e2", b"gate two", "https://b.example/y", at=20, family="gtc_manual", kind="manual"
    )
    put_page(store, "e3", b"gate three", "file:notes/gate.txt", at=30, kind="note")
    put_page(
        store,
        "e4",
        b"gate four",
        "https://a.example/z",
        at=40,
        role=SourceRole.DERIVED,
        content_type="text/html",
    )

    def texts(**values: object) -> set[str]:
        narrowing = SearchFilter(**values)  # type: ignore[arg-type]
        rows = [candidate.row for candidate in found(store, Term("gate"), narrowing)]
        return {passage.text.split()[1] for passage in store.passages(GAME, rows).values()}

    assert texts() == {"one", "two", "three", "four"}
    assert texts(families=("gtc_manual",)) == {"two"}
    assert texts(families=("gtc_manual", "gtc_page"), kinds=("note", "manual")) == {"two", "three"}
    assert texts(hosts=("a.example",)) == {"one", "four"}
    assert texts(uri_prefixes=("https://a.example/x/", "file:")) == {"one", "three"}
    assert texts(uri_prefixes=("https://a.example/x_",)) == set()
    assert texts(languages=("en",)) == {"one"}
    assert texts(content_types=("text/html",)) == {"four"}
    assert texts(trust=(Trust.LOCAL, Trust.SYNTHETIC)) == {"three", "four"}
    assert texts(fetched_after=20 * SECOND, fetched_before=40 * SECOND) == {"two", "three"}


def test_titles_are_compared_whole(store: CorpusStore) -> None:
    for number, title in enumerate(("第1章", "第11章", "Iron\n Ｓword")):
        uri = f"https://a.example/{number}"
        captured = record(f"e{number}", [page(uri, b"gate")], [b"gate"], at=number + 1)
        put(store, prepared(captured, [text_of(b"gate", title=title)]))

    def titled(*titles: str) -> list[str]:
        narrowing = SearchFilter(titles=tuple(fold_title(title) for title in titles))
        candidates = found(store, Term("gate"), narrowing)
        scanned = store.scan_versions(GAME, None, narrowing, first_row=0, limit=9).versions
        assert {one.version_id for one in candidates} == {version for _, version in scanned}
        versions = store.get_versions(GAME, [version for _, version in scanned])
        return [versions[version].title for _, version in scanned]

    assert titled("第1章") == ["第1章"]
    assert titled("第１１章") == ["第11章"]
    assert titled("IRON SWORD", "第1章") == ["第1章", "Iron\n Ｓword"]
    assert titled("sword") == []


def test_passages_come_by_number(store: CorpusStore) -> None:
    text = b"one\ntwo\n" * 20
    captured = record("e", [page(data=text)], [text])
    put(store, prepared(captured, [text_of(text, headings=("Top", "Sub"))]))
    rows = [candidate.row for candidate in found(store, Term("two"))]
    passages = store.passages(GAME, [*rows, 999])
    assert set(passages) == set(rows)
    ordered = sorted(passages.values(), key=lambda passage: passage.ordinal)
    assert "".join(passage.text for passage in ordered) == text.decode()
    assert [passage.ordinal for passage in ordered] == list(range(len(ordered)))
    assert all(passage.heading_path == ("Top", "Sub") for passage in ordered)
    assert ordered[1].first_line == text[: ordered[1].start].count(b"\n") + 1
