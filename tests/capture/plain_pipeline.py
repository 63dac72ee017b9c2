"""A pipeline without redaction and families, for tests of what comes behind it."""

from __future__ import annotations

import hashlib

from capture_service.domain.incoming import IncomingEnvelope
from capture_service.domain.outcomes import Outcome
from capture_service.domain.prepared import PreparedCapture, PreparedContent, PreparedSource
from capture_service.pipeline.pipeline import Arrival
from sourcecorpus.corpus.v1 import capture_record_pb2


class PlainPipeline:
    """Each envelope becomes one source whose content is the result."""

    def key_of(self, text: str) -> str:
        return text

    def prepare(self, arrival: Arrival, capture_session: str) -> PreparedCapture:
        item = arrival.item
        assert isinstance(item, IncomingEnvelope)
        result = item.result.take()
        digest = hashlib.sha256(result).digest()
        record = capture_record_pb2.CaptureRecord(
            game_id=arrival.choice.game_id,
            envelope_id=item.facts.envelope_id,
            capture_session_id=capture_session,
        )
        refusal = Outcome[arrival.choice.refusal] if arrival.choice.refusal else None
        return PreparedCapture(
            envelope_id=item.facts.envelope_id,
            envelope_key=item.facts.envelope_id,
            sequence=item.facts.sequence,
            game_id=arrival.choice.game_id,
            game_named=arrival.choice.named,
            fingerprint=digest,
            refusal=refusal,
            tool_name=item.facts.tool_name,
            record=record.SerializeToString(),
            sources=(PreparedSource(f"https://example.org/{len(result)}", "src", "art", digest),),
            contents=(PreparedContent(digest, result),),
            size_bytes=item.size_bytes,
        )
