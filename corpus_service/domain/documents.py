"""Documents among others: by title, by the collection that they stand in, by the headings they have.

A document is a source with a current version. A collection is a job that fetched pages (family
`JOB_FAMILY`): its documents are the pages that hang under it, in the order in which it first listed
them. Nothing else that is stored orders documents truly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Document:
    """A source as something to read.

    Attributes:
        source_id: Source.
        version_id: Current version.
        title: Title of the current version.
        kind: Kind.
        line_count: Lines of the current version.
        content_hash: Hash of the raw content.
    """

    source_id: str
    version_id: str
    title: str
    kind: str
    line_count: int
    content_hash: str


@dataclass(frozen=True, slots=True)
class Collection:
    """A job with documents; ``collection_id`` is its source id, ``document_count`` at least 1."""

    collection_id: str
    title: str
    document_count: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document stands in a collection; None at the ends."""

    collection: Collection
    previous: Document | None
    following: Document | None


@dataclass(frozen=True, slots=True)
class Found:
    """Some of what a name fits, and how much it fits altogether."""

    total: int
    documents: Sequence[Document] = ()
    collections: Sequence[Collection] = ()


@dataclass(frozen=True, slots=True)
class HeadedChunk:
    """First line of a chunk and the headings above it, outermost first."""

    first_line: int
    heading_path: tuple[str, ...]
