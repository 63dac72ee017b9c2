"""Reads files of captures: envelopes as proto JSON, or recorded hook events of Hermes.

A file holds one JSON object, one JSON array of objects, or JSON Lines. An object with ``hook`` and ``kwargs``
is a recorded hook event; only ``post_tool_call`` yields an envelope, because the other hooks repeat or announce.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from google.protobuf import json_format

from sourcecorpus.capture.v1.envelope_pb2 import Envelope
from sourcecorpus.hermes.hook_events import envelope_of_hook_event

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILE_BYTES_MAX: Final = 512 * 1024 * 1024
_NOT_READABLE_JSON: Final = "JSON that is nested too deeply, or has a number with too many digits"
# RFC 4648 sections 4 and 5; padding may be left out.
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]*={0,2}")


class EnvelopeFileError(ValueError):
    """A file of captures cannot be read; the message names the file and the position, never its content."""


def read_envelopes(path: Path) -> Iterator[Envelope]:
    """Yield the envelopes of a file in order.

    Args:
        path: File of at most 512 MiB.

    Raises:
        EnvelopeFileError: The file is unreadable, too large, not JSON, or an object is no envelope.
    """
    for position, document in enumerate(_documents(path), start=1):
        if not isinstance(document, dict):
            raise EnvelopeFileError(f"{path}: item {position} is not a JSON object")
        if "hook" in document and "kwargs" in document:
            envelope = _of_hook_event(path, position, document)
            if envelope is not None:
                yield envelope
            continue
        wrong = _wrong_base64(document)
        if wrong:
            raise EnvelopeFileError(f"{path}: item {position}: field {wrong!r} is not base64")
        try:
            yield json_format.ParseDict(document, Envelope())
        except (json_format.ParseError, ValueError, RecursionError) as error:
            raise EnvelopeFileError(
                f"{path}: item {position} is no envelope in proto JSON: {_field_of(error)}"
            ) from None


def _of_hook_event(path: Path, position: int, document: dict[str, Any]) -> Envelope | None:
    side_files = document.get("side_files") or {}
    well_formed = (
        isinstance(document["kwargs"], dict)
        and isinstance(side_files, dict)
        and all(isinstance(text, str) for text in side_files.values())
    )
    try:
        if well_formed:
            return envelope_of_hook_event(document)
    except (TypeError, ValueError, OverflowError, RecursionError):
        # A value of a wrong type or beyond its range; its own message may quote it.
        pass
    raise EnvelopeFileError(f"{path}: item {position} is no hook event of Hermes")


def _wrong_base64(document: dict[str, Any]) -> str:
    """Name the first bytes field that is not base64.

    The JSON mapping of protobuf skips foreign characters in base64, so that plain text in a bytes field would be
    stored as other bytes without a word.
    """
    head = document.get("head")
    side_files = document.get("side_files", document.get("sideFiles"))
    fields = [("result", document.get("result"))]
    if isinstance(head, dict):
        fields.append(("head.arguments", head.get("arguments")))
    if isinstance(side_files, list):
        fields += [
            (f"side_files[{index}].data", file.get("data"))
            for index, file in enumerate(side_files)
            if isinstance(file, dict)
        ]
    for name, value in fields:
        if isinstance(value, str) and not _BASE64.fullmatch(value):
            return name
    return ""


def _documents(path: Path) -> Iterator[Any]:
    try:
        size = path.stat().st_size
        if size > FILE_BYTES_MAX:
            raise EnvelopeFileError(f"{path}: {size} bytes, at most {FILE_BYTES_MAX} are read")
        text = path.read_text(encoding="utf-8-sig", errors="strict")
    except UnicodeDecodeError as error:
        raise EnvelopeFileError(f"{path}: byte {error.start} is not UTF-8") from None
    except OSError as error:
        raise EnvelopeFileError(f"{path}: {error.strerror}") from None
    try:
        whole = json.loads(text)
    except json.JSONDecodeError as error:
        if not _looks_like_json_lines(text):
            raise EnvelopeFileError(
                f"{path}: not JSON at line {error.lineno} column {error.colno}"
            ) from None
        yield from _json_lines(path, text)
        return
    except (ValueError, RecursionError):
        raise EnvelopeFileError(f"{path}: {_NOT_READABLE_JSON}") from None
    if isinstance(whole, list):
        yield from whole
    else:
        yield whole


def _looks_like_json_lines(text: str) -> bool:
    first_line = text.lstrip().split("\n", 1)[0]
    try:
        json.loads(first_line)
    except (ValueError, RecursionError):
        return False
    return True


def _json_lines(path: Path, text: str) -> Iterator[Any]:
    # Split on \n alone: U+2028 and its kin are legal inside JSON strings.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield json.loads(line)
        except json.JSONDecodeError as error:
            raise EnvelopeFileError(
                f"{path}: line {number} is not JSON at column {error.colno}"
            ) from None
        except (ValueError, RecursionError):
            raise EnvelopeFileError(f"{path}: line {number}: {_NOT_READABLE_JSON}") from None


def _field_of(error: Exception) -> str:
    """Name the field of a parse error without the value that stands in protobuf's own message."""
    words = str(error).split('"')
    return f"field {words[1]!r}" if len(words) > 2 and words[1].isidentifier() else "wrong shape"
