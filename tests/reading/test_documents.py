"""ReadDocument by title, collection and section, with neighbours and lines that were delivered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from corpus_service.domain.deletions import Deletion, DeletionReason
from sourcecorpus.corpus.v1 import source_service_pb2 as pb
from sourcecorpus.identity.identifiers import source_id as source_id_of
from tests.reading.stocked import BACKENDS, GAME, Stock, Stubs, hash_of, over_socket, stocks
from tests.reading.test_selections import failure_of, pages, read

SITE = "https://example.org/"
GUIDE = (
    "# Guide\nstart\n\n## Bosses\n\nAll of them.\n\n### Hornet\ndash\n\n## Notes\nfirst notes\n\n"
    "# Annex\nmore\n\n## Notes\nsecond notes\n"
)


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


def source_of(uri: str) -> str:
    return source_id_of(GAME, uri)


def test_a_title_of_two_documents_names_both_and_opens_neither(stock: Stock) -> None:
    first = stock.add(SITE + "a", "one\ntwo", title="攻略")
    second = stock.add(SITE + "b", "three", title="攻略")
    stock.add(SITE + "c", "four", title="攻略", game="g2")
    stock.add(SITE + "d", "five", title="攻略 2")
    stock.add(SITE + "e", "a probe", title="攻略", probe=True)

    async def body(stubs: Stubs) -> None:
        failure = await failure_of(stubs, title=" 攻略 ")
        assert (failure.code.name, failure.reason, failure.field) == (
            "FAILED_PRECONDITION", "AMBIGUOUS_LOCATOR", "title",
        )  # fmt: skip
        assert failure.metadata["count"] == "2"
        candidates = failure.metadata["candidates"].split(" ")
        assert candidates == [source_of(SITE + "a"), source_of(SITE + "b")]
        assert failure.metadata["versions"] == f"{first} {second}"
        assert failure.metadata["line_counts"] == "2 1"
        assert "same_content" not in failure.metadata
        answer = await read(stubs, source_id=candidates[1])
        assert [line.text for line in answer.lines] == ["three"]
        # Width, case and spaces do not count; the last locator of a message is the one that it has.
        answer = await read(stubs, title="攻略　２")
        assert [line.text for line in answer.lines] == ["five"]

    over_socket(stock, body)


def test_a_document_is_no_longer_found_by_the_title_that_it_had(stock: Stock) -> None:
    stock.add(SITE, "old", title="Old title")
    stock.add(SITE, "new", title="New title")

    async def body(stubs: Stubs) -> None:
        assert (await read(stubs, title="new TITLE")).lines[0].text == "new"
        failure = await failure_of(stubs, title="Old title")
        assert (failure.code.name, failure.reason) == ("NOT_FOUND", "SOURCE_NOT_FOUND")

    over_socket(stock, body)


def test_equal_contents_under_two_addresses_stay_two_documents(stock: Stock) -> None:
    stock.add(SITE + "a", "same", title="Guide")
    stock.add(SITE + "b", "same", title="Guide")
    stock.add(SITE + "c", "other", title="Guide")

    async def body(stubs: Stubs) -> None:
        failure = await failure_of(stubs, title="Guide")
        assert failure.metadata["count"] == "3"
        assert failure.metadata["same_content"] == " ".join(
            source_of(SITE + name) for name in ("a", "b")
        )
        hashes = {
            (await read(stubs, canonical_uri=SITE + name)).version.content_hash for name in "ab"
        }
        assert hashes == {hash_of(b"same")}

    over_socket(stock, body)


def test_candidates_of_a_title_are_bounded(stock: Stock) -> None:
    for number in range(23):
        stock.add(f"{SITE}{number}", f"text {number}", title="Guide")

    async def body(stubs: Stubs) -> None:
        failure = await failure_of(stubs, title="Guide")
        assert failure.metadata["count"] == "23"
        candidates = failure.metadata["candidates"].split(" ")
        assert candidates == [source_of(f"{SITE}{number}") for number in range(20)]

    over_socket(stock, body)


def job_pages(name: str, *texts: str) -> list[tuple[str, str, str]]:
    return [(f"{SITE}{name}{place}", f"{name} {place}", text) for place, text in enumerate(texts)]


def test_a_collection_is_read_document_by_document(stock: Stock) -> None:
    versions = stock.job(
        "tool:crawl/1", "主线", job_pages("a", "字" * 100, "first\nsecond\n", "end")
    )
    stock.add(SITE + "a1", "changed\nsecond\n", title="changed")

    async def body(stubs: Stubs) -> None:
        found = await pages(stubs, collection="主线", max_chars=100)
        assert found == [["字" * 100], ["changed", "second"], ["end"]]
        answer = await read(stubs, collection=source_of("tool:crawl/1"), max_lines=1, max_chars=60)
        assert [len(line.text) for line in answer.lines] == [60]
        assert answer.version.version_id == versions[0]
        assert answer.place.collection.document_count == 3
        assert answer.continuation.first_line_offset == 60
        assert not answer.place.HasField("previous")
        assert answer.place.next.title == "changed"
        last = await read(stubs, version_id=versions[2], in_collection=source_of("tool:crawl/1"))
        assert last.place.previous.source_id == source_of(SITE + "a1")
        assert not last.HasField("continuation")

    over_socket(stock, body)


def test_a_name_of_two_collections_is_ambiguous_and_never_merged(stock: Stock) -> None:
    stock.job("tool:crawl/1", "主线", job_pages("a", "one", "two", "three"))
    stock.job("tool:crawl/2", "主线", job_pages("b", "four"))
    stock.job("tool:crawl/3", "主线", job_pages("c", "five"), game="g2")

    async def body(stubs: Stubs) -> None:
        failure = await failure_of(stubs, collection="主线")
        assert (failure.reason, failure.field) == ("AMBIGUOUS_LOCATOR", "collection")
        assert failure.metadata["candidates"].split(" ") == [
            source_of("tool:crawl/1"),
            source_of("tool:crawl/2"),
        ]
        assert failure.metadata["document_counts"] == "3 1"
        second = await pages(stubs, collection=source_of("tool:crawl/2"))
        assert second == [["four"]]
        rest = await pages(
            stubs, canonical_uri=SITE + "a1", in_collection=source_of("tool:crawl/1")
        )
        assert rest == [["two"], ["three"]]
        failure = await failure_of(
            stubs, canonical_uri=SITE + "a1", in_collection=source_of("tool:crawl/2")
        )
        assert (failure.reason, failure.field) == ("COLLECTION_NOT_FOUND", "in_collection")
        for name in ("nobody", "src-nobody", source_of(SITE + "a0")):
            failure = await failure_of(stubs, collection=name)
            assert (failure.code.name, failure.reason) == ("NOT_FOUND", "COLLECTION_NOT_FOUND")

    over_socket(stock, body)


def test_neighbours_are_named_in_every_collection_of_a_document(stock: Stock) -> None:
    shared = job_pages("a", "one", "two", "three")
    stock.job("tool:crawl/1", "First", shared)
    stock.job("tool:crawl/2", "Second", [shared[2], shared[1]])
    stock.add(SITE + "alone", "alone")

    async def body(stubs: Stubs) -> None:
        answer = await read(stubs, canonical_uri=SITE + "a1", with_adjacent=True)
        places = {place.collection.title: place for place in answer.adjacent}
        assert places["First"].previous.source_id == source_of(SITE + "a0")
        assert places["First"].next.source_id == source_of(SITE + "a2")
        assert places["Second"].previous.source_id == source_of(SITE + "a2")
        assert not places["Second"].HasField("next")
        assert not answer.HasField("place")
        assert not (await read(stubs, canonical_uri=SITE + "a1")).adjacent
        alone = await read(stubs, canonical_uri=SITE + "alone", with_adjacent=True)
        assert not alone.adjacent
        deletion = Deletion(source_of(SITE + "a2"), DeletionReason.WRONG, deleted_time=99)
        stock.store.delete_source(GAME, deletion)
        answer = await read(stubs, canonical_uri=SITE + "a1", with_adjacent=True)
        assert not any(place.HasField("next") for place in answer.adjacent)

    over_socket(stock, body)


@pytest.mark.parametrize(
    ("headings", "first", "last"),
    [
        (["Guide"], 1, 13),
        (["Bosses"], 4, 10),
        (["guide", "ＢＯＳＳＥＳ"], 4, 10),
        (["Bosses", " Hornet"], 8, 10),
        (["Annex", "Notes"], 17, 18),
    ],
)
def test_lines_of_a_section(stock: Stock, headings: list[str], first: int, last: int) -> None:
    version = stock.add(SITE, GUIDE)
    path = {"headings": headings}
    wanted = list(range(first, last + 1))

    async def body(stubs: Stubs) -> None:
        by_locator = await read(stubs, section={"version_id": version, "section": path})
        by_selection = await read(stubs, canonical_uri=SITE, in_section=path)
        for answer in (by_locator, by_selection):
            assert [line.number for line in answer.lines] == wanted
            assert not answer.HasField("continuation")
        parts = await pages(stubs, version_id=version, in_section=path, max_lines=2)
        assert len([line for part in parts for line in part]) == len(wanted)

    over_socket(stock, body)


def test_sections_that_are_not_one(stock: Stock) -> None:
    version = stock.add(SITE, GUIDE)

    async def body(stubs: Stubs) -> None:
        failure = await failure_of(stubs, version_id=version, in_section={"headings": ["Notes"]})
        assert (failure.reason, failure.field) == ("AMBIGUOUS_LOCATOR", "in_section.headings")
        assert failure.metadata["lines"] == "11-13 17-18"
        section: dict[str, Any] = {"version_id": version, "section": {"headings": ["Nobody"]}}
        failure = await failure_of(stubs, section=section)
        assert failure.code.name == "NOT_FOUND"
        assert (failure.reason, failure.field) == (
            "SECTION_NOT_FOUND", "section.section.headings",
        )  # fmt: skip

    over_socket(stock, body)


def test_a_whole_document_is_read_from_its_first_line_whatever_named_it(stock: Stock) -> None:
    version = stock.add(SITE, "one\ntwo\nthree")

    async def body(stubs: Stubs) -> None:
        ref = (await read(stubs, version_id=version, first_line=2, max_lines=1)).ref
        assert (await read(stubs, citation=ref)).lines[0].number == 2
        answer = await read(stubs, citation=ref, document={})
        assert [line.text for line in answer.lines] == ["one", "two", "three"]

    over_socket(stock, body)


def test_lines_that_were_delivered_are_left_out_and_pages_stay(stock: Stock) -> None:
    text = "".join(f"line {number}\n" for number in range(1, 26))
    version = stock.add(SITE, text)
    delivered = [
        {"version_id": version, "ranges": [{"first": 2, "last": 4}, {"first": 4, "last": 12}]},
        {"version_id": "ver-other", "ranges": [{"first": 1, "last": 99}]},
    ]

    async def body(stubs: Stubs) -> None:
        first = await read(stubs, version_id=version, max_lines=10, already_delivered=delivered)
        assert [line.number for line in first.lines] == [1]
        assert [(entry.first, entry.last) for entry in first.omitted] == [(2, 10)]
        assert first.span.end == len("".join(text.splitlines(keepends=True)[:10]))
        second = await stubs.source.ReadDocument(first.continuation)
        assert [line.number for line in second.lines] == list(range(13, 21))
        assert [(entry.first, entry.last) for entry in second.omitted] == [(11, 12)]

    over_socket(stock, body)


def test_parts_of_a_line_are_never_taken_for_delivered(stock: Stock) -> None:
    version = stock.add(SITE, "x" * 30 + "\nend")
    delivered = [{"version_id": version, "ranges": [{"first": 1, "last": 9}]}]

    async def body(stubs: Stubs) -> None:
        found = await pages(stubs, version_id=version, max_chars=20, already_delivered=delivered)
        assert found == [["x" * 20], ["x" * 10]]

    over_socket(stock, body)


def test_the_whole_text_is_proven_where_a_part_is_read(stock: Stock) -> None:
    version = stock.add(SITE, "one\ntwo\nthree")

    async def body(stubs: Stubs) -> None:
        answer = await read(stubs, version_id=version, first_line=2, max_lines=1)
        assert answer.integrity.verified
        assert answer.integrity.text_hash == hash_of(b"one\ntwo\nthree")

    over_socket(stock, body)


@pytest.mark.parametrize(
    ("fields", "reason", "field"),
    [
        ({"title": " "}, "FIELD_VALUE_EMPTY", "title"),
        ({"title": "x" * 513}, "FIELD_TOO_LARGE", "title"),
        ({"collection": "x" * 513}, "FIELD_TOO_LARGE", "collection"),
        ({"section": {"section": {"headings": ["a"]}}}, "LOCATOR_REQUIRED", "locator"),
        ({"section": {"source_id": "src-a"}}, "FIELD_REQUIRED", "section.section.headings"),
        ({"source_id": "s", "in_section": {}}, "FIELD_REQUIRED", "in_section.headings"),
        (
            {"source_id": "s", "in_section": {"headings": ["a"] * 17}},
            "FIELD_TOO_MANY_VALUES", "in_section.headings",
        ),
        (
            {"source_id": "s", "in_section": {"headings": ["a", " "]}},
            "FIELD_VALUE_EMPTY", "in_section.headings[1]",
        ),
        (
            {"source_id": "s", "in_section": {"headings": ["a" * 513]}},
            "FIELD_TOO_LARGE", "in_section.headings[0]",
        ),
        ({"source_id": "s", "first_line": 1, "document": {}}, "FIELDS_CONFLICT", "first_line"),
        (
            {"source_id": "s", "in_collection": "c", "around": {"line": 1}},
            "FIELDS_CONFLICT", "in_collection",
        ),
        (
            {"section": {"source_id": "s", "section": {"headings": ["a"]}}, "document": {}},
            "FIELDS_CONFLICT", "document",
        ),
        (
            {"source_id": "s", "already_delivered": [{"version_id": "v"}] * 17},
            "FIELD_TOO_MANY_VALUES", "already_delivered",
        ),
        (
            {"source_id": "s", "already_delivered": [{"ranges": [{"first": 1, "last": 1}]}]},
            "FIELD_REQUIRED", "already_delivered[0].version_id",
        ),
        (
            {"source_id": "s", "already_delivered": [{"version_id": "v", "ranges": [{"first": 2, "last": 1}]}]},
            "SPAN_OUT_OF_RANGE", "already_delivered[0].ranges[0]",
        ),
    ],
)  # fmt: skip
def test_requests_that_cannot_be_meant(
    stock: Stock, fields: dict[str, Any], reason: str, field: str
) -> None:
    stock.add(SITE, "one")

    async def body(stubs: Stubs) -> None:
        failure = await failure_of(stubs, **fields)
        assert (failure.code.name, failure.reason, failure.field) == (
            "INVALID_ARGUMENT", reason, field,
        )  # fmt: skip

    over_socket(stock, body)


def test_a_message_holds_one_locator_and_one_selection() -> None:
    names = {oneof.name: oneof for oneof in pb.ReadDocumentRequest.DESCRIPTOR.oneofs}
    assert [field.name for field in names["locator"].fields] == [
        "version_id", "source_id", "canonical_uri", "citation", "title", "collection", "section",
    ]  # fmt: skip
    both = pb.ReadDocumentRequest(title="a", source_id="b")
    assert both.WhichOneof("locator") in {"title", "source_id"}
