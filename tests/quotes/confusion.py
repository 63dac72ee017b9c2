"""The confusion table of generated quotations: how many of each kind got each verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from corpus_service.services.citations import CitationFailure
from corpus_service.services.quote_places import Verdict
from corpus_service.services.verify_quotes import (
    QuoteToVerify,
    Verification,
    VerifyQuotesUseCase,
)
from sourcecorpus.rpc.limits import VERIFY_QUOTES_MAX
from tests.quotes.generated import SCRIPTS, Kind, Made, made_quotes
from tests.reading.stocked import GAME, Stock

Table = Counter[tuple[Kind, str]]
WRONG_PLACE = "wrong place"


def judged(stock: Stock, count_of_each: int) -> Table:
    """Verifies quotations of every kind in every script; a verdict that names another version than the
    one the quotation was taken of counts as `WRONG_PLACE`.
    """
    made = [one for script in SCRIPTS for one in made_quotes(stock, script, count_of_each)]
    use_case = VerifyQuotesUseCase(stock.store)
    table: Table = Counter()
    for first in range(0, len(made), VERIFY_QUOTES_MAX):
        some = made[first : first + VERIFY_QUOTES_MAX]
        results = use_case.verify(GAME, [QuoteToVerify(one.quote, one.asked) for one in some])
        for one, result in zip(some, results, strict=True):
            table[one.kind, _column(one, result)] += 1
    return table


def _column(one: Made, result: Verification | CitationFailure) -> str:
    if isinstance(result, CitationFailure):
        return result.reason
    holder = "" if result.citation is None else result.citation.version.version_id
    return result.verdict.name if holder == one.holder and not result.scope_cut else WRONG_PLACE


def rows(table: Table) -> Iterable[str]:
    """Lines of the table in Markdown."""
    columns = [verdict.name for verdict in Verdict] + [WRONG_PLACE]
    yield "| quotation | " + " | ".join(columns) + " |"
    yield "|---|" + "--:|" * len(columns)
    for kind in Kind:
        yield (
            f"| {kind.value} | " + " | ".join(str(table[kind, column]) for column in columns) + " |"
        )
