"""What every family is: a name, a test, an adapter."""

from __future__ import annotations

from typing import Protocol

from capture_service.tool_families.call import ToolCall
from capture_service.tool_families.context import AdaptContext
from capture_service.tool_families.drafting import DraftCollector


class ToolFamily(Protocol):
    """Turns results of one kind of tool into sources. Pure: no I/O, no clock."""

    @property
    def name(self) -> str:
        """Name of the family, as sources and trust contracts have it."""

    def recognises(self, call: ToolCall) -> bool:
        """Tells whether the call belongs to the family, by its shape and its tool's name."""

    def adapt(self, call: ToolCall, context: AdaptContext) -> DraftCollector:
        """Makes the drafts.

        Raises:
            UnknownShapeError: the result is of no shape that the family knows.
        """
