"""Verdicts on values, remembered while one message is redacted.

The same value is judged by several rules, and a secret often stands in a message many times. What was judged may be
a secret, so the verdicts are forgotten when a message with a secret is done; they are never written anywhere.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, ParamSpec, TypeVar, cast

from capture_service.redaction.limits import MAX_VERDICTS

Parameters = ParamSpec("Parameters")
Verdict = TypeVar("Verdict")

_FORGET: Final[list[Callable[[], None]]] = []
_COUNT: Final[list[Callable[[], int]]] = []


def remembered(judge: Callable[Parameters, Verdict]) -> Callable[Parameters, Verdict]:
    """Remember up to ``MAX_VERDICTS`` verdicts of a pure function of hashable values."""
    cached = lru_cache(maxsize=MAX_VERDICTS)(cast("Callable[..., Verdict]", judge))
    _FORGET.append(cached.cache_clear)
    _COUNT.append(lambda: cached.cache_info().currsize)
    return cast("Callable[Parameters, Verdict]", cached)


def forget() -> None:
    """Forget all verdicts; another thread that still needs them judges again."""
    for clear in _FORGET:
        clear()


def held() -> int:
    """Return how many verdicts are held at the moment."""
    return sum(count() for count in _COUNT)
