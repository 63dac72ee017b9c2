"""Secrets that are encoded, split or dressed up."""

import base64
from collections.abc import Iterator

from .model import Case, Maker
from .shapes_keys import pem


def _whole_texts(make: Maker) -> Iterator[Case]:
    secret = "ghp_" + make.alnum(36)
    line = f"GITHUB_TOKEN={secret}\n"
    password = make.password(16, "-_.")
    yield Case(
        "base64-url",
        "x " + base64.urlsafe_b64encode(f"token: {secret}".encode()).decode() + " y",
        (base64.urlsafe_b64encode(f"token: {secret}".encode()).decode(),),
        ("x ", " y"),
    )
    wrapped = base64.encodebytes((line * 3).encode()).decode()
    yield Case("base64-wrapped", f"data: |\n{wrapped}end: 1\n", tuple(wrapped.split()), ("end: 1",))
    body = base64.b64encode(f'{{"user":"ann","password":"{password}"}}'.encode()).decode()
    yield Case("base64-json", f'{{"blob": "{body}", "n": 1}}', (body,), ('"n": 1',))
    yield Case("hex", f"dump={line.encode().hex()} end", (line.strip().encode().hex(),), (" end",))
    yield Case(
        "backslash-x",
        's = "' + "".join(f"\\x{ord(c):02x}" for c in secret) + '"; n = 1',
        ("".join(f"\\x{ord(c):02x}" for c in secret),),
        ("n = 1",),
    )
    yield Case(
        "u-escaped-whole",
        '{"a": "' + "".join(f"\\u{ord(c):04x}" for c in secret) + '", "n": 1}',
        ("".join(f"\\u{ord(c):04x}" for c in secret),),
        ('"n": 1',),
    )


def _characters(make: Maker) -> Iterator[Case]:
    secret = "ghp_" + make.alnum(36)
    password = make.password(16, "-_.")
    yield Case(
        "u-escaped-key",
        '{"p\\u0061ssword": "' + password + '", "n": 1}',
        (password,),
        ('"n": 1',),
    )
    yield Case(
        "entity-hex",
        "<b>" + "".join(f"&#x{ord(c):x};" for c in secret) + "</b><i>k</i>",
        ("".join(f"&#x{ord(c):x};" for c in secret),),
        ("<i>k</i>",),
    )
    yield Case(
        "entity-one",
        f"<b>{secret[:20]}&#{ord(secret[20])};{secret[21:]}</b><i>k</i>",
        (secret[21:],),
        ("<i>k</i>",),
    )
    yield Case(
        "percent-one",
        f"https://a.example/?q={secret[:10]}%{ord(secret[10]):02X}{secret[11:]}&n=1",
        (secret[11:],),
        ("&n=1",),
    )


def _hidden_characters(make: Maker) -> Iterator[Case]:
    secret = "ghp_" + make.alnum(36)
    yield Case(
        "percent-all",
        "x=" + "".join(f"%{ord(c):02X}" for c in secret) + "&n=1",
        ("".join(f"%{ord(c):02X}" for c in secret),),
        ("&n=1",),
    )
    yield Case("zero-width", f"key {secret[:12]}\u200b{secret[12:]} end", (secret[12:],), (" end",))
    yield Case(
        "soft-hyphen", f"key {secret[:12]}\u00ad{secret[12:]} end", (secret[12:],), (" end",)
    )
    yield Case(
        "full-width",
        "key " + "".join(chr(ord(c) + 0xFEE0) for c in secret) + " end",
        ("".join(chr(ord(c) + 0xFEE0) for c in secret[4:]),),
        (" end",),
    )
    yield Case(
        "quoted-printable",
        f"token=3D{secret[:30]}=\r\n{secret[30:]}\r\nend",
        (secret[:30],),
        ("\r\nend",),
    )


def _broken_lines(make: Maker) -> Iterator[Case]:
    secret = "ghp_" + make.alnum(36)
    yield Case(
        "python-implicit",
        f'K = ("{secret[:20]}"\n     "{secret[20:]}")\nn = 1\n',
        (secret[:20], secret[20:]),
        ("n = 1",),
    )
    yield Case(
        "backslash-joint",
        f"export K={secret[:25]}\\\n{secret[25:]}\nn=1\n",
        (secret[:25], secret[25:]),
        ("n=1",),
    )
    yield Case(
        "escaped-wrap",
        f'{{"o": "key {secret[:25]}\\n{secret[25:]} x"}}',
        (secret[:25], secret[25:]),
        (" x",),
    )
    yield Case(
        "html-break",
        f"<p>{secret[:18]}<wbr>{secret[18:]}</p>",
        (secret[:18], secret[18:]),
        ("<p>",),
    )
    yield Case("ansi-json", f'{{"o": "\\u001b[33m{secret}\\u001b[0m ok"}}', (secret,), (" ok",))


def _nested(make: Maker) -> Iterator[Case]:
    password = make.password(16, "-_.")
    yield Case(
        "html-quotes",
        f"&lt;a password=&quot;{password}&quot; n=&quot;1&quot;&gt;",
        (password,),
        ("n=&quot;1&quot;",),
    )
    yield Case("smart-quotes", f"password: “{password}” and user: “ann”", (password,), ("“ann”",))
    yield Case(
        "triple-escaped",
        '{"a": "{\\"b\\": \\"{\\\\\\"password\\\\\\": \\\\\\"'
        + password
        + '\\\\\\"}\\"}", "n": 1}',
        (password,),
        ('"n": 1',),
    )
    kube = base64.b64encode(pem(make, "RSA PRIVATE KEY", 300)[0].encode()).decode()
    yield Case("kubeconfig-key", f"client-key-data: {kube}\nname: ann\n", (kube,), ("name: ann",))


def encoded_cases(make: Maker) -> list[Case]:
    """Cases whose secret is encoded, split or dressed up."""
    makers = (_whole_texts, _characters, _hidden_characters, _broken_lines, _nested)
    return [case for each in makers for case in each(make)]
