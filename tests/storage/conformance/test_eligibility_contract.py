"""What readers never see, on every reading path."""

from __future__ import annotations

from typing import Any

import pytest

from corpus_service.domain.queries import SearchFilter, SourceFilter, Term
from corpus_service.domain.vocabulary import Completeness, IngestStatus, SourceRole
from corpus_service.storage.interface import CorpusStore
from corpus_service.storage.preparation import PreparedRecord, PreparedSource
from sourcecorpus.rpc.failures import Failure
from tests.storage.records import GAME, hash_of, page, prepared, put, put_page, record, text_of

URI = "https://castle.example/"
TEXT = b"the drawbridge is down"


FACTS: dict[str, dict[str, Any]] = {
    "failed": {"role": SourceRole.FAILED},
    "error page": {"http_status": 404},
    "stub": {"role": SourceRole.STUB},
    "stub by completeness": {"completeness": Completeness.STUB},
    "shell": {"completeness": Completeness.SHELL},
}
CASES = (*FACTS, "probe", "frame found by extraction")


def hidden_record(case: str) -> PreparedRecord:
    facts = FACTS.get(case, {})
    whole = record(
        "hidden",
        [page(data=TEXT, **facts)],
        [TEXT],
        probe=case == "probe",
        result_hash=hash_of(TEXT),
        run_id="run",
    )
    ready = prepared(whole, [text_of(TEXT)])
    if case == "frame found by extraction":
        return PreparedRecord(
            whole, ready.contents, (PreparedSource(empty_frame=True),), ready.committed_time
        )
    return ready


@pytest.mark.parametrize("case", CASES)
def test_a_hidden_capture_is_in_no_reading_path(store: CorpusStore, case: str) -> None:
    result = put(store, hidden_record(case))
    assert result.status is IngestStatus.COMMITTED
    assert store.find_source(GAME, URI) == ""
    assert store.list_sources(GAME, SourceFilter(), limit=9) == []
    assert store.list_sources(GAME, SourceFilter(run_id="run"), limit=9) == []
    assert store.search(GAME, Term("drawbridge"), SearchFilter(), limit=9) == []
    assert store.count_matches(GAME, Term("drawbridge"), limit=9) == 0
    assert store.passages(GAME, range(1, 10)) == {}
    with pytest.raises(Failure) as refused:
        store.open_content(GAME, hash_of(TEXT))
    assert refused.value.reason == "CONTENT_NOT_FOUND"
    with pytest.raises(Failure):
        store.envelope_content(GAME, "hidden")
    for source in result.sources:
        assert store.get_source(GAME, source.source_id) is None
        assert store.list_observations(GAME, source.source_id, limit=9) == []
        assert store.list_versions(GAME, source.source_id, limit=9) == []
        if source.artifact_id:
            with pytest.raises(Failure):
                store.artifact_content(GAME, source.artifact_id)


@pytest.mark.parametrize("case", CASES)
def test_a_hidden_capture_beside_a_real_one_adds_nothing(store: CorpusStore, case: str) -> None:
    real = put_page(store, "real", TEXT).sources[0]
    before = store.get_source(GAME, real.source_id)
    put(store, hidden_record(case))
    assert store.get_source(GAME, real.source_id) == before
    assert len(store.list_observations(GAME, real.source_id, limit=9)) == 1
    assert len(store.search(GAME, Term("drawbridge"), SearchFilter(), limit=9)) == 1
    with pytest.raises(Failure):
        store.envelope_content(GAME, "hidden")


@pytest.mark.parametrize("case", CASES)
def test_the_same_content_seen_for_real_becomes_readable(store: CorpusStore, case: str) -> None:
    put(store, hidden_record(case))
    real = put_page(store, "real", TEXT, at=2).sources[0]
    source = store.get_source(GAME, real.source_id)
    assert source is not None
    assert (source.observation_count, source.version_count) == (1, 1)
    assert len(store.search(GAME, Term("drawbridge"), SearchFilter(), limit=9)) == 1
    assert b"".join(store.open_content(GAME, hash_of(TEXT)).pieces()) == TEXT


def test_a_probe_leaves_its_ledger_row_alone(store: CorpusStore) -> None:
    put(store, hidden_record("probe"))
    assert store.missing_contents(GAME, [hash_of(TEXT)]) == {hash_of(TEXT)}
    again = put(store, hidden_record("probe"))
    assert (again.status, again.sources) == (IngestStatus.DUPLICATE, ())
