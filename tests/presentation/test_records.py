"""Records: bounds, ids that titles do not decide, and bodies that were never delivered."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from corpus_service.domain.run_links import RunSource
from corpus_service.domain.vocabulary import RunUse, Trust
from corpus_service.presentation.limits import (
    EXCERPT_CODE_POINTS_MAX,
    RANGES_MAX,
    TITLE_CODE_POINTS_MAX,
)
from corpus_service.presentation.records import (
    PresentationRecord,
    bounded_ranges,
    make_record,
    shown_title,
)


def source(**facts: Any) -> RunSource:
    values: dict[str, Any] = {
        "row": 1,
        "artifact_id": "art-1",
        "source_id": "src-1",
        "version_id": "ver-1",
        "canonical_uri": "https://a.example/",
        "original_uri": "https://a.example/",
        "title": "Title",
        "family": "page",
        "kind": "page",
        "trust": Trust.FETCHED,
        "fetched_time": None,
        "use": RunUse.CONSULTED,
    }
    return RunSource(**(values | facts))


def record(excerpt: str = "", **facts: Any) -> PresentationRecord:
    return make_record(source(**facts), ref="v-1", excerpt=excerpt, ranges=())


def test_invalid_ranges_go_and_others_stand_once_in_order() -> None:
    assert bounded_ranges([(5, 6), (3, 1), (0, 2), (-1, 4), (1, 2), (5, 6)]) == (
        ((1, 2), (5, 6)),
        False,
    )
    many, truncated = bounded_ranges([(line, line) for line in range(1, RANGES_MAX + 2)])
    assert (len(many), truncated) == (RANGES_MAX, True)


def test_excerpts_are_cut_between_code_points() -> None:
    cut = record("𠮷" * (EXCERPT_CODE_POINTS_MAX + 5)).excerpt
    assert len(cut) == EXCERPT_CODE_POINTS_MAX
    assert len(cut.encode("utf-8")) == 4 * EXCERPT_CODE_POINTS_MAX


def test_a_body_that_was_never_delivered_is_not_shown() -> None:
    assert record("text", use=RunUse.DISCOVERED).excerpt == ""
    assert record("text", use=RunUse.CONSULTED).excerpt == "text"


def test_documents_of_the_same_title_have_different_ids() -> None:
    one = record(version_id="", artifact_id="art-1", title="攻略")
    other = record(version_id="", artifact_id="art-2", title="攻略")
    assert one.title == other.title
    assert one.record_id != other.record_id
    assert one.record_id == record(version_id="", artifact_id="art-1", title="x").record_id
    assert record(version_id="ver-2").record_id != record(version_id="ver-1").record_id


@given(st.text(max_size=700))
def test_titles_are_one_short_line_without_hidden_characters(title: str) -> None:
    shown = shown_title(title + "\u202e\nA\u2066")
    assert len(shown) <= TITLE_CODE_POINTS_MAX
    assert not set(shown) & set("\u202e\u2066\n\r\t\0")
    assert shown == shown.strip()
    shown.encode("utf-8")
