"""Keeps code and output as one artifact.

The output may repeat results of inner calls; they have been captured by themselves and make no
further sources here.
"""

from __future__ import annotations

import re
from typing import Final

from capture_service.domain.envelope import Completeness, Derivation
from capture_service.domain.sources import JsonValue, SourceDraft, SourceRole
from capture_service.tool_families.call import ToolCall, UnknownShapeError
from capture_service.tool_families.context import AdaptContext
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.failures import failure
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
        value = call.body.value
        collector = DraftCollector()
        if isinstance(value, dict):
            output = text_field(value, "output", "stdout")
            errors = text_field(value, "stderr")
            error = text_field(value, "error")
            if "output" not in value and "stdout" not in value and not error:
                raise UnknownShapeError
            facts: dict[str, JsonValue] = {
                name: value[name] for name in _FACTS if value.get(name) is not None
            }
            omitted = integer_field(value, "stdout_bytes_omitted") or 0
            truncated = omitted > 0 or value.get("stdout_truncated") is True
            exit_code = value.get("exit_code")
            failed = bool(error) or exit_code not in (0, None) or _says_failed(value)
        else:
            output, errors, error = "", "", str(value).strip() or call.envelope.error
            facts, truncated, failed = {}, False, True
        reason = failure(error or "the code failed")
        has_text = bool(output or errors) or not failed
        collector.add(
            SourceDraft(
                uri=call.key(FAMILY, call.name.tool, {"code": content_hash(utf8(code))}),
                family=FAMILY,
                kind="code",
                role=SourceRole.FAILED if failed else SourceRole.ARTIFACT,
                completeness=_completeness(has_text=has_text, truncated=truncated),
                content=utf8(_listing(code, output, errors)) if has_text else None,
                content_type="text/markdown; charset=utf-8",
                derivation=Derivation.STDOUT,
                error=reason.error if failed else "",
                never_current=failed,
                metadata=facts,
            )
        )
        return collector


def _says_failed(value: dict[str, JsonValue]) -> bool:
    return text_field(value, "status") in ("error", "failed", "timeout", "interrupted")


def _completeness(*, has_text: bool, truncated: bool) -> Completeness:
    if not has_text:
        return Completeness.UNSPECIFIED
    return Completeness.TRUNCATED if truncated else Completeness.FULL


def _listing(code: str, output: str, errors: str) -> str:
    parts = [_fenced("python", code), _fenced("", output)]
    if errors:
        parts.append(_fenced("", errors))
    return "\n".join(parts)


def _fenced(language: str, text: str) -> str:
    """Fences a text with more back ticks than any line of it begins with (CommonMark 4.5)."""
    longest = max((len(match[0]) for match in _FENCE.finditer(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}\n"
