"""From stored bytes to a text that a writer takes: extract, divide, prepare.

Pure work without a database; the texts of an artifact that has a version by the same extractor are
not made again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from json.encoder import encode_basestring
from typing import Final, Protocol

from corpus_service.chunking import Chunk, chunk_text
from corpus_service.domain.lines import count_lines
from corpus_service.domain.records import CapturedSource, Claim
from corpus_service.domain.text_facts import PLAIN_CHARSET, TextFacts
from corpus_service.extraction.limits import CONTENT_BYTES_MAX
from corpus_service.extraction.types import (
    ClaimKind,
    ExtractedText,
    ExtractionFailed,
    ExtractionRequest,
    FailureReason,
    Flag,
)
from corpus_service.limits import (
    CHUNKS_PREPARED_TOGETHER,
    TEXT_CHUNKS_HELD_MAX,
    TEXT_CLAIMS_BYTES_MAX,
)
from corpus_service.storage.preparation import (
    PreparedChunk,
    PreparedSource,
    PreparedText,
    prepared_heading,
)

TOO_LARGE: Final = FailureReason.CONTENT_TOO_LARGE.value
_SHELLS: Final = frozenset({Flag.FRAMESET_SHELL, Flag.IFRAME_SHELL, Flag.SCRIPT_SHELL})
_CLAIM_NAMES: Final = {kind: kind.value for kind in ClaimKind} | {
    ClaimKind.CANONICAL: "rel=canonical",
    ClaimKind.LICENSE: "rel=license",
}
_HASH_STEP_CODE_POINTS: Final = 1 << 20

PrepareAll = Callable[[Sequence[str]], Sequence[str]]
"""Writes what the full-text index takes of each text; many at once cost less than one by one."""


class TextExtractor(Protocol):
    """Makes text of bytes; see `corpus_service.extraction`."""

    def extract(self, request: ExtractionRequest) -> ExtractedText:
        """Return the text.

        Raises:
            ExtractionFailed: There is none.
        """


@dataclass(frozen=True, slots=True)
class ReadingJob:
    """A content to make a text of, and what is declared about it."""

    source: CapturedSource
    data: bytes


class TextMaker(Protocol):
    """Makes prepared texts of contents, here or in other processes. Safe from several threads."""

    @property
    def extractors(self) -> Sequence[tuple[str, str]]:
        """Names and versions of all extractors, to find out what was read by them before."""

    def read_all(self, jobs: Sequence[ReadingJob]) -> list[PreparedSource | Exception]:
        """Read contents; the results stand in the order of the jobs."""


@dataclass(frozen=True, slots=True)
class TextPreparation:
    """Makes prepared texts of contents. Safe from several threads.

    Attributes:
        extractor: Makes text of bytes.
        extractors: Names and versions of all extractors, to find out what was read by them before.
        prepare_all: Writes what the full-text index takes of each text.
        content_bytes_max: Of larger contents no text is made; they are not even read.
    """

    extractor: TextExtractor
    extractors: Sequence[tuple[str, str]]
    prepare_all: PrepareAll
    content_bytes_max: int = CONTENT_BYTES_MAX

    def read_all(self, jobs: Sequence[ReadingJob]) -> list[PreparedSource | Exception]:
        """Read several contents; one that breaks an extractor is an exception in its place."""
        results: list[PreparedSource | Exception] = []
        for job in jobs:
            try:
                results.append(self.read(job.source, job.data))
            except Exception as error:  # noqa: BLE001 - one content must not take others along
                results.append(error)
        return results

    def read(self, source: CapturedSource, data: bytes) -> PreparedSource:
        """Extract the text of a source's content, or say why there is none."""
        try:
            text = self.extractor.extract(
                ExtractionRequest(
                    content=data,
                    content_type=source.content_type,
                    uri=source.canonical_uri,
                    kind=source.kind,
                    declared_language=source.language,
                )
            )
        except ExtractionFailed as failure:
            return PreparedSource(
                extraction_failure=failure.reason.value,
                failed_extractor=failure.extractor,
                failed_extractor_version=dict(self.extractors).get(failure.extractor, ""),
            )
        facts = _facts(text)
        is_shell = not _SHELLS.isdisjoint(text.flags)
        return PreparedSource(
            None if is_shell else self._prepared(source, text, facts),
            empty_frame=is_shell,
            frame_uris=facts.frame_uris,
            claims=facts.claims,
        )

    def _prepared(
        self, source: CapturedSource, extracted: ExtractedText, facts: TextFacts
    ) -> PreparedText:
        text = extracted.text
        chunks = chunk_text(text, format=extracted.format)
        if not chunks and text:
            # White space alone has no chunk, and yet every character of a version is kept.
            chunks = [Chunk(0, 0, len(text), (), 0)]
        title = source.title or extracted.title
        sequence = _TextChunks(text, chunks, title, self.prepare_all)
        return PreparedText(
            extractor=extracted.extractor,
            extractor_version=extracted.extractor_version,
            text_hash=_hash_of(text),
            text_length=len(text),
            line_count=count_lines(text),
            # Of a large text, chunk by chunk is made while it is written; it is never held twice.
            chunks=tuple(sequence) if len(chunks) <= TEXT_CHUNKS_HELD_MAX else sequence,
            title=extracted.title,
            language=extracted.language,
            repairs=extracted.repairs,
            facts_json=facts.to_json(),
        )


class _TextChunks:
    """The chunks of a text with what the index takes; can be read more than once."""

    def __init__(
        self, text: str, chunks: Sequence[Chunk], title: str, prepare_all: PrepareAll
    ) -> None:
        self._text = text
        self._chunks = chunks
        self._title = title
        self._prepare_all = prepare_all

    def __iter__(self) -> Iterator[PreparedChunk]:
        chunks = iter(self._chunks)
        line = 1
        while group := list(islice(chunks, CHUNKS_PREPARED_TOGETHER)):
            parts = [self._text[chunk.start : chunk.end] for chunk in group]
            paths = dict.fromkeys(chunk.heading_path for chunk in group)
            headings = list({self._title, *(path[-1] for path in paths if path)})
            prepared = self._prepare_all([*parts, *headings])
            known = dict(zip(headings, prepared[len(parts) :], strict=True))
            written = {
                path: (
                    _strings_json(path),
                    prepared_heading(known.__getitem__, self._title, path),
                )
                for path in paths
            }
            for chunk, part, body in zip(group, parts, prepared, strict=False):
                path_json, heading = written[chunk.heading_path]
                yield PreparedChunk(
                    chunk.start,
                    chunk.end,
                    line,
                    path_json,
                    part,
                    chunk.token_count,
                    heading if body else "",
                    body,
                )
                line += part.count("\n")


def _strings_json(strings: Sequence[str]) -> str:
    """A JSON array as ``json.dumps`` writes it, without an encoder made for each of many."""
    return f"[{', '.join(map(encode_basestring, strings))}]"


def _hash_of(text: str) -> str:
    """The content hash of a text's UTF-8 bytes, without a second copy of a large one."""
    digest = hashlib.sha256()
    for start in range(0, len(text), _HASH_STEP_CODE_POINTS):
        digest.update(text[start : start + _HASH_STEP_CODE_POINTS].encode())
    return f"sha256:{digest.hexdigest()}"


def _claims(extracted: ExtractedText) -> tuple[Claim, ...]:
    """The document's claims under the names of the contract, within a bound for their bytes."""
    found: dict[Claim, None] = {}
    size_bytes = 0
    for claim in extracted.claims:
        value = f"{claim.language} {claim.value}" if claim.language else claim.value
        named = Claim(_CLAIM_NAMES[claim.kind], value)
        size_bytes += len(value.encode("utf-8", "replace"))
        if size_bytes > TEXT_CLAIMS_BYTES_MAX:
            break
        found[named] = None
    return tuple(found)


def _facts(extracted: ExtractedText) -> TextFacts:
    """What else the extractor found; a charset that was never in doubt is not told."""
    plain = extracted.charset == PLAIN_CHARSET
    return TextFacts(
        charset=extracted.charset,
        charset_reason="" if plain else extracted.charset_reason.value,
        charset_confidence=extracted.charset_confidence,
        flags=extracted.flags,
        quality=extracted.quality,
        claims=_claims(extracted),
        frame_uris=extracted.frame_uris,
    )
