"""Conversions forget no field of the contract."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from enum import IntEnum
from typing import Any

import pytest
from google.protobuf.message import Message

from corpus_service.domain.deletions import Tombstone
from corpus_service.domain.records import Claim, Representation, Window
from corpus_service.domain.sources import Observation, Passage, Source, Version
from corpus_service.domain.text_facts import TextFacts
from corpus_service.search.snippets import Snippet
from corpus_service.servicers import conversions
from corpus_service.services.citations import Citation
from corpus_service.services.collected_hits import Step
from corpus_service.services.search import Explanation, Hit

LEAVES: dict[object, object] = {str: "text", int: 7, bool: True, float: 1.5}


def filled(kind: Any) -> Any:
    """A value of a type in which nothing has its default."""
    if kind in LEAVES:
        return LEAVES[kind]
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return kind(**{name: filled(hint) for name, hint in hints.items()})  # type: ignore[operator]
    origin = typing.get_origin(kind)
    if origin is types.UnionType:
        return filled(typing.get_args(kind)[0])
    if origin is tuple:
        item, *others = typing.get_args(kind)
        return (filled(item),) if others == [...] else (3, 4)
    if origin is Mapping:
        return {"kind": 3}
    assert issubclass(kind, IntEnum), kind
    return list(kind)[-1]


def present(message: Message | None) -> Message:
    assert message is not None
    return message


def empty_fields(message: Message) -> set[str]:
    present = {descriptor.name for descriptor, _ in message.ListFields()}
    return {descriptor.name for descriptor in message.DESCRIPTOR.fields} - present


@pytest.mark.parametrize(
    ("message", "absent"),
    [
        (conversions.source_message(filled(Source)), set()),
        (
            conversions.version_message(
                dataclasses.replace(filled(Version), facts_json="{}"), with_extraction=True
            ),
            set(),
        ),
        (
            conversions.extraction_message(
                dataclasses.replace(filled(Version), facts_json=filled(TextFacts).to_json())
            ),
            set(),
        ),
        (conversions.observation_message(filled(Observation)), set()),
        # A version cannot be current and superseded at the same time, and this one is synthetic.
        (conversions.citation_message(filled(Citation)), {"superseded", "safe_to_cite"}),
        (
            conversions.hit_message(
                Hit(
                    filled(Passage),
                    filled(Version),
                    1.5,
                    Snippet(1, "text", ((0, 1),)),
                    Step(1, relaxed=True),
                    ("word",),
                )
            ),
            {"superseded"},
        ),
        (present(conversions.tombstone_message(filled(Tombstone))), set()),
        (conversions.explanation_message(filled(Explanation)), set()),
    ],
)
def test_every_field_is_filled(message: Message, absent: set[str]) -> None:
    assert empty_fields(message) == absent


def test_values_stand_where_they_belong() -> None:
    version = dataclasses.replace(
        filled(Version), version_id="ver-a", source_id="src-b", artifact_id="art-c", text_length=11,
        line_count=12, chunk_count=13, size_bytes=14, observation_count=15, fetched_time=None,
        created_time=1_700_000_000_123_456_789, current=False,
    )  # fmt: skip
    message = conversions.version_message(version)
    assert (message.version_id, message.source_id, message.artifact_id) == (
        "ver-a",
        "src-b",
        "art-c",
    )
    numbers = (message.text_length, message.line_count, message.chunk_count, message.size_bytes)
    assert numbers == (11, 12, 13, 14)
    assert message.observation_count == 15
    assert not message.HasField("fetched_time")
    assert message.created_time.ToNanoseconds() == 1_700_000_000_123_456_789
    observation = dataclasses.replace(
        filled(Observation),
        window=Window("lines", 1, 2, 3),
        claims=(Claim("n", "v"),),
        representations=(Representation("html", "text/html", "sha256:0"),),
    )
    written = conversions.observation_message(observation)
    assert (written.window.start, written.window.end, written.window.total) == (1, 2, 3)
    assert (written.claims[0].name, written.claims[0].value) == ("n", "v")
    assert written.representations[0].media_type == "text/html"
    assert conversions.timestamp(-1).ToNanoseconds() == -1  # type: ignore[union-attr]
