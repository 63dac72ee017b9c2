"""The raw artifact of a result whose shape is unknown or changed."""

from __future__ import annotations

from typing import Final

from capture_service.domain.envelope import Completeness
from capture_service.domain.sources import JsonValue, SourceDraft, SourceRole
from capture_service.tool_families.call import ToolCall
from capture_service.tool_families.context import AdaptContext
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.personal_paths import aliased_arguments

OPERATION: Final = "raw"


def raw_artifact(
    call: ToolCall, family: str, context: AdaptContext, fault: str = ""
) -> DraftCollector:
    """Keeps the whole redacted result under a `tool:` URI of the tool.

    Args:
        call: The call.
        family: Family that knows the tool.
        context: Names the folders of a person.
        fault: Type of the error that an adapter raised, "" where the shape is just unknown.
    """
    collector = DraftCollector()
    metadata: dict[str, JsonValue] = {"tool_name": call.name.full}
    if fault:
        metadata["adapter_fault"] = fault
        collector.drop("adapter_faults")
    asked = aliased_arguments(call.identifying_arguments, context.path_aliases)
    is_json = not isinstance(call.body.value, str)
    collector.add(
        SourceDraft(
            uri=call.key(family, OPERATION, {**asked, "tool_name": call.name.full}),
            family=family,
            kind=OPERATION,
            role=SourceRole.ARTIFACT,
            completeness=Completeness.TRUNCATED if call.body.broken else Completeness.UNKNOWN,
            content=call.envelope.result,
            content_type="application/json" if is_json else "text/plain; charset=utf-8",
            shape_unknown=True,
            metadata=metadata,
        )
    )
    return collector
