"""What extraction found about a content beside its text; stored as JSON with the version."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from corpus_service.domain.records import Claim

PLAIN_CHARSET: Final = "utf-8"


@dataclass(frozen=True, slots=True)
class TextFacts:
    """Facts of one reading of a content.

    Attributes:
        charset: Python codec name that the bytes were decoded with.
        charset_reason: What decided it: "bom", "utf-8", "header", "meta", "detector", "container"
            or "fallback"; "" where UTF-8 was never in doubt.
        charset_confidence: 0 to 1; under 0.5 the text may be garbled.
        flags: Sorted names of `corpus_service.extraction.types.Flag`.
        quality: 0 to 1 as far as the extractor can tell.
        claims: What the document says about itself; never a key.
        frame_uris: Addresses of frames as written.
    """

    charset: str = PLAIN_CHARSET
    charset_reason: str = ""
    charset_confidence: float = 1.0
    flags: tuple[str, ...] = ()
    quality: float = 1.0
    claims: tuple[Claim, ...] = ()
    frame_uris: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Write the facts that are not those of a plain text."""
        facts: dict[str, Any] = {}
        if self.charset_reason:
            facts["charset"] = [self.charset, self.charset_reason, self.charset_confidence]
        if self.flags:
            facts["flags"] = self.flags
        if self.quality < 1.0:
            facts["quality"] = self.quality
        if self.claims:
            facts["claims"] = [[claim.name, claim.value] for claim in self.claims]
        if self.frame_uris:
            facts["frame_uris"] = self.frame_uris
        return json.dumps(facts, ensure_ascii=False) if facts else "{}"

    @classmethod
    def from_json(cls, text: str) -> TextFacts:
        """Read what `to_json` wrote."""
        if text == "{}":
            return cls()
        facts: Mapping[str, Any] = json.loads(text)
        charset, reason, confidence = facts.get("charset", (PLAIN_CHARSET, "", 1.0))
        return cls(
            charset=charset,
            charset_reason=reason,
            charset_confidence=confidence,
            flags=tuple(facts.get("flags", ())),
            quality=facts.get("quality", 1.0),
            claims=tuple(Claim(name, value) for name, value in facts.get("claims", ())),
            frame_uris=tuple(facts.get("frame_uris", ())),
        )
