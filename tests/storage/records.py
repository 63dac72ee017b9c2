"""Builds capture records for tests of the store and of ingest, with every byte by choice."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from corpus_service.domain.lines import count_lines
from corpus_service.domain.records import CapturedSource, CaptureRecord, Content, IngestResult
from corpus_service.domain.vocabulary import Completeness, SourceRole
from corpus_service.search.preparation import PREPARATION_VERSION, prepare_for_index
from corpus_service.storage.interface import CorpusStore
from corpus_service.storage.pieces import compress_content
from corpus_service.storage.preparation import (
    PreparedChunk,
    PreparedContent,
    PreparedRecord,
    PreparedSource,
    PreparedText,
    prepared_heading,
)
from corpus_service.storage.sqlite.index_upkeep import IndexPreparation

GAME = "wandering-castle"
SECOND = 1_000_000_000
PREPARATION = IndexPreparation(PREPARATION_VERSION, prepare_for_index)


def hash_of(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


def page(
    uri: str = "https://castle.example/", data: bytes | None = b"stone", **facts: Any
) -> CapturedSource:
    """A page as a tool fetched it; ``data`` None is a source without content."""
    values: dict[str, Any] = {
        "canonical_uri": uri,
        "family": "gtc_page",
        "kind": "page",
        "role": SourceRole.DOCUMENT,
        "completeness": Completeness.FULL,
        "content_hash": "" if data is None else hash_of(data),
        "content_type": "text/plain; charset=utf-8",
    }
    return CapturedSource(**(values | facts))


def record(
    envelope_id: str,
    sources: Sequence[CapturedSource],
    contents: Sequence[bytes] = (),
    *,
    at: int = 1,
    **facts: Any,
) -> CaptureRecord:
    """A record whose call ended ``at`` seconds after the beginning of time."""
    values: dict[str, Any] = {
        "game_id": GAME,
        "envelope_id": envelope_id,
        "envelope_fingerprint": hash_of(envelope_id.encode()),
        "tool_name": "web_extract",
        "finished_time": at * SECOND,
        "received_time": at * SECOND,
        "sources": tuple(sources),
        "contents": tuple(
            Content(hash_of(data), len(data), data) for data in dict.fromkeys(contents)
        ),
    }
    return CaptureRecord(**(values | facts))


def text_of(
    data: bytes, *, chunk_characters: int = 40, title: str = "", headings: Sequence[str] = ()
) -> PreparedText:
    """The text of UTF-8 bytes, cut into chunks of equal length."""
    text = data.decode()
    chunks = []
    for start in range(0, len(text), chunk_characters):
        part = text[start : start + chunk_characters]
        body = prepare_for_index(part)
        chunks.append(
            PreparedChunk(
                start=start,
                end=start + len(part),
                first_line=text.count("\n", 0, start) + 1,
                heading_path="[" + ",".join(f'"{heading}"' for heading in headings) + "]",
                text=part,
                token_count=len(part) // 4,
                prepared_heading=prepared_heading(prepare_for_index, title, headings)
                if body.strip()
                else "",
                prepared_text=body,
            )
        )
    return PreparedText(
        extractor="plain",
        extractor_version="1",
        text_hash=hash_of(data),
        text_length=len(text),
        line_count=count_lines(text),
        chunks=tuple(chunks),
        title=title,
    )


def prepared(
    captured: CaptureRecord,
    texts: Sequence[PreparedText | None] | None = None,
    *,
    at: int = 1_000,
    **facts: Any,
) -> PreparedRecord:
    """The record with its bytes compressed; texts of its contents unless they are given."""
    data = {content.content_hash: content.data for content in captured.contents}
    sources = []
    for position, source in enumerate(captured.sources):
        content = data.get(source.content_hash)
        if texts is not None:
            sources.append(PreparedSource(texts[position]))
        elif content is not None and source.role in (SourceRole.DOCUMENT, SourceRole.DERIVED):
            sources.append(PreparedSource(text_of(content, title=source.title)))
        else:
            sources.append(PreparedSource())
    contents = tuple(
        PreparedContent(content.content_hash, content.size_bytes, compress_content(content.data))
        for content in captured.contents
        if content.data is not None
    )
    return PreparedRecord(captured, contents, tuple(sources), at * SECOND, **facts)


def without_bytes(captured: CaptureRecord) -> CaptureRecord:
    """The record as a sender that relies on the store sends it."""
    return replace(
        captured, contents=tuple(replace(content, data=None) for content in captured.contents)
    )


def put(store: CorpusStore, ready: PreparedRecord) -> IngestResult:
    """Submit a record and wait for its commit."""
    return store.submit(ready.record.game_id, ready).result(timeout=30)


def put_page(
    store: CorpusStore,
    envelope_id: str,
    data: bytes = b"stone",
    uri: str = "https://castle.example/",
    *,
    at: int = 1,
    record_facts: dict[str, Any] | None = None,
    **facts: Any,
) -> IngestResult:
    """Store one page in a record of its own."""
    captured = record(
        envelope_id, [page(uri, data, **facts)], [data], at=at, **(record_facts or {})
    )
    return put(store, prepared(captured))
