"""Frames of a page that holds nothing itself: addresses that were named, not fetched."""

from __future__ import annotations

from capture_service.domain.envelope import Completeness
from capture_service.domain.sources import SourceDraft, SourceRole


def frame_stub(address: str, family: str, parent: int, rank: int) -> SourceDraft:
    """Returns the stub of a frame under its page."""
    return SourceDraft(
        uri=address,
        family=family,
        kind="page",
        role=SourceRole.STUB,
        completeness=Completeness.STUB,
        requested_uri=address,
        parent_position=parent,
        rank=rank,
        group="frames",
    )
