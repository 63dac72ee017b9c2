"""What adapters are given besides the envelope."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock
from typing import Protocol

from capture_service.tool_families.limits import MAXIMUM_REMEMBERED_CALLS
from sourcecorpus.identity import PathAliases


class CallMemory(Protocol):
    """Small facts that one call leaves for a later one of the same conversation.

    Only the browser family needs it: a snapshot does not say which page is open. Answers of one
    crawl job and repeated reads are joined by their canonical URI instead, without any memory.
    """

    def recall(self, scope: str, name: str) -> str:
        """Returns what was remembered under a name in a conversation, "" for nothing."""

    def remember(self, scope: str, name: str, value: str) -> None:
        """Keeps a value; a later one under the same scope and name replaces it."""


class BoundedCallMemory:
    """Keeps the latest `MAXIMUM_REMEMBERED_CALLS` facts in memory; safe for several threads."""

    __slots__ = ("_facts", "_lock")

    def __init__(self) -> None:
        self._facts: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._lock = Lock()

    def recall(self, scope: str, name: str) -> str:
        """See `CallMemory`."""
        with self._lock:
            return self._facts.get((scope, name), "")

    def remember(self, scope: str, name: str, value: str) -> None:
        """See `CallMemory`."""
        with self._lock:
            self._facts[scope, name] = value
            self._facts.move_to_end((scope, name))
            if len(self._facts) > MAXIMUM_REMEMBERED_CALLS:
                self._facts.popitem(last=False)


@dataclass(frozen=True, slots=True)
class AdaptContext:
    """Policy and facts that are not in the envelope.

    Attributes:
        path_aliases: Names that stand for the folders of a person.
        manual_aliases: Aliases of folders whose documents are manuals.
        save_aliases: Aliases of folders whose files are saved games.
        keep_binary_bodies: Whether a body that is no text is kept beside its hash, type and size.
        memory: Facts from earlier calls.
    """

    path_aliases: PathAliases = field(default_factory=lambda: PathAliases({}))
    manual_aliases: frozenset[str] = frozenset(("manuals",))
    save_aliases: frozenset[str] = frozenset(("saves",))
    keep_binary_bodies: bool = False
    memory: CallMemory = field(default_factory=BoundedCallMemory)
