"""Every case of the web tools gives the sources that its expectation names, and no others.

The fields of an expectation are described in docs/tool-families.md.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from capture_service.domain.envelope import Completeness, Envelope
from capture_service.domain.sources import Adaptation, SourceDraft
from sourcecorpus.identity import canonicalise

FAMILIES = {"discovery": "gtc_discovery", "page": "gtc_page", "crawl": "crawl_job", "http": "http"}
LIST_ROLES = ("stub", "document")


def test_sources(web_case: Any, adapt: Callable[[Envelope], Adaptation]) -> None:
    check(adapt(web_case.envelope()), web_case.expect)


def test_sources_after_redaction(
    web_case: Any,
    adapt: Callable[[Envelope], Adaptation],
    redacted: Callable[[Envelope], Envelope],
) -> None:
    adaptation = adapt(redacted(web_case.envelope()))
    shown = repr(adaptation)
    for secret in web_case.expect.get("masks", []):
        assert secret not in shown
    check(adaptation, web_case.expect)


def test_same_content(
    all_web_cases: dict[str, Any], adapt: Callable[[Envelope], Adaptation]
) -> None:
    compared = 0
    for case in all_web_cases.values():
        for expected in case.expect["sources"]:
            if "same_content_as" not in expected:
                continue
            own = matching(adapt(case.envelope()), expected)[0]
            other = adapt(all_web_cases[expected["same_content_as"]].envelope())
            assert own.content in [draft.content for draft in other.drafts]
            compared += 1
    assert compared >= 2


def check(adaptation: Adaptation, expect: dict[str, Any]) -> None:
    assert adaptation.family == FAMILIES[expect["family"]]
    found: list[SourceDraft] = []
    for expected in expect["sources"]:
        candidates = matching(adaptation, expected)
        if expected.get("optional") and not candidates:
            continue
        assert candidates, f"no {expected['role']} {expected['uri']} in {listing(adaptation)}"
        check_source(adaptation, candidates[0], expected)
        found.append(candidates[0])
    check_counts(adaptation, expect)
    check_more_stubs(adaptation, expect)
    if "more_stubs" not in expect:
        surplus = [draft.uri for draft in adaptation.drafts if draft not in found]
        assert not surplus


def listing(adaptation: Adaptation) -> list[str]:
    return [f"{draft.role.name} {draft.uri}" for draft in adaptation.drafts]


def names(uri: str, draft: SourceDraft) -> bool:
    """Tells whether an expected address means a draft; of a tool: URI only the operation."""
    if not uri.startswith("tool:"):
        return canonicalise(draft.uri).value == uri
    operation = draft.uri.partition("?")[0].partition("/")[2]
    return draft.uri.startswith("tool:") and operation == uri.removeprefix("tool:")


def matching(adaptation: Adaptation, expected: dict[str, Any]) -> list[SourceDraft]:
    return [
        draft
        for draft in adaptation.drafts
        if names(expected["uri"], draft)
        and draft.role.name.lower() == expected["role"]
        and draft.group == expected.get("group", draft.group)
    ]


def check_source(adaptation: Adaptation, draft: SourceDraft, expected: dict[str, Any]) -> None:
    for name, value in expected.items():
        checker = CHECKERS[name]
        assert checker(draft, value, adaptation), f"{draft.uri}: {name} is not {value!r}: {draft}"
    if "fetched_at" not in expected and expected["role"] == "document":
        assert draft.fetched_at is None
        assert not draft.fetch_time_unknown


def check_counts(adaptation: Adaptation, expect: dict[str, Any]) -> None:
    roles = [draft.role.name.lower() for draft in adaptation.drafts]
    for name, value in expect.get("counts", {}).items():
        if name == "skipped":
            assert adaptation.drops["rows_without_web_address"] == value
        elif name.endswith("_max"):
            assert roles.count(name.removesuffix("_max")) <= value
        else:
            assert roles.count(name) == value


def check_more_stubs(adaptation: Adaptation, expect: dict[str, Any]) -> None:
    more = expect.get("more_stubs")
    if more is None:
        return
    wanted = {
        more["uri"] % number
        for number in range(more["from"], more["to"] + 1)
        if number not in more.get("except", [])
    }
    stubs = [draft.uri for draft in adaptation.drafts if draft.role.name == "STUB"]
    assert wanted == set(stubs)
    assert len(stubs) == len(wanted)


def text_of(draft: SourceDraft) -> str:
    return (draft.content or b"").decode("utf-8")


def listed_text(adaptation: Adaptation, draft: SourceDraft) -> str:
    """Text of a source; of a stub the text of the list that names it."""
    if draft.content is None and draft.parent_position is not None:
        return text_of(adaptation.drafts[draft.parent_position])
    return text_of(draft)


def claimed(draft: SourceDraft) -> dict[str, str]:
    return {claim.name: claim.value for claim in draft.claims}


def formats_of(draft: SourceDraft) -> set[str]:
    kept = {representation.name for representation in draft.representations}
    return kept | {"markdown" if "markdown" in draft.content_type else "html"}


def metadata_equals(name: str) -> Callable[[SourceDraft, Any, Adaptation], bool]:
    return lambda draft, value, _: draft.metadata.get(name) == value


def attribute_equals(name: str) -> Callable[[SourceDraft, Any, Adaptation], bool]:
    return lambda draft, value, _: getattr(draft, name) == value


def parent_is(draft: SourceDraft, value: str, adaptation: Adaptation) -> bool:
    position = draft.parent_position
    return position is not None and names(value, adaptation.drafts[position])


def completeness_is(draft: SourceDraft, value: str | None, _: Adaptation) -> bool:
    if value is None:
        return draft.completeness is Completeness.UNSPECIFIED and draft.content is None
    return draft.completeness.name.lower() == value


def fetched(draft: SourceDraft, value: str | None, _: Adaptation) -> bool:
    if value is None:
        return draft.fetch_time_unknown and draft.fetched_at is None
    return draft.fetched_at == datetime.fromisoformat(value)


def total_is(draft: SourceDraft, value: dict[str, int] | None, _: Adaptation) -> bool:
    if value is None:
        return draft.window is None or draft.window.total == 0
    window = draft.window
    return window is not None and value == {window.unit: window.total}


def window_is(draft: SourceDraft, value: dict[str, list[int]], _: Adaptation) -> bool:
    window = draft.window
    return window is not None and value == {window.unit: [window.start, window.end]}


CHECKERS: dict[str, Callable[[SourceDraft, Any, Adaptation], bool]] = {
    "uri": lambda *_: True,
    "role": lambda *_: True,
    "optional": lambda *_: True,
    "group": lambda *_: True,
    "same_content_as": lambda *_: True,
    "current_after": lambda draft, value, _: not (value and draft.never_current),
    "kind": attribute_equals("kind"),
    "parent": parent_is,
    "rank": attribute_equals("rank"),
    "order": attribute_equals("order"),
    "title": attribute_equals("title"),
    "completeness": completeness_is,
    "text_contains": lambda draft, value, adaptation: all(
        part in listed_text(adaptation, draft) for part in value
    ),
    "absent_from_text": lambda draft, value, _: not any(part in text_of(draft) for part in value),
    "snippet_contains": lambda draft, value, _: value in draft.snippet,
    "error_contains": lambda draft, value, _: value in draft.error,
    "warning": lambda draft, value, _: value in str(draft.metadata.get("warning")),
    "error_code": attribute_equals("error_code"),
    "requested_url": attribute_equals("requested_uri"),
    "final_url": attribute_equals("final_uri"),
    "claims": lambda draft, value, _: value.items() <= claimed(draft).items(),
    "locator": lambda draft, value, _: f"#{canonicalise(draft.uri).locator}" == value,
    "fetched_at": fetched,
    "http_status": attribute_equals("http_status"),
    "content_type": lambda draft, value, _: draft.headers["content-type"] == value,
    "language": attribute_equals("language"),
    "declared_total": total_is,
    "window": window_is,
    "characters": lambda draft, value, _: len(text_of(draft)) == value,
    "job_id": attribute_equals("job_id"),
    "job_status": metadata_equals("job_status"),
    "seed_url": metadata_equals("seed_url"),
    "synthetic": attribute_equals("synthetic"),
    "also_stub": attribute_equals("also_stub"),
    "never_current": attribute_equals("never_current"),
    "supports": metadata_equals("supports"),
    "interacted": metadata_equals("interacted"),
    "access": lambda draft, value, _: draft.metadata.get("robots") == value["robots"],
    "reason": metadata_equals("reason"),
    "hits": metadata_equals("hits"),
    "cached": metadata_equals("cached"),
    "license_hint": attribute_equals("license_hint"),
    "formats_kept": lambda draft, value, _: set(value) <= formats_of(draft),
    "image_url": metadata_equals("image_url"),
    "published_claim": lambda draft, value, _: claimed(draft).get("published") == value,
    "date_claim": lambda draft, value, _: claimed(draft).get("date") == value,
    "author": lambda draft, value, _: claimed(draft).get("author") == value,
    "shape_unknown": attribute_equals("shape_unknown"),
}


def test_a_missing_source_fails_the_check(
    all_web_cases: dict[str, Any], adapt: Callable[[Envelope], Adaptation]
) -> None:
    case = all_web_cases["search_v2_web"]
    adaptation = adapt(case.envelope())
    shorter = Adaptation(adaptation.family, adaptation.drafts[:-1], adaptation.drops)
    with pytest.raises(AssertionError):
        check(shorter, case.expect)
