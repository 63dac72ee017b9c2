"""What a writer takes: a record whose texts were extracted, chunked and prepared beforehand.

All work that needs no database happens before the write transaction, so that the one writer of a
game spends its time on rows alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from corpus_service.domain.records import CaptureRecord, Claim
from corpus_service.domain.vocabulary import Instant


def prepared_heading(prepare: Callable[[str], str], title: str, headings: Sequence[str]) -> str:
    """Return what the heading column holds for a chunk: the title, and twice the nearest heading.

    Headings further up stand in passages of their own. With them every passage below would match
    their words, a section would stand behind the sections below it, and common words would have
    half as many matches again.
    """
    nearest = headings[-1:]
    return " ".join(part for part in map(prepare, (title, *nearest, *nearest)) if part)


@dataclass(frozen=True, slots=True)
class ContentPiece:
    """A piece of a content as it is stored: an lz4 frame over ``size_bytes`` bytes."""

    size_bytes: int
    frame: bytes


@dataclass(frozen=True, slots=True)
class PreparedContent:
    """Verified bytes of a record, compressed. The pieces in order are the whole content."""

    content_hash: str
    size_bytes: int
    pieces: tuple[ContentPiece, ...]


class PreparedChunk(NamedTuple):
    """One span of a text.

    A tuple, because texts have many of them and some texts are made in another process: tuples are
    made and sent in a third of the time.

    ``start`` and ``end`` are code points of the text, ``first_line`` is the line that the span
    begins in. ``heading_path`` is a JSON array of strings. ``prepared_heading`` and
    ``prepared_text`` are what the full-text index takes: folded text whose runs of letters, digits
    and private characters are its tokens; "" where there is nothing to search.
    """

    start: int
    end: int
    first_line: int
    heading_path: str
    text: str
    token_count: int
    prepared_heading: str
    prepared_text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedText:
    """The text that one extractor version made of one content.

    ``chunks`` is read in text order, again where a transaction has to be repeated; the concatenation
    of their texts is the whole text.
    """

    extractor: str
    extractor_version: str
    text_hash: str
    text_length: int
    line_count: int
    chunks: Iterable[PreparedChunk]
    title: str = ""
    language: str = ""
    repairs: Mapping[str, int] = field(default_factory=dict)
    facts_json: str = "{}"


@dataclass(frozen=True, slots=True)
class PreparedSource:
    """Text or failure for one source of the record; both empty where none was tried.

    ``empty_frame`` says that extraction found a frame or script notice in place of a page.
    ``frame_uris`` are addresses of frames as written, ``claims`` what the document says about
    itself; ingest makes stubs and claims of the record out of them.
    """

    text: PreparedText | None = None
    extraction_failure: str = ""
    failed_extractor: str = ""
    failed_extractor_version: str = ""
    empty_frame: bool = False
    frame_uris: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True)
class PreparedRecord:
    """A record with everything that its transaction needs.

    ``sources`` has one entry for each source of the record, in order. ``committed_time`` comes from
    the caller's clock. ``unread_contents`` are hashes whose bytes were not at hand when texts were
    extracted: they are asked for, even if they arrived meanwhile.
    """

    record: CaptureRecord
    contents: tuple[PreparedContent, ...]
    sources: tuple[PreparedSource, ...]
    committed_time: Instant
    unread_contents: frozenset[str] = frozenset()
