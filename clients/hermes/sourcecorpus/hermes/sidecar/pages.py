"""Short names for the next page of an answer, because a model should not have to repeat long tokens."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from typing import Final

from google.protobuf.message import Message

PAGES_MAX: Final = 512


class PageBook:
    """Remembers ready requests under short names; the oldest is forgotten first. Safe for several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: OrderedDict[str, tuple[str, Message]] = OrderedDict()

    def remember(self, tool: str, request: Message) -> str:
        """Keep the next request of a tool and give its name."""
        name = f"p-{secrets.token_hex(4)}"
        with self._lock:
            self._requests[name] = (tool, request)
            if len(self._requests) > PAGES_MAX:
                self._requests.popitem(last=False)
        return name

    def find(self, tool: str, name: str, game_id: str) -> Message | None:
        """The request of a name; None where it is forgotten, of another tool, or of another game."""
        with self._lock:
            known_tool, request = self._requests.get(name, ("", None))
        if request is None or known_tool != tool:
            return None
        return request if getattr(request, "game_id", "") == game_id else None
