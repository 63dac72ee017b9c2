r"""Public bugs of comparable systems: the families of faults, and where each is tested.

| report | fault | families of inputs | through both services |
|---|---|---|---|
| scrapy/w3lib#91 | escapes decoded in a key | identity/test_url_fault_families, … | here |
| mediacloud/metadata-lib#24 | the whole URL lower-cased | identity/test_url_fault_families | here |
| scrapy/scrapy#1941 | the query rewritten | identity/test_canonical_query, test_url_fault_families | here |
| niksite/url-normalize#27 | default ports, IDN | identity/test_canonical_uri, test_url_fault_families | here |
| ArchiveBox/ArchiveBox#748 | versions made by a URL trick | identity/test_url_fault_families | here |
| misskey-dev/summaly#40 | a false charset | extraction/test_text_… | ingest/test_ingest_findings |
| jgravelle/jdocmunch-mcp#53 | a mark hides the first heading | extraction/test_text_field_reports | here |
| frappe/frappe#41128 | lone surrogates | extraction/test_text_field_reports | here |
| unclecode/crawl4ai#1974 | frames | extraction/test_text_…, test_documents | test_shells_and_findings |
| agno-agi/agno#10470 | headings inside fences | chunking/test_chunk_structure | here |
| nano-step/nano-brain#297 | long lines, no progress | chunking/test_chunk_structure, …_properties | here |
| firecrawl/firecrawl#563 | www and slash variants | identity/test_url_fault_families | here |
| Norconex/crawler#28 | `&amp;` at every hop | test_url_fault_families, test_canonical_uri | here |
| karakeep-app/karakeep#859 | parallel adds of one address | storage/conformance/test_ingest_contract | here |
| karakeep-app/karakeep#2923 | two jobs, duplicate assets | test_web_cases_stored (every case twice) | here |
| karakeep-app/karakeep#2519 | a parser dies | extraction/test_workers, ingest/test_ingest_pool | here |
"""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest

from capture_service.domain.envelope import Envelope
from corpus_service.domain.vocabulary import Outcome
from tests.e2e.families.both_services import BothServices, Fed, GameView, Seen

BEGIN = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
_NUMBER = count(1)


def scrape(game: GameView, uri: str, markdown: str = "# Page\n\nText.\n", **facts: Any) -> Seen:
    fed, number = feed_page(game, uri, markdown, **facts)
    assert fed.result is not None
    (row,) = game.seen(envelope_id=f"page-{number}")
    return row


def feed_page(
    game: GameView, uri: str, markdown: str, *, ensure_ascii: bool = False
) -> tuple[Fed, int]:
    number = next(_NUMBER)
    body = {
        "success": True,
        "data": {"markdown": markdown, "metadata": {"sourceURL": uri, "statusCode": 200}},
    }
    envelope = Envelope(
        envelope_id=f"page-{number}",
        tool_name="gtc_scrape",
        arguments=json.dumps({"url": uri}).encode(),
        result=json.dumps(body, ensure_ascii=ensure_ascii).encode("utf-8", "surrogatepass"),
        finished_at=BEGIN + timedelta(seconds=number),
    )
    return game.feed(envelope), number


@pytest.fixture
def game(services: BothServices) -> GameView:
    return services.game(f"report-{next(_NUMBER)}")


@pytest.mark.parametrize(
    "addresses",
    [
        # an escaped delimiter is no delimiter.
        ("https://example.com/a%2Fb", "https://example.com/a/b"),
        ("https://example.com/a%23b", "https://example.com/a#b"),
        ("https://example.com/a%3Fb", "https://example.com/a?b"),
        ("https://example.com/Dia%25", "https://example.com/Dia%2525"),
        # case outside scheme and host.
        ("https://video.example/watch?v=aFCO6WidGVM", "https://video.example/watch?v=afco6widgvm"),
        ("https://video.example/Watch", "https://video.example/watch"),
        # bare keys, empty values, order.
        ("http://example.com/?a", "http://example.com/?a="),
        ("http://example.com/?a&b", "http://example.com/?b&a"),
        ("http://example.com/index.php?/a/=/o/", "http://example.com/index.php?/a/=/o"),
        # schemes and ports of another scheme.
        ("http://example.com/", "https://example.com/"),
        ("http://example.com:443/", "http://example.com/"),
        # routes are resources.
        ("https://app.example/#/one", "https://app.example/#/two"),
        ("https://app.example/#!one", "https://app.example/#!two"),
        # other spellings of a site may be other pages.
        ("https://www.example.com/", "https://example.com/"),
        ("https://example.com/a", "https://example.com/a/"),
        # a character reference is data.
        ("https://example.com/?a=1&amp;b=2", "https://example.com/?a=1&b=2"),
    ],
)
def test_two_resources_are_two_sources_joined_by_their_content(
    game: GameView, addresses: tuple[str, str]
) -> None:
    first, second = (scrape(game, address) for address in addresses)
    assert first.uri != second.uri
    assert first.content_hash == second.content_hash
    assert first.version_id != second.version_id
    assert [row.requested_uri for row in (first, second)] == list(addresses)
    assert len(game.sources()) == 2


@pytest.mark.parametrize(
    "addresses",
    [
        ("https://example.com/a%20b%3a", "https://example.com/a%20b%3A"),
        ("HTTP://EXAMPLE.com:80/", "http://example.com"),
        ("https://example.com:443/a", "https://example.com./a"),
        ("https://forge.example/3884#comment-2309", "https://forge.example/3884#top"),
        ("https://bücher.example/a", "https://xn--bcher-kva.example/a"),
        ("https://example.com/?utm_source=a&b=1", "https://example.com/?b=1&fbclid=x"),
        ("https://example.com/%7Euser", "https://example.com/~user"),
    ],
)
def test_one_resource_is_one_source_whose_addresses_stay_as_they_were(
    game: GameView, addresses: tuple[str, str]
) -> None:
    first, second = (scrape(game, address) for address in addresses)
    assert first.uri == second.uri
    assert first.version_id == second.version_id
    assert second.outcome == Outcome.OBSERVED_AGAIN
    assert [row.requested_uri for row in (first, second)] == list(addresses)
    assert len(game.versions(first.uri)) == 1


def test_a_fragment_is_the_locator_of_its_observation(game: GameView) -> None:
    rows = [
        scrape(game, "https://forge.example/issues/3884#comment-2309", "first"),
        scrape(game, "https://forge.example/issues/3884#comment-2309", "first"),
        scrape(game, "https://forge.example/issues/3884", "changed"),
    ]
    assert [row.locator for row in rows] == ["comment-2309", "comment-2309", ""]
    assert [row.outcome for row in rows] == [
        Outcome.STORED,
        Outcome.OBSERVED_AGAIN,
        Outcome.NEW_VERSION,
    ]
    assert len(game.versions("https://forge.example/issues/3884")) == 2


@pytest.mark.parametrize("address", ["www.example.com:80/foo", "//example.com/a", "not an address"])
def test_an_address_without_a_scheme_is_kept_and_said_to_be_no_key(
    game: GameView, address: str
) -> None:
    number = next(_NUMBER)
    game.feed(
        Envelope(
            envelope_id=f"search-{number}",
            tool_name="gtc_scrape",
            arguments=json.dumps({"url": address}).encode(),
            result=json.dumps({"success": True, "data": {"markdown": "text"}}).encode(),
            finished_at=BEGIN,
        )
    )
    row, *_ = game.seen(envelope_id=f"search-{number}")
    assert (row.uri, row.canonicalised) == (address, 0)


def test_an_endless_address_has_a_bounded_key(game: GameView) -> None:
    addresses = ["https://example.com/?" + "amp;" * 5_000 + end for end in ("a", "b")]
    rows = [scrape(game, address) for address in addresses]
    assert len({row.uri for row in rows}) == 2
    assert all(len(row.uri.encode()) <= 16_384 for row in rows)
    assert all(row.canonicalised == 0 for row in rows)


def test_parallel_adds_of_one_address_are_one_source(game: GameView) -> None:
    with ThreadPoolExecutor(8) as threads:
        fed = list(
            threads.map(lambda _: feed_page(game, "https://race.example/", "# One\n"), range(24))
        )
    outcomes = [done.result.outcome for done, _ in fed if done.result is not None]
    assert sorted(outcomes) == [Outcome.STORED, *[Outcome.OBSERVED_AGAIN] * 23]
    (source,) = game.sources()
    assert (source.version_count, source.observation_count) == (1, 24)


def test_two_jobs_that_bring_one_page_share_its_artifact(game: GameView) -> None:
    for job in ("job-alpha-1", "job-beta-22"):
        document = {
            "markdown": "# Shared\n",
            "metadata": {"sourceURL": "https://shared.example/", "statusCode": 200},
        }
        body = {"success": True, "status": "completed", "total": 1, "completed": 1}
        game.feed(
            Envelope(
                envelope_id=job,
                tool_name="gtc_crawl",
                arguments=json.dumps({"id": job}).encode(),
                result=json.dumps({**body, "data": [document]}).encode(),
                finished_at=BEGIN,
            )
        )
    rows = game.seen("https://shared.example/")
    assert [row.parent_uri.rpartition("=")[2] for row in rows] == ["job-alpha-1", "job-beta-22"]
    assert len({row.version_id for row in rows}) == 1


def test_a_mark_stays_in_the_bytes_and_leaves_the_text(game: GameView) -> None:
    markdown = "\ufeff# First\n\n## Second\ntext with \ufeff inside\n"
    row = scrape(game, "https://mark.example/", markdown)
    assert game.content(row.content_hash) == markdown.encode()
    (version,) = game.versions(row.uri)
    assert game.text(row.version_id) == markdown[1:]
    assert version.repairs["bom"] == 1
    assert [chunk.heading_path for chunk in game.chunks(row.version_id)][-1] == ("First", "Second")


@pytest.mark.parametrize(
    ("half", "repaired", "count_of"),
    [
        ("hello \ud83d", "hello \ufffd", 1),
        ("\ude00 and \ud83d\ude00 and \ud83d", "\ufffd and 😀 and \ufffd", 2),
        ("a\ud83d\ud83d\ude00", "a\ufffd😀", 1),
    ],
)
def test_half_a_character_is_replaced_in_the_text_counted_and_kept_in_the_result(
    game: GameView, half: str, repaired: str, count_of: int
) -> None:
    fed, number = feed_page(game, "https://half.example/", half, ensure_ascii=True)
    assert fed.prepared.drops["lone_surrogates_replaced"] == count_of
    (row,) = game.seen(envelope_id=f"page-{number}")
    assert game.text(row.version_id) == repaired
    (seen,) = game.observations(row.uri)
    assert json.dumps(half)[1:-1].encode() in game.content(seen.result_hash)


def test_comments_in_fences_are_no_headings(game: GameView) -> None:
    fences = {
        "backticks": "# Example\n```python\n# a comment\nprint(1)\n```\n# Next\nend\n",
        "tildes": "# Example\n~~~\n# a comment\n~~~\n# Next\nend\n",
        "nested": "# Example\n````\n```\n# a comment\n```\n````\n# Next\nend\n",
    }
    for name, markdown in fences.items():
        row = scrape(game, f"https://fence.example/{name}", markdown)
        chunks = game.chunks(row.version_id)
        assert [chunk.heading_path for chunk in chunks] == [("Example",), ("Next",)]
        assert "".join(chunk.text for chunk in chunks) == markdown


def test_a_long_line_is_cut_and_every_chunk_can_be_found(game: GameView) -> None:
    line = json.dumps({f"key {number}": "value " * 20 for number in range(160)})
    assert len(line) > 20_000
    row = scrape(game, "https://line.example/", f"# Log\n\n###\n\n{line}\n")
    chunks = game.chunks(row.version_id)
    assert all(0 < len(chunk.text) <= 4_000 for chunk in chunks)
    assert all(chunk.text.strip() for chunk in chunks)
    assert {chunk.heading_path for chunk in chunks} == {("Log",)}
    assert "".join(chunk.text for chunk in chunks) == game.text(row.version_id)


def test_a_document_that_cannot_be_read_leaves_no_orphans(game: GameView) -> None:
    number = next(_NUMBER)
    envelope = Envelope(
        envelope_id=f"pdf-{number}",
        tool_name="terminal",
        arguments=json.dumps({"command": "curl -s https://plan.example/plan.pdf"}).encode(),
        result=json.dumps({"output": "%PDF-1.4\nbroken", "exit_code": 0}).encode(),
        finished_at=BEGIN,
    )
    game.feed(envelope)
    (row,) = game.seen("https://plan.example/plan.pdf")
    assert row.version_id is None
    assert row.extraction_failure == "MALFORMED"
    assert game.versions(row.uri) == []
    assert len(game.sources()) == 1
