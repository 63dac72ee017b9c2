"""Recorded events of a real Hermes give the sources that a correct capture records."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from capture_service.domain.envelope import Completeness, Derivation, Envelope, SideFile
from capture_service.domain.sources import Adaptation, SourceDraft, SourceRole
from sourcecorpus.identity import canonicalise

Adapt = Callable[[Envelope], Adaptation]

NOTES = "file:///game/notes.md"
BIG_FILE = "file:///game/big.txt"
DOC_SMALL = "http://93.184.216.34/doc-small"
DOC_BIG = "http://93.184.216.34/doc-big"
DOC_SLOW = "http://93.184.216.34/doc-slow"
SMALL = "http://127.0.0.1:18803/small"
BIG = "http://127.0.0.1:18803/big"
PAGE_LENGTH = 198_415


@dataclass(frozen=True)
class Want:
    """Role, completeness and facts of one source."""

    role: str
    completeness: str
    facts: dict[str, Any] = field(default_factory=dict)


DOCUMENT_FULL = Want("DOCUMENT", "FULL")
FAILED = Want("FAILED", "UNSPECIFIED", {"content": None, "never_current": True})
STUBS = {
    DOC_SMALL: Want("STUB", "STUB", {"rank": 1, "title": "Small doc", "snippet": "first hit"}),
    DOC_BIG: Want("STUB", "STUB", {"rank": 2, "title": "Big doc", "snippet": "second hit"}),
}
WHOLE_NOTES = Want(
    "DOCUMENT",
    "FULL",
    {"derivation": Derivation.NUMBERED_LINES, "upstream_masked": True, "kind": "other"},
)


def search(query: str, limit: str = "") -> dict[str, Want]:
    key = f"tool:gtc_discovery/search?{limit}query={query}"
    return {key: Want("ARTIFACT", "FULL", {"title": query.replace("%20", " ")}), **STUBS}


def lines(start: int, end: int, total: int, **facts: Any) -> Want:
    window = ("lines", start, end, total)
    return Want("DOCUMENT", "WINDOWED", {"window": window, **facts})


WANTED: dict[int, tuple[str, dict[str, Want]]] = {
    1: ("local_file", {NOTES: WHOLE_NOTES}),
    4: (
        "local_file",
        {NOTES: Want("STUB", "STUB", {"repeats_earlier_content": True, "content": None})},
    ),
    7: ("local_file", {BIG_FILE: lines(1, 500, 6000)}),
    16: ("local_file", {"file:///game/nope.md": FAILED}),
    19: (
        "local_file",
        {BIG_FILE: Want("DOCUMENT", "WINDOWED", {"window": ("lines", 10, 19, 0)})},
    ),
    26: (
        "http",
        {
            SMALL: Want(
                "DOCUMENT", "FULL", {"derivation": Derivation.STDOUT, "upstream_masked": True}
            )
        },
    ),
    30: (
        "http",
        {BIG: Want("DOCUMENT", "TRUNCATED", {"window": ("characters", 1, 19_970, 198_504)})},
    ),
    42: ("http", {"http://127.0.0.1:1/x": FAILED}),
    49: ("gtc_discovery", search("turbine%20blades", "limit=2&")),
    52: ("gtc_page", {DOC_SMALL: DOCUMENT_FULL}),
    61: (
        "gtc_page",
        {
            DOC_SMALL: DOCUMENT_FULL,
            "http://127.0.0.1:18803/x": FAILED,
            "http://93.184.216.34/fail": Want("FAILED", "UNSPECIFIED", {"http_status": 404}),
        },
    ),
    64: ("", {}),
    68: ("local_file", {NOTES: lines(2, 7, 7, upstream_masked=True)}),
    72: ("http", {SMALL: DOCUMENT_FULL}),
    77: (
        "code_run",
        {"tool:code_run/execute_code": Want("ARTIFACT", "FULL", {"derivation": Derivation.STDOUT})},
    ),
    89: ("local_file", {NOTES: lines(4, 4, 6)}),
    95: ("gtc_page", {"http://93.184.216.34/mcp": DOCUMENT_FULL}),
    205: ("local_file", {NOTES: WHOLE_NOTES}),
    211: ("http", {SMALL: DOCUMENT_FULL}),
    233: ("local_file", {NOTES: WHOLE_NOTES}),
    237: ("gtc_discovery", search("q")),
    245: (
        "gtc_page",
        {
            DOC_BIG: Want(
                "DOCUMENT", "TRUNCATED", {"window": ("characters", 1, 11_210, PAGE_LENGTH)}
            )
        },
    ),
    255: ("gtc_page", {DOC_BIG: DOCUMENT_FULL}),
    268: ("local_file", {NOTES: lines(2, 7, 7)}),
    271: ("gtc_page", {DOC_SLOW: FAILED}),
    275: ("gtc_page", {DOC_SLOW: DOCUMENT_FULL}),
    284: ("", {}),
    292: ("local_file", {NOTES: lines(3, 7, 7)}),
    297: ("gtc_discovery", search("child%20q")),
    307: ("local_file", {NOTES: lines(5, 7, 7)}),
}


def test_every_tool_event_has_an_expectation(events: dict[int, Any]) -> None:
    recorded = {key for key, event in events.items() if event.hook == "post_tool_call"}
    assert recorded == set(WANTED)


def test_sources_of_an_event(tool_event: Any, adapt: Adapt) -> None:
    family, wanted = WANTED[tool_event.sequence]
    adaptation = adapt(tool_event.envelope())
    assert adaptation.family == family
    found = {key_of(draft): draft for draft in adaptation.drafts}
    assert set(found) == set(wanted)
    assert len(adaptation.drafts) == len(wanted)
    for key, want in wanted.items():
        check(found[key], want)


def key_of(draft: SourceDraft) -> str:
    uri = canonicalise(draft.uri).value
    return uri.partition("?")[0] if draft.family == "code_run" else uri


def check(draft: SourceDraft, want: Want) -> None:
    assert draft.role.name == want.role
    assert draft.completeness.name == want.completeness
    for name, value in want.facts.items():
        found = getattr(draft, name)
        if name == "window":
            found = (found.unit, found.start, found.end, found.total)
        assert found == value, name


def test_sources_do_not_change_with_redaction(
    tool_event: Any, adapt: Adapt, redacted: Callable[[Envelope], Envelope]
) -> None:
    """Redaction keeps every structure that the adapters read."""
    family, wanted = WANTED[tool_event.sequence]
    adaptation = adapt(redacted(tool_event.envelope()))
    assert adaptation.family == family
    assert [draft.completeness.name for draft in adaptation.drafts] == [
        want.completeness for want in wanted.values()
    ]


def only(adaptation: Adaptation) -> SourceDraft:
    (draft,) = adaptation.drafts
    return draft


def text_of(draft: SourceDraft) -> str:
    assert draft.content is not None
    return draft.content.decode("utf-8")


def test_equal_results_are_equal_contents(events: dict[int, Any], adapt: Adapt) -> None:
    for sequences in ((1, 205, 233), (26, 72, 211), (52, 275)):
        contents = {only(adapt(events[number].envelope())).content for number in sequences}
        assert len(contents) == 1
    mixed = adapt(events[61].envelope()).drafts[0]
    assert mixed.content == only(adapt(events[52].envelope())).content


def test_numbered_lines_become_the_text_of_the_window(events: dict[int, Any], adapt: Adapt) -> None:
    notes = text_of(only(adapt(events[1].envelope())))
    assert notes.startswith("# Notes\n\nLine three has a key «redacted:ghp_…» inside.\n")
    assert notes.endswith("last line without newline\nno newline at end")
    window = text_of(only(adapt(events[7].envelope())))
    assert window.count("\n") == 500
    assert window.endswith("usual\n")
    assert text_of(only(adapt(events[89].envelope()))).count("\n") == 1


def test_matching_lines_are_never_the_file(events: dict[int, Any], adapt: Adapt) -> None:
    draft = only(adapt(events[19].envelope()))
    assert draft.never_current
    assert draft.metadata["matching_lines"] == list(range(10, 20))
    assert text_of(draft).startswith("row 000010 some filler")


def test_marker_of_cut_output_is_no_text(events: dict[int, Any], adapt: Adapt) -> None:
    draft = only(adapt(events[30].envelope()))
    assert draft.metadata["tool_window"] == {"head": 19_970, "tail": 29_865, "total": 198_504}
    assert len(text_of(draft)) == 19_970 + 2 + 29_865
    assert "TRUNCATED" not in text_of(draft)
    whole = text_of(only(adapt(events[255].envelope())))
    assert whole.startswith(text_of(draft)[:19_970])


def test_window_of_a_page_without_its_file(events: dict[int, Any], adapt: Adapt) -> None:
    draft = only(adapt(events[245].envelope()))
    assert draft.derivation is Derivation.PAGE_WINDOW
    assert draft.metadata["tool_window"] == {"head": 11_210, "tail": 3_700, "total": PAGE_LENGTH}
    text = text_of(draft)
    assert len(text) == 11_210 + 2 + 3_700
    assert "omitted" not in text
    assert "/home/player" not in repr(draft)


@pytest.mark.parametrize(
    "name",
    [
        "93.184.216.34-dd3b90fd32.md",
        "/home/player/.hermes/profiles/gm/cache/web/93.184.216.34-dd3b90fd32.md",
        "masked.md",
    ],
)
def test_file_of_a_windowed_page_is_the_document(
    events: dict[int, Any], adapt: Adapt, name: str
) -> None:
    whole = only(adapt(events[255].envelope()))
    file = SideFile(name, "text/markdown", whole.content or b"")
    draft = only(adapt(events[245].envelope([file])))
    assert draft.content == whole.content
    assert len(text_of(draft)) == PAGE_LENGTH
    assert draft.completeness is Completeness.FULL
    assert draft.derivation is Derivation.CACHE_FILE
    assert draft.window is not None
    assert draft.window.end == 11_210


def test_another_file_is_not_the_windowed_page(events: dict[int, Any], adapt: Adapt) -> None:
    file = SideFile("other.md", "text/markdown", b"# Another page\n")
    draft = only(adapt(events[245].envelope([file])))
    assert draft.completeness is Completeness.TRUNCATED


def test_twin_of_an_mcp_result_is_one_body(events: dict[int, Any], adapt: Adapt) -> None:
    draft = only(adapt(events[95].envelope()))
    assert len(text_of(draft)) == 155_038
    assert draft.representations == ()


def test_failures_have_words_without_personal_paths(events: dict[int, Any], adapt: Adapt) -> None:
    missing = only(adapt(events[16].envelope()))
    assert missing.error == "File not found: file:///game/nope.md"
    refused = only(adapt(events[42].envelope()))
    assert refused.error.startswith("curl: (7) Failed to connect")
    assert refused.error_code == "EXIT_7"
    late = only(adapt(events[271].envelope()))
    assert "timed out" in late.error
    blocked = adapt(events[61].envelope()).drafts[1]
    assert blocked.error.startswith("Blocked")


def test_output_of_code_makes_no_further_sources(events: dict[int, Any], adapt: Adapt) -> None:
    draft = only(adapt(events[77].envelope()))
    text = text_of(draft)
    assert "print(web_search('nested q'))" in text
    assert "{'success': True" in text
    assert draft.metadata["tool_calls_made"] == 3


def test_nested_calls_are_marked(events: dict[int, Any], adapt: Adapt) -> None:
    for number in (68, 72):
        assert only(adapt(events[number].envelope())).metadata["nested_call"] is True
    assert "nested_call" not in only(adapt(events[77].envelope())).metadata


def test_failed_first_attempt_does_not_hide_the_second(
    events: dict[int, Any], adapt: Adapt
) -> None:
    first = only(adapt(events[271].envelope()))
    second = only(adapt(events[275].envelope()))
    assert canonicalise(first.uri) == canonicalise(second.uri)
    assert (first.role, second.role) == (SourceRole.FAILED, SourceRole.DOCUMENT)
