"""What a model is given of a message: refs and words, no ids and no paths, and no fact lost."""

from __future__ import annotations

import json
import re

import pytest
from google.protobuf.message import Message

from sourcecorpus.corpus.v1.citation_service_pb2 import CitationFailure, ResolvedCitation
from sourcecorpus.corpus.v1.quotes_pb2 import QuoteResult
from sourcecorpus.corpus.v1.search_service_pb2 import FoundDocument, SearchHit
from sourcecorpus.corpus.v1.source_pb2 import Source, Trust, Version
from sourcecorpus.corpus.v1.source_service_pb2 import Line, ReadDocumentResponse
from sourcecorpus.hermes.plugin.cited_refs import refs_in
from sourcecorpus.hermes.sidecar import agent_answers

CANARY = "zq81"
SHOWN = {
    "ref",
    "title",
    "snippet",
    "quote",
    "text",
    "heading_path",
    "original_uri",
    "canonical_uri",
}


def filled(message: Message) -> Message:
    """The message with every text set, each with its field's name, and one of each repeated message."""
    for field in message.DESCRIPTOR.fields:
        if field.message_type is not None:
            if field.message_type.GetOptions().map_entry:
                continue
            value = getattr(message, field.name)
            if field.message_type.full_name.startswith("google."):
                value.seconds = 1
            elif field.is_repeated:
                filled(value.add())
            elif field.message_type != message.DESCRIPTOR:
                filled(value)
        elif field.type == field.TYPE_STRING:
            text = f"{CANARY}-{field.name}"
            if field.is_repeated:
                getattr(message, field.name).append(text)
            else:
                setattr(message, field.name, text)
    return message


def documents() -> dict[str, agent_answers.Document]:
    """One document of each kind, of messages that are full."""
    hit, found, source = SearchHit(), FoundDocument(), Source()
    read, resolved, result = ReadDocumentResponse(), ResolvedCitation(), QuoteResult()
    failed = ResolvedCitation()
    for message in (hit, found, source, read, resolved, result):
        filled(message)
    failed.failure.CopyFrom(CitationFailure())
    filled(failed.failure)
    filled(resolved.citation)
    filled(result.verification)
    return {
        "hit": agent_answers.hit_document(hit),
        "found": agent_answers.found_document(found, 10_000),
        "source": agent_answers.source_document(source),
        "read": agent_answers.read_document(read, starts_inside_line=False),
        "cited": agent_answers.cited_document(resolved, 10_000),
        "failed": agent_answers.cited_document(failed, 10_000),
        "verdict": agent_answers.verdict_document(result),
    }


@pytest.mark.parametrize("kind", ["hit", "found", "source", "read", "cited", "verdict"])
def test_a_model_sees_refs_and_words_and_no_id_path_or_hash(kind: str) -> None:
    written = json.dumps(documents()[kind])
    fields = set(re.findall(rf"{CANARY}-([a-z_]+)", written))
    assert fields
    assert fields <= SHOWN | {"kind", "reason"}, fields - SHOWN
    for name in (
        "source_id",
        "version_id",
        "artifact_id",
        "chunk_id",
        "game_id",
        "hash",
        "envelope",
    ):
        assert name not in written


def test_no_document_holds_an_empty_part() -> None:
    for document in documents().values():
        assert not [key for key, value in document.items() if value in ("", [], {}, [{}])]
    nothing = agent_answers.found_document(FoundDocument(), 100)
    assert "passages" not in nothing


def test_zero_and_false_are_facts_and_warnings_that_do_not_apply_are_not() -> None:
    empty = ReadDocumentResponse(version=Version(line_count=0, current=True))
    document = agent_answers.read_document(empty, starts_inside_line=False)
    assert document == {"lines_in_all": 0}
    listed = agent_answers.source_document(Source(title="Vault"))
    assert listed == {"title": "Vault", "versions": 0, "readable": False}
    part = Version(line_count=9, trust=Trust.TRUST_FETCHED)
    lines = [Line(number=4, text="half", partial=True)]
    told = agent_answers.read_document(
        ReadDocumentResponse(version=part, lines=lines), starts_inside_line=True
    )
    assert told["older_version"] is told["ends_inside_line"] is told["starts_inside_line"] is True
    outside = QuoteResult()
    outside.verification.outside_ref = True
    assert agent_answers.verdict_document(outside)["inside_ref"] is False


@pytest.mark.parametrize("behind", ["", ".", ")", "。", "\n", " and"])
def test_refs_that_begin_alike_are_told_apart(behind: str) -> None:
    body = "v-7k2m9q4x1c8v5b3n6p0z"
    refs = (f"{body}#4-1", f"{body}#4-12", f"{body}#4-12-ab", f"{body}#4-123", body)
    assert refs_in("".join(f"[{ref}]{behind} " for ref in refs)) == refs
    assert refs_in("".join(f"[{ref}]{behind} " for ref in reversed(refs))) == refs[::-1]
