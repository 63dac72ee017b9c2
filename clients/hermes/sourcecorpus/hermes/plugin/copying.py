"""Copies of what a hook receives, because the live values belong to Hermes and may change at once."""

from __future__ import annotations

import json
import sys
from typing import Any, Final

from .limits import COPY_DEPTH_MAX, COPY_NODES_MAX

_LEAVES: Final = (str, int, float, bool, type(None))
_UNKNOWN: Final = "(not JSON)"


class CopyTooLarge(Exception):  # noqa: N818 - the value is fine, the bound is ours
    """A value has more parts or is nested deeper than is copied within a call."""


def copy_json(value: object) -> Any:  # noqa: ANN401 - JSON values
    """Copy dicts and lists, keep the immutable leaves, put a fixed text for what JSON does not know.

    No method of a foreign object is called, so this cannot run code of others.

    Raises:
        CopyTooLarge: ``COPY_NODES_MAX`` or ``COPY_DEPTH_MAX`` would be broken.
    """
    return _Copy().of(value, 0)


class _Copy:
    def __init__(self) -> None:
        self._left = COPY_NODES_MAX

    def of(self, value: object, depth: int) -> Any:  # noqa: ANN401 - JSON values
        if isinstance(value, _LEAVES):
            return value
        if depth >= COPY_DEPTH_MAX:
            raise CopyTooLarge
        if isinstance(value, dict):
            self._spend(len(value))
            return {str(key): self.of(item, depth + 1) for key, item in list(value.items())}
        if isinstance(value, list | tuple):
            self._spend(len(value))
            return [self.of(item, depth + 1) for item in list(value)]
        return _UNKNOWN

    def _spend(self, nodes: int) -> None:
        self._left -= nodes
        if self._left < 0:
            raise CopyTooLarge


def memory_bytes(value: object) -> int:
    """About how much memory a copied value holds; exact for a text."""
    if isinstance(value, dict):
        return 64 + sum(memory_bytes(key) + memory_bytes(item) for key, item in value.items())
    if isinstance(value, list):
        return 64 + sum(map(memory_bytes, value))
    return sys.getsizeof(value)


def encode_json(value: object) -> bytes:
    """A copied value as JSON in ASCII, so that lone surrogates keep their form."""
    return b"" if value is None else json.dumps(value, ensure_ascii=True).encode("ascii")


def encode_result(result: object) -> bytes:
    """The result's own text as UTF-8; another value as JSON.

    A lone surrogate has no UTF-8 form; its code unit is kept in the generalised form instead of being lost.
    """
    if isinstance(result, str):
        return result.encode("utf-8", "surrogatepass")
    return encode_json(result)
