"""Whole documents as templates: ``[[recipe]]`` stands for a secret, ``<<recipe>>`` for a harmless random part.

The documents are credential files, command lines and their output, protocol dumps, exports and settings as their
public descriptions give them; the others look like them and hold no secret. Every line without a secret has to survive.
"""

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import quote

from .model import ALNUM, BASE32, BASE58, LOWER, UPPER, Case, Maker
from .recipes import BIP39_WORDS

_FOLDER: Final = Path(__file__).parent
_PART: Final = re.compile(r"\[\[([a-z0-9]+(?::[^\]]*?)?)\]\]|<<([a-z0-9]+(?::[^>]*?)?)>>")
_HARMLESS: Final = re.compile(r"(\Z.)|<<([a-z0-9]+(?::[^>]*?)?)>>")
_BECH: Final = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_SIGNS: Final = ALNUM + "!@#$%^&*()-_ []{}<>~`+=,.;:/?|"
_SHORT_LINE: Final = 4
"""Lines of fewer characters, such as a bracket, prove nothing."""

_ALPHABETS: Final = {
    "upper": UPPER + "0123456789",
    "lower": LOWER,
    "lower36": LOWER + "0123456789",
    "base32": BASE32,
    "bech": _BECH,
    "bechu": _BECH.upper(),
    "wpsalt": _SIGNS,
}


def _basic(make: Maker) -> str:
    return _coded(f"ann:{make.password(14)}")


def _coded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _json_web_token(make: Maker) -> str:
    parts = (
        f'{{"alg":"RS256","typ":"JWT","kid":"{make.alnum(8)}"}}',
        f'{{"sub":"{make.digits(10)}","iat":1790000000}}',
    )
    coded = [base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts]
    return ".".join((*coded, make.urlsafe(86)))


def _pem(make: Maker) -> str:
    lines = "\n".join(make.base64_lines(300))
    label = "RSA PRIVATE KEY"
    return _coded(f"-----BEGIN {label}-----\n{lines}\n-----END {label}-----\n")


def _pkcs12(make: Maker) -> str:
    start = bytes.fromhex("30820921020103308208")
    return base64.b64encode(start + make.rng.randbytes(400)).decode()


_FORMS: Final[dict[str, Callable[[Maker], str]]] = {
    "uuid": Maker.uuid,
    "jwt": _json_web_token,
    "basic": _basic,
    "b64pem": _pem,
    "p12": _pkcs12,
    "awskey": lambda m: "AKIA" + m.of(BASE32, 16),
    "azsecret": lambda m: m.alnum(3) + "8Q~" + m.of(ALNUM + "-_.~", 34),
    "dockerconfig": lambda m: _coded(json.dumps({"auths": {"r.example.com": {"auth": _basic(m)}}})),
    "minisign": lambda m: "RWRTY0" + "IyZ" + m.base64(120).rstrip("=")[:191],
    "signify": lambda m: "RWRC" + "SwAAA" + m.base64(96).rstrip("="),
    "wif": lambda m: "K" + m.of(BASE58, 51),
    "fernet": lambda m: base64.urlsafe_b64encode(m.rng.randbytes(32)).decode(),
    "saslplain": lambda m: _coded(f"\0ann\0{m.password(14)}"),
    "digits3": lambda m: f"{m.digits(3)}-{m.digits(7)}-{m.digits(7)}",
}
_SIZED: Final[dict[str, Callable[[Maker, int], str]]] = {
    "alnum": Maker.alnum,
    "hex": Maker.hex,
    "urlsafe": Maker.urlsafe,
    "digits": Maker.digits,
    "base64": Maker.base64,
    "hexu": lambda m, n: m.hex(n).upper(),
    "urlb64": lambda m, n: quote(m.base64(n), safe=""),
    "base64x": lambda m, n: m.base64(n).rstrip("=").replace("/", "A").replace("+", "b"),
    "bip39": lambda m, n: " ".join(m.rng.choice(BIP39_WORDS) for _ in range(n)),
}


def _made(make: Maker, recipe: str) -> str:
    kind, _, rest = recipe.partition(":")
    size, _, symbols = rest.partition(":")
    if kind in _FORMS:
        return _FORMS[kind](make)
    if kind == "wpsalt":
        return make.of(_SIGNS, 64)
    if kind == "password":
        return make.password(int(size), symbols or "!@#$%^*-_+")
    if kind in _ALPHABETS:
        return make.of(_ALPHABETS[kind], int(size))
    return _SIZED[kind](make, int(size))


def _rows(name: str) -> list[tuple[str, str]]:
    rows = [json.loads(line) for line in (_FOLDER / name).read_text("utf-8").splitlines()]
    return [(row["kind"], row["text"]) for row in rows]


def _filled(kind: str, template: str, make: Maker, parts: re.Pattern[str]) -> Case:
    text, marked, secrets, position = "", "", [], 0
    for part in parts.finditer(template):
        made = _made(make, part[1] or part[2])
        between = template[position : part.start()]
        text += between + made
        # A mark in place of the secret tells the lines that hold one.
        marked += between + ("\x01" if part[1] else made)
        if part[1]:
            secrets.append(made)
        position = part.end()
    text, marked = text + template[position:], marked + template[position:]
    lines = [line.strip() for line in marked.split("\n") if "\x01" not in line]
    keep = tuple(line for line in lines if len(line) >= _SHORT_LINE)
    return Case(f"document/{kind}", text, tuple(secrets), keep)


def document_cases(seed: str) -> list[Case]:
    """One case for each document of both kinds."""
    cases = []
    for name, parts in (
        ("documents.jsonl", _PART),
        ("look_alike_documents.jsonl", _HARMLESS),
    ):
        cases += [
            _filled(kind, text, Maker(f"{seed}/document/{kind}"), parts)
            for kind, text in _rows(name)
        ]
    return cases
