"""DiffVersions over a real socket: lines, words, pages, refusals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from sourcecorpus.corpus.v1 import differences_pb2 as pb
from sourcecorpus.rpc.limits import DIFF_CHANGE_CODE_POINTS_MAX, DIFF_TEXT_CODE_POINTS_MAX
from tests.reading.stocked import BACKENDS, GAME, Stock, Stubs, over_socket, refused, stocks

PAGE = "https://example.org/page"


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


async def compared(stubs: Stubs, base: str, version: str, **fields: Any) -> pb.DiffVersionsResponse:
    return await stubs.source.DiffVersions(
        pb.DiffVersionsRequest(game_id=GAME, base_version_id=base, version_id=version, **fields)
    )


def test_lines_that_differ_with_their_spans(stock: Stock) -> None:
    old_text = "gate\ncold iron\nward\nend\n"
    new_text = "gate\nold iron\nend\nafter 悬空\n"
    old, new = stock.add(PAGE, old_text), stock.add(PAGE, new_text)

    async def body(stubs: Stubs) -> None:
        answer = await compared(stubs, old, new)
        assert (answer.base.version_id, answer.version.version_id) == (old, new)
        assert [change.kind for change in answer.changes] == [
            pb.CHANGE_KIND_REPLACED,
            pb.CHANGE_KIND_INSERTED,
        ]
        assert (answer.change_count, answer.deleted_line_count, answer.inserted_line_count) == (
            2, 2, 2,
        )  # fmt: skip
        for change in answer.changes:
            assert old_text[change.base_span.start : change.base_span.end] == change.base_text
            assert new_text[change.span.start : change.span.end] == change.text
            assert not change.coarse
            assert not change.words
        replaced, inserted = answer.changes
        assert (replaced.base_lines.first, replaced.base_lines.last) == (2, 3)
        assert (replaced.lines.first, replaced.lines.last) == (2, 2)
        assert not inserted.HasField("base_lines")
        assert inserted.text == "after 悬空\n"
        back = await compared(stubs, new, old)
        assert back.changes[1].kind == pb.CHANGE_KIND_DELETED
        same = await compared(stubs, old, old)
        assert (same.change_count, len(same.changes)) == (0, 0)

    over_socket(stock, body)


def test_words_that_differ_within_replaced_lines(stock: Stock) -> None:
    old_text, new_text = "top\nthe cold iron gate\n", "top\nthe old iron door\n"
    old, new = stock.add(PAGE, old_text), stock.add("https://example.org/other", new_text)

    async def body(stubs: Stubs) -> None:
        (change,) = (await compared(stubs, old, new, with_words=True)).changes
        assert change.words_complete
        assert [
            (old_text[a.base_span.start : a.base_span.end], new_text[a.span.start : a.span.end])
            for a in change.words
        ] == [("cold", "old"), ("gate", "door")]

    over_socket(stock, body)


@pytest.mark.parametrize("size", [1, 2, 3, 50])
def test_pages_of_changes_are_the_whole_comparison(stock: Stock, size: int) -> None:
    lines = [f"line {number}\n" for number in range(40)]
    changed = [line.upper() if number % 8 == 3 else line for number, line in enumerate(lines)]
    old, new = stock.add(PAGE, "".join(lines)), stock.add(PAGE, "".join(changed))

    async def body(stubs: Stubs) -> None:
        found: list[int] = []
        token = ""
        while True:
            answer = await compared(stubs, old, new, page_size=size, page_token=token)
            assert answer.change_count == 5
            found += [change.lines.first for change in answer.changes]
            token = answer.next_page_token
            if not token:
                break
            stock.add(PAGE, f"later {len(found)}")
        assert found == [4, 12, 20, 28, 36]

    over_socket(stock, body)


def test_long_changes_are_cut_and_say_so(stock: Stock) -> None:
    old, new = stock.add(PAGE, "x" * 30_000), stock.add(PAGE, "short")

    async def body(stubs: Stubs) -> None:
        (change,) = (await compared(stubs, old, new, with_words=True)).changes
        assert len(change.base_text) == DIFF_CHANGE_CODE_POINTS_MAX
        assert change.cut
        assert change.base_span.end == 30_000
        assert not change.words_complete

    over_socket(stock, body)


def test_comparing_refuses_with_reason_and_field(stock: Stock) -> None:
    version = stock.add(PAGE, "text")
    probe = stock.add("https://example.org/probe", "a probe", probe=True)
    other = stock.add(PAGE, "text", game="g2")
    long = stock.add("https://example.org/long", "x" * (DIFF_TEXT_CODE_POINTS_MAX + 1))

    async def body(stubs: Stubs) -> None:
        async def refusal(base: str, new: str, **fields: Any) -> tuple[str, str, str]:
            return await refused(compared(stubs, base, new, **fields))

        invalid = "INVALID_ARGUMENT"
        assert await refusal("", version) == (invalid, "FIELD_REQUIRED", "base_version_id")
        assert await refusal(version, "") == (invalid, "FIELD_REQUIRED", "version_id")
        assert (await refusal(version, version, page_size=-1))[0] == invalid
        assert (await refusal(version, version, page_token="x"))[1] == "PAGE_TOKEN_INVALID"
        for hidden in filter(None, ("ver-none", probe, other)):
            assert await refusal(version, hidden) == (
                "NOT_FOUND", "VERSION_NOT_FOUND", "version_id",
            )  # fmt: skip
        assert await refusal(long, version) == (
            "RESOURCE_EXHAUSTED", "TEXT_TOO_LONG", "base_version_id",
        )  # fmt: skip

    over_socket(stock, body)


def test_a_text_that_changed_on_the_disk_is_not_compared(tmp_path: Path) -> None:
    for stock in stocks("sqlite", tmp_path):
        old, new = stock.add(PAGE, "cold iron"), stock.add(PAGE, "cold steel")
    (path,) = (tmp_path / "games").glob("*.db")
    connection = apsw.Connection(str(path))
    connection.execute("update source_chunks set text = replace(text, 'iron', 'irom')")
    connection.close()
    for stock in stocks("sqlite", tmp_path):

        async def body(stubs: Stubs) -> None:
            refusal = await refused(compared(stubs, old, new))
            assert refusal[:2] == ("DATA_LOSS", "STORED_HASH_MISMATCH")

        over_socket(stock, body)
