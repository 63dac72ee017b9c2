"""Tool families: what a tool returned becomes the sources that it holds.

Pure: no I/O, no clock; input and output are redacted. docs/tool-families.md explains the rules and
how to add a family.
"""

from capture_service.tool_families.call import ToolCall, UnknownShapeError
from capture_service.tool_families.context import AdaptContext, BoundedCallMemory, CallMemory
from capture_service.tool_families.family import ToolFamily
from capture_service.tool_families.registry import ToolFamilies, default_families

__all__ = [
    "AdaptContext",
    "BoundedCallMemory",
    "CallMemory",
    "ToolCall",
    "ToolFamilies",
    "ToolFamily",
    "UnknownShapeError",
    "default_families",
]
