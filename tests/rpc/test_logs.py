"""Log lines are JSON with fixed events and without what a payload may hold."""

from __future__ import annotations

import io
import json
import logging
import sys
from collections.abc import Iterator

import pytest

from sourcecorpus.rpc import request_ids
from sourcecorpus.rpc.logs import FIELD_CHARACTERS_MAX, configure_logging, log_event

SECRET = "hunter" + "2"
LOGGER = logging.getLogger("test.logs")


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    found = io.StringIO()
    configure_logging("info", "sample", found)
    yield found
    root.handlers[:] = before
    root.setLevel(level)


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_an_event_has_time_level_service_and_its_fields(stream: io.StringIO) -> None:
    log_event(LOGGER, logging.INFO, "outbox_full", envelopes=3, reason="OUTBOX_FULL", wait=None)
    log_event(LOGGER, logging.DEBUG, "too_fine")
    (line,) = lines(stream)
    assert str(line.pop("time")).endswith("+00:00")
    assert line == {
        "level": "info",
        "service": "sample",
        "event": "outbox_full",
        "envelopes": 3,
        "reason": "OUTBOX_FULL",
        "wait": None,
    }


def test_long_fields_are_cut_and_lines_stay_lines(stream: io.StringIO) -> None:
    log_event(LOGGER, logging.INFO, "long_field", text="a\nb" + "x" * 1_000)
    (line,) = lines(stream)
    assert len(str(line["text"])) == FIELD_CHARACTERS_MAX


def test_an_error_is_told_by_type_and_place_only(stream: io.StringIO) -> None:
    try:
        raise ValueError(SECRET)
    except ValueError as error:
        log_event(LOGGER, logging.ERROR, "write_failed", error=error)
    (line,) = lines(stream)
    assert line["error_type"] == "ValueError"
    assert str(line["error_places"]).startswith("['test_logs.py:")
    assert SECRET not in stream.getvalue()


def test_messages_of_libraries_lose_arguments_and_texts(stream: io.StringIO) -> None:
    library = logging.getLogger("some.library")
    library.warning("cannot parse %s", SECRET)
    library.warning(f"cannot parse {SECRET}")
    try:
        raise KeyError(SECRET)
    except KeyError:
        library.exception("failed")
    first, second, third = lines(stream)
    assert first["template"] == "cannot parse %s"
    assert "template" not in second
    assert second["event"] == "library_message"
    assert third["error_type"] == "KeyError"
    assert SECRET not in stream.getvalue()


def test_the_request_id_of_the_call_stands_in_its_lines(stream: io.StringIO) -> None:
    import contextvars

    def call() -> None:
        request_ids.begin("r-5")
        log_event(LOGGER, logging.INFO, "call_seen")

    contextvars.copy_context().run(call)
    log_event(LOGGER, logging.INFO, "outside")
    inside, outside = lines(stream)
    assert inside["request_id"] == "r-5"
    assert "request_id" not in outside


def test_event_names_are_fixed_words(stream: io.StringIO) -> None:
    with pytest.raises(ValueError, match="lower_snake"):
        log_event(LOGGER, logging.INFO, "Something happened")


def test_standard_error_is_the_default() -> None:
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    try:
        configure_logging("error", "sample")
        (handler,) = root.handlers
        assert isinstance(handler, logging.StreamHandler)
        assert handler.stream is sys.stderr
        assert root.level == logging.ERROR
    finally:
        root.handlers[:] = before
        root.setLevel(level)
