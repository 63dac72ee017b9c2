"""Facts beside what is read: why there is no text, and which code run made a nested call."""

from __future__ import annotations

from typing import Any

import pytest

from corpus_service.domain.sources import Observation
from corpus_service.domain.vocabulary import CODE_FAMILY, SourceRole
from corpus_service.storage.interface import CorpusStore
from corpus_service.storage.preparation import PreparedRecord, PreparedSource
from tests.storage.records import GAME, SECOND, page, prepared, put, put_page, record, text_of

URI = "https://castle.example/"
FAILED = PreparedSource(
    extraction_failure="MALFORMED", failed_extractor="pdf", failed_extractor_version="1"
)


def put_without_text(store: CorpusStore, envelope_id: str, data: bytes, at: int) -> str:
    ready = prepared(record(envelope_id, [page(URI, data)], [data], at=at))
    result = put(
        store, PreparedRecord(ready.record, ready.contents, (FAILED,), ready.committed_time)
    )
    return result.sources[0].source_id


def failures(store: CorpusStore, source_id: str) -> list[str]:
    """Of the source, then of its observations, newest first."""
    source = store.get_source(GAME, source_id)
    assert source is not None
    seen = store.list_observations(GAME, source_id, limit=9)
    return [source.extraction_failure, *(entry.extraction_failure for entry in seen)]


def test_the_reason_for_a_missing_text_is_told(store: CorpusStore) -> None:
    source_id = put_without_text(store, "e1", b"%PDF", at=1)
    assert failures(store, source_id) == ["MALFORMED", "MALFORMED"]


def test_a_source_with_a_text_has_no_failure_and_its_observation_has(store: CorpusStore) -> None:
    put_page(store, "e1", b"stone")
    source_id = put_without_text(store, "e2", b"%PDF", at=2)
    assert failures(store, source_id) == ["", "MALFORMED", ""]


def test_a_text_that_was_made_later_ends_the_failure(store: CorpusStore) -> None:
    source_id = put_without_text(store, "e1", b"%PDF", at=1)
    whole = record("e2", [page(URI, b"%PDF")], [b"%PDF"], at=2)
    put(store, prepared(whole, [text_of(b"the text")]))
    assert failures(store, source_id)[:2] == ["", ""]
    source = store.get_source(GAME, source_id)
    assert source is not None
    assert source.version_count == 1


def put_nested(store: CorpusStore, at: int = 5, **facts: Any) -> str:
    facts = {"task_id": "task", **facts}
    return put_page(store, f"nested-{at}", b"inner", at=at, record_facts=facts).sources[0].source_id


def put_run(store: CorpusStore, number: int, start: int, end: int, **facts: Any) -> str:
    code = page(
        f"tool:code_run/execute_code?code={number}",
        b"code",
        family=CODE_FAMILY,
        kind="code",
        role=SourceRole.ARTIFACT,
    )
    values = {
        "task_id": "task",
        "session_id": "session",
        "tool_call_id": f"call-{number}",
        "started_time": start * SECOND,
        "tool_name": "execute_code",
    } | facts
    whole = record(f"run-{number}", [code], [b"code"], at=end, **values)
    return put(store, prepared(whole, [text_of(b"code")])).sources[0].source_id


def only(store: CorpusStore, source_id: str) -> Observation:
    (seen,) = store.list_observations(GAME, source_id, limit=9)
    return seen


def test_a_nested_call_hangs_under_the_run_that_comes_after_it(store: CorpusStore) -> None:
    nested = put_nested(store)
    assert only(store, nested).parent_source_id == ""
    run = put_run(store, 1, 4, 6)
    seen = only(store, nested)
    assert (seen.parent_source_id, seen.parent_inferred) == (run, True)
    assert not only(store, run).parent_inferred


@pytest.mark.parametrize(
    "facts",
    [
        {"task_id": "other"},
        {"task_id": ""},
        {"session_id": "session"},
        {"tool_call_id": "call-9"},
        {"parent_tool_call_id": "call-2"},
        {"at": 7},
        {"at": 3},
    ],
    ids="-".join,
)
def test_calls_of_another_place_do_not_hang_under_it(
    store: CorpusStore, facts: dict[str, Any]
) -> None:
    put_run(store, 1, 4, 6)
    nested = put_nested(store, **facts)
    seen = only(store, nested)
    assert (seen.parent_source_id, seen.parent_inferred) == ("", False)


def test_of_two_runs_at_once_the_client_has_to_name_one(store: CorpusStore) -> None:
    first, _ = put_run(store, 1, 4, 6), put_run(store, 2, 3, 8)
    assert only(store, put_nested(store)).parent_source_id == ""
    named = put_page(
        store,
        "named",
        b"named",
        "https://castle.example/named",
        at=5,
        record_facts={"task_id": "task", "parent_tool_call_id": "call-1"},
    )
    seen = only(store, named.sources[0].source_id)
    assert (seen.parent_source_id, seen.parent_tool_call_id) == (first, "call-1")


def test_another_tool_of_the_same_time_is_no_parent(store: CorpusStore) -> None:
    put_page(
        store,
        "other",
        b"outer",
        "https://castle.example/outer",
        at=6,
        record_facts={
            "task_id": "task",
            "session_id": "session",
            "tool_call_id": "call-1",
            "started_time": 4 * SECOND,
        },
    )
    assert only(store, put_nested(store)).parent_source_id == ""
