"""What a command line fetches and whose body its output is."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Final

from capture_service.tool_families.commands.fetches import Fetch, read_fetch
from capture_service.tool_families.commands.options import program_of
from capture_service.tool_families.commands.shell_words import SimpleCommand, read_commands

_SILENT: Final = frozenset(
    (
        *("cd", "mkdir", "export", "set", "true", ":", "sleep", "rm", "touch", "chmod", "source"),
        *(".", "test", "[", "unset", "umask", "exit", "wait"),
    )
)
_PASSES_THROUGH: Final = frozenset(("cat", "tee"))


@dataclass(frozen=True, slots=True)
class FetchPlan:
    """The fetches of a command line.

    Attributes:
        fetches: All of them, in order.
        printed: Those of them whose output is all that the command line prints, at most one
            where the output can be told apart; empty where another program had a part in it.
        pure: Whether nothing but fetches wrote to the output.
    """

    fetches: tuple[Fetch, ...] = ()
    printed: tuple[Fetch, ...] = ()
    pure: bool = False

    @property
    def addresses(self) -> tuple[str, ...]:
        """Every address, once, in order."""
        return tuple(dict.fromkeys(url for fetch in self.fetches for url in fetch.addresses))

    @property
    def is_http(self) -> bool:
        """Tells whether the output can be told apart into responses."""
        if not self.fetches or not self.pure or any(fetch.unreadable for fetch in self.fetches):
            return False
        on_output = [fetch for fetch in self.printed for target in fetch.outputs if not target]
        if len(on_output) <= 1:
            return True
        return len(self.printed) == 1 and self.printed[0].headers_shown


@functools.lru_cache(maxsize=64)
def read_plan(command: str) -> FetchPlan:
    """Reads a command line; one that cannot be read has no fetches."""
    commands = read_commands(command)
    if commands is None:
        return FetchPlan()
    fetches: list[Fetch] = []
    printed: list[Fetch] = []
    pure = True
    for position, simple in enumerate(commands):
        fetch = read_fetch(simple)
        if fetch is None:
            pure = pure and _adds_nothing(simple)
            continue
        if not fetch.addresses and not fetch.unreadable:
            pure = False
            continue
        consumed = simple.feeds_pipe and not _ends_unchanged(commands[position + 1 :])
        if simple.output_file:
            fetch = _redirected(fetch, simple.output_file)
        elif consumed:
            pure = False
        else:
            printed.append(fetch)
        fetches.append(fetch)
    return FetchPlan(tuple(fetches), tuple(printed), pure)


def _adds_nothing(simple: SimpleCommand) -> bool:
    program, _ = program_of(simple.words)
    if program in _SILENT or simple.output_file:
        return True
    return simple.reads_pipe and program in _PASSES_THROUGH


def _ends_unchanged(behind: list[SimpleCommand]) -> bool:
    """Tells whether the pipe ends on the output with every byte as it came."""
    for simple in behind:
        program, start = program_of(simple.words)
        plain = not any(word.startswith("-") for word in simple.words[start + 1 :])
        if program not in _PASSES_THROUGH or not plain or simple.output_file:
            return False
        if not simple.feeds_pipe:
            return True
    return False


def _redirected(fetch: Fetch, target: str) -> Fetch:
    return replace(fetch, outputs=tuple(output or target for output in fetch.outputs))
