"""`tool:` URIs: the key of what has no address, such as a search or a crawl job."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

from sourcecorpus.identity import escapes
from sourcecorpus.identity.limits import MAXIMUM_ARGUMENT_DEPTH, MAXIMUM_TOOL_URI_CODE_POINTS

_EXACT_INTEGERS: Final = 2.0**53
_SPELLED: Final = re.compile("[^A-Za-z0-9._~-]+")
_LITERALS: Final = frozenset(("true", "false", "null", "NaN", "Infinity", "-Infinity"))
_MAY_BE_A_NUMBER: Final = re.compile(r"-?[0-9]")


class InvalidArgumentsError(ValueError):
    """Arguments are no JSON, or nested deeper than `MAXIMUM_ARGUMENT_DEPTH`."""


def tool_uri(family: str, operation: str, arguments: Mapping[str, object]) -> str:
    """Returns `tool:<family>/<operation>?<name>=<value>&…`, a fixed point of `canonicalise`.

    Every argument is identity. Names are sorted by code point. A text stands as itself, or in
    quotation marks if it would read as another JSON value; every other value is compact JSON with
    sorted keys, and a whole number is written alike whether it came as 5 or 5.0, because protobuf
    and JavaScript do not tell them apart.

    Args:
        family: Tool family, for example `discovery`.
        operation: Operation of the family, for example `search`.
        arguments: JSON values by name. Secret ones are redacted by the caller.

    Returns:
        At most `MAXIMUM_TOOL_URI_CODE_POINTS` code points behind the operation: longer arguments
        are replaced by `?arguments=sha256:<64 hex>` over their spelling.

    Raises:
        InvalidArgumentsError: a value is no JSON value, or is nested too deeply.
    """
    head = f"tool:{_spelled(family)}/{_spelled(operation)}"
    pairs = [f"{_spelled(name)}={_spelled(_value(arguments[name]))}" for name in sorted(arguments)]
    if not pairs:
        return head
    query = "&".join(pairs)
    if len(query) > MAXIMUM_TOOL_URI_CODE_POINTS:
        query = f"arguments=sha256:{hashlib.sha256(query.encode('ascii')).hexdigest()}"
    return f"{head}?{query}"


def _spelled(text: str) -> str:
    if not text.isascii():
        text = escapes.scalar_values(text)
    return _SPELLED.sub(lambda match: escapes.percent_encode(match[0].encode("utf-8")), text)


def _value(value: object) -> str:
    if isinstance(value, str) and not _reads_as_another_value(value):
        return value
    stable = _stable(value, 0)
    return json.dumps(stable, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _reads_as_another_value(text: str) -> bool:
    return (
        text[:1] in ('"', "{", "[")
        or text in _LITERALS
        or (_MAY_BE_A_NUMBER.match(text) is not None and _is_number(text))
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _stable(value: object, depth: int) -> object:
    if depth > MAXIMUM_ARGUMENT_DEPTH:
        raise InvalidArgumentsError(f"nested deeper than {MAXIMUM_ARGUMENT_DEPTH} levels")
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _EXACT_INTEGERS else value
    if isinstance(value, Mapping):
        return {str(name): _stable(value[name], depth + 1) for name in value}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return [_stable(item, depth + 1) for item in value]
    raise InvalidArgumentsError(f"{type(value).__name__} is no JSON value")
