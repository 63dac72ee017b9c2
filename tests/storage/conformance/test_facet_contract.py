"""Matching documents in numbers, by facts of theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from corpus_service.domain.deletions import Deletion, DeletionReason
from corpus_service.domain.queries import (
    DocumentCounts,
    FacetField,
    Not,
    Query,
    SearchFilter,
    Term,
)
from corpus_service.domain.sources import Snapshot
from corpus_service.domain.vocabulary import SourceRole, VersionScope
from corpus_service.storage.interface import CorpusStore
from sourcecorpus.identity.identifiers import source_id
from sourcecorpus.rpc.failures import Failure
from tests.storage.records import GAME, SECOND, page, prepared, put, put_page, record, text_of

GATE = Term("gate")
ALL_FIELDS = tuple(FacetField)
LONG = b"gate stone moat stone tower stone gate stone moat stone gate "


def counts(
    store: CorpusStore,
    matching: Query | Sequence[int] = GATE,
    *,
    fields: Sequence[FacetField] = ALL_FIELDS,
    passages_max: int = 100,
    as_of: Snapshot | None = None,
    **narrowing: Any,
) -> DocumentCounts:
    return store.count_documents(
        GAME, matching, SearchFilter(**narrowing), fields, passages_max=passages_max, as_of=as_of
    )


def families(found: DocumentCounts) -> Mapping[str, int]:
    return found.by_field[FacetField.FAMILY]


def stocked(store: CorpusStore) -> None:
    put_page(store, "a", LONG * 3, "https://one.example/a", kind="guide")
    put_page(store, "b", b"gate", "https://two.example/b", at=2, family="code_run")
    put_page(store, "c", b"gate and moat", "https://one.example/c", at=3)
    put_page(store, "d", b"moat alone", "https://one.example/d", at=4)


def test_each_version_counts_once(store: CorpusStore) -> None:
    stocked(store)
    found = counts(store)
    assert (found.documents, found.at_least) == (3, False)
    assert found.by_field == {
        FacetField.FAMILY: {"gtc_page": 2, "code_run": 1},
        FacetField.HOST: {"one.example": 2, "two.example": 1},
        FacetField.KIND: {"guide": 1, "page": 2},
        FacetField.LANGUAGE: {"": 3},
    }
    assert counts(store, Not(Term("gate"), Term("moat"))).documents == 1
    assert counts(store, Term("absent")).by_field == {field: {} for field in FacetField}
    alone = counts(store, fields=(FacetField.HOST,))
    assert set(alone.by_field) == {FacetField.HOST}


def test_what_a_filter_leaves_out_is_not_counted(store: CorpusStore) -> None:
    stocked(store)
    assert families(counts(store, hosts=("one.example",))) == {"gtc_page": 2}
    assert counts(store, kinds=("guide", "patch")).documents == 1
    put_page(store, "later", b"moat", "https://two.example/b", at=9)
    assert families(counts(store)) == {"gtc_page": 2}
    assert families(counts(store, version_scope=VersionScope.ALL)) == {"gtc_page": 2, "code_run": 1}


def test_chunks_by_number(store: CorpusStore) -> None:
    stocked(store)
    candidates = store.search(GAME, Term("gate"), SearchFilter(), limit=100)
    rows = [candidate.row for candidate in candidates if candidate.family == "gtc_page"]
    assert families(counts(store, rows)) == {"gtc_page": 2}
    assert counts(store, [*rows, 10_000], hosts=("two.example",)).documents == 0
    assert counts(store, []).documents == 0


def test_so_many_chunks_are_looked_at_and_no_more(store: CorpusStore) -> None:
    stocked(store)
    matching = store.count_matches(GAME, Term("gate"), limit=100)
    assert counts(store, passages_max=matching).at_least is False
    newest = counts(store, passages_max=2)
    assert (newest.documents, newest.at_least) == (2, True)
    assert families(newest) == {"gtc_page": 1, "code_run": 1}


def test_counts_are_those_of_the_snapshot(store: CorpusStore) -> None:
    stocked(store)
    before = store.snapshot(GAME)
    put_page(store, "later", b"gate", "https://one.example/later", at=9)
    assert counts(store, as_of=before).documents == 3
    assert counts(store).documents == 4
    store.delete_source(
        GAME,
        Deletion(
            source_id(GAME, "https://one.example/a"), DeletionReason.WRONG, 9 * SECOND, "", ""
        ),
    )
    assert counts(store).documents == 3
    with pytest.raises(Failure, match="SNAPSHOT_CHANGED"):
        counts(store, as_of=before)


def test_hidden_captures_are_not_counted(store: CorpusStore) -> None:
    stocked(store)
    for name, facts, probe in (
        ("probe", {}, True),
        ("failed", {"role": SourceRole.FAILED}, False),
        ("stub", {"role": SourceRole.STUB}, False),
    ):
        source = page(f"https://hidden.example/{name}", b"gate", **facts)
        captured = record(name, [source], [b"gate"], probe=probe)
        put(store, prepared(captured, [text_of(b"gate")]))
    assert "hidden.example" not in counts(store).by_field[FacetField.HOST]
