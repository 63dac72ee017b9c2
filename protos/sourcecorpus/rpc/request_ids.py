"""The id of the current call: given by the caller or made here, in logs and in INTERNAL errors.

Imports: standard library only.
"""

from __future__ import annotations

import re
import secrets
from contextvars import ContextVar
from typing import Final

from sourcecorpus.rpc.limits import REQUEST_ID_CHARACTERS_MAX

REQUEST_ID_KEY: Final = "x-request-id"
_PATTERN: Final = re.compile(rf"[A-Za-z0-9._-]{{1,{REQUEST_ID_CHARACTERS_MAX}}}")
_CURRENT: Final[ContextVar[str]] = ContextVar("sourcecorpus_request_id", default="")


def begin(offered: str = "") -> str:
    """Take the caller's id where it is well formed, otherwise make one; remember it for the call."""
    request_id = offered if _PATTERN.fullmatch(offered) else secrets.token_hex(16)
    _CURRENT.set(request_id)
    return request_id


def current() -> str:
    """The id of the current call; empty outside of a call."""
    return _CURRENT.get()
