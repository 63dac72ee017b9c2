"""Live calls of the real Hermes, through both services: what the corpus holds of each tool."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from corpus_service.domain.vocabulary import Completeness, Derivation, SourceRole
from corpus_service.trust import Verdict
from tests.e2e.families.both_services import BothServices, GameView, Seen
from tests.e2e.families.live_hermes import call, envelope_of, record_batches
from tests.e2e.hermes.local_web import LocalWeb
from tests.e2e.hermes.real_hermes import HERMES_PYTHON

pytestmark = pytest.mark.process

NOTES = "# Notes\nThe tide bell rings twice.\nThe keeper has one eye."
BIG_FILE = "".join(f"row {number} of the ledger\n" for number in range(1, 1_201))
SMALL = "http://93.184.216.34/small"
BIG = "http://93.184.216.34/atlas"
GONE = "http://93.184.216.34/gone"
ATLAS = "# Atlas\n\n" + "".join(f"Shaft {number} floods at dusk.\n\n" for number in range(4_000))
HTML = "<html><head><title>Lamp</title></head><body><h1>Lamp</h1><p>It burns whale oil.</p></body></html>"
LONG = "".join(f"Line {number} of the log.\n" for number in range(6_000))


@dataclass(frozen=True)
class Live:
    """The game after all calls, the events, and where things were."""

    game: GameView
    events: list[dict[str, Any]]
    web: str

    def rows(self, number: int) -> list[Seen]:
        """What became of the call with a number; ids are those of the model."""
        positions = [
            position
            for position, event in enumerate(self.events)
            if event["kwargs"]["tool_call_id"] == f"call_{number}"
        ]
        return [row for place in positions for row in self.game.seen(envelope_id=f"live-{place}")]

    def row(self, number: int) -> Seen:
        (found,) = self.rows(number)
        return found

    def nested(self) -> list[Seen]:
        return [
            row
            for place, event in enumerate(self.events)
            if not event["kwargs"]["session_id"]
            for row in self.game.seen(envelope_id=f"live-{place}")
        ]


def batches(folder: Path, web: str) -> list[list[dict[str, Any]]]:
    notes, ledger = str(folder / "notes.md"), str(folder / "ledger.txt")
    code = (
        "from hermes_tools import read_file, terminal, web_extract\n"
        f"print(read_file({notes!r}, offset=2))\n"
        f"print(terminal('curl -s {web}/lamp'))\n"
        f"print(web_extract([{SMALL!r}]))\n"
    )
    return [
        [call("read_file", {"path": notes}, 1)],
        [call("read_file", {"path": notes}, 2)],
        [call("read_file", {"path": ledger}, 3)],
        [call("read_file", {"path": str(folder / "nope.md")}, 4)],
        [call("search_files", {"pattern": "row 7 ", "path": ledger}, 5)],
        [call("terminal", {"command": f"curl -s {web}/lamp"}, 6)],
        [call("terminal", {"command": f"curl -si {web}/lamp"}, 7)],
        [call("terminal", {"command": "curl -sS http://127.0.0.1:1/x"}, 8)],
        [call("terminal", {"command": f"curl -s {web}/log"}, 9)],
        [call("terminal", {"command": f"curl -sSf {web}/missing"}, 10)],
        [call("web_search", {"query": "tide bell", "limit": 2}, 11)],
        [call("web_extract", {"urls": [SMALL, GONE, "http://127.0.0.1:9/x"]}, 12)],
        [call("web_extract", {"urls": [BIG]}, 13)],
        [call("execute_code", {"code": code}, 14)],
        [call("mcp__pages__fetch", {"url": "https://harbour.example/"}, 15)],
        [call("mcp__pages__firecrawl_scrape", {"url": "https://quay.example/?utm_source=x"}, 16)],
        [
            call("read_file", {"path": notes}, 17, task_id="second"),
            call("web_search", {"query": "tide bell", "limit": 1}, 18, task_id="second"),
            call("web_extract", {"urls": [SMALL]}, 19, task_id="second"),
            call("terminal", {"command": f"curl -s {web}/lamp"}, 20, task_id="second"),
        ],
        [call("skills_list", {}, 21)],
    ]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    if not HERMES_PYTHON.exists():
        pytest.fail("the real Hermes is not installed: make hermes-venv")
    home = tmp_path_factory.mktemp("home")
    folder = home / "game"
    folder.mkdir()
    folder.joinpath("notes.md").write_text(NOTES, encoding="utf-8")
    folder.joinpath("ledger.txt").write_text(BIG_FILE, encoding="utf-8")
    pages: dict[str, dict[str, Any]] = {
        SMALL: {"markdown": "# Small\n\nCold iron ends wards. 冷铁\n", "title": "Small"},
        BIG: {"markdown": ATLAS, "title": "Atlas"},
        "/lamp": {"body": HTML, "type": "text/html; charset=utf-8"},
        "/log": {"body": LONG, "type": "text/plain"},
    }
    hits = [
        {"url": SMALL, "title": "Small", "description": "first hit"},
        {"url": BIG, "title": "Atlas", "description": "second hit"},
    ]
    with LocalWeb(pages, hits) as site:
        web = f"http://127.0.0.1:{site.port}"
        events = record_batches(home, site.port, batches(folder, web))
    services = BothServices(tmp_path_factory.mktemp("corpus"), str(folder), str(home))
    game = services.game("emberfall")
    for number, event in enumerate(events):
        game.feed(envelope_of(event, number))
    yield Live(game, events, web)
    services.close()


def test_a_file_is_read_whole_then_named_as_unchanged(live: Live) -> None:
    whole, again = live.row(1), live.row(2)
    assert whole.uri == again.uri == "file:///game/notes.md"
    assert whole.completeness is Completeness.FULL
    assert live.game.text(whole.version_id) == NOTES
    assert again.verdict is Verdict.READABLE
    assert again.version_id == whole.version_id
    source = live.game.source(whole.uri)
    assert source is not None
    assert source.current_version_id == whole.version_id


def test_a_big_file_is_a_window(live: Live) -> None:
    row = live.row(3)
    assert (row.completeness, row.window) == (Completeness.WINDOWED, ["lines", 1, 500, 1200])
    assert live.game.text(row.version_id) == "".join(BIG_FILE.splitlines(keepends=True)[:500])
    source = live.game.source(row.uri)
    assert source is not None
    assert source.current_version_id == row.version_id
    found = live.row(5)
    assert found.uri == row.uri
    assert "row 7 of the ledger" in live.game.text(found.version_id)
    assert found.metadata["matching_lines"] == [7]


def test_a_missing_file_is_a_failed_observation(live: Live) -> None:
    row = live.row(4)
    assert (row.uri, row.role) == ("file:///game/nope.md", SourceRole.FAILED)
    assert live.game.source(row.uri) is None


def test_curl_with_and_without_headers_is_one_document(live: Live) -> None:
    plain, headed = live.row(6), live.row(7)
    assert plain.uri == headed.uri == f"{live.web}/lamp"
    assert plain.content_hash == headed.content_hash
    assert (plain.http_status, headed.http_status) == (0, 200)
    assert headed.headers["content-type"] == "text/html; charset=utf-8"
    (version,) = live.game.versions(plain.uri)
    assert live.game.text(version.version_id) == "# Lamp\n\nIt burns whale oil."
    assert version.extractor == "html"


def test_failing_fetches_are_on_record_and_out_of_sight(live: Live) -> None:
    for number, uri, code in ((8, "http://127.0.0.1:1/x", "EXIT_7"), (10, "/missing", "EXIT_22")):
        row = live.row(number)
        assert row.uri.endswith(uri)
        assert (row.role, row.verdict, row.error_code) == (
            SourceRole.FAILED,
            Verdict.FAILED,
            code,
        )
        assert live.game.source(row.uri) is None


def test_big_output_is_truncated_and_says_so(live: Live) -> None:
    row = live.row(9)
    assert row.completeness is Completeness.TRUNCATED
    text = live.game.text(row.version_id)
    assert text.startswith("Line 0 of the log.\n")
    assert text.endswith("Line 5999 of the log.")
    assert "OUTPUT TRUNCATED" not in text
    assert len(text) < len(LONG)


def test_a_search_names_its_hits(live: Live) -> None:
    found, *stubs = live.rows(11)
    assert found.role is SourceRole.ARTIFACT
    assert [(stub.uri, stub.rank, stub.parent_uri) for stub in stubs] == [
        (SMALL, 1, found.uri),
        (BIG, 2, found.uri),
    ]


def test_several_addresses_of_one_call_have_fates_of_their_own(live: Live) -> None:
    rows = {row.uri: row for row in live.rows(12)}
    assert rows.keys() == {SMALL, GONE, "http://127.0.0.1:9/x"}
    assert rows[SMALL].role is SourceRole.DOCUMENT
    assert "冷铁" in live.game.text(rows[SMALL].version_id)
    assert rows[GONE].role is SourceRole.FAILED
    assert rows["http://127.0.0.1:9/x"].role is SourceRole.FAILED


def test_a_windowed_page_is_stored_whole_from_its_side_file(live: Live) -> None:
    row = live.row(13)
    assert (row.completeness, row.derivation) == (Completeness.FULL, Derivation.CACHE_FILE)
    assert row.window is not None
    assert row.window[3] == len(ATLAS.strip()) or row.window[3] == len(ATLAS)
    text = live.game.text(row.version_id)
    assert "Shaft 2000 floods at dusk." in text
    assert "omitted" not in text


def test_nested_calls_have_sources_under_their_code(live: Live) -> None:
    code = live.row(14)
    assert code.uri.startswith("tool:code_run/execute_code?")
    nested = live.nested()
    assert sorted(row.uri for row in nested) == sorted(
        ["file:///game/notes.md", f"{live.web}/lamp", SMALL]
    )
    parent = live.game.source(code.uri)
    assert parent is not None
    for row in nested:
        assert row.metadata["nested_call"] is True
        (seen,) = [
            seen for seen in live.game.observations(row.uri) if seen.envelope_id == row.envelope_id
        ]
        assert (seen.parent_source_id, seen.parent_inferred) == (parent.source_id, True)
    # The window of the nested read does not displace the whole file.
    assert live.game.current_text("file:///game/notes.md") == NOTES


def test_pages_of_a_real_mcp_server(live: Live) -> None:
    fetched, scraped = live.row(15), live.row(16)
    assert fetched.uri == "https://harbour.example/"
    assert "sleeps at noon" in live.game.text(fetched.version_id)
    assert (scraped.uri, scraped.title) == ("https://quay.example/", "Quay")
    assert live.game.text(scraped.version_id) == "# Quay\n\nThe quay has seven rings.\n"
    assert scraped.requested_uri == "https://quay.example/?utm_source=x"


def test_a_concurrent_batch_observes_again_what_is_there(live: Live) -> None:
    (notes,), (found, *_), (page,), (lamp,) = (live.rows(number) for number in (17, 18, 19, 20))
    assert notes.version_id == live.row(1).version_id
    assert found.uri != live.rows(11)[0].uri
    assert page.version_id == next(row.version_id for row in live.rows(12) if row.uri == SMALL)
    assert lamp.version_id == live.row(6).version_id
    for uri in (SMALL, f"{live.web}/lamp"):
        assert len(live.game.versions(uri)) == 1


def test_a_tool_of_no_family_leaves_nothing(live: Live) -> None:
    assert any(event["kwargs"]["tool_name"] == "skills_list" for event in live.events)
    assert live.rows(21) == []


def test_no_path_of_the_person_is_stored(live: Live) -> None:
    home = str(live.events[0]["kwargs"]["args"]["path"]).removesuffix("/game/notes.md")
    for row in live.game.seen():
        assert home not in row.uri + row.title + row.error + row.metadata_json
