"""Recognises fetches in shell commands and HTTP tools."""

from __future__ import annotations

from typing import Final

from capture_service.tool_families.call import ToolCall, UnknownShapeError
from capture_service.tool_families.context import AdaptContext
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.failures import failure_of
from capture_service.tool_families.http.observation import FAMILY
from capture_service.tool_families.http.terminal import add_terminal_fetches, plan_of
from capture_service.tool_families.http.tools import add_failed_fetch, add_tool_response
from capture_service.tool_families.terminal_output import runs_commands
from capture_service.tool_families.web_operations import has_http_response, web_family


class HttpFamily:
    """Bodies of fetches. A command whose output another program shaped is a shell command."""

    name: Final = FAMILY

    def recognises(self, call: ToolCall) -> bool:
        """Tells whether the call fetched something whose response can be told apart."""
        if runs_commands(call):
            return plan_of(call).is_http
        return web_family(call) == self.name

    def adapt(self, call: ToolCall, context: AdaptContext) -> DraftCollector:
        """Makes drafts.

        Raises:
            UnknownShapeError: the result is of no known shape.
        """
        collector = DraftCollector()
        if runs_commands(call):
            add_terminal_fetches(collector, call, context)
            return collector
        body = call.body
        is_response = has_http_response(body.value)
        is_json_page = bool(body.text) and not isinstance(body.value, str) and not body.failed
        reason = None if is_response or is_json_page else failure_of(call)
        if reason is not None:
            add_failed_fetch(collector, call, reason)
        else:
            add_tool_response(collector, call, context)
        if not len(collector):
            raise UnknownShapeError
        return collector
