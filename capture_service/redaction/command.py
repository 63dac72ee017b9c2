"""Functions behind the ``redact`` command: a filter of JSON lines, an explanation, and a check of files.

They write nothing but what they return or are given to write to, and never show a secret.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from capture_service.redaction.compiled import CompiledRules
from capture_service.redaction.configuration import RedactionConfiguration
from capture_service.redaction.errors import RedactionRefused
from capture_service.redaction.placeholder import RedactionKey
from capture_service.redaction.policy import RedactionPolicy
from capture_service.redaction.redactor import Redactor

KEY_FILE_VARIABLE: Final = "SOURCECORPUS_REDACTION_KEY_FILE"
"""Environment variable that names the key file; without it placeholders agree within one process only."""

MAX_CHECKED_FILE_BYTES: Final = 67_108_864
"""Bytes of one file that ``check_files`` reads."""


class TextOutput(Protocol):
    """Where the filter writes."""

    def write(self, text: str, /) -> int:
        """Write text."""
        ...

    def flush(self) -> None:
        """Hand on what was written."""
        ...


@dataclass(frozen=True, slots=True)
class Explanation:
    """Where a rule fired.

    Attributes:
        rule: Readable rule name.
        start: Offset of the first masked byte.
        end: Offset behind the last masked byte.
        line: Line of the first masked byte, from 1.
        column: Column of the first masked byte in its line, in bytes, from 1.
    """

    rule: str
    start: int
    end: int
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """What a check of one file found.

    Attributes:
        path: The file.
        explanations: Places that would be masked.
        reason: Why the file was refused or not read, UPPER_SNAKE; empty when it was redacted.
    """

    path: Path
    explanations: tuple[Explanation, ...] = ()
    reason: str = ""


def build_redactor(
    configuration: RedactionConfiguration | None = None,
    key_file: Path | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Redactor:
    """Build a redactor with the key of the installation, or with one that lives as long as the process.

    Args:
        configuration: What the installation adds.
        key_file: Key file; by default the one that ``SOURCECORPUS_REDACTION_KEY_FILE`` names.
        environment: Environment to look the variable up in.

    Raises:
        KeyFileError: The key file cannot be used.
        ImportError: No matching engine is installed.
    """
    named = environment.get(KEY_FILE_VARIABLE, "")
    path = key_file or (Path(named) if named else None)
    key = RedactionKey.load_or_create(path) if path is not None else RedactionKey.ephemeral()
    return Redactor(RedactionPolicy.build(key, configuration, compiled=CompiledRules.of_user()))


def filter_lines(lines: Iterable[str | bytes], output: TextOutput, redactor: Redactor) -> int:
    """Read JSON lines with a member ``text`` and write JSON lines with the redacted ``text``, in the same order.

    Every line is judged by itself, without memory of the lines before. A line that is no such object, or that
    the redactor refuses, answers with an empty text, so that nothing unredacted passes and no line is lost.

    Returns:
        How many lines were refused.
    """
    refused = 0
    for line in lines:
        if not line.strip():
            continue
        text = _redacted(line, redactor)
        refused += text is None
        output.write(
            json.dumps({"text": text or ""}, ensure_ascii=False).translate(_SURROGATES) + "\n"
        )
        output.flush()
    return refused


_SURROGATES: Final = {code: f"\\u{code:04x}" for code in range(0xD800, 0xE000)}


def _redacted(line: str | bytes, redactor: Redactor) -> str | None:
    try:
        entry = json.loads(line)
        text = entry["text"]
        return redactor.redact_text(text).text if isinstance(text, str) else None
    except (ValueError, TypeError, KeyError, RecursionError, RedactionRefused):
        return None


def explain(data: bytes, redactor: Redactor) -> tuple[Explanation, ...]:
    """Return where rules fire in `data`, never what they fire on.

    Raises:
        RedactionRefused: The data cannot be redacted.
    """
    rows: list[Explanation] = []
    line = 1
    line_start = position = 0
    for finding in redactor.redact(data).findings:
        line += data.count(b"\n", position, finding.start)
        line_start = max(line_start, data.rfind(b"\n", position, finding.start) + 1)
        position = finding.start
        rows.append(
            Explanation(
                finding.rule, finding.start, finding.end, line, finding.start - line_start + 1
            )
        )
    return tuple(rows)


def check_files(paths: Iterable[Path], redactor: Redactor) -> Iterator[CheckedFile]:
    """Say for each file what would be masked in it; files are only read."""
    for path in paths:
        try:
            if path.stat().st_size > MAX_CHECKED_FILE_BYTES:
                yield CheckedFile(path, reason="FILE_TOO_LARGE")
                continue
            yield CheckedFile(path, explain(path.read_bytes(), redactor))
        except OSError:
            yield CheckedFile(path, reason="FILE_NOT_READABLE")
        except RedactionRefused as refusal:
            yield CheckedFile(path, reason=refusal.reason)
