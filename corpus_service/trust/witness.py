"""How far a source may be trusted as a witness."""

from __future__ import annotations

from corpus_service.domain.vocabulary import SourceRole, Trust


def trust_of(*, role: SourceRole, canonical_uri: str, synthetic: bool) -> Trust:
    """Return the trust of one captured source.

    A model's text is synthetic wherever it came from; a tool's own list names sources and proves
    nothing that they say; a file is the person's own.
    """
    if synthetic or role is SourceRole.DERIVED:
        return Trust.SYNTHETIC
    if role is SourceRole.ARTIFACT or canonical_uri.startswith("tool:"):
        return Trust.DISCOVERY
    if canonical_uri.startswith("file:"):
        return Trust.LOCAL
    return Trust.FETCHED
