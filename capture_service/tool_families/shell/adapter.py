"""Keeps the output of a command line as one artifact, and the addresses it fetched as stubs."""

from __future__ import annotations

from typing import Final

from capture_service.domain.envelope import Completeness, Derivation
from capture_service.domain.sources import JsonValue, SourceDraft, SourceRole, Window
from capture_service.tool_families.call import ToolCall, UnknownShapeError
from capture_service.tool_families.commands.plan import read_plan
from capture_service.tool_families.context import AdaptContext
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.http.responses import read_cut
from capture_service.tool_families.limits import MAXIMUM_ERROR_CODE_POINTS
from capture_service.tool_families.personal_paths import aliased, aliased_arguments
from capture_service.tool_families.stubs import web_stub
from capture_service.tool_families.terminal_output import (
    CommandResult,
    read_command_result,
    runs_commands,
)
from capture_service.tool_families.values import text_field, utf8

FAMILY: Final = "shell_command"
_TITLE_CODE_POINTS: Final = 200


class ShellFamily:
    """Shell commands that are no fetch, or whose fetch another program read."""

    name: Final = FAMILY

    def recognises(self, call: ToolCall) -> bool:
        """Tells whether the tool runs shell commands."""
        return runs_commands(call)

    def adapt(self, call: ToolCall, context: AdaptContext) -> DraftCollector:
        """Makes drafts.

        Raises:
            UnknownShapeError: the result is of no known shape.
        """
        result = read_command_result(call)
        if result is None:
            raise UnknownShapeError
        collector = DraftCollector()
        parent = collector.add(_artifact(call, result, context))
        plan = read_plan(result.command)
        for fetch in plan.fetches:
            collector.drop("addresses_not_literal", fetch.unreadable)
        for rank, address in enumerate(plan.addresses, 1):
            collector.add(web_stub(address, "http", parent=parent, rank=rank))
        return collector


def _artifact(call: ToolCall, result: CommandResult, context: AdaptContext) -> SourceDraft:
    command = aliased(result.command, context.path_aliases)
    identity: dict[str, JsonValue] = {"command": command}
    folder = text_field(call.arguments, "workdir", "cwd")
    if folder:
        identity["workdir"] = context.path_aliases.to_uri(folder)
    if not command:
        identity = aliased_arguments(call.identifying_arguments, context.path_aliases)
    cut = read_cut(result.output)
    output = result.output if cut is None else cut.text
    failed = bool(result.error) or result.exit_code not in (0, None)
    metadata: dict[str, JsonValue] = {"command": command}
    if result.exit_code is not None:
        metadata["exit_code"] = result.exit_code
    if cut is not None:
        metadata["tool_window"] = {"head": cut.head, "tail": cut.tail, "total": cut.total}
    if result.background:
        metadata["background"] = True
    keeps_text = not result.background and (bool(output) or not failed)
    return SourceDraft(
        uri=call.key(FAMILY, call.name.tool, identity),
        family=FAMILY,
        kind="command",
        role=_role(result, failed=failed),
        completeness=_completeness(result, truncated=cut is not None, keeps_text=keeps_text),
        title=(command.strip().splitlines() or [""])[0][:_TITLE_CODE_POINTS],
        content=utf8(output) if keeps_text else None,
        content_type="text/plain; charset=utf-8",
        window=None if cut is None else Window("characters", 1, max(1, cut.head), cut.total),
        derivation=Derivation.STDOUT,
        error=_error(result, context) if failed else "",
        error_code=f"EXIT_{result.exit_code}" if failed and result.exit_code is not None else "",
        never_current=failed,
        metadata=metadata,
    )


def _role(result: CommandResult, *, failed: bool) -> SourceRole:
    if failed:
        return SourceRole.FAILED
    return SourceRole.STUB if result.background else SourceRole.ARTIFACT


def _completeness(result: CommandResult, *, truncated: bool, keeps_text: bool) -> Completeness:
    if result.background:
        return Completeness.STUB
    if not keeps_text:
        return Completeness.UNSPECIFIED
    return Completeness.TRUNCATED if truncated else Completeness.FULL


def _error(result: CommandResult, context: AdaptContext) -> str:
    words = result.error or result.meaning or f"the command ended with {result.exit_code}"
    return aliased(words[:MAXIMUM_ERROR_CODE_POINTS], context.path_aliases)
