"""Spans and metrics of real calls, collected in memory; payloads never stand in them."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

import grpc
import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanContext

from sourcecorpus.rpc import telemetry
from sourcecorpus.rpc.failures import Failure, FailureCode
from tests.rpc.serving import (
    GET_GAME,
    MESSAGES,
    STREAM,
    answer,
    handler_that,
    invoke,
    refused,
    running,
)

TRACE = "0af7651916cd43dd8448eb211c80319c"
TRACEPARENT = f"00-{TRACE}-b7ad6b7169203331-01"
OTHER = "00-" + "4b" * 16 + "-" + "12" * 8 + "-01"


@contextlib.contextmanager
def collected() -> Iterator[tuple[InMemorySpanExporter, InMemoryMetricReader]]:
    spans, metrics = InMemorySpanExporter(), InMemoryMetricReader()
    tracers = TracerProvider(shutdown_on_exit=False)
    tracers.add_span_processor(SimpleSpanProcessor(spans))
    chosen = telemetry.Telemetry(tracers, MeterProvider([metrics], shutdown_on_exit=False))
    try:
        yield spans, metrics
    finally:
        chosen.shutdown()


def context_of(span: ReadableSpan) -> SpanContext:
    context = span.get_span_context()
    assert context is not None
    return context


def trace_of(span: ReadableSpan) -> str:
    return format(context_of(span).trace_id, "032x")


def test_one_trace_leads_through_two_services() -> None:
    async def nothing(request: Any) -> None:
        return None

    async def main() -> None:
        async with running({GET_GAME: handler_that(GET_GAME, nothing)}) as back:

            async def outer(request: Any) -> None:
                await back.call(GET_GAME)(MESSAGES[GET_GAME][0]())

            async with running({GET_GAME: handler_that(GET_GAME, outer)}) as front:
                await invoke(front, GET_GAME, metadata=[("traceparent", TRACEPARENT)])

    with collected() as (spans, _):
        asyncio.run(main())
        inner, outer = spans.get_finished_spans()
    assert trace_of(inner) == trace_of(outer) == TRACE
    assert inner.parent is not None
    assert inner.parent.span_id == context_of(outer).span_id
    assert outer.name == "sourcecorpus.corpus.v1.GameService/GetGame"
    assert dict(outer.attributes or {}) == {
        "rpc.system": "grpc",
        "rpc.service": "sourcecorpus.corpus.v1.GameService",
        "rpc.method": "GetGame",
        "rpc.grpc.status_code": 0,
    }


def test_without_exporter_the_trace_still_goes_on() -> None:
    seen = []

    async def act(request: Any) -> None:
        seen.append(telemetry.current_traceparent())

    async def main() -> None:
        async with running({GET_GAME: handler_that(GET_GAME, act)}) as system:
            await invoke(system, GET_GAME, metadata=[("traceparent", TRACEPARENT)])
            await invoke(system, GET_GAME)

    asyncio.run(main())
    assert seen == [TRACEPARENT, ""]


@pytest.mark.parametrize(
    ("error", "code", "fault"),
    [
        (Failure(FailureCode.INVALID_ARGUMENT, "FIELD_REQUIRED", "game_id"), 3, False),
        (Failure(FailureCode.DATA_LOSS, "STORED_HASH_MISMATCH"), 15, True),
        (RuntimeError("canary" + "5813"), 13, True),
    ],
)
def test_a_rich_status_is_recorded_with_its_code(error: Exception, code: int, fault: bool) -> None:
    async def act(request: Any) -> None:
        raise error

    async def main() -> None:
        async with running({GET_GAME: handler_that(GET_GAME, act)}) as system:
            await refused(system, GET_GAME)

    with collected() as (spans, metrics):
        asyncio.run(main())
        (span,) = spans.get_finished_spans()
        exported = repr(metrics.get_metrics_data())
    assert (span.attributes or {})["rpc.grpc.status_code"] == code
    assert (span.status.status_code.name == "ERROR") is fault
    assert span.events == ()
    assert span.status.description is None
    assert "rpc.server.duration" in exported
    assert "canary5813" not in exported + span.to_json()


def test_a_stream_has_one_span_for_the_session_and_one_for_each_batch_linked() -> None:
    async def stream(requests: Any, context: Any) -> AsyncIterator[Any]:
        with telemetry.linked_span("capture.batch", [TRACEPARENT, OTHER, "garbage", ""]):
            await asyncio.get_running_loop().run_in_executor(None, int)
        yield answer(STREAM)

    async def main() -> None:
        async with running({STREAM: stream}) as system:
            await invoke(system, STREAM)

    with collected() as (spans, _):
        asyncio.run(main())
        batch, session = spans.get_finished_spans()
    assert session.name.endswith("StreamCaptures")
    assert batch.name == "capture.batch"
    assert trace_of(batch) == TRACE
    linked = {format(link.context.trace_id, "032x") for link in batch.links}
    assert linked == {"4b" * 16, trace_of(session)}


def test_a_stream_that_the_client_leaves_ends_as_cancelled() -> None:
    async def stream(requests: Any, context: Any) -> AsyncIterator[Any]:
        yield answer(STREAM)
        await asyncio.Event().wait()

    async def main() -> None:
        async with running({STREAM: stream}) as system:
            call = system.call(STREAM)(iter([MESSAGES[STREAM][0]()]))
            await call.read()
            call.cancel()

    with collected() as (spans, _):
        asyncio.run(main())
        (span,) = spans.get_finished_spans()
    assert (span.attributes or {})["rpc.grpc.status_code"] == grpc.StatusCode.CANCELLED.value[0]
    assert span.status.status_code.name == "UNSET"


def test_a_batch_without_exporter_costs_no_span() -> None:
    with telemetry.linked_span("capture.batch", [TRACEPARENT]):
        assert telemetry.current_traceparent() == ""


def test_instruments_count_before_and_after_an_exporter_is_chosen() -> None:
    masks = telemetry.counter("test.masks", "{mask}", "Masks.")
    assert telemetry.counter("test.masks", "{mask}", "Masks.") is masks
    masks.add(2, rule="cookie")
    with collected() as (_, metrics):
        masks.add(3, rule="cookie")
        masks.add(rule="header")
        (resource,) = metrics.get_metrics_data().resource_metrics  # type: ignore[union-attr]
        found = {
            point.attributes["rule"]: point.value  # type: ignore[union-attr,index]
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == "test.masks"
            for point in metric.data.data_points
        }
    assert found == {"cookie": 5, "header": 1}
    assert masks.totals() == {(("rule", "cookie"),): (5, 2), (("rule", "header"),): (1, 1)}


def test_an_instrument_made_after_the_exporter_is_exported_too() -> None:
    with collected() as (_, metrics):
        telemetry.histogram("test.late", "s", "Late.").record(0.25)
        assert "test.late" in repr(metrics.get_metrics_data())


def test_an_instrument_has_one_unit_and_a_bounded_number_of_series() -> None:
    words = telemetry.counter("test.words", "{word}", "Words.")
    for number in range(telemetry.SERIES_MAX + 50):
        words.add(word=number)
    totals = words.totals()
    assert len(totals) == telemetry.SERIES_MAX + 1
    assert totals[(("overflow", "true"),)] == (50, 50)
    with pytest.raises(ValueError, match="another unit or kind"):
        telemetry.counter("test.words", "s", "Words.")


def test_exporters_by_name(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    telemetry.configure("none", "test").shutdown()
    with pytest.raises(ValueError, match="none, console and otlp"):
        telemetry.configure("pigeon", "test")
    chosen = telemetry.configure("console", "test")
    try:
        with telemetry.linked_span("test.span"):
            assert telemetry.current_traceparent()
    finally:
        chosen.shutdown()
    shown = capsys.readouterr()
    assert "test.span" in shown.err
    assert shown.out == ""
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter", None)
    with pytest.raises(ModuleNotFoundError):
        telemetry.configure("otlp", "test", "http://127.0.0.1:1")
