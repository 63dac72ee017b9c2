"""A tool call as the families see it: the envelope, opened once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from capture_service.domain.envelope import Envelope
from capture_service.domain.sources import JsonValue
from capture_service.tool_families.result_body import ResultBody, open_result, read_json
from capture_service.tool_families.tool_names import ToolName, read_tool_name
from capture_service.tool_families.values import without_nulls
from sourcecorpus.identity import InvalidArgumentsError, content_hash, tool_uri


class UnknownShapeError(Exception):
    """The result is of no shape that the family knows; it is kept as one raw artifact."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call and its result.

    Attributes:
        envelope: The redacted envelope.
        name: The tool's name, taken apart.
        arguments: Arguments without nulls; empty where they are no JSON object.
        body: The opened result.
    """

    envelope: Envelope
    name: ToolName
    arguments: Mapping[str, JsonValue]
    body: ResultBody

    @property
    def identifying_arguments(self) -> Mapping[str, JsonValue]:
        """Arguments that make the key of a `tool:` URI, also where they are no JSON object."""
        if not self.arguments and self.envelope.arguments.strip() not in (b"", b"{}"):
            return {"arguments": content_hash(self.envelope.arguments)}
        return self.arguments

    def key(
        self,
        family: str,
        operation: str,
        arguments: Mapping[str, JsonValue] | None = None,
    ) -> str:
        """Returns a `tool:` URI; without arguments those of the call make it.

        Arguments that nest too deeply are replaced by the digest of the call's arguments.
        """
        chosen = self.identifying_arguments if arguments is None else arguments
        try:
            return tool_uri(family, operation, chosen)
        except (InvalidArgumentsError, RecursionError):
            digest = content_hash(self.envelope.arguments)
            return tool_uri(family, operation, {"arguments": digest})

    @property
    def conversation(self) -> str:
        """Scope of the memory of calls; nested calls have no session, only a task."""
        return self.envelope.task_id or self.envelope.session_id


def read_call(envelope: Envelope) -> ToolCall:
    """Opens an envelope."""
    return ToolCall(
        envelope,
        read_tool_name(envelope.tool_name),
        _arguments(envelope.arguments),
        open_result(envelope.result),
    )


def unopened_call(envelope: Envelope) -> ToolCall:
    """Returns a call whose result is not looked at."""
    return ToolCall(envelope, read_tool_name(envelope.tool_name), {}, ResultBody("", broken=True))


def _arguments(data: bytes) -> Mapping[str, JsonValue]:
    try:
        value = read_json(data.decode("utf-8", "replace"))
    except ValueError:
        return {}
    return without_nulls(value) if isinstance(value, dict) else {}
