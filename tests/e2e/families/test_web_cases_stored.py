"""Every case of the web tools, through both services: the corpus holds what the case expects.

Each case has a game of its own, cases that belong together share one and come in order of their
steps. The fields of an expectation are described in docs/tool-families.md.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from corpus_service.domain.vocabulary import Completeness, Outcome, SourceRole, Trust
from corpus_service.trust import Verdict
from tests.e2e.families.both_services import BothServices, Fed, GameView, Seen
from tests.tool_families.cases import WebCase, web_cases

NANOSECONDS = 1_000_000_000
FAMILIES = {"discovery": "gtc_discovery", "page": "gtc_page", "crawl": "crawl_job"}
LIST_FIELDS = {"rank", "order", "group"}


def groups() -> dict[str, list[WebCase]]:
    found: dict[str, list[WebCase]] = {}
    for case in sorted(web_cases().values(), key=lambda case: case.step):
        found.setdefault(case.sequence or case.name, []).append(case)
    return found


CASES = groups()


class Told:
    """One case after it was stored."""

    def __init__(self, game: GameView, case: WebCase, fed: Fed, finished: int) -> None:
        self.game = game
        self.case = case
        self.fed = fed
        self.finished = finished
        self.rows = game.seen(envelope_id=f"case-{case.name}")

    def text(self, row: Seen) -> str:
        """Text of an observation: its version's, else its bytes; of a stub that of its list."""
        if row.version_id:
            return self.game.text(row.version_id)
        if row.content_hash:
            return self.game.content(row.content_hash).decode()
        parents = [other for other in self.rows if other.uri == row.parent_uri]
        return self.text(parents[0]) if parents else ""


def feed(services: BothServices, cases: list[WebCase]) -> list[Told]:
    name = (cases[0].sequence or cases[0].name).replace("_", "-")
    game = services.game(name[:64].rstrip("-"))
    told = []
    for minutes, case in enumerate(cases):
        envelope = case.envelope()
        assert envelope.finished_at is not None
        finished = envelope.finished_at + timedelta(minutes=minutes)
        envelope = replace(envelope, session_id=f"session-{name}", finished_at=finished)
        fed = game.feed(envelope)
        # The state after each step is what a step is checked against.
        step = Told(game, case, fed, int(finished.timestamp()) * NANOSECONDS)
        check(step)
        told.append(step)
    return told


@pytest.mark.parametrize("name", CASES)
def test_the_corpus_holds_the_sources(services: BothServices, name: str) -> None:
    told = feed(services, CASES[name])
    secrets = [secret for step in told for secret in step.case.expect.get("masks", [])]
    if secrets:
        stored = b"\n".join(told[0].game.stored_bytes())
        for secret in secrets:
            assert secret.encode() not in stored


def test_all_cases_again_in_one_game_bring_nothing_new(services: BothServices) -> None:
    """The same results under other envelope ids are observations of what is there."""
    game = services.game("every-case")
    cases = list(web_cases().values())

    def feed_all(turn: int) -> list[Outcome | None]:
        outcomes = []
        for case in cases:
            envelope = case.envelope()
            assert envelope.finished_at is not None
            fed = game.feed(
                replace(
                    envelope,
                    envelope_id=f"turn-{turn}-{case.name}",
                    session_id=f"session-{turn}-{case.name}",
                    finished_at=envelope.finished_at + timedelta(hours=turn),
                )
            )
            assert fed.result is not None
            outcomes.append(fed.result.outcome)
        return outcomes

    feed_all(0)
    first = {source.source_id: source for source in game.sources()}
    assert set(feed_all(1)) == {Outcome.OBSERVED_AGAIN}
    second = {source.source_id: source for source in game.sources()}
    assert second.keys() == first.keys()
    for name, source in second.items():
        assert source.version_count == first[name].version_count
        assert source.observation_count == 2 * first[name].observation_count


def check(told: Told) -> None:
    assert told.fed.result is not None
    expect = told.case.expect
    assert len(told.rows) == len(told.fed.prepared.sources)
    found = []
    for expected in expect["sources"]:
        candidates = [row for row in told.rows if matches(row, expected)]
        if expected.get("optional") and not candidates:
            continue
        assert candidates, (
            f"no {expected['role']} {expected['uri']}: {[(r.role, r.uri) for r in told.rows]}"
        )
        check_source(told, candidates[0], expected)
        found.append(candidates[0].row)
    if "more_stubs" in expect:
        check_more_stubs(told)
    else:
        assert [row.uri for row in told.rows if row.row not in found] == []
    roles = [row.role.name.lower() for row in told.rows]
    for role in ("stub", "document"):
        if role in expect.get("counts", {}):
            assert roles.count(role) == expect["counts"][role]


def matches(row: Seen, expected: dict[str, Any]) -> bool:
    return (
        names(expected["uri"], row.uri)
        and row.role.name.lower() == expected["role"]
        and row.list_group == expected.get("group", row.list_group)
    )


def names(expected: str, uri: str) -> bool:
    """Whether an expected address means a source; of a tool: URI only the operation is meant."""
    if not expected.startswith("tool:"):
        return expected == uri
    operation = uri.partition("?")[0].partition("/")[2]
    return uri.startswith("tool:") and operation == expected.removeprefix("tool:")


def check_more_stubs(told: Told) -> None:
    more = told.case.expect["more_stubs"]
    wanted = {
        more["uri"] % number
        for number in range(more["from"], more["to"] + 1)
        if number not in more.get("except", [])
    }
    stubs = [row.uri for row in told.rows if row.role is SourceRole.STUB]
    assert sorted(stubs) == sorted(wanted)


def check_source(told: Told, row: Seen, expected: dict[str, Any]) -> None:
    for name, value in expected.items():
        assert CHECKERS[name](told, row, value), f"{row.uri}: {name} is not {value!r}: {row.facts}"
    check_times(told, row, expected)
    check_reading(told, row, expected)


def check_times(told: Told, row: Seen, expected: dict[str, Any]) -> None:
    assert row.observed_time == told.finished
    if "fetched_at" not in expected and expected["role"] == "document":
        assert (row.fetched_time, row.fetch_time_unknown) == (told.finished, 0)


def check_reading(told: Told, row: Seen, expected: dict[str, Any]) -> None:
    """What readers see follows from role, status and completeness alone."""
    seen_by_readers = [
        observation
        for observation in told.game.observations(row.uri)
        if observation.envelope_id == row.envelope_id and observation.role == row.role
    ]
    readable = row.verdict is Verdict.READABLE
    assert bool(seen_by_readers) is readable
    if expected["role"] in {"stub", "failed"}:
        assert row.verdict in (Verdict.STUB, Verdict.FAILED)
        assert not row.version_id
        return
    if row.completeness is Completeness.SHELL or row.http_status >= 400:
        assert not readable
        assert not row.version_id
        return
    assert readable
    assert row.version_id
    assert row.version_id in {version.version_id for version in told.game.versions(row.uri)}
    parents = (
        {told.game.source(observation_parent(told, row)).source_id} if row.parent_uri else {""}
    )
    assert {observation.parent_source_id for observation in seen_by_readers} >= parents
    if row.synthetic:
        source = told.game.source(row.uri)
        assert source is not None
        assert source.trust is Trust.SYNTHETIC or expected["role"] == "artifact"


def observation_parent(told: Told, row: Seen) -> str:
    assert told.game.source(row.parent_uri) is not None, "a parent is readable"
    return row.parent_uri


def completeness_is(_: Told, row: Seen, value: str | None) -> bool:
    if value is None:
        return row.completeness is Completeness.UNSPECIFIED and not row.content_hash
    return row.completeness.name.lower() == value


def fetched_is(_: Told, row: Seen, value: str | None) -> bool:
    if value is None:
        return row.fetched_time is None and row.fetch_time_unknown == 1
    stamp = Timestamp()
    stamp.FromDatetime(datetime.fromisoformat(value))
    return row.fetched_time == stamp.ToNanoseconds()


def current_is(told: Told, row: Seen, value: bool) -> bool:
    source = told.game.source(row.uri)
    return (source is not None and source.current_version_id == row.version_id) is value


def never_current(told: Told, row: Seen, value: bool) -> bool:
    source = told.game.source(row.uri)
    current = source.current_version_id if source else ""
    return bool(row.never_current) is value and (
        not value or current != row.version_id or not current
    )


def total_is(_: Told, row: Seen, value: dict[str, int] | None) -> bool:
    if value is None:
        return row.window is None or row.window[3] == 0
    return row.window is not None and {row.window[0]: row.window[3]} == value


def window_is(_: Told, row: Seen, value: dict[str, list[int]]) -> bool:
    return row.window is not None and {row.window[0]: row.window[1:3]} == value


def same_content(told: Told, row: Seen, value: str) -> bool:
    """The other case in the same game gives the same hash."""
    other = web_cases()[value].envelope()
    name = f"case-{value}"
    if not told.game.seen(envelope_id=name):
        told.game.feed(replace(other, session_id="another", finished_at=other.started_at))
    return row.content_hash in {seen.content_hash for seen in told.game.seen(envelope_id=name)}


def formats_of(told: Told, row: Seen) -> set[str]:
    shown = [
        part.name
        for observation in told.game.observations(row.uri)
        if observation.envelope_id == row.envelope_id
        for part in observation.representations
    ]
    return {*shown, "markdown" if "markdown" in row.content_type else "html"}


def fact(name: str) -> Callable[[Told, Seen, Any], bool]:
    return lambda _, row, value: row.facts[name] == value


def flag(name: str) -> Callable[[Told, Seen, Any], bool]:
    return lambda _, row, value: bool(row.facts[name]) is value


def metadata(name: str) -> Callable[[Told, Seen, Any], bool]:
    return lambda _, row, value: row.metadata.get(name) == value


def always(*_: object) -> bool:
    return True


CHECKERS: dict[str, Callable[[Told, Seen, Any], bool]] = {
    "uri": always,
    "role": always,
    "optional": always,
    "group": fact("list_group"),
    "kind": fact("kind"),
    "parent": lambda _, row, value: row.parent_uri is not None and names(value, row.parent_uri),
    "rank": fact("rank"),
    "order": fact("list_order"),
    "title": fact("title"),
    "completeness": completeness_is,
    "text_contains": lambda told, row, value: all(part in told.text(row) for part in value),
    "absent_from_text": lambda told, row, value: not any(part in told.text(row) for part in value),
    "characters": lambda told, row, value: len(told.text(row)) == value,
    "snippet_contains": lambda _, row, value: value in row.snippet,
    "error_contains": lambda _, row, value: value in row.error,
    "error_code": fact("error_code"),
    "warning": lambda _, row, value: value in str(row.metadata.get("warning")),
    "requested_url": fact("requested_uri"),
    "final_url": fact("final_uri"),
    "claims": lambda _, row, value: value.items() <= row.claims.items(),
    "locator": lambda _, row, value: f"#{row.locator}" == value,
    "fetched_at": fetched_is,
    "http_status": fact("http_status"),
    "content_type": lambda _, row, value: row.headers["content-type"] == value,
    "language": fact("language"),
    "declared_total": total_is,
    "window": window_is,
    "job_id": fact("job_id"),
    "job_status": metadata("job_status"),
    "seed_url": metadata("seed_url"),
    "synthetic": flag("synthetic"),
    "also_stub": flag("also_stub"),
    "never_current": never_current,
    "current_after": current_is,
    "same_content_as": same_content,
    "supports": metadata("supports"),
    "interacted": metadata("interacted"),
    "access": lambda _, row, value: row.metadata.get("robots") == value["robots"],
    "reason": metadata("reason"),
    "hits": metadata("hits"),
    "cached": metadata("cached"),
    "license_hint": fact("license_hint"),
    "formats_kept": lambda told, row, value: set(value) <= formats_of(told, row),
    "image_url": metadata("image_url"),
    "published_claim": lambda _, row, value: row.claims.get("published") == value,
    "date_claim": lambda _, row, value: row.claims.get("date") == value,
    "author": lambda _, row, value: row.claims.get("author") == value,
    "shape_unknown": flag("shape_unknown"),
}
