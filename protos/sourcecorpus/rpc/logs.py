"""Structured logs: one JSON object a line on standard error, fixed event names, no payloads.

Records of libraries keep their place in the source and the unformatted template, but neither their
arguments nor the text of an exception: both may hold a payload or a secret. Imports: standard
library and ``request_ids``.
"""

from __future__ import annotations

import datetime
import json
import logging
import re
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from sourcecorpus.rpc import request_ids

if TYPE_CHECKING:
    from types import TracebackType

Scalar = str | int | float | bool | None

FIELD_CHARACTERS_MAX: Final = 256
FRAMES_MAX: Final = 20
_EVENT_PATTERN: Final = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_FIELDS: Final = "sourcecorpus_fields"


def log_event(
    logger: logging.Logger,
    level: int,
    event: str,
    *,
    error: BaseException | None = None,
    **fields: Scalar,
) -> None:
    """Write one event.

    Args:
        logger: Logger of the module.
        level: Level of ``logging``.
        event: Fixed lower_snake name, a literal in the source.
        error: Its type and the places it came through are told, its text is not.
        fields: Numbers, ids of ours, reasons, counts; texts are cut at 256 characters.

    Raises:
        ValueError: The event is not lower_snake.
    """
    if not logger.isEnabledFor(level):
        return
    if not _EVENT_PATTERN.fullmatch(event):
        raise ValueError("an event name is lower_snake")
    exc_info = (type(error), error, error.__traceback__) if error else None
    logger.log(level, event, exc_info=exc_info, extra={_FIELDS: fields})


def configure_logging(level: str, service: str, stream: TextIO | None = None) -> None:
    """Send all logs of the process to one stream as JSON lines.

    Args:
        level: debug, info, warning or error.
        service: Name that stands in every line.
        stream: Where to; None means standard error.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter(service))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())


class JsonFormatter(logging.Formatter):
    """Formats a record as one JSON object without payloads."""

    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    def format(self, record: logging.LogRecord) -> str:
        """One line without a line end."""
        moment = datetime.datetime.fromtimestamp(record.created, tz=datetime.UTC)
        line: dict[str, object] = {
            "time": moment.isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "service": self._service,
        }
        fields: dict[str, Scalar] | None = getattr(record, _FIELDS, None)
        if fields is None:
            line["event"] = "library_message"
            line["logger"] = record.name
            line["place"] = f"{Path(record.pathname).name}:{record.lineno}"
            if record.args and isinstance(record.msg, str):
                line["template"] = record.msg[:FIELD_CHARACTERS_MAX]
        else:
            line["event"] = record.msg
            line.update({name: _bounded(value) for name, value in fields.items()})
        if request_ids.current():
            line["request_id"] = request_ids.current()
        if record.exc_info and record.exc_info[0]:
            line["error_type"] = record.exc_info[0].__qualname__
            line["error_places"] = _places(record.exc_info[2])
        return json.dumps(line, ensure_ascii=True, default=_kind)


def _bounded(value: Scalar) -> Scalar:
    return value[:FIELD_CHARACTERS_MAX] if isinstance(value, str) else value


def _kind(value: object) -> str:
    return type(value).__qualname__


def _places(trace: TracebackType | None) -> list[str]:
    frames = traceback.extract_tb(trace)[-FRAMES_MAX:]
    return [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
