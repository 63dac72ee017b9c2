"""Traces and metrics: instruments by name, spans, and the exporters that settings choose.

Instruments count in the process from the first moment, with or without an exporter, so that every
drop and refusal can be asked for; an exporter gets the same numbers once ``configure`` ran. Spans
carry method, service and status code, never a payload, a query or a secret.
Imports: opentelemetry-api; the SDK and the OTLP exporter only when an exporter is chosen.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.trace import TracerProvider

SERIES_MAX: Final = 256
"""Distinct attribute sets of one instrument; further ones are counted together."""
LINKS_MAX: Final = 64
"""Links of one span; further ones are left out."""
EXPORT_MILLISECONDS: Final = 30_000
TRACEPARENT_KEY: Final = "traceparent"
_NAME: Final = "sourcecorpus"
_PROPAGATOR: Final = TraceContextTextMapPropagator()
_OVERFLOW: Final = (("overflow", "true"),)

Attributes = Mapping[str, str | int | bool]
SeriesKey = tuple[tuple[str, str | int | bool], ...]


class _Exported(Protocol):
    """An instrument of the SDK, reduced to what is done with it."""

    def __call__(self, amount: float, attributes: Attributes) -> None: ...


@dataclass(slots=True)
class _Series:
    total: float = 0
    count: int = 0


@dataclass(slots=True)
class Instrument:
    """A named measurement; made by ``counter``, ``up_down_counter`` and ``histogram``.

    Attributes:
        name: Dotted name, such as ``sourcecorpus.capture.envelopes``.
        unit: UCUM unit, such as ``s``, ``By`` or ``{envelope}``.
        description: One sentence.
        kind: counter, up_down_counter or histogram.
    """

    name: str
    unit: str
    description: str
    kind: str
    _series: dict[SeriesKey, _Series] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _exported: _Exported | None = None

    def record(self, amount: float, **attributes: str | int | bool) -> None:
        """Add an amount, or record a value of a histogram; cheap and safe from any thread."""
        self.record_series(amount, tuple(sorted(attributes.items())))

    def record_series(self, amount: float, key: SeriesKey) -> None:
        """The same as ``record`` for attributes that were sorted once, where every call counts."""
        with self._lock:
            if key not in self._series and len(self._series) >= SERIES_MAX:
                key = _OVERFLOW
            series = self._series.setdefault(key, _Series())
            series.total += amount
            series.count += 1
            exported = self._exported
        if exported is not None:
            exported(amount, dict(key))

    def add(self, amount: float = 1, **attributes: str | int | bool) -> None:
        """The same as ``record``, in the words of counting."""
        self.record(amount, **attributes)

    def totals(self) -> dict[SeriesKey, tuple[float, int]]:
        """Sum and number of records of each attribute set since the process began."""
        with self._lock:
            return {key: (series.total, series.count) for key, series in self._series.items()}

    def export_to(self, exported: _Exported | None) -> None:
        """Pass records on to an instrument of the SDK; None ends that.

        What was counted before goes along, because calls are taken while the SDK loads. Single
        values of a histogram are not kept and so do not.
        """
        with self._lock:
            self._exported = exported
            counted = {key: series.total for key, series in self._series.items()}
        if exported is not None and self.kind != "histogram":
            for key, total in counted.items():
                exported(total, dict(key))


_INSTRUMENTS: Final[dict[str, Instrument]] = {}
_REGISTRY_LOCK: Final = threading.Lock()


def counter(name: str, unit: str, description: str) -> Instrument:
    """A sum that only grows. The same name gives the same instrument."""
    return _instrument(name, unit, description, "counter")


def up_down_counter(name: str, unit: str, description: str) -> Instrument:
    """A sum that rises and falls, such as calls under way."""
    return _instrument(name, unit, description, "up_down_counter")


def histogram(name: str, unit: str, description: str) -> Instrument:
    """A distribution of values, such as durations."""
    return _instrument(name, unit, description, "histogram")


def instruments() -> tuple[Instrument, ...]:
    """All instruments of the process, by name."""
    with _REGISTRY_LOCK:
        return tuple(_INSTRUMENTS[name] for name in sorted(_INSTRUMENTS))


def _instrument(name: str, unit: str, description: str, kind: str) -> Instrument:
    with _REGISTRY_LOCK:
        known = _INSTRUMENTS.get(name)
        if known is None:
            known = _INSTRUMENTS[name] = Instrument(name, unit, description, kind)
            if _State.meter is not None:
                known.export_to(_exported(_State.meter, known))
    if (known.unit, known.kind) != (unit, kind):
        raise ValueError("an instrument of this name has another unit or kind")
    return known


class _State:
    """What ``configure`` chose; spans are made only while a tracer is here."""

    tracer: trace.Tracer | None = None
    meter: Any = None


def tracer() -> trace.Tracer | None:
    """The tracer in force; None while no exporter is chosen."""
    return _State.tracer


class Telemetry:
    """The exporters of a process; made by ``configure``."""

    def __init__(
        self, tracers: TracerProvider | None = None, meters: MeterProvider | None = None
    ) -> None:
        """Use providers of the SDK, both or none."""
        self._tracers = tracers
        self._meters = meters
        if tracers is not None:
            _State.tracer = tracers.get_tracer(_NAME)
        if meters is not None:
            _State.meter = meters.get_meter(_NAME)
            for instrument in instruments():
                instrument.export_to(_exported(_State.meter, instrument))

    def shutdown(self) -> None:
        """Flush and end; blocks while the exporter sends."""
        _State.tracer = _State.meter = None
        for instrument in instruments():
            instrument.export_to(None)
        if self._tracers is not None:
            self._tracers.shutdown()
        if self._meters is not None:
            self._meters.shutdown()


def configure(exporter: str, service: str, endpoint: str = "") -> Telemetry:
    """Choose where traces and metrics go. Call it after the port is open: the SDK loads slowly.

    Args:
        exporter: none, console (standard error) or otlp.
        service: ``service.name`` of the resource.
        endpoint: OTLP/gRPC endpoint.

    Raises:
        ModuleNotFoundError: The SDK or the OTLP exporter is not installed.
        ValueError: Another exporter is named.
    """
    if exporter == "none":
        return Telemetry()
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import (
        ConsoleMetricExporter,
        PeriodicExportingMetricReader,
    )
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter

    spans: Any
    metrics: Any
    if exporter == "console":
        # Standard output belongs to the program's own results.
        spans, metrics = ConsoleSpanExporter(out=sys.stderr), ConsoleMetricExporter(out=sys.stderr)
    elif exporter == "otlp":
        from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

        spans, metrics = OTLPSpanExporter(endpoint=endpoint), OTLPMetricExporter(endpoint=endpoint)
    else:
        raise ValueError("exporters are none, console and otlp")
    resource = Resource.create({"service.name": service})
    tracers = TracerProvider(resource=resource, shutdown_on_exit=False)
    tracers.add_span_processor(BatchSpanProcessor(spans))
    reader = PeriodicExportingMetricReader(metrics, export_interval_millis=EXPORT_MILLISECONDS)
    meters = MeterProvider([reader], resource=resource, shutdown_on_exit=False)
    return Telemetry(tracers, meters)


def _exported(meter: Any, instrument: Instrument) -> _Exported:  # noqa: ANN401 - SDK is optional
    words = (instrument.name, instrument.unit, instrument.description)
    if instrument.kind == "histogram":
        record: _Exported = meter.create_histogram(*words).record
        return record
    make = meter.create_counter if instrument.kind == "counter" else meter.create_up_down_counter
    add: _Exported = make(*words).add
    return add


def context_of(traceparent: str) -> Context:
    """The W3C trace context of a ``traceparent`` value; an empty context where it is malformed."""
    return _PROPAGATOR.extract({TRACEPARENT_KEY: traceparent}, context=Context())


def current_traceparent() -> str:
    """The ``traceparent`` value for outgoing calls; empty outside of a trace."""
    carrier: dict[str, str] = {}
    _PROPAGATOR.inject(carrier)
    return carrier.get(TRACEPARENT_KEY, "")


@contextmanager
def linked_span(name: str, traceparents: Sequence[str] = ()) -> Iterator[None]:
    """A span of one batch or one acknowledgement, current while it lasts.

    It continues the first trace that is given, so that one trace leads from the tool call to the
    commit, and links to the others and to the span of the stream around it.

    Args:
        name: Fixed name, such as ``capture.batch``.
        traceparents: ``traceparent`` values of the items; at most 64 are used.
    """
    active = tracer()
    if active is None:
        yield
        return
    parents = [_span_context(value) for value in traceparents[:LINKS_MAX] if value]
    valid = [parent for parent in parents if parent.is_valid]
    around = trace.get_current_span().get_span_context()
    context = (
        trace.set_span_in_context(trace.NonRecordingSpan(valid[0]), Context())
        if valid
        else Context()
    )
    links = _links([*valid[1:], around])
    with active.start_as_current_span(name, context=context, links=links, record_exception=False):
        yield


def _span_context(traceparent: str) -> trace.SpanContext:
    return trace.get_current_span(context_of(traceparent)).get_span_context()


def _links(contexts: Iterable[trace.SpanContext]) -> list[trace.Link]:
    return [trace.Link(context) for context in contexts if context.is_valid]
