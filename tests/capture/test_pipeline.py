"""The stages: nothing unredacted passes, nothing is lost by a defect, identity is stable."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from capture_service.domain.envelope import AccessFacts, Completeness, Envelope
from capture_service.domain.games import GameChoice
from capture_service.domain.incoming import IncomingEnvelope, IncomingPart, RejectedEnvelope
from capture_service.domain.outcomes import Outcome
from capture_service.domain.prepared import PreparedCapture
from capture_service.domain.sources import (
    Adaptation,
    Representation,
    SourceDraft,
    SourceRole,
)
from capture_service.pipeline import limits
from capture_service.pipeline.pipeline import Arrival, CapturePipeline
from capture_service.pipeline.record import RedactionPolicy
from capture_service.pipeline.redact import RedactionStage
from sourcecorpus.corpus.v1.capture_record_pb2 import CaptureRecord
from sourcecorpus.identity import source_id

NOW = datetime(2026, 5, 1, tzinfo=UTC)
CHOICE = GameChoice("emberfall")


class RefusedError(Exception):
    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Result:
    data: bytes
    counts: Mapping[str, int]
    upstream_masked: bool = False


class Masking:
    """Masks the word SECRET; refuses POISON; fails over DEFECT."""

    def __init__(self) -> None:
        self.seen: list[bytes] = []

    def redact(
        self, data: bytes, *, media_type: str = "", game_id: str = "", memory: Any = None
    ) -> Result:
        del media_type, game_id
        if b"POISON" in data:
            raise RefusedError("REDACTION_BUDGET_EXCEEDED")
        if b"DEFECT" in data:
            raise RuntimeError("a text that holds DEFECT")
        counts = {"secret": data.count(b"SECRET")}
        if memory is not None and memory.get("remembered") and b"hunter2" in data:
            data, counts = data.replace(b"hunter2", b"xxx"), {**counts, "seen-before": 1}
        if memory is not None:
            memory["remembered"] = True
        counts = {rule: count for rule, count in counts.items() if count}
        return Result(data.replace(b"SECRET", b"xxx"), counts, b"upstream" in data)

    def stream(self, *, media_type: str = "", game_id: str = "", memory: Any = None) -> Any:
        return StreamMasking(self, media_type, memory)


@dataclass
class StreamMasking:
    masking: Masking
    media_type: str
    memory: Any
    parts: list[bytes] = field(default_factory=list)

    def feed(self, chunk: bytes) -> bytes:
        self.parts.append(chunk)
        return b""

    def finish(self) -> Result:
        return self.masking.redact(
            b"".join(self.parts), media_type=self.media_type, memory=self.memory
        )


class Families:
    def __init__(self, adaptation: Adaptation | None = None) -> None:
        self.adaptation = adaptation
        self.seen: list[Envelope] = []

    def adapt(self, envelope: Envelope) -> Adaptation:
        self.seen.append(envelope)
        if self.adaptation is None:
            raise RuntimeError("a defect of an adapter")
        return self.adaptation


def draft(uri: str = "https://Example.org/a?utm_source=x#part", **fields: Any) -> SourceDraft:
    values: dict[str, Any] = {
        "family": "gtc_page",
        "kind": "page",
        "role": SourceRole.DOCUMENT,
        "completeness": Completeness.FULL,
        "content": b"text",
        **fields,
    }
    return SourceDraft(uri=uri, **values)


def pipeline_of(families: Families) -> CapturePipeline[dict[str, bool]]:
    stage: RedactionStage[dict[str, bool]] = RedactionStage(
        Masking(), new_memory=dict, refusal=RefusedError, memory_rule="seen-before"
    )
    return CapturePipeline(stage, families, RedactionPolicy("rules-1", "key-1"), lambda: NOW)


def incoming(result: bytes = b"result", **facts: Any) -> IncomingEnvelope:
    side_files = facts.pop("side_files", [])
    envelope = Envelope(**{"envelope_id": "e1", "tool_name": "web_extract", **facts})
    item = IncomingEnvelope(envelope, IncomingPart(frames=deque([result])))
    item.side_files = [IncomingPart(name, "text/plain", deque([data])) for name, data in side_files]
    item.size_bytes = len(result) + sum(len(data) for _, data in side_files)
    return item


def prepare(
    item: IncomingEnvelope | RejectedEnvelope,
    families: Families | None = None,
    choice: GameChoice = CHOICE,
) -> PreparedCapture:
    chosen = families or Families(Adaptation("gtc_page", (draft(),)))
    return pipeline_of(chosen).prepare(Arrival(item, choice), "session")


def record_of(capture: PreparedCapture) -> CaptureRecord:
    return CaptureRecord.FromString(capture.record)


def test_everything_that_a_client_sends_is_redacted() -> None:
    families = Families(Adaptation("gtc_page", (draft(),)))
    facts = {
        name: f"{name} SECRET"
        for name in (
            *("envelope_id", "tool_name", "run_id", "session_id", "parent_session_id", "task_id"),
            *("turn_id", "tool_call_id", "parent_tool_call_id", "result_media_type", "error"),
            *("client_name", "client_version"),
        )
    }
    item = incoming(
        b"a SECRET",
        **facts,
        arguments=b'{"key": "SECRET"}',
        side_files=[("SECRET.md", b"b SECRET")],
        traceparent="SECRET",
        access=AccessFacts(robots="SECRET"),
    )
    capture = prepare(item, families)
    assert capture.envelope_id == "envelope_id SECRET"
    shown = repr(replace(capture, envelope_id="")) + repr(families.seen)
    assert "SECRET" not in shown
    assert b"SECRET" not in capture.record
    assert capture.masks == {"secret": len(facts) + 4}
    assert families.seen[0].redacted
    assert record_of(capture).redaction.masks["secret"] == len(facts) + 4
    assert record_of(capture).redaction.rule_set_version == "rules-1"


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"result": b"POISON"}, "REDACTION_BUDGET_EXCEEDED"),
        ({"arguments": b"POISON"}, "REDACTION_BUDGET_EXCEEDED"),
        ({"error": "POISON"}, "REDACTION_BUDGET_EXCEEDED"),
        ({"run_id": "POISON"}, "REDACTION_BUDGET_EXCEEDED"),
        ({"side_files": [("a", b"POISON")]}, "REDACTION_BUDGET_EXCEEDED"),
        ({"result": b"DEFECT"}, "REDACTION_FAILED"),
        ({"result": b"POISON" * 300_000}, "REDACTION_BUDGET_EXCEEDED"),
    ],
)
def test_a_refusal_quarantines_without_content(facts: dict[str, Any], reason: str) -> None:
    families = Families(Adaptation("gtc_page", (draft(),)))
    capture = prepare(incoming(**facts), families)
    assert (capture.refusal, capture.reason) == (Outcome.QUARANTINED, reason)
    assert (capture.record, capture.contents, capture.fingerprint) == (b"", (), None)
    assert families.seen == []


def test_a_quarantined_envelope_with_a_poisoned_id_keeps_no_id() -> None:
    capture = prepare(incoming(envelope_id="POISON"))
    assert (capture.refusal, capture.envelope_key) == (Outcome.QUARANTINED, "")


def test_a_draft_gets_its_identity() -> None:
    capture = prepare(incoming())
    (source,) = capture.sources
    assert source.canonical_uri == "https://example.org/a"
    assert source.source_id == source_id("emberfall", "https://example.org/a")
    (message,) = record_of(capture).sources
    assert (message.locator, message.canonicalised) == ("part", True)
    assert message.requested_uri == "https://Example.org/a?utm_source=x#part"
    assert message.fetched_time.ToDatetime(UTC) == NOW
    hashes = [content.content_hash for content in record_of(capture).contents]
    assert hashes == [record_of(capture).result_hash, message.content_hash]
    assert [bytes(content.data) for content in capture.contents] == [b"result", b"text"]


def test_equal_contents_stand_once_and_representations_come_along() -> None:
    drafts = (
        draft(content=b"result", representations=(Representation("html", "text/html", b"<p>"),)),
        draft("https://example.org/b", content=b"result"),
        draft("https://example.org/c", content=None, role=SourceRole.STUB),
    )
    capture = prepare(incoming(), Families(Adaptation("gtc_page", drafts)))
    assert [bytes(content.data) for content in capture.contents] == [b"result", b"<p>"]
    assert capture.sources[2].artifact_id == ""
    assert capture.sources[2].content_digest is None


def test_texts_that_protobuf_refuses_are_repaired_and_long_ones_cut() -> None:
    drafts = (
        draft(
            title="half \ud800 " + "x" * 3_000,
            error="\udfff",
            metadata={"note": "\ud800"},
            headers={"etag": "\ud800"},
            rank=-1,
            http_status=2**40,
        ),
        draft("https://example.org/" + "a" * 20_000),
        draft(metadata={"large": "x" * 300_000}),
    )
    capture = prepare(incoming(), Families(Adaptation("gtc_page", drafts)))
    first, second, _ = record_of(capture).sources
    assert first.title.startswith("half � xxx")
    assert len(first.title) == 2_000
    assert (first.rank, first.http_status) == (0, 2**32 - 1)
    assert len(second.canonical_uri.encode()) <= 16 * 1024
    assert not second.canonicalised
    assert capture.drops == {"uri_too_long": 1, "metadata_too_large": 1}


def test_an_adapter_that_fails_loses_no_capture() -> None:
    capture = prepare(incoming(arguments=b'{"urls": ["https://example.org/a"]}'), Families())
    (source,) = capture.sources
    assert source.canonical_uri.startswith("tool:raw/raw%2Fweb_extract?")
    assert capture.drops == {"adapter_faults": 1}
    assert record_of(capture).sources[0].shape_unknown


def test_a_tool_of_no_family_is_ignored_and_a_refused_game_is_not_adapted() -> None:
    assert prepare(incoming(), Families(Adaptation(""))).refusal is Outcome.IGNORED
    for refusal in ("NO_GAME", "UNKNOWN_GAME", "PAUSED"):
        families = Families(Adaptation("gtc_page", (draft(),)))
        capture = prepare(incoming(), families, GameChoice(refusal=refusal))
        assert capture.refusal is Outcome[refusal]
        assert (families.seen, capture.contents) == ([], ())


def test_a_result_beyond_the_limit_is_kept_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ADAPTED_RESULT_BYTES_MAX", 10)
    families = Families(Adaptation("gtc_page", (draft(),)))
    capture = prepare(incoming(b'{"large": "result"}'), families)
    assert families.seen[0].result == b""
    assert capture.drops == {"result_too_large_to_adapt": 1}
    assert [bytes(content.data) for content in capture.contents] == [b'{"large": "result"}']
    assert record_of(capture).sources[0].content_type == "application/json"
    ignored = prepare(incoming(b"x" * 11), Families(Adaptation("")))
    assert ignored.refusal is Outcome.IGNORED


def test_a_large_result_is_streamed_through_redaction() -> None:
    body = os.urandom(1_000_000).hex().encode() + b" SECRET"
    item = incoming()
    step = 256 * 1024
    item.result.frames = deque(body[start : start + step] for start in range(0, len(body), step))
    capture = prepare(item)
    assert bytes(capture.contents[0].data) == body.replace(b"SECRET", b"xxx")
    assert not item.result.frames


def test_the_fingerprint_ignores_the_way_and_sees_the_content() -> None:
    base = prepare(incoming()).fingerprint
    for same in (
        {"sequence": 7},
        {"client_version": "2"},
        {"traceparent": "00-" + "1" * 32 + "-" + "2" * 16 + "-01"},
        {"game_id": "other"},
    ):
        assert prepare(incoming(**same)).fingerprint == base
    for other in (
        {"result": b"other"},
        {"arguments": b"{}"},
        {"tool_name": "other"},
        {"error": "x"},
        {"run_id": "r"},
        {"attempt": 2},
        {"probe": True},
        {"finished_at": NOW},
        {"side_files": [("a", b"")]},
    ):
        assert prepare(incoming(**other)).fingerprint != base


def test_masks_from_memory_are_told_apart() -> None:
    pipeline = pipeline_of(Families(Adaptation("gtc_page", (draft(),))))
    facts: dict[str, Any] = {"session_id": "s", "arguments": b"hunter2"}
    captures = [pipeline.prepare(Arrival(incoming(**facts), CHOICE), "session") for _ in range(2)]
    assert [capture.masked_from_memory for capture in captures] == [False, True]
    assert captures[0].fingerprint != captures[1].fingerprint


def test_side_files_that_no_draft_uses_are_counted() -> None:
    families = Families(Adaptation("gtc_page", (draft(content=b"used"),)))
    item = incoming(side_files=[("a", b"used"), ("b", b"not used")])
    assert prepare(item, families).drops == {"side_file_not_used": 1}


def test_sources_beyond_the_records_bound_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RECORD_BYTES_MAX", 2_000)
    drafts = tuple(
        draft(f"https://example.org/{number}", content=b"%d" % number, parent_position=9)
        for number in range(10)
    )
    capture = prepare(incoming(), Families(Adaptation("gtc_page", drafts)))
    kept = len(capture.sources)
    assert 0 < kept < 10
    assert capture.drops == {"sources_beyond_record_limit": 10 - kept}
    assert len(capture.record) <= 2_200
    assert len(capture.contents) == kept + 1
    assert {message.parent_position for message in record_of(capture).sources} == {0}


def test_a_rejected_envelope_keeps_reason_and_redacted_id() -> None:
    capture = prepare(RejectedEnvelope("id SECRET", 4, "FIELD_INVALID", "run_id"))
    assert (capture.envelope_id, capture.envelope_key) == ("id SECRET", "id xxx")
    assert (capture.refusal, capture.reason) == (Outcome.REJECTED, "FIELD_INVALID")
    assert (capture.sequence, capture.faulty_field) == (4, "run_id")
