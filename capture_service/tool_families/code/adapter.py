"""Keeps code and output as one artifact.

The output may repeat results of inner calls; they have been captured by themselves and make no
further sources here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from capture_service.domain.envelope import Completeness, Derivation
from capture_service.domain.sources import JsonValue, SourceDraft, SourceRole
from capture_service.tool_families.call import ToolCall, UnknownShapeError
from capture_service.tool_families.context import AdaptContext
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.failures import failure, failure_of
from capture_service.tool_families.values import integer_field, text_field, utf8
from sourcecorpus.identity import content_hash

FAMILY: Final = "code_run"
_TOOLS: Final = frozenset(("execute_code", "run_code", "code_interpreter"))
_FENCE: Final = re.compile(r"^`{3,}", re.MULTILINE)
_FACTS: Final = ("exit_code", "tool_calls_made", "stdout_bytes_total", "stdout_bytes_omitted")


class CodeFamily:
    """Runs of code."""

    name: Final = FAMILY

    def recognises(self, call: ToolCall) -> bool:
        """Tells whether the tool runs code."""
        return call.name.tool in _TOOLS

    def adapt(self, call: ToolCall, context: AdaptContext) -> DraftCollector:
        """Makes the one draft.

        Raises:
            UnknownShapeError: the result is of no known shape.
        """
        code = text_field(call.arguments, "code", "source")
        run = _read_run(call)
        has_text = bool(run.output or run.errors) or not run.failed
        identity = {"code": content_hash(utf8(code))} if code else call.identifying_arguments
        collector = DraftCollector()
        collector.add(
            SourceDraft(
                uri=call.key(FAMILY, call.name.tool, identity),
                family=FAMILY,
                kind="code",
                role=SourceRole.FAILED if run.failed else SourceRole.ARTIFACT,
                completeness=_completeness(has_text=has_text, truncated=run.truncated),
                content=utf8(_listing(code, run)) if has_text else None,
                content_type="text/markdown; charset=utf-8",
                derivation=Derivation.STDOUT,
                error=failure(run.error or "the code failed").error if run.failed else "",
                never_current=run.failed,
                metadata=run.facts,
            )
        )
        return collector


@dataclass(frozen=True, slots=True)
class _Run:
    """What a run gave."""

    output: str = ""
    errors: str = ""
    error: str = ""
    failed: bool = False
    truncated: bool = False
    facts: Mapping[str, JsonValue] = field(default_factory=dict)


def _read_run(call: ToolCall) -> _Run:
    value = call.body.value
    if isinstance(value, str):
        reason = failure_of(call)
        if reason is None and call.body.wrapped:
            return _Run(output=value)
        return _Run(error=reason.error if reason is not None else value, failed=True)
    error = text_field(value, "error")
    if not isinstance(value, dict) or not (error or "output" in value or "stdout" in value):
        raise UnknownShapeError
    omitted = integer_field(value, "stdout_bytes_omitted") or 0
    return _Run(
        output=text_field(value, "output", "stdout"),
        errors=text_field(value, "stderr"),
        error=error,
        failed=bool(error) or value.get("exit_code") not in (0, None) or _says_failed(value),
        truncated=omitted > 0 or value.get("stdout_truncated") is True,
        facts={name: value[name] for name in _FACTS if value.get(name) is not None},
    )


def _says_failed(value: dict[str, JsonValue]) -> bool:
    return text_field(value, "status") in ("error", "failed", "timeout", "interrupted")


def _completeness(*, has_text: bool, truncated: bool) -> Completeness:
    if not has_text:
        return Completeness.UNSPECIFIED
    return Completeness.TRUNCATED if truncated else Completeness.FULL


def _listing(code: str, run: _Run) -> str:
    parts = [_fenced("python", code), _fenced("", run.output)]
    if run.errors:
        parts.append(_fenced("", run.errors))
    return "\n".join(parts)


def _fenced(language: str, text: str) -> str:
    """Fences a text with more back ticks than any line of it begins with (CommonMark 4.5)."""
    longest = max((len(match[0]) for match in _FENCE.finditer(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}\n"
