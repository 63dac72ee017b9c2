"""Shells, claims and failed extraction: what the corpus finds in a content that a tool called whole."""

import json
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from capture_service.domain.envelope import Envelope, ToolStatus
from corpus_service.domain.text_facts import TextFacts
from corpus_service.domain.vocabulary import Completeness, SourceRole
from corpus_service.trust import Verdict
from tests.e2e.families.both_services import BothServices, GameView, Seen

BEGIN = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
PAGE = "https://keep.example.org/hall/index.html"
_NUMBER = count(1)


def curl(game: GameView, body: str, address: str = PAGE) -> list[Seen]:
    """Fetch a page by curl; what it printed is taken for the whole body."""
    number = next(_NUMBER)
    result = f'{{"output": {_json(body)}, "exit_code": 0, "error": null}}'
    game.feed(
        Envelope(
            envelope_id=f"curl-{number}",
            tool_name="terminal",
            arguments=f'{{"command": "curl -s {address}"}}'.encode(),
            result=result.encode(),
            session_id="s",
            task_id="t",
            tool_call_id=f"c{number}",
            status=ToolStatus.OK,
            finished_at=BEGIN + timedelta(minutes=number),
        )
    )
    return game.seen(envelope_id=f"curl-{number}")


def _json(value: object) -> str:
    return json.dumps(value)


FRAMES = (
    '<html><head><title>Hall</title></head><frameset cols="20%,80%">'
    '<frame src="menu.html"><frame src="https://other.example/x#top"><frame src="about:blank">'
    '<frame src="menu.html"></frameset></html>'
)
IFRAME = '<html><body><iframe src="/embed/?v=1&amp;utm_source=a"></iframe></body></html>'
SCRIPT = (
    '<!doctype html><html><body><noscript>Enable JavaScript.</noscript><div id="root"></div>'
    '<script src="/main.js"></script></body></html>'
)


@pytest.mark.parametrize(
    ("body", "children"),
    [
        (FRAMES, ["https://keep.example.org/hall/menu.html", "https://other.example/x"]),
        (IFRAME, ["https://keep.example.org/embed/?v=1"]),
        (SCRIPT, []),
    ],
    ids=["frameset", "iframe", "script"],
)
def test_a_shell_is_out_of_sight_and_names_its_frames(
    services: BothServices, body: str, children: list[str]
) -> None:
    game = services.game(f"shell-{next(_NUMBER)}")
    page, *stubs = curl(game, body)
    assert page.completeness is Completeness.SHELL
    assert page.verdict is Verdict.SHELL
    assert not page.version_id
    assert game.source(PAGE) is None
    assert game.content(page.content_hash).decode() == body
    assert [stub.uri for stub in stubs] == children
    for order, stub in enumerate(stubs, start=1):
        assert (stub.role, stub.verdict) == (SourceRole.STUB, Verdict.STUB)
        assert (stub.parent_uri, stub.list_order or stub.rank) == (PAGE, order)
        assert game.source(stub.uri) is None


def test_a_shell_never_displaces_the_page(services: BothServices) -> None:
    game = services.game("page-then-shell")
    curl(game, "<html><body><h1>Hall</h1><p>The hall has nine doors.</p></body></html>")
    curl(game, SCRIPT)
    source = game.source(PAGE)
    assert source is not None
    assert (source.version_count, source.observation_count) == (1, 1)
    assert "nine doors" in game.current_text(PAGE)


EMPTY = '<meta name="viewport" content="width=device-width"><title>Home</title>'


def test_a_page_without_text_is_readable_as_it_came(services: BothServices) -> None:
    game = services.game("empty-page")
    (page,) = curl(game, EMPTY)
    assert (page.verdict, page.completeness) == (Verdict.READABLE, Completeness.UNKNOWN)
    assert game.current_text(PAGE) == ""
    facts = services.store.envelope_content("empty-page", page.envelope_id)
    assert json.loads(game.content(facts.content_hash))["output"] == EMPTY


def test_a_page_without_text_never_displaces_the_page(services: BothServices) -> None:
    game = services.game("page-then-empty")
    curl(game, "<html><body><h1>Hall</h1><p>The hall has nine doors.</p></body></html>")
    curl(game, EMPTY)
    source = game.source(PAGE)
    assert source is not None
    assert source.version_count == 2
    assert "nine doors" in game.current_text(PAGE)


def test_frames_of_a_page_with_text_are_stubs_of_a_page_that_stays(services: BothServices) -> None:
    game = services.game("page-with-frame")
    body = f"<html><body><p>{'A long description of the hall. ' * 20}</p>{IFRAME}</body></html>"
    page, stub = curl(game, body)
    assert (page.verdict, page.completeness) == (Verdict.READABLE, Completeness.FULL)
    assert (stub.uri, stub.parent_uri) == ("https://keep.example.org/embed/?v=1", PAGE)


HEAD = (
    "<html><head><title>Hall</title>"
    '<link rel="canonical" href="https://keep.example.org/hall">'
    '<meta property="og:url" content="https://keep.example.org/hall?x">'
    '<link rel="alternate" hreflang="de" href="https://keep.example.org/de/halle">'
    '<link rel="license" href="https://creativecommons.org/licenses/by-sa/4.0/">'
    "</head><body><p>The hall has nine doors.</p></body></html>"
)
CLAIMS = {
    ("rel=canonical", "https://keep.example.org/hall"),
    ("og:url", "https://keep.example.org/hall?x"),
    ("hreflang", "de https://keep.example.org/de/halle"),
    ("rel=license", "https://creativecommons.org/licenses/by-sa/4.0/"),
}


def test_claims_of_a_page_stand_beside_it_and_are_never_its_key(services: BothServices) -> None:
    game = services.game("claims")
    (page,) = curl(game, HEAD)
    assert page.uri == PAGE
    assert set(page.claims.items()) >= CLAIMS
    (version,) = game.versions(PAGE)
    facts = TextFacts.from_json(version.facts_json)
    assert {(claim.name, claim.value) for claim in facts.claims} == CLAIMS
    source = game.source(PAGE)
    assert source is not None
    assert "BY-SA" in source.license_hint


def test_a_failed_extraction_keeps_the_bytes_and_says_why(services: BothServices) -> None:
    game = services.game("no-text")
    envelope = Envelope(
        envelope_id="broken",
        tool_name="terminal",
        arguments=_json({"command": "curl -s https://keep.example.org/plan.pdf"}).encode(),
        result=_json({"output": "%PDF-1.7\nnothing behind the mark", "exit_code": 0}).encode(),
        finished_at=BEGIN,
    )
    fed = game.feed(envelope)
    assert fed.result is not None
    uri = "https://keep.example.org/plan.pdf"
    (row,) = game.seen(uri)
    assert fed.result.sources[0].extraction_failure == "MALFORMED"
    assert game.content(row.content_hash).startswith(b"%PDF-1.7")
    source = game.source(uri)
    assert source is not None
    assert (source.current_version_id, source.version_count) == ("", 0)
    assert source.extraction_failure == "MALFORMED"
    (seen,) = game.observations(uri)
    assert (seen.extraction_failure, seen.artifact_id != "") == ("MALFORMED", True)
