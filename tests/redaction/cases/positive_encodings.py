"""Secrets that are encoded, split or dressed up."""

import base64
from collections.abc import Iterator

from .model import Case, Maker
from .shapes_keys import pem


def _encodings(make: Maker) -> Iterator[tuple[str, Case]]:
    secret = "ghp_" + make.alnum(36)
    line = f"GITHUB_TOKEN={secret}\n"
    yield (
        "base64-url",
        Case(
            "base64-url",
            "x " + base64.urlsafe_b64encode(f"token: {secret}".encode()).decode() + " y",
            (base64.urlsafe_b64encode(f"token: {secret}".encode()).decode(),),
            ("x ", " y"),
        ),
    )
    wrapped = base64.encodebytes((line * 3).encode()).decode()
    yield (
        "base64-wrapped",
        Case("base64-wrapped", f"data: |\n{wrapped}end: 1\n", tuple(wrapped.split()), ("end: 1",)),
    )
    password = make.password(16, "-_.")
    body = base64.b64encode(f'{{"user":"ann","password":"{password}"}}'.encode()).decode()
    yield "base64-json", Case("base64-json", f'{{"blob": "{body}", "n": 1}}', (body,), ('"n": 1',))
    yield (
        "hex",
        Case("hex", f"dump={line.encode().hex()} end", (line.strip().encode().hex(),), (" end",)),
    )
    yield (
        "backslash-x",
        Case(
            "backslash-x",
            's = "' + "".join(f"\\x{ord(c):02x}" for c in secret) + '"; n = 1',
            ("".join(f"\\x{ord(c):02x}" for c in secret),),
            ("n = 1",),
        ),
    )
    yield (
        "u-escaped-whole",
        Case(
            "u-escaped-whole",
            '{"a": "' + "".join(f"\\u{ord(c):04x}" for c in secret) + '", "n": 1}',
            ("".join(f"\\u{ord(c):04x}" for c in secret),),
            ('"n": 1',),
        ),
    )
    yield (
        "u-escaped-key",
        Case(
            "u-escaped-key",
            '{"p\\u0061ssword": "' + password + '", "n": 1}',
            (password,),
            ('"n": 1',),
        ),
    )
    yield (
        "entity-hex",
        Case(
            "entity-hex",
            "<b>" + "".join(f"&#x{ord(c):x};" for c in secret) + "</b><i>k</i>",
            ("".join(f"&#x{ord(c):x};" for c in secret),),
            ("<i>k</i>",),
        ),
    )
    yield (
        "entity-one",
        Case(
            "entity-one",
            f"<b>{secret[:20]}&#{ord(secret[20])};{secret[21:]}</b><i>k</i>",
            (secret[21:],),
            ("<i>k</i>",),
        ),
    )
    yield (
        "percent-one",
        Case(
            "percent-one",
            f"https://a.example/?q={secret[:10]}%{ord(secret[10]):02X}{secret[11:]}&n=1",
            (secret[11:],),
            ("&n=1",),
        ),
    )
    yield (
        "percent-all",
        Case(
            "percent-all",
            "x=" + "".join(f"%{ord(c):02X}" for c in secret) + "&n=1",
            ("".join(f"%{ord(c):02X}" for c in secret),),
            ("&n=1",),
        ),
    )
    yield (
        "zero-width",
        Case("zero-width", f"key {secret[:12]}\u200b{secret[12:]} end", (secret[12:],), (" end",)),
    )
    yield (
        "soft-hyphen",
        Case("soft-hyphen", f"key {secret[:12]}\u00ad{secret[12:]} end", (secret[12:],), (" end",)),
    )
    yield (
        "full-width",
        Case(
            "full-width",
            "key " + "".join(chr(ord(c) + 0xFEE0) for c in secret) + " end",
            ("".join(chr(ord(c) + 0xFEE0) for c in secret[4:]),),
            (" end",),
        ),
    )
    yield (
        "quoted-printable",
        Case(
            "quoted-printable",
            f"token=3D{secret[:30]}=\r\n{secret[30:]}\r\nend",
            (secret[:30],),
            ("\r\nend",),
        ),
    )
    yield (
        "python-implicit",
        Case(
            "python-implicit",
            f'K = ("{secret[:20]}"\n     "{secret[20:]}")\nn = 1\n',
            (secret[:20], secret[20:]),
            ("n = 1",),
        ),
    )
    yield (
        "backslash-joint",
        Case(
            "backslash-joint",
            f"export K={secret[:25]}\\\n{secret[25:]}\nn=1\n",
            (secret[:25], secret[25:]),
            ("n=1",),
        ),
    )
    yield (
        "escaped-wrap",
        Case(
            "escaped-wrap",
            f'{{"o": "key {secret[:25]}\\n{secret[25:]} x"}}',
            (secret[:25], secret[25:]),
            (" x",),
        ),
    )
    yield (
        "html-break",
        Case(
            "html-break",
            f"<p>{secret[:18]}<wbr>{secret[18:]}</p>",
            (secret[:18], secret[18:]),
            ("<p>",),
        ),
    )
    yield (
        "ansi-json",
        Case("ansi-json", f'{{"o": "\\u001b[33m{secret}\\u001b[0m ok"}}', (secret,), (" ok",)),
    )
    yield (
        "html-quotes",
        Case(
            "html-quotes",
            f"&lt;a password=&quot;{password}&quot; n=&quot;1&quot;&gt;",
            (password,),
            ("n=&quot;1&quot;",),
        ),
    )
    yield (
        "smart-quotes",
        Case("smart-quotes", f"password: “{password}” and user: “ann”", (password,), ("“ann”",)),
    )
    yield (
        "triple-escaped",
        Case(
            "triple-escaped",
            '{"a": "{\\"b\\": \\"{\\\\\\"password\\\\\\": \\\\\\"'
            + password
            + '\\\\\\"}\\"}", "n": 1}',
            (password,),
            ('"n": 1',),
        ),
    )
    kube = base64.b64encode(pem(make, "RSA PRIVATE KEY", 300)[0].encode()).decode()
    yield (
        "kubeconfig-key",
        Case("kubeconfig-key", f"client-key-data: {kube}\nname: ann\n", (kube,), ("name: ann",)),
    )


def encoded_cases(make: Maker) -> list[Case]:
    """Cases whose secret is encoded, split or dressed up."""
    return [case for _, case in _encodings(make)]
