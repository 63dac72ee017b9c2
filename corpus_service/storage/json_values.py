"""Facts of several parts as they are stored: compact ASCII JSON, in exactly one form each.

Any text survives, lone surrogates as escapes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from corpus_service.domain.records import Claim, Window


def counts_json(counts: Mapping[str, int]) -> str:
    """Returns named counts as an object."""
    return _to_json(dict(counts)) if counts else "{}"


def window_json(window: Window | None) -> str | None:
    """Returns a window as an array of unit, start, end and total."""
    return _to_json([window.unit, window.start, window.end, window.total]) if window else None


def read_window(text: str | None) -> Window | None:
    """Returns what `window_json` was given."""
    return Window(*json.loads(text)) if text else None


def headers_json(headers: Mapping[str, str]) -> str | None:
    """Returns header fields as an object, None for none."""
    return _to_json(dict(headers)) if headers else None


def claims_json(claims: Sequence[Claim]) -> str | None:
    """Returns claims as an array of pairs, None for none."""
    return _to_json([[claim.name, claim.value] for claim in claims]) if claims else None


def read_claims(text: str | None) -> tuple[Claim, ...]:
    """Returns what `claims_json` was given."""
    return tuple(Claim(*claim) for claim in json.loads(text)) if text else ()


def _to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))
