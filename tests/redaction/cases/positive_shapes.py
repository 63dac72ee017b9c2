"""Secrets without a format of their own: fields, commands, headers, cookies, URLs, keys, sentences."""

from collections.abc import Callable

from .model import Case, Maker
from .shapes_commands import COMMANDS
from .shapes_fields import FIELDS
from .shapes_files import FILES
from .shapes_keys import KEY_SHAPES
from .shapes_network import NETWORK

Shape = Callable[[Maker], Case]
SHAPES: dict[str, Shape] = dict(KEY_SHAPES)


def _simple(kind: str, template: str, recipe: Callable[[Maker], str], *keep: str) -> Shape:
    """A shape whose text is a template with one secret in place of ``@@``."""

    def build(make: Maker) -> Case:
        secret = recipe(make)
        return Case(kind, template.replace("@@", secret), (secret,), keep)

    return build


for _row in (*FIELDS, *FILES, *COMMANDS, *NETWORK):
    SHAPES[_row[0]] = _simple(*_row)
