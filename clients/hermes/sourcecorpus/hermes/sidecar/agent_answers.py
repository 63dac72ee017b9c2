"""The corpus' messages as short JSON documents for a model: no ids but refs, every text bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sourcecorpus.capture.v1.envelope_pb2 import Completeness
from sourcecorpus.corpus.v1.quotes_pb2 import QuoteVerdict
from sourcecorpus.corpus.v1.source_pb2 import Trust

if TYPE_CHECKING:
    from google.protobuf.timestamp_pb2 import Timestamp

    from sourcecorpus.corpus.v1.citation_service_pb2 import ResolvedCitation
    from sourcecorpus.corpus.v1.quotes_pb2 import QuoteResult
    from sourcecorpus.corpus.v1.search_service_pb2 import FoundDocument, FoundPassage, SearchHit
    from sourcecorpus.corpus.v1.source_pb2 import Source
    from sourcecorpus.corpus.v1.source_service_pb2 import ReadDocumentResponse

TITLE_CHARACTERS_MAX: Final = 200
URL_CHARACTERS_MAX: Final = 500
SNIPPET_CHARACTERS_MAX: Final = 600
HEADINGS_MAX: Final = 6
NEAREST_CHARACTERS_MAX: Final = 600
PASSAGE_CHARACTERS_MAX: Final = 4_000

_SAID_WHEN_TRUE: Final = frozenset(
    {
        *("older_version", "title_matched", "continues", "text_is_cut", "scope_was_cut"),
        *("starts_inside_line", "ends_inside_line"),
    }
)

Document = dict[str, Any]


def hit_document(hit: SearchHit) -> Document:
    """A hit of a search."""
    return _without_empty(
        {
            "title": hit.title[:TITLE_CHARACTERS_MAX],
            "url": (hit.original_uri or hit.canonical_uri)[:URL_CHARACTERS_MAX],
            "snippet": hit.snippet[:SNIPPET_CHARACTERS_MAX],
            "ref": hit.ref,
            "trust": trust_word(hit.trust),
            "headings": [
                heading[:TITLE_CHARACTERS_MAX] for heading in hit.heading_path[:HEADINGS_MAX]
            ],
            "fetched": time_text(hit.fetched_time),
            "older_version": hit.superseded,
        }
    )


def found_document(found: FoundDocument, text_characters_max: int) -> Document:
    """A document with the lines that FindText found in it, and the number of passages that did not fit."""
    version = found.version
    passages = [_passage_document(passage) for passage in found.passages]
    kept, room = 0, text_characters_max
    for passage in passages:
        room -= len(passage.get("text", ""))
        if room < 0 and kept:
            break
        kept += 1
    return _without_empty(
        {
            "title": version.title[:TITLE_CHARACTERS_MAX],
            "url": (found.original_uri or version.canonical_uri)[:URL_CHARACTERS_MAX],
            "trust": trust_word(version.trust),
            "completeness": completeness_word(version.completeness),
            "older_version": not version.current,
            "title_matched": found.title_matched,
            "continues": found.continues,
            "passages": passages[:kept],
            "passages_left_out": len(passages) - kept or None,
        }
    )


def _passage_document(passage: FoundPassage) -> Document:
    matching = [line.number for line in passage.lines if line.matches]
    text = "\n".join(line.text for line in passage.lines)
    return _without_empty(
        {
            "first_line": passage.lines[0].number if passage.lines else None,
            "matching_lines": matching,
            "text": text[:PASSAGE_CHARACTERS_MAX],
            "text_is_cut": len(text) > PASSAGE_CHARACTERS_MAX
            or any(line.partial for line in passage.lines),
            "ref": passage.ref,
        }
    )


def source_document(source: Source) -> Document:
    """A source of a list."""
    return _without_empty(
        {
            "title": source.title[:TITLE_CHARACTERS_MAX],
            "url": (source.original_uri or source.canonical_uri)[:URL_CHARACTERS_MAX],
            "kind": source.kind,
            "trust": trust_word(source.trust),
            "completeness": completeness_word(source.completeness),
            "versions": source.version_count,
            "fetched": time_text(source.fetched_time),
            "readable": bool(source.current_version_id),
        }
    )


def read_document(found: ReadDocumentResponse, *, starts_inside_line: bool) -> Document:
    """Lines of a version."""
    version = found.version
    return _without_empty(
        {
            "title": version.title[:TITLE_CHARACTERS_MAX],
            "url": version.canonical_uri[:URL_CHARACTERS_MAX],
            "trust": trust_word(version.trust),
            "completeness": completeness_word(version.completeness),
            "fetched": time_text(version.fetched_time),
            "older_version": not version.current,
            "first_line": found.lines[0].number if found.lines else None,
            "last_line": found.lines[-1].number if found.lines else None,
            "lines_in_all": version.line_count,
            "starts_inside_line": starts_inside_line,
            "ends_inside_line": bool(found.lines) and found.lines[-1].partial,
            "text": "\n".join(line.text for line in found.lines),
            "ref": found.ref,
        }
    )


def cited_document(result: ResolvedCitation, text_characters_max: int) -> Document:
    """A ref with what it opens, or why it does not."""
    if result.WhichOneof("result") != "citation":
        failure = result.failure
        return _without_empty({"ref": result.ref, "error": failure.reason, "field": failure.field})
    citation = result.citation
    return _without_empty(
        {
            "ref": citation.ref,
            "title": citation.title[:TITLE_CHARACTERS_MAX],
            "url": citation.original_uri[:URL_CHARACTERS_MAX],
            "lines": [citation.lines.first, citation.lines.last],
            "text": citation.quote[:text_characters_max],
            "text_is_cut": citation.quote_cut or len(citation.quote) > text_characters_max,
            "trust": trust_word(citation.version.trust),
            "completeness": completeness_word(citation.version.completeness),
            "fetched": time_text(citation.fetched_time),
            "older_version": citation.superseded,
        }
    )


def verdict_document(result: QuoteResult) -> Document:
    """What a version says of a quote: verdict, the quote's own ref, and what comes near where it is absent."""
    if result.WhichOneof("result") != "verification":
        return {"verdict": "NOT_CHECKED", "verdict_error": result.failure.reason}
    verification = result.verification
    verdict = QuoteVerdict.Name(verification.verdict).removeprefix("QUOTE_VERDICT_")
    document: Document = {
        "verdict": verdict,
        "quote_ref": verification.citation.ref,
        "scope_was_cut": verification.scope_cut,
    }
    if verdict == "ELSEWHERE":
        document["quote_title"] = verification.citation.title[:TITLE_CHARACTERS_MAX]
        document["quote_url"] = verification.citation.original_uri[:URL_CHARACTERS_MAX]
    if verdict == "NORMALISED":
        document["stored_text"] = verification.citation.quote[:NEAREST_CHARACTERS_MAX]
    if verification.HasField("nearest"):
        document["nearest_text"] = verification.nearest.text[:NEAREST_CHARACTERS_MAX]
        document["nearest_ref"] = verification.nearest.ref
    if verification.outside_ref:
        # The words stand in the version, but not where the ref points.
        document["inside_ref"] = False
    return _without_empty(document)


def trust_word(value: Trust.ValueType) -> str:
    """FETCHED, LOCAL, DISCOVERY, SYNTHETIC; empty where it is not stated or newer than this program."""
    known = value in Trust.values() and value != Trust.TRUST_UNSPECIFIED
    return Trust.Name(value).removeprefix("TRUST_") if known else ""


def completeness_word(value: Completeness.ValueType) -> str:
    """FULL, WINDOWED …; empty where it is not stated or newer than this program."""
    known = value in Completeness.values() and value != Completeness.COMPLETENESS_UNSPECIFIED
    return Completeness.Name(value).removeprefix("COMPLETENESS_") if known else ""


def time_text(stamp: Timestamp) -> str:
    """A time to the minute in UTC; empty where it is unknown."""
    return stamp.ToDatetime().strftime("%Y-%m-%dT%H:%MZ") if stamp.seconds else ""


def _without_empty(document: Document) -> Document:
    """Leave out what says nothing: absent facts, and warnings that do not apply. Zero and other false stay."""
    return {
        key: value
        for key, value in document.items()
        if value is not None
        and value not in ("", [])
        and not (value is False and key in _SAID_WHEN_TRUE)
    }
