"""Which pairs of a query belong to the key."""

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final

from sourcecorpus.identity import escapes
from sourcecorpus.identity.limits import (
    MAXIMUM_CACHED_PARAMETER_NAMES,
    MAXIMUM_PARAMETER_NAME_CODE_POINTS,
)
from sourcecorpus.identity.parameters import (
    HOST_TRACKING_NAMES,
    PATH_SESSION_NAMES,
    SECRET_IF_MACHINE_MADE,
    SECRET_NAMES,
    SIGNING_SCHEMES,
    TRACKING_NAMES,
    SigningScheme,
)

_PLACEHOLDER: Final = re.compile(r"REDACTED~[a-z0-9-]+~[0-9a-f]{16}~")
_SEPARATORS: Final = str.maketrans("", "", "-_.")
_TOKEN_TEXT: Final = re.compile(r"[A-Za-z0-9._~+/=-]+")
_UUID: Final = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_EVERYDAY_LENGTH: Final = 16
_FEWEST_CHANGES: Final = 4
_SIGNING_NAMES: Final = frozenset().union(*(scheme.parameters for scheme in SIGNING_SCHEMES))
_HOST_NAMES: Final = frozenset().union(*HOST_TRACKING_NAMES.values())
_PATH_SESSION: Final = re.compile(
    f";(?:{'|'.join(PATH_SESSION_NAMES)})=[^/;]*", re.IGNORECASE | re.ASCII
)


def remove_path_sessions(path: str) -> tuple[str, tuple[str, ...]]:
    """Removes session path parameters, each up to the next `/` or `;`.

    Returns:
        The path and the names removed, in lower case.
    """
    removed = tuple(
        match[0][1:].partition("=")[0].lower() for match in _PATH_SESSION.finditer(path)
    )
    return (_PATH_SESSION.sub("", path), removed) if removed else (path, ())


def filter_query(query: str, host: str) -> tuple[str, tuple[str, ...]]:
    """Removes tracking, secret and signing parameters; all else stays as it is, in its order.

    Args:
        query: Without the question mark, escapes normalised.
        host: Canonical host, or the empty string.

    Returns:
        What stays, and the decoded names removed in order. Removal is monotone: what stays here
        stays in every later pass, because every rule needs something to be present.
    """
    pairs = query.split("&")
    kinds = [_classify(pair.partition("=")[0]) for pair in pairs]
    if not any(kinds):
        return query, ()
    names = frozenset(kind for kind in kinds if kind)
    lowered = frozenset(name.lower() for name in names)
    signing = [scheme for scheme in SIGNING_SCHEMES if _in_use(scheme, lowered, host)]
    kept: list[str] = []
    removed: list[str] = []
    for pair, kind in zip(pairs, kinds, strict=True):
        if _leaves(kind, pair, host, signing):
            removed.append(kind)
        else:
            kept.append(pair)
    return "&".join(kept), tuple(removed)


def filter_secrets(text: str) -> tuple[str, tuple[str, ...]]:
    """Removes secret parameters from a fragment that is written like a query; nothing else."""
    kept: list[str] = []
    removed: list[str] = []
    for pair in text.split("&"):
        decoded = escapes.decode(pair.partition("=")[0])
        if _is_secret(decoded, pair):
            removed.append(decoded)
        else:
            kept.append(pair)
    return "&".join(kept), tuple(removed)


@lru_cache(maxsize=MAXIMUM_CACHED_PARAMETER_NAMES)
def _classify(name: str) -> str:
    """Returns the decoded name if any list mentions it, otherwise the empty string."""
    if len(name) > MAXIMUM_PARAMETER_NAME_CODE_POINTS:
        return ""
    decoded = escapes.decode(name)
    plain = _plain_name(decoded)
    listed = (
        decoded in TRACKING_NAMES
        or decoded in _HOST_NAMES
        or plain in SECRET_NAMES
        or plain in SECRET_IF_MACHINE_MADE
        or decoded.lower() in _SIGNING_NAMES
    )
    return decoded if listed else ""


def _plain_name(decoded: str) -> str:
    if decoded.endswith("]"):
        inner = decoded[:-1].rpartition("[")[2]
        decoded = inner or decoded.partition("[")[0]
    return decoded.lower().translate(_SEPARATORS)


def _in_use(scheme: SigningScheme, lowered: frozenset[str], host: str) -> bool:
    if not scheme.required <= lowered:
        return False
    return not scheme.hosts or any(_is_below(host, owner) for owner in scheme.hosts)


def _is_below(host: str, owner: str) -> bool:
    return host == owner or host.endswith("." + owner)


def _leaves(kind: str, pair: str, host: str, signing: list[SigningScheme]) -> bool:
    if not kind:
        return False
    if kind in TRACKING_NAMES or _is_secret(kind, pair):
        return True
    lowered = kind.lower()
    if any(lowered in scheme.parameters for scheme in signing):
        return True
    return any(
        kind in names and _is_below(host, owner) for owner, names in HOST_TRACKING_NAMES.items()
    )


def _is_secret(decoded: str, pair: str) -> bool:
    """Tells whether a pair holds a secret, by its decoded name and its value.

    A placeholder is what the redactor leaves of a value that it judged to be a secret; the key must
    be the same before and after it. Under a name that no list mentions the placeholder stays: the
    value may have told two resources apart. A name without a value holds nothing.
    """
    _, equals, value = pair.partition("=")
    if not equals:
        return False
    plain = _plain_name(decoded)
    if plain in SECRET_NAMES:
        return True
    fewest = SECRET_IF_MACHINE_MADE.get(plain)
    if fewest is None:
        return False
    return _PLACEHOLDER.search(value) is not None or looks_machine_made(value, fewest)


def looks_machine_made(value: str, fewest: int) -> bool:
    """Tells whether a value has no shape that a person would write.

    A machine-made value changes between lower case, upper case and digits often: random base 62
    text in 0.6 and hexadecimal text in 0.47 of its places, words, version numbers and coupon codes
    in far fewer than the quarter that is asked for.

    Args:
        value: As it stands in the query; escapes are decoded here.
        fewest: Fewest characters, from `SECRET_IF_MACHINE_MADE`.
    """
    value = escapes.decode(value)
    if len(value) < fewest or _TOKEN_TEXT.fullmatch(value) is None:
        return False
    if fewest >= _EVERYDAY_LENGTH and _UUID.fullmatch(value) is not None:
        return False
    classes = [_character_class(character) for character in value if character.isalnum()]
    changes = sum(first != second for first, second in pairwise(classes))
    return changes >= max(_FEWEST_CHANGES, len(value) // 4)


def _character_class(character: str) -> int:
    if character.isdigit():
        return 0
    return 1 if character.islower() else 2
