"""Form of a typed token rule and the builder of its expressions."""

import re
from dataclasses import dataclass
from typing import Final

RIGHT_EDGE: Final = rb"(?![A-Za-z0-9])"
"""Nothing alphanumeric follows, judged on ASCII bytes: Chinese text stands directly beside tokens."""


@dataclass(frozen=True, slots=True)
class TokenRule:
    """One kind of token with a public format.

    Attributes:
        name: Readable kind that goes into the placeholder.
        heads: Fixed byte strings that the token begins with, or that stand inside it when `behind` is given.
        confirm: Expression matched at the head; the group ``s``, where there is one, is the secret part.
        behind: Expression of what belongs to the token directly before the head.
        reach: Bytes looked at before the head for `behind`.
        lead: Expression of fixed width directly before the head, used to keep triggers rare.
        tail: Expression of fixed width directly after the head, used to keep triggers rare.
        tail_width: Width of `tail` in bytes.
        judged: Whether the body must also look machine-made; off where the format alone is proof.
        glued: Whether an alphanumeric byte may stand directly before the head.
    """

    name: str
    heads: tuple[bytes, ...]
    confirm: re.Pattern[bytes]
    behind: re.Pattern[bytes] | None = None
    reach: int = 0
    lead: bytes = b""
    tail: bytes = b""
    tail_width: int = 0
    judged: bool = True
    glued: bool = False

    def trigger(self, head: bytes) -> bytes:
        """Return the trigger expression of one head; its width is fixed."""
        return self.lead + escape(head) + self.tail

    def width(self, head: bytes) -> int:
        """Return the width in bytes of the head and the tail."""
        return len(head) + self.tail_width


def escape(literal: bytes) -> bytes:
    """Escape a literal in the syntax that hyperscan, RE2 and ``re`` share."""
    return b"".join(
        bytes([byte])
        if (chr(byte).isalnum() and byte < 0x80) or byte == 0x5F
        else b"\\x%02x" % byte
        for byte in literal
    )


def token(
    name: str,
    heads: str,
    body: str,
    *,
    follow: str = "[0-9A-Za-z_-]",
    count: int = 4,
    judged: bool = True,
    glued: bool = False,
) -> TokenRule:
    r"""Build a rule from heads separated by spaces (``\x20`` for a space) and what follows them."""
    parts = tuple(head.encode("ascii").replace(b"\\x20", b" ") for head in heads.split())
    alternatives = b"|".join(escape(part) for part in sorted(parts, key=len, reverse=True))
    return TokenRule(
        name=name,
        heads=parts,
        confirm=re.compile(b"(?:" + alternatives + b")" + body.encode("ascii") + RIGHT_EDGE),
        tail=b"%s{%d}" % (follow.encode("ascii"), count) if count else b"",
        tail_width=count,
        judged=judged,
        glued=glued,
    )


def inner_token(
    name: str,
    behind: str,
    head: str,
    body: str,
    *,
    reach: int,
    lead: str,
    tail: str = "",
    tail_width: int = 0,
) -> TokenRule:
    """Build a rule for a token whose fixed part stands inside it."""
    literal = head.encode("ascii")
    return TokenRule(
        name=name,
        heads=(literal,),
        confirm=re.compile(escape(literal) + body.encode("ascii") + RIGHT_EDGE),
        behind=re.compile(rb"(?:" + behind.encode("ascii") + rb")\Z"),
        reach=reach,
        lead=lead.encode("ascii"),
        tail=tail.encode("ascii"),
        tail_width=tail_width,
    )
