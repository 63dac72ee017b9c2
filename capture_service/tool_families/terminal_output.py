"""Results of tools that run a shell command: text of the command, output, exit code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from capture_service.domain.sources import JsonValue
from capture_service.tool_families.call import ToolCall
from capture_service.tool_families.values import field, integer_field, text_field

TERMINAL_TOOLS: Final = frozenset(
    ("terminal", "shell", "bash", "run_command", "execute_command", "start_process", "process")
)


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a command line gave.

    Attributes:
        command: The command line; "" where the call only asks for a running process.
        output: Standard output and errors in one text, as the tool merges them.
        exit_code: None where the tool tells none.
        meaning: What the tool says the exit code means.
        background: Whether the command still runs and its output is yet to come.
    """

    command: str
    output: str
    exit_code: int | None
    error: str
    meaning: str
    background: bool


def runs_commands(call: ToolCall) -> bool:
    """Tells whether the tool runs shell commands."""
    return call.name.tool in TERMINAL_TOOLS


def command_of(call: ToolCall) -> str:
    """Returns the command line of the arguments, "" for none."""
    return text_field(call.arguments, "command", "cmd", "commandLine")


def read_command_result(call: ToolCall) -> CommandResult | None:
    """Returns output and exit code, None for a shape that is unknown."""
    value = call.body.value
    command = command_of(call)
    if isinstance(value, str):
        failed = call.body.failed or call.envelope.status.value > 1
        error = value.strip() or call.envelope.error
        return CommandResult(
            command, "" if failed else value, None, error if failed else "", "", False
        )
    if not isinstance(value, dict):
        return None
    output = _output(value)
    error = text_field(value, "error")
    exit_code = integer_field(value, "exit_code", "returncode", "exitCode")
    raw = field(value, "exit_code", "returncode", "exitCode")
    if exit_code is None and isinstance(raw, int):
        exit_code = raw
    if output is None and not error:
        return None
    background = "pid" in value and exit_code is None
    return CommandResult(
        command or text_field(value, "command"),
        output or "",
        exit_code,
        error,
        text_field(value, "exit_code_meaning"),
        background,
    )


def _output(value: dict[str, JsonValue]) -> str | None:
    for name in ("output", "stdout", "output_preview"):
        found = value.get(name)
        if isinstance(found, str):
            errors = value.get("stderr")
            return f"{found}{errors}" if name == "stdout" and isinstance(errors, str) else found
    return None
