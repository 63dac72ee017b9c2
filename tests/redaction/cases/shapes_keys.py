"""Private keys in all their wrappings."""

from collections.abc import Callable

from .model import Case, Maker

Shape = Callable[[Maker], Case]
KEY_SHAPES: dict[str, Shape] = {}


def shape(function: Shape) -> Shape:
    """Register a shape under the name of its function."""
    KEY_SHAPES[function.__name__.replace("_", "-")] = function
    return function


def pem(make: Maker, label: str, octets: int = 400) -> tuple[str, list[str]]:
    lines = make.base64_lines(octets)
    return f"-----BEGIN {label}-----\n" + "\n".join(lines) + f"\n-----END {label}-----\n", lines


@shape
def pem_pkcs8(make: Maker) -> Case:
    text, lines = pem(make, "PRIVATE KEY")
    return Case("pem-pkcs8", f"see\n{text}end\n", (lines[0], lines[2]), ("see\n", "end\n"))


@shape
def pem_truncated(make: Maker) -> Case:
    text, lines = pem(make, "RSA PRIVATE KEY", 900)
    cut = text[: len(text) * 2 // 3]
    return Case(
        "pem-truncated",
        f"cat key\n{cut}",
        (lines[0], lines[3], cut.rsplit("\n", 1)[1] or lines[4]),
        ("cat key",),
    )


@shape
def pem_headers(make: Maker) -> Case:
    _, lines = pem(make, "RSA PRIVATE KEY")
    head = (
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,"
        + make.hex(32).upper()
    )
    return Case(
        "pem-headers",
        head + "\n\n" + "\n".join(lines) + "\n-----END RSA PRIVATE KEY-----\nok",
        (lines[0], lines[3]),
        ("ok",),
    )


@shape
def pem_escaped(make: Maker) -> Case:
    text, lines = pem(make, "EC PRIVATE KEY", 120)
    return Case(
        "pem-escaped",
        'KEY="' + text.replace("\n", "\\n") + '"\nPORT=1\n',
        (lines[0], lines[1]),
        ("PORT=1",),
    )


@shape
def pem_double_escaped(make: Maker) -> Case:
    text, lines = pem(make, "PRIVATE KEY")
    escaped = text.replace("\n", "\\\\n")
    return Case(
        "pem-double-escaped",
        f'{{"a": "{{\\"private_key\\": \\"{escaped}\\", \\"n\\": 1}}"}}',
        (lines[0], lines[2]),
        ('\\"n\\": 1',),
    )


@shape
def pem_one_line(make: Maker) -> Case:
    text, lines = pem(make, "PRIVATE KEY", 240)
    return Case(
        "pem-one-line",
        "key: " + text.replace("\n", " ").strip() + "\nport: 1\n",
        (lines[0], lines[1]),
        ("port: 1",),
    )


@shape
def pem_quoted_mail(make: Maker) -> Case:
    text, lines = pem(make, "OPENSSH PRIVATE KEY")
    quoted = "".join(f"> {line}\n" for line in text.splitlines())
    return Case(
        "pem-quoted-mail", f"On Monday:\n{quoted}Bye\n", (lines[0], lines[2]), ("On Monday:", "Bye")
    )


@shape
def pem_crlf(make: Maker) -> Case:
    text, lines = pem(make, "DSA PRIVATE KEY")
    return Case(
        "pem-crlf",
        "a\r\n" + text.replace("\n", "\r\n") + "b\r\n",
        (lines[0], lines[2]),
        ("a\r\n", "b\r\n"),
    )


@shape
def pem_ssh2(make: Maker) -> Case:
    lines = make.base64_lines(300, 70)
    text = "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: laptop\n" + "\n".join(lines)
    return Case(
        "pem-ssh2",
        text + "\n---- END SSH2 ENCRYPTED PRIVATE KEY ----\nok\n",
        (lines[0], lines[2]),
        ("ok",),
    )


@shape
def pem_javascript(make: Maker) -> Case:
    text, lines = pem(make, "PRIVATE KEY", 200)
    source = " +\n".join(f'  "{line}\\n"' for line in text.splitlines())
    return Case(
        "pem-javascript", f"const k =\n{source};\nrun();\n", (lines[0], lines[2]), ("run();",)
    )


@shape
def raw_der(make: Maker) -> Case:
    body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEA" + make.base64(600)
    return Case("raw-der", f"signer = load('{body}')\nn = 1\n", (body,), ("n = 1",))


@shape
def jwk_ec(make: Maker) -> Case:
    d = make.urlsafe(43)
    x = make.urlsafe(43)
    return Case(
        "jwk-ec",
        f'{{"kty":"EC","crv":"P-256","x":"{x}","y":"{make.urlsafe(43)}","d":"{d}"}}',
        (d,),
        (x,),
    )


@shape
def jwk_symmetric(make: Maker) -> Case:
    k = make.urlsafe(43)
    return Case(
        "jwk-symmetric", f'{{"keys":[{{"kty":"oct","kid":"a","k":"{k}"}}]}}', (k,), ('"kid":"a"',)
    )


@shape
def xml_rsa(make: Maker) -> Case:
    d, modulus = make.base64(128), make.base64(128)
    text = f"<RSAKeyValue><Modulus>{modulus}</Modulus><InverseQ>{make.base64(64)}</InverseQ><D>{d}</D></RSAKeyValue>"
    return Case("xml-rsa", text, (d,), (modulus,))


@shape
def putty_escaped(make: Maker) -> Case:
    lines = make.base64_lines(160)
    text = (
        "PuTTY-User-Key-File-2: ssh-rsa\nComment: x\nPublic-Lines: 1\nAAAAB3Nz\nPrivate-Lines: 4\n"
    )
    return Case(
        "putty",
        text + "\n".join(lines) + "\nPrivate-MAC: " + make.hex(40) + "\n",
        (lines[0], lines[2]),
        ("Comment: x",),
    )
