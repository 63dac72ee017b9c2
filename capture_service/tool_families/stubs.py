"""Stubs: addresses that were named, without content."""

from __future__ import annotations

from capture_service.domain.envelope import Completeness
from capture_service.domain.sources import Claim, JsonValue, SourceDraft, SourceRole


def web_stub(
    address: str,
    family: str,
    *,
    parent: int | None,
    rank: int,
    kind: str = "page",
    group: str = "",
    title: str = "",
    snippet: str = "",
    claims: tuple[Claim, ...] = (),
    metadata: dict[str, JsonValue] | None = None,
    job_id: str = "",
) -> SourceDraft:
    """Returns the stub of a web address.

    Args:
        address: Address as it was named.
        family: Family that the source has once it is fetched.
        parent: Position of the list that names it.
        rank: Rank in that list, from 1.
        kind: Kind within the family.
        group: Group of the list.
        title: Title as the list has it.
        snippet: Words of the list about it.
        claims: What the list claims.
        metadata: Further facts.
        job_id: Job that named it.
    """
    return SourceDraft(
        uri=address,
        family=family,
        kind=kind,
        role=SourceRole.STUB,
        completeness=Completeness.STUB,
        requested_uri=address,
        title=title,
        parent_position=parent,
        rank=rank,
        group=group,
        claims=claims,
        snippet=snippet,
        metadata=metadata or {},
        job_id=job_id,
    )
