"""Typed forms of secret keys in files, and of stored passwords.

Sources: the file formats of minisign and signify, RFC 7292 (PKCS #12), the control protocol of Tor, the identity
files of ZeroTier, crypt(5), the string format of the Password Hashing Competition, RFC 2307, and the password
hashers of Django and Werkzeug.
"""

from typing import Final

from capture_service.redaction.token_rules import TokenRule, inner_token, token

_ANY: Final = "[0-9A-Za-z+/]"

KEY_FILE_TOKENS: Final[tuple[TokenRule, ...]] = (
    token("minisign-key", "RWRTY0Iy", r"[A-Za-z0-9+/]{80,300}={0,2}", follow=_ANY, count=20),
    token("signify-key", "RWRCSw", r"[A-Za-z0-9+/]{80,300}={0,2}", follow=_ANY, count=20),
    token("onion-key", "ED25519-V3:", r"[A-Za-z0-9+/]{80,90}={0,2}", follow=_ANY, count=20),
    inner_token(
        "pkcs12-file",
        r"MII[A-Za-z0-9+/]{3}",
        "IBAzCC",
        r"[A-Za-z0-9+/\r\n]{200,8000}={0,2}",
        reach=6,
        lead="MII[A-Za-z0-9+/]{3}",
    ),
    inner_token(
        "zerotier-identity",
        r"[0-9a-f]{10}",
        ":0:",
        r"[0-9a-f]{128}:(?P<s>[0-9a-f]{128})",
        reach=10,
        lead="[0-9a-f]{10}",
        tail="[0-9a-f]{16}",
        tail_width=16,
    ),
    token(
        "password-hash",
        "$2a$ $2b$ $2y$ $2x$",
        r"[0-9]{2}\$[./A-Za-z0-9]{53}",
        follow="[0-9$]",
        count=3,
    ),
    token(
        "password-hash",
        "$5$ $6$ $y$ $7$ $gy$",
        r"(?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9]{1,32}\$(?:[./A-Za-z0-9]{1,86}\$)?[./A-Za-z0-9]{43,86}",
        follow="[./A-Za-z0-9=]",
        count=3,
    ),
    token(
        "password-hash",
        "$argon2id$ $argon2i$ $argon2d$",
        r"(?:v=[0-9]{1,3}\$)?m=[0-9]{1,9},t=[0-9]{1,6},p=[0-9]{1,4}\$[A-Za-z0-9+/]{11,64}\$[A-Za-z0-9+/]{16,128}",
        follow="[vm]",
        count=1,
    ),
    token(
        "password-hash",
        "pbkdf2_sha256$ pbkdf2_sha1$ pbkdf2:sha256: pbkdf2:sha512: scrypt:",
        r"[0-9:]{1,12}\$[A-Za-z0-9./+]{1,64}\$[A-Za-z0-9+/=]{27,128}",
        follow="[0-9]",
        count=1,
    ),
    token(
        "password-hash",
        "-pbkdf2- -pbkdf2:sha256-",
        r"[0-9a-f]{40,64},[0-9a-f]{16,64},[0-9]{1,7}",
        follow="[0-9a-f]",
        count=8,
    ),
    token(
        "password-hash",
        "SCRAM-SHA-256$",
        r"[0-9]{3,8}:[A-Za-z0-9+/]{8,64}={0,2}\$[A-Za-z0-9+/]{40,64}={0,2}:[A-Za-z0-9+/]{40,64}={0,2}",
        follow="[0-9]",
        count=3,
    ),
    token("klei-token", "pds-g^KU_", r"[A-Za-z0-9_-]{6,16}\^[A-Za-z0-9+/]{20,64}={0,2}"),
    token(
        "encrypted-setting",
        "{AES} {AES256} {3DES} {AES-GCM}",
        r"[A-Za-z0-9+/]{20,400}={0,2}",
        follow=_ANY,
    ),
    token(
        "password-hash",
        "{SSHA} {SSHA256} {SSHA512} {SHA} {SMD5}",
        r"[A-Za-z0-9+/]{22,120}={0,2}",
        follow=_ANY,
    ),
)
