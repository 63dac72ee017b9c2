"""No literal and no expression raises, hides a line or takes longer than its call may."""

from __future__ import annotations

import logging
import os
import random
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from corpus_service.bootstrap import PREPARATION
from corpus_service.domain.queries import SearchFilter
from corpus_service.domain.sources import Snapshot
from corpus_service.search.exact_patterns import (
    Pattern,
    PatternError,
    literal_pattern,
    matching_view,
    regex_pattern,
)
from corpus_service.search.limits import FIND_QUERY_CODE_POINTS_MAX
from corpus_service.services.find_text import FindRequest, FindTextUseCase
from corpus_service.services.found_lines import LineRole
from corpus_service.storage.sqlite import SqliteStore
from sourcecorpus.rpc import deadline
from sourcecorpus.rpc.failures import Failure, FailureCode
from tests.reading.stocked import GAME, Stock
from tests.search.hostile_queries import hostile_queries

COUNT: Final = int(os.environ.get("SOURCECORPUS_TEST_HOSTILE_FINDS", "500"))
KNOWN_SHARE: Final = 0.4
SECONDS_OF_A_CALL: Final = 30.0
SHORT_SECONDS: Final = 0.002
# A loaded machine may hold up any call; work that cannot be interrupted is far longer.
SECONDS_OVER_MAX: Final = 2.0
SHORT_EVERY: Final = 20
WORDS: Final = (
    "iron", "sword", "C++", "foo-bar", "1.21.4", "悬空引用", "ドクター", "관리자님", "血魔大君", "Kal'tsit",
    "Straße", "Ⅲ号", "ＡＢＣ", "走吧，走吧", "発　電", "𠮷野家", "W：", "？？？：",
)  # fmt: skip
EXPRESSION_PIECES: Final = (
    "(", ")", "[", "]", "{", "}", "|", "*", "+", "?", ".", "^", "$", "\\", "\\1", "\\b", "\\w", "\\pL", "\\p{Han}",
    "\\d", "\\Q", "\\E", "\\A", "\\z", "\\C", "(?i)", "(?m)", "(?s)", "(?=a)", "(?P<n>a)", "[[:alpha:]]", "[^a]",
    "{2}", "{2,}", "{0,99}", "{1000}", "{1001}", ".*", ".+", "(a|aa)+", "(.|..)+", "((((", "\\x{110000}", "\\xff",
    "（笑）", "Ⅲ", "[Ａ-Ｚ]", "(?-i)", "*?", "+?", "$^", "\\u0041", "\\B", "(?:)", "||",
)  # fmt: skip
REFUSALS: Final = {
    "QUERY_EMPTY",
    "FIELD_REQUIRED",
    "PATTERN_INVALID",
    "PATTERN_TOO_COSTLY",
    "FIELD_VALUE_EMPTY",
}


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stock]:
    folder: Path = tmp_path_factory.mktemp("hostile-finds")
    store = SqliteStore(folder, PREPARATION)
    stock = Stock(store)
    for number in range(12):
        text = " ".join(WORDS[(number * 5 + step) % len(WORDS)] for step in range(number % 7 + 1))
        stock.add(
            f"https://example.org/{number}",
            f"# {WORDS[number]}\n\n{text}\n  W: {text[::-1]}\n{'x' * number}",
        )
    stock.add("https://example.org/long", "a Ⅲ 血魔大君" * 900 + "\nend")
    stock.add("https://example.org/blank", " \n" * 50 + "a")
    yield stock
    store.close()


def hostile_requests(seed: int, count: int) -> Iterator[FindRequest]:
    """Literals and expressions, some with context, speakers or sections; the same for a seed."""
    draw = random.Random(seed)
    whole = FindRequest(GAME, "", False, SearchFilter(families=("page",)), (), (), 50)
    for query in hostile_queries(seed, count, WORDS):
        pieces = [query[: draw.randint(1, 20)]]
        if draw.random() < KNOWN_SHARE:
            pieces = [draw.choice(WORDS)[: draw.randint(1, 4)]]
        regex = draw.random() < 0.5
        if regex:
            pieces += draw.choices(EXPRESSION_PIECES, k=draw.randint(0, 6))
            draw.shuffle(pieces)
        yield replace(
            whole,
            query="".join(pieces)[:FIND_QUERY_CODE_POINTS_MAX],
            regex=regex,
            context_terms=("iron",) if draw.random() < 0.1 else (),
            speakers=(draw.choice(("W", "？？？", "\ud800", "*")),) if draw.random() < 0.1 else (),
            sections=(draw.choice(("iron", "悬空引用", "#")),) if draw.random() < 0.1 else (),
        )


def pattern_of(request: FindRequest) -> Pattern | None:
    try:
        return regex_pattern(request.query) if request.regex else literal_pattern(request.query)
    except PatternError:
        return None


def expected(texts: dict[str, str], pattern: Pattern) -> set[tuple[str, int]]:
    """Lines that match, each looked at by itself."""
    return {
        (name, number)
        for name, text in texts.items()
        for number, line in enumerate(text.removesuffix("\n").split("\n"), 1)
        if matching_view(pattern, line) is not None
    }


def found(use_case: FindTextUseCase, request: FindRequest, as_of: Snapshot) -> set[tuple[str, int]]:
    lines: set[tuple[str, int]] = set()
    page = use_case.find(request, as_of)
    while True:
        for document in page.documents:
            for passage in document.passages:
                for line in passage.lines:
                    if line.role is LineRole.MATCH:
                        lines.add((document.version.version_id, line.number))
                    for start, end in line.matches:
                        assert 0 <= start < end <= document.version.text_length
        if page.following is None:
            return lines
        page = use_case.find(request, as_of, page.following)


def answer_within(
    seconds: float, use_case: FindTextUseCase, request: FindRequest, as_of: Snapshot
) -> set[tuple[str, int]] | Failure:
    """The answer of a call with a deadline, which it keeps."""
    began = time.monotonic()
    deadline.begin(seconds)
    try:
        return found(use_case, request, as_of)
    except Failure as failure:
        return failure
    finally:
        deadline.begin(None)
        assert time.monotonic() - began < seconds + SECONDS_OVER_MAX, ascii(request)


@pytest.mark.timeout(7200)
def test_every_hostile_literal_and_expression_has_a_true_answer(
    stock: Stock, caplog: pytest.LogCaptureFixture
) -> None:
    use_case = FindTextUseCase(stock.store)
    as_of = stock.store.snapshot(GAME)
    rows = stock.store.scan_versions(GAME, None, SearchFilter(), first_row=0, limit=100).versions
    versions = stock.store.get_versions(GAME, [name for _, name in rows])
    texts = {
        name: stock.store.read_span(GAME, name, 0, version.text_length)
        for name, version in versions.items()
    }
    answered = 0
    with caplog.at_level(logging.WARNING):
        for number, request in enumerate(hostile_requests(20_261_201, COUNT)):
            allowed = SHORT_SECONDS if number % SHORT_EVERY == 0 else SECONDS_OF_A_CALL
            answer = answer_within(allowed, use_case, request, as_of)
            if isinstance(answer, Failure):
                late = answer.code is FailureCode.DEADLINE_EXCEEDED and allowed == SHORT_SECONDS
                assert late or answer.reason in REFUSALS, (answer.reason, ascii(request))
                if answer.reason == "PATTERN_INVALID":
                    assert 0 <= int(answer.metadata["position"]) <= len(request.query)
                continue
            pattern = pattern_of(request)
            assert pattern is not None, ascii(request)
            matching = expected(texts, pattern)
            narrowed = request.context_terms or request.speakers or request.sections
            assert answer <= matching if narrowed else answer == matching, ascii(request)
            answered += bool(answer)
    # Errors of SQLite would be in the log.
    assert not caplog.records
    assert answered > COUNT // 8
