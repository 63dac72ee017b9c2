"""Form of a case, and random material for secrets. No literal secret stands in this repository."""

import base64
import random
import string
from dataclasses import dataclass, field

LOWER = string.ascii_lowercase
UPPER = string.ascii_uppercase
DIGITS = string.digits
ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
URLSAFE = ALNUM + "-_"
BASE32 = UPPER + "234567"
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

NAMES_ONLY = {
    "betterleaks.algolia-application-id",
    "betterleaks.azure-storage-account-name",
    "betterleaks.azure-tenant-id",
    "betterleaks.cloudflare-account-id.1",
    "betterleaks.snowflake-account-host.1",
}
"""Rules of the independent scanner that report the name or number of an account, which is no secret and stays."""


@dataclass(frozen=True, slots=True)
class Case:
    """One text.

    Attributes:
        kind: What the case is about.
        text: Input of the redactor.
        secrets: Strings that must be gone; empty for a look-alike, which must come back byte for byte.
        keep: Strings that must survive.
    """

    kind: str
    text: str
    secrets: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()


@dataclass(slots=True)
class Maker:
    """Random material of one seed."""

    seed: str
    rng: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    def of(self, alphabet: str, count: int) -> str:
        """Characters of an alphabet; a digit and a letter occur where the alphabet and the length allow it."""
        while True:
            text = "".join(self.rng.choice(alphabet) for _ in range(count))
            wants_digit = count >= 10 and set(alphabet) & set(DIGITS)
            wants_letter = count >= 10 and set(alphabet) & set(string.ascii_letters)
            if wants_digit and not any(c.isdigit() for c in text):
                continue
            if wants_letter and not any(c.isalpha() for c in text):
                continue
            return text

    def alnum(self, count: int) -> str:
        return self.of(ALNUM, count)

    def hex(self, count: int) -> str:
        return self.of(HEX, count)

    def urlsafe(self, count: int) -> str:
        """URL-safe base64 characters that begin and end with a letter or digit."""
        return (
            self.alnum(1) + self.of(URLSAFE, count - 2) + self.alnum(1)
            if count > 2
            else self.alnum(count)
        )

    def digits(self, count: int) -> str:
        return self.rng.choice("123456789") + "".join(
            self.rng.choice(DIGITS) for _ in range(count - 1)
        )

    def uuid(self) -> str:
        return f"{self.hex(8)}-{self.hex(4)}-4{self.hex(3)}-a{self.hex(3)}-{self.hex(12)}"

    def base64(self, octets: int) -> str:
        return base64.b64encode(self.rng.randbytes(octets)).decode()

    def password(self, length: int = 12, symbols: str = "!@#$%^*-_+") -> str:
        """A password of all four classes that begins with a letter."""
        classes = [LOWER, UPPER, DIGITS, symbols]
        text = [self.rng.choice(one) for one in classes]
        text += [self.rng.choice(ALNUM) for _ in range(length - 5)]
        self.rng.shuffle(text)
        return self.rng.choice(ALNUM[:52]) + "".join(text)

    def base64_lines(self, octets: int, width: int = 64) -> list[str]:
        text = self.base64(octets)
        return [text[start : start + width] for start in range(0, len(text), width)]
