"""Fixtures of the tool families: cases, adapters, redaction."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from capture_service.domain.envelope import Envelope
from capture_service.domain.sources import Adaptation
from capture_service.redaction import RedactionKey, RedactionPolicy, Redactor
from capture_service.tool_families import AdaptContext, ToolFamilies
from sourcecorpus.identity import PathAliases
from tests.tool_families.cases import (
    GAME_FOLDER,
    HermesEvent,
    WebCase,
    hermes_events,
    web_cases,
)

_WEB_CASES = web_cases()
_HERMES_EVENTS = hermes_events()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "web_case" in metafunc.fixturenames:
        metafunc.parametrize("web_case", _WEB_CASES.values(), ids=_WEB_CASES.keys())
    if "tool_event" in metafunc.fixturenames:
        tool_events = {
            sequence: event
            for sequence, event in _HERMES_EVENTS.items()
            if event.hook == "post_tool_call"
        }
        metafunc.parametrize("tool_event", tool_events.values(), ids=map(str, tool_events))


@pytest.fixture(scope="session")
def all_web_cases() -> dict[str, WebCase]:
    return _WEB_CASES


@pytest.fixture(scope="session")
def events() -> dict[int, HermesEvent]:
    return _HERMES_EVENTS


@pytest.fixture
def context() -> AdaptContext:
    aliases = PathAliases({"game": GAME_FOLDER, "home": "/home/player"}, home="/home/player")
    return AdaptContext(path_aliases=aliases)


@pytest.fixture
def adapt(context: AdaptContext) -> Callable[[Envelope], Adaptation]:
    families = ToolFamilies()
    return lambda envelope: families.adapt(envelope, context)


@pytest.fixture(scope="session")
def redactor() -> Redactor:
    return Redactor(RedactionPolicy.build(RedactionKey.from_bytes(b"k" * 32)))


@pytest.fixture
def redacted(redactor: Redactor) -> Callable[[Envelope], Envelope]:
    """Redacts the bytes of an envelope as the pipeline does."""

    def redact(envelope: Envelope) -> Envelope:
        return replace(
            envelope,
            arguments=redactor.redact(envelope.arguments, media_type="application/json").data,
            result=redactor.redact(envelope.result).data,
            side_files=tuple(
                replace(file, data=redactor.redact(file.data).data) for file in envelope.side_files
            ),
        )

    return redact


@pytest.fixture
def call(adapt: Callable[[Envelope], Adaptation]) -> Callable[..., Adaptation]:
    """Adapts a result that a test writes itself."""

    def adapt_call(
        tool_name: str, arguments: Any, result: Any, **envelope_fields: Any
    ) -> Adaptation:
        data = result if isinstance(result, str) else json.dumps(result)
        envelope = Envelope(
            envelope_id="test",
            tool_name=tool_name,
            arguments=json.dumps(arguments).encode(),
            result=data.encode("utf-8", "surrogatepass"),
            redacted=True,
            **{"session_id": "session-1", "task_id": "task-1", **envelope_fields},
        )
        return adapt(envelope)

    return adapt_call
