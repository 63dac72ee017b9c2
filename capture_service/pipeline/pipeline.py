"""The stages in a row: one envelope in, one prepared capture out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Generic

from capture_service.domain.envelope import Envelope
from capture_service.domain.games import GameChoice
from capture_service.domain.incoming import IncomingEnvelope, RejectedEnvelope
from capture_service.domain.outcomes import Outcome
from capture_service.domain.prepared import PreparedCapture
from capture_service.domain.sources import Adaptation, SourceDraft
from capture_service.pipeline import limits
from capture_service.pipeline.identify import ContentSet, identify
from capture_service.pipeline.ports import Families, Memory
from capture_service.pipeline.record import (
    RedactionPolicy,
    build_record,
    envelope_fingerprint,
)
from capture_service.pipeline.redact import QuarantineError, Redacted, RedactionStage
from capture_service.pipeline.whole_result import whole_result
from sourcecorpus.identity import parse_content_hash
from sourcecorpus.rpc.limits import INGEST_SOURCES_MAX


@dataclass(frozen=True, slots=True)
class Arrival:
    """An envelope to prepare, with the game that was found for it."""

    item: IncomingEnvelope | RejectedEnvelope
    choice: GameChoice


class CapturePipeline(Generic[Memory]):
    """Prepares envelopes. Blocking and free of I/O; safe for several threads."""

    def __init__(
        self,
        redaction: RedactionStage[Memory],
        families: Families,
        policy: RedactionPolicy,
        clock: Callable[[], datetime],
    ) -> None:
        """Wire the stages.

        Args:
            redaction: First stage.
            families: Second stage.
            policy: What the record says about its redaction.
            clock: Time of arrival, timezone-aware.
        """
        self._redaction = redaction
        self._families = families
        self._policy = policy
        self._clock = clock

    def key_of(self, text: str) -> str:
        """A client's id as it may be stored.

        Raises:
            QuarantineError: Redaction refused it.
        """
        return self._redaction.text(text)

    def prepare(self, arrival: Arrival, capture_session: str) -> PreparedCapture:
        """Take one envelope through all stages; never raises for what is in the envelope."""
        received_at = self._clock().astimezone(UTC)
        if isinstance(arrival.item, RejectedEnvelope):
            return self._rejected(arrival.item, received_at)
        item = arrival.item
        size_bytes = item.size_bytes
        try:
            redacted = self._redaction.run(item, arrival.choice.game_id)
        except QuarantineError as error:
            return self._quarantined(item.facts, arrival.choice, error.reason, received_at)
        return self._prepare_redacted(
            redacted,
            item.facts.envelope_id,
            arrival.choice,
            capture_session,
            received_at,
            size_bytes,
        )

    def _prepare_redacted(  # noqa: PLR0917 - each is a fact of its own
        self,
        redacted: Redacted,
        envelope_id: str,
        choice: GameChoice,
        capture_session: str,
        received_at: datetime,
        size_bytes: int,
    ) -> PreparedCapture:
        envelope, contents = redacted.envelope, ContentSet()
        envelope_hash = envelope_fingerprint(envelope, contents)
        adaptation = Adaptation("")
        if not choice.refusal:
            adaptation = self._adapt(envelope)
        refusal = _refusal(choice, adaptation)
        drops = Counter(adaptation.drops)
        common: dict[str, Any] = {
            "envelope_id": envelope_id,
            "envelope_key": envelope.envelope_id,
            "sequence": envelope.sequence,
            "game_id": choice.game_id,
            "game_named": choice.named,
            "fingerprint": parse_content_hash(envelope_hash),
            "masked_from_memory": redacted.masked_from_memory,
            "tool_name": envelope.tool_name,
            "probe": envelope.probe,
            "received_milliseconds": _milliseconds(received_at),
            "masks": redacted.masks,
            "size_bytes": size_bytes,
            "traceparent": envelope.traceparent,
        }
        if refusal is not None:
            return PreparedCapture(**common, refusal=refusal)
        drafts = _bounded(adaptation, drops)
        _count_unused_side_files(envelope, drafts, drops)
        observed_at = envelope.finished_at or received_at
        identified = identify(choice.game_id, envelope, drafts, contents, observed_at)
        drops.update(identified.drops)
        record = build_record(
            envelope,
            game_id=choice.game_id,
            capture_session=capture_session,
            envelope_hash=envelope_hash,
            received_at=received_at,
            masks=redacted.masks,
            policy=self._policy,
            identified=identified,
            contents=contents,
            drops=drops,
        )
        return PreparedCapture(
            **common,
            record=record.data,
            sources=record.sources,
            contents=record.contents,
            drops=dict(drops),
        )

    def _adapt(self, envelope: Envelope) -> Adaptation:
        try:
            if len(envelope.result) <= limits.ADAPTED_RESULT_BYTES_MAX:
                return self._families.adapt(envelope)
            # Arguments and name tell the family as well; the result is kept whole.
            family = self._families.adapt(replace(envelope, result=b"")).family
        except Exception:  # noqa: BLE001 - a defect of an adapter must not lose a capture
            return whole_result(envelope, "raw", "adapter_faults")
        if not family:
            return Adaptation("")
        return whole_result(envelope, family, "result_too_large_to_adapt")

    def _rejected(self, item: RejectedEnvelope, received_at: datetime) -> PreparedCapture:
        return PreparedCapture(
            envelope_id=item.envelope_id,
            envelope_key=self._key_or_nothing(item.envelope_id),
            sequence=item.sequence,
            refusal=Outcome.REJECTED,
            reason=item.reason,
            faulty_field=item.faulty_field,
            received_milliseconds=_milliseconds(received_at),
        )

    def _quarantined(
        self, envelope: Envelope, choice: GameChoice, reason: str, received_at: datetime
    ) -> PreparedCapture:
        return PreparedCapture(
            envelope_id=envelope.envelope_id,
            envelope_key=self._key_or_nothing(envelope.envelope_id),
            sequence=envelope.sequence,
            game_id=choice.game_id,
            game_named=choice.named,
            refusal=Outcome.QUARANTINED,
            reason=reason,
            tool_name=self._key_or_nothing(envelope.tool_name),
            received_milliseconds=_milliseconds(received_at),
        )

    def _key_or_nothing(self, text: str) -> str:
        try:
            return self._redaction.text(text)
        except QuarantineError:
            return ""


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000)


def _refusal(choice: GameChoice, adaptation: Adaptation) -> Outcome | None:
    if choice.refusal:
        return Outcome[choice.refusal]
    return None if adaptation.family else Outcome.IGNORED


def _bounded(adaptation: Adaptation, drops: Counter[str]) -> tuple[SourceDraft, ...]:
    drafts = adaptation.drafts[:INGEST_SOURCES_MAX]
    left_out = len(adaptation.drafts) - len(drafts)
    if left_out:
        drops["sources_beyond_limit"] += left_out
    return drafts


def _count_unused_side_files(
    envelope: Envelope, drafts: tuple[SourceDraft, ...], drops: Counter[str]
) -> None:
    if not envelope.side_files:
        return
    used = {draft.content for draft in drafts} | {
        representation.data for draft in drafts for representation in draft.representations
    }
    unused = sum(side_file.data not in used for side_file in envelope.side_files)
    if unused:
        drops["side_file_not_used"] += unused
