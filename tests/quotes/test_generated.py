"""2,000 generated quotations in five scripts: every verdict is right, and the document shows them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.quotes.confusion import judged, rows
from tests.quotes.generated import SCRIPTS, Kind
from tests.reading.stocked import BACKENDS, Stock, stocks

OF_EACH: Final = 2_000 // (len(SCRIPTS) * len(Kind))
DOCUMENT: Final = Path(__file__).parents[2] / "docs" / "citations.md"
BEGIN: Final = "<!-- confusion table: made by tests/quotes/test_generated.py -->\n"
END: Final = "<!-- end of the confusion table -->\n"


@pytest.fixture(params=BACKENDS)
def stock(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stock]:
    yield from stocks(request.param, tmp_path)


def test_every_verdict_is_right(stock: Stock) -> None:
    table = judged(stock, OF_EACH)
    assert table.total() == 2_000
    assert table == {(kind, kind.verdict.name): OF_EACH * len(SCRIPTS) for kind in Kind}
    text = DOCUMENT.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    shown, _, behind = rest.partition(END)
    made = "\n" + "\n".join(rows(table)) + "\n\n"
    if os.environ.get("SOURCECORPUS_TEST_REWRITE_CITATIONS") == "1":
        DOCUMENT.write_text(before + BEGIN + made + END + behind, encoding="utf-8")
    else:
        assert shown == made, "run with SOURCECORPUS_TEST_REWRITE_CITATIONS=1"
