"""Recipes of secrets that many shapes share."""

from collections.abc import Callable

from .model import Maker

Recipe = Callable[[Maker], str]
Row = tuple[str, str, Recipe, *tuple[str, ...]]
"""Kind, text with the secret in place of ``@@``, recipe of the secret, strings to keep."""

BIP39_WORDS = (
    "abandon",
    "ability",
    "absent",
    "canyon",
    "decade",
    "embrace",
    "fabric",
    "gadget",
    "harvest",
    "icon",
    "jungle",
    "kidney",
    "lumber",
)


def password(make: Maker) -> str:
    return make.password(14)


def tame(make: Maker) -> str:
    return make.password(14, "-_.+")


def token32(make: Maker) -> str:
    return make.alnum(32)


def token40(make: Maker) -> str:
    return make.urlsafe(40)


def hex32(make: Maker) -> str:
    return make.hex(32)
