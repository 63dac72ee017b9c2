"""Trigger engines: one linear pass that says where a rule family may apply.

A trigger is a regular expression of the syntax that hyperscan and RE2 share. Engines report *events*, pairs of
a family number and an anchor offset. So that both engines report the same events, every pattern has, for each
place where it can start, exactly one end; a family's anchor is that end, or for patterns of fixed width the start.
"""

import contextlib
import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any, Final, Protocol

from capture_service.redaction.compiled import CompiledRules


@dataclass(frozen=True, slots=True)
class Trigger:
    """One trigger pattern.

    Attributes:
        family: Number of the rule family that confirms.
        pattern: Expression in the shared syntax, matched on bytes.
        width: Width of the match in bytes when it is fixed and the anchor is the start, else 0 and the
            anchor is the end.
        ignore_case: Match ASCII letters without regard to case.
        once: Report at most one event; where it stands does not matter then, and its anchor is 0.
    """

    family: int
    pattern: bytes
    width: int = 0
    ignore_case: bool = False
    once: bool = False


Event = tuple[int, int]


class TriggerEngine(Protocol):
    """Finds events in bytes; thread-safe."""

    @property
    def name(self) -> str:
        """Name of the engine, for diagnostics only: it never shows in output."""
        ...

    def events(self, data: bytes) -> list[Event]:
        """Return the distinct events as (anchor, family), in ascending order."""
        ...


_WHOLE: Final = 1 << 62
"""Width that moves every anchor to 0."""


class HyperscanEngine:
    """All triggers in one hyperscan database; one scratch per thread."""

    name = "hyperscan"

    def __init__(self, triggers: Sequence[Trigger], compiled: CompiledRules | None = None) -> None:
        import hyperscan

        self._hyperscan = hyperscan
        self._database = self._load_or_compile(triggers, compiled)
        self._families = tuple(
            (_WHOLE if trigger.once else trigger.width, trigger.family) for trigger in triggers
        )
        self._local = threading.local()

    def _load_or_compile(self, triggers: Sequence[Trigger], compiled: CompiledRules | None) -> Any:  # noqa: ANN401 - hyperscan has no types
        hyperscan = self._hyperscan
        expressions = [trigger.pattern for trigger in triggers]
        flags = [
            hyperscan.HS_FLAG_DOTALL
            | (hyperscan.HS_FLAG_CASELESS if trigger.ignore_case else 0)
            | (hyperscan.HS_FLAG_SINGLEMATCH if trigger.once else 0)
            for trigger in triggers
        ]
        facts = (expressions, flags, metadata.version("hyperscan"))
        name = hashlib.sha256(repr(facts).encode()).hexdigest()
        kept = compiled.read(name) if compiled else None
        if kept is not None:
            # Of another library or processor: the library tells, and the table is compiled here.
            with contextlib.suppress(hyperscan.HyperscanError):
                return hyperscan.loadb(kept, mode=hyperscan.HS_MODE_BLOCK)
        database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        database.compile(expressions=expressions, ids=list(range(len(triggers))), flags=flags)
        if compiled:
            compiled.keep(name, hyperscan.dumpb(database))
        return database

    def events(self, data: bytes) -> list[Event]:
        """Return the distinct events in ascending order of their anchor."""
        scratch = getattr(self._local, "scratch", None)
        if scratch is None:
            scratch = self._local.scratch = self._hyperscan.Scratch(self._database)
        found: list[Event] = []
        append = found.append
        families = self._families

        def on_match(index: int, _start: int, end: int, _flags: int, _context: object) -> None:
            width, family = families[index]
            append((end - width if end > width else 0, family))

        self._database.scan(data, match_event_handler=on_match, scratch=scratch)
        return sorted(set(found)) if len(found) > 1 else found


class Re2Engine:
    """One RE2 expression per family and case rule; overlapping matches are found by searching on from start + 1."""

    name = "re2"

    def __init__(self, triggers: Sequence[Trigger]) -> None:
        import re2

        groups: dict[tuple[int, bool, bool, bool], list[bytes]] = {}
        for trigger in triggers:
            key = (trigger.family, trigger.ignore_case, trigger.width > 0, trigger.once)
            groups.setdefault(key, []).append(trigger.pattern)
        self._searches = []
        for (family, ignore_case, at_start, once), patterns in groups.items():
            options = re2.Options()
            options.encoding = re2.Options.Encoding.LATIN1
            options.case_sensitive = not ignore_case
            options.dot_nl = True
            options.never_capture = True
            options.log_errors = False
            options.max_mem = 64 << 20
            expression = b"|".join(b"(?:" + pattern + b")" for pattern in patterns)
            self._searches.append((family, at_start, once, re2.compile(expression, options).search))

    def events(self, data: bytes) -> list[Event]:
        """Return the distinct events in ascending order of their anchor."""
        found: set[Event] = set()
        for family, at_start, once, search in self._searches:
            match = search(data)
            if once and match is not None:
                found.add((0, family))
                continue
            while match is not None:
                start, end = match.span()
                found.add((start if at_start else end, family))
                match = search(data, start + 1)
        return sorted(found)


def build_engine(
    triggers: Sequence[Trigger], preferred: str = "", compiled: CompiledRules | None = None
) -> TriggerEngine:
    """Build the engine of this installation: hyperscan, or RE2 where hyperscan is missing.

    Args:
        triggers: All triggers of the rule table and the configuration.
        preferred: ``hyperscan`` or ``re2`` to insist on one.
        compiled: Where hyperscan's table is kept; None compiles it anew. Never for triggers that hold secrets.

    Raises:
        ImportError: Neither engine is installed, or the preferred one is not.
    """
    if preferred == "re2":
        return Re2Engine(triggers)
    if preferred == "hyperscan":
        return HyperscanEngine(triggers, compiled)
    try:
        return HyperscanEngine(triggers, compiled)
    except ImportError:
        return Re2Engine(triggers)
