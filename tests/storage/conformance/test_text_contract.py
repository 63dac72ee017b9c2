"""Exact spans and lines of stored texts."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpus_service.domain.sources import LineSlice
from corpus_service.storage.interface import CorpusStore
from sourcecorpus.rpc.failures import Failure
from tests.storage.records import GAME, page, prepared, put, record, text_of

ALPHABET = st.sampled_from("ab\n 悬é👍\u2028\r")
NUMBER = iter(range(10**9))


def keep(store: CorpusStore, text: str, chunk_characters: int = 5) -> str:
    number = next(NUMBER)
    data = text.encode()
    captured = record(f"e{number}", [page(f"https://t.example/{number}", data)], [data])
    ready = prepared(captured, [text_of(data, chunk_characters=chunk_characters)])
    return put(store, ready).sources[0].version_id


def read_all(
    store: CorpusStore, version: str, max_lines: int, max_characters: int
) -> list[LineSlice]:
    slices: list[LineSlice] = []
    line, offset = 1, 0
    while line:
        part = store.read_lines(
            GAME,
            version,
            first_line=line,
            first_line_offset=offset,
            max_lines=max_lines,
            max_characters=max_characters,
        )
        slices.append(part)
        assert (part.next_line, part.next_line_offset) != (line, offset)
        line, offset = part.next_line, part.next_line_offset
    return slices


SHARED = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None
)


@SHARED
@given(text=st.text(ALPHABET, max_size=60), data=st.data())
def test_a_span_is_a_slice(store: CorpusStore, text: str, data: st.DataObject) -> None:
    version = keep(store, text)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert store.read_span(GAME, version, start, end) == text[start:end]
    first, last = store.line_numbers(GAME, version, start, end)
    assert first == text.count("\n", 0, start) + 1
    assert last == (first if end <= start else text.count("\n", 0, end - 1) + 1)
    batch = [(version, start, end), (version, 0, len(text) + 1), ("ver-x", 0, 0)]
    spans = store.read_spans(GAME, batch)
    assert set(spans) == {(version, start, end)}
    assert spans[version, start, end].text == text[start:end]
    assert (spans[version, start, end].first_line, spans[version, start, end].last_line) == (
        first,
        last,
    )


@SHARED
@given(
    text=st.text(ALPHABET, max_size=60),
    max_lines=st.integers(1, 5),
    max_characters=st.integers(1, 9),
)
def test_lines_continue_until_the_whole_text_was_read(
    store: CorpusStore, text: str, max_lines: int, max_characters: int
) -> None:
    version = keep(store, text)
    slices = read_all(store, version, max_lines, max_characters)
    lines = text.split("\n")
    if lines[-1] == "" and len(lines) > 1:
        lines.pop()
    whole: dict[int, str] = {}
    for part in slices:
        assert len(part.lines) <= max_lines
        assert sum(len(line.text) for line in part.lines) <= max_characters
        assert (part.start, part.end)[0] <= part.end <= len(text)
        for line in part.lines:
            assert text[line.offset : line.offset + len(line.text)] == line.text
            whole[line.number] = whole.get(line.number, "") + line.text
    assert [whole[number] for number in sorted(whole)] == lines
    assert sorted(whole) == list(range(1, len(lines) + 1))
    assert slices[-1].end == len(text)
    assert [part.start for part in slices[1:]] == [part.end for part in slices[:-1]]


def test_any_line_of_a_long_text_is_read_directly(store: CorpusStore) -> None:
    text = "".join(f"line {number}\n" for number in range(1, 3_000))
    version = keep(store, text, chunk_characters=100)
    for number in (1, 2, 1_499, 2_999):
        part = store.read_lines(GAME, version, first_line=number, max_lines=1, max_characters=100)
        assert [line.text for line in part.lines] == [f"line {number}"]
        assert text[part.start :].startswith(f"line {number}\n")


def test_what_lies_outside_is_refused(store: CorpusStore) -> None:
    version = keep(store, "one\ntwo\n")
    for first_line, offset in ((0, 0), (3, 0), (2, 99)):
        with pytest.raises(Failure) as refused:
            store.read_lines(
                GAME,
                version,
                first_line=first_line,
                first_line_offset=offset,
                max_lines=1,
                max_characters=1,
            )
        assert refused.value.reason == "SPAN_OUT_OF_RANGE"
    for start, end in ((-1, 1), (2, 1), (0, 9)):
        with pytest.raises(Failure) as refused:
            store.read_span(GAME, version, start, end)
        assert refused.value.reason == "SPAN_OUT_OF_RANGE"
    with pytest.raises(Failure) as refused:
        store.read_span(GAME, "ver-x", 0, 1)
    assert refused.value.reason == "VERSION_NOT_FOUND"


def test_chunks_are_listed_in_order_and_cover_the_text(store: CorpusStore) -> None:
    text = "abcdefghij" * 7
    version = keep(store, text, chunk_characters=9)
    pages = [
        store.list_chunks(GAME, version, after_ordinal=after, limit=3) for after in (-1, 2, 5, 8)
    ]
    chunks = [chunk for part in pages for chunk in part]
    assert "".join(chunk.text for chunk in chunks) == text
    assert [chunk.ordinal for chunk in chunks] == list(range(8))
    assert pages[3] == []
