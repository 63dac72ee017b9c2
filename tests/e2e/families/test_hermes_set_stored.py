"""The recorded events of a real Hermes, all of them in one game in their order.

What the whole set must come to: one source for each file and page, windows that never replace the
whole, failures and stubs on record and out of sight, repeats that add observations and nothing else.
"""

import json
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from capture_service.domain.envelope import SideFile
from corpus_service.bootstrap import PREPARATION
from corpus_service.domain.vocabulary import Completeness, Derivation, Outcome, SourceRole
from corpus_service.storage.memory import MemoryStore
from corpus_service.storage.sqlite import SqliteStore
from corpus_service.trust import Verdict
from tests.e2e.families.both_services import BothServices, Fed, GameView, Seen
from tests.tool_families.cases import HermesEvent, hermes_events
from tests.transfer.filled import archive_of, import_into

EVENTS = hermes_events()
NOTES = "file:///game/notes.md"
BIG_FILE = "file:///game/big.txt"
DOC_SMALL = "http://93.184.216.34/doc-small"
DOC_BIG = "http://93.184.216.34/doc-big"
DOC_SLOW = "http://93.184.216.34/doc-slow"
SMALL = "http://127.0.0.1:18803/small"
BIG = "http://127.0.0.1:18803/big"
PAGE_LENGTH = 198_415
FAILED = {
    16: "file:///game/nope.md",
    42: "http://127.0.0.1:1/x",
    61: "http://93.184.216.34/fail",
    271: DOC_SLOW,
}


@dataclass(frozen=True)
class Whole:
    """The game after all events, and what became of each."""

    game: GameView
    fed: dict[int, Fed]

    def rows(self, number: int) -> list[Seen]:
        return self.game.seen(envelope_id=f"event-{number}")

    def row(self, number: int, uri: str) -> Seen:
        (found,) = [row for row in self.rows(number) if row.uri == uri]
        return found


def side_files(event: HermesEvent) -> list[SideFile]:
    """The full text that Hermes had saved for 245; it equals what 255 returned in whole."""
    if event.sequence != 245:
        return []
    page = _page_of(EVENTS[255])
    return [SideFile("93.184.216.34-dd3b90fd32.md", "text/markdown", page)]


def _page_of(event: HermesEvent) -> bytes:
    content: str = json.loads(event.kwargs["result"])["results"][0]["content"]
    return content.encode()


@pytest.fixture(scope="module")
def whole(services: BothServices) -> Whole:
    game = services.game("emberfall")
    fed = {
        number: game.feed(event.envelope(side_files(event)))
        for number, event in sorted(EVENTS.items())
        if event.hook == "post_tool_call"
    }
    return Whole(game, fed)


def test_the_file_is_one_source_with_its_whole_text(whole: Whole) -> None:
    source = whole.game.source(NOTES)
    assert source is not None
    assert source.completeness is Completeness.FULL
    assert source.observation_count == 9  # 001 004 068 089 205 233 268 292 307
    text = whole.game.current_text(NOTES)
    assert text.startswith("# Notes\n")
    assert text.endswith("no newline at end")
    whole_reads = {whole.row(number, NOTES).content_hash for number in (1, 205, 233)}
    assert len(whole_reads) == 1
    current = whole.row(233, NOTES).version_id
    assert source.current_version_id == current
    windows = [whole.row(number, NOTES) for number in (68, 89, 268, 292, 307)]
    assert {row.completeness for row in windows} == {Completeness.WINDOWED}
    assert all(row.version_id and row.version_id != current for row in windows)
    assert [row.window for row in windows] == [
        ["lines", 2, 7, 7],
        ["lines", 4, 4, 6],
        ["lines", 2, 7, 7],
        ["lines", 3, 7, 7],
        ["lines", 5, 7, 7],
    ]
    # 068 and 268 show the same lines.
    assert source.version_count == 1 + len({row.content_hash for row in windows}) == 5


def test_an_unchanged_read_is_an_observation_of_the_earlier_content(whole: Whole) -> None:
    stub = whole.row(4, NOTES)
    assert stub.verdict is Verdict.READABLE
    assert stub.completeness is Completeness.STUB
    assert stub.content_hash == whole.row(1, NOTES).content_hash
    assert stub.version_id == whole.row(1, NOTES).version_id
    assert stub.outcome == Outcome.OBSERVED_AGAIN
    shown = [seen for seen in whole.game.observations(NOTES) if seen.envelope_id == "event-4"]
    assert [seen.artifact_id for seen in shown] == [
        seen.artifact_id for seen in whole.game.observations(NOTES) if seen.envelope_id == "event-1"
    ]


def test_windows_of_a_big_file_are_told_apart(whole: Whole) -> None:
    source = whole.game.source(BIG_FILE)
    assert source is not None
    assert source.completeness is Completeness.WINDOWED
    assert source.current_version_id == whole.row(7, BIG_FILE).version_id
    assert whole.row(7, BIG_FILE).window == ["lines", 1, 500, 6000]
    found = whole.row(19, BIG_FILE)
    assert found.never_current == 1
    assert found.metadata["matching_lines"] == list(range(10, 20))
    assert whole.game.current_text(BIG_FILE).count("\n") == 500


def test_a_window_with_its_side_file_is_the_whole_page(whole: Whole) -> None:
    window, page = whole.row(245, DOC_BIG), whole.row(255, DOC_BIG)
    assert window.content_hash == page.content_hash
    assert window.derivation == Derivation.CACHE_FILE
    assert window.window == ["characters", 1, 11_210, PAGE_LENGTH]
    (version,) = whole.game.versions(DOC_BIG)
    assert version.text_length == PAGE_LENGTH
    assert version.completeness is Completeness.FULL
    assert "/home/player" not in whole.game.current_text(DOC_BIG)


def test_a_window_without_its_side_file_never_replaces_the_page(
    services: BothServices,
) -> None:
    game = services.game("window-alone")
    for number in (245, 255, 245):
        envelope = EVENTS[number].envelope()
        game.feed(replace(envelope, envelope_id=f"{number}-{len(game.seen())}"))
    first, full, again = game.seen(DOC_BIG)
    assert (first.completeness, full.completeness) == (Completeness.TRUNCATED, Completeness.FULL)
    assert first.content_hash == again.content_hash != full.content_hash
    source = game.source(DOC_BIG)
    assert source is not None
    assert source.current_version_id == full.version_id
    assert source.version_count == 2
    assert len(game.text(first.version_id)) == 11_210 + 2 + 3_700


def test_pages_that_came_twice_have_one_version(whole: Whole) -> None:
    for uri, numbers in ((DOC_SMALL, (52, 61)), (SMALL, (26, 72, 211))):
        assert len(whole.game.versions(uri)) == 1
        source = whole.game.source(uri)
        assert source is not None
        assert source.completeness is Completeness.FULL
        assert source.observation_count == len(numbers)
        assert [row.outcome for row in map(whole.row, numbers, [uri] * len(numbers))][1:] == [
            Outcome.OBSERVED_AGAIN
        ] * (len(numbers) - 1)
    assert whole.row(211, SMALL).upstream_masked == 1


def test_a_late_answer_follows_its_timeout(whole: Whole) -> None:
    failed, late = whole.game.seen(DOC_SLOW)
    assert (failed.role, late.role) == (SourceRole.FAILED, SourceRole.DOCUMENT)
    assert (failed.verdict, late.verdict) == (Verdict.FAILED, Verdict.READABLE)
    assert "timed out" in failed.error
    (version,) = whole.game.versions(DOC_SLOW)
    assert version.current
    assert [seen.envelope_id for seen in whole.game.observations(DOC_SLOW)] == ["event-275"]


def test_a_cut_output_is_the_only_witness_of_its_page(whole: Whole) -> None:
    source = whole.game.source(BIG)
    assert source is not None
    assert source.completeness is Completeness.TRUNCATED
    assert whole.row(30, BIG).window == ["characters", 1, 19_970, 198_504]
    assert "TRUNCATED" not in whole.game.current_text(BIG)


def test_three_searches_share_their_stubs(whole: Whole) -> None:
    lists = {
        row.uri: row
        for number in (49, 237, 297)
        for row in whole.rows(number)
        if row.role is SourceRole.ARTIFACT
    }
    assert len(lists) == 3
    for number in (49, 237, 297):
        artifact, *stubs = whole.rows(number)
        assert [(row.uri, row.rank) for row in stubs] == [(DOC_SMALL, 1), (DOC_BIG, 2)]
        assert {row.parent_uri for row in stubs} == {artifact.uri}
        assert {row.verdict for row in stubs} == {Verdict.STUB}
        assert [row.snippet for row in stubs] == ["first hit", "second hit"]
    for uri in lists:
        text = whole.game.current_text(uri)
        assert DOC_SMALL in text
        assert DOC_BIG in text


@pytest.mark.parametrize("number", FAILED)
def test_failures_are_on_record_and_out_of_sight(whole: Whole, number: int) -> None:
    row = whole.row(number, FAILED[number])
    assert row.role is SourceRole.FAILED
    assert row.verdict is Verdict.FAILED
    assert row.error
    assert not row.content_hash
    if number != 271:
        assert whole.game.source(FAILED[number]) is None


def test_a_blocked_address_is_on_record(whole: Whole) -> None:
    row = whole.row(61, "http://127.0.0.1:18803/x")
    assert (row.verdict, row.http_status) == (Verdict.FAILED, 0)


def test_tools_of_no_family_are_counted_by_name(whole: Whole) -> None:
    ignored = Counter(
        fed.prepared.tool_name for fed in whole.fed.values() if fed.prepared.refusal is not None
    )
    assert ignored == {"web_crawl": 1, "delegate_task": 1}


def test_nothing_else_became_a_source(whole: Whole) -> None:
    shown = {source.canonical_uri for source in whole.game.sources()}
    pages = {DOC_SMALL, DOC_BIG, DOC_SLOW, SMALL, BIG, "http://93.184.216.34/mcp"}
    assert {uri for uri in shown if not uri.startswith("tool:")} == pages | {NOTES, BIG_FILE}
    operations = Counter(uri.partition("?")[0] for uri in shown if uri.startswith("tool:"))
    assert operations == {"tool:gtc_discovery/search": 3, "tool:code_run/execute_code": 1}


def test_nested_calls_hang_under_their_code(whole: Whole) -> None:
    (code,) = [row.uri for row in whole.rows(77)]
    parent = whole.game.source(code)
    assert parent is not None
    for number, uri in ((68, NOTES), (72, SMALL)):
        (nested,) = [
            seen for seen in whole.game.observations(uri) if seen.envelope_id == f"event-{number}"
        ]
        assert nested.parent_source_id == parent.source_id
        assert nested.parent_inferred
    others = [
        seen
        for uri in (NOTES, SMALL)
        for seen in whole.game.observations(uri)
        if seen.envelope_id not in {"event-68", "event-72"}
    ]
    assert others
    assert not any(seen.parent_source_id or seen.parent_inferred for seen in others)


def test_planted_secrets_are_nowhere(whole: Whole) -> None:
    planted = [secret.encode() for secret in planted_secrets()]
    for stored in whole.game.stored_bytes():
        for secret in planted:
            assert secret not in stored
    assert "«redacted:ghp_…»" in whole.game.current_text(NOTES)


def planted_secrets() -> list[Any]:
    token = next(
        word for word in EVENTS[52].kwargs["result"].split() if word.startswith("ghp" + "_")
    )
    return [token.rstrip('.,"\\n'), "hunter2" * 2, "abcd1234" * 2, "u:pw@" + "host"]


def test_an_export_of_the_whole_set_comes_back_as_it_was(whole: Whole, tmp_path: Path) -> None:
    game_id = whole.game.game_id
    data = archive_of(whole.game.store, game_id=game_id)
    with closing(SqliteStore(tmp_path, PREPARATION)) as other:
        imported = import_into(other, data)
        assert imported.source_count == len(whole.game.sources()) > 10
        assert archive_of(other, game_id=game_id) == data
    memory = MemoryStore()
    import_into(memory, data)
    assert archive_of(memory, game_id=game_id) == data
