"""Look-alikes: texts with hashes, identifiers, public keys, code, documentation and words, and no secret."""

import base64

from .model import ALNUM, BASE32, BASE58, DIGITS, HEX, UPPER, Case, Maker
from .negative_texts import FIXED


def _repository_texts(m: Maker) -> tuple[tuple[str, str], ...]:
    return (
        ("git-diff", f"diff --git a/token.py b/token.py\nindex {m.hex(7)}..{m.hex(7)} 100644\n"),
        (
            "git-reflog",
            f"{m.hex(40)} {m.hex(40)} Ann <ann@example.com> 1790000000 +0000\tcommit: secret rotation\n",
        ),
        (
            "yarn-lock",
            f'  resolved "https://r.example.com/token/-/token-1.0.0.tgz#{m.hex(40)}"\n  integrity '
            f"sha512-{m.base64(64)}\n",
        ),
        ("poetry-lock", f'{{file = "keyring-25.tar.gz", hash = "sha256:{m.hex(64)}"}}\n'),
        ("cargo-checksum", f'checksum = "{m.hex(64)}"\nname = "secrecy"\n'),
        (
            "nix-hash",
            f'sha256 = "{m.of("0123456789abcdfghijklmnpqrsvwxyz", 52)}";\nkey = "value";\n',
        ),
        (
            "sri",
            f'<script src="/a.js" integrity="sha384-{m.base64(48)}" crossorigin="anonymous"></script>',
        ),
        (
            "csp",
            f"Content-Security-Policy: script-src 'nonce-{m.base64(16)}' 'sha256-{m.base64(32)}'\n",
        ),
        ("etag-weak", f'ETag: W/"{m.hex(8)}-{m.of(ALNUM, 27)}"\nIf-None-Match: "{m.hex(32)}"\n'),
        (
            "request-ids",
            f"x-request-id: {m.uuid()}\ncf-ray: {m.hex(16)}-FRA\nx-amz-id-2: {m.base64(56)}\n",
        ),
        ("trace", f"traceparent: 00-{m.hex(32)}-{m.hex(16)}-01\ntracestate: a=b\n"),
        ("docker-images", f"sha256:{m.hex(64)}\n{m.hex(12)}   nginx   2 weeks ago\n"),
        (
            "object-ids",
            f'{{"_id": "{m.hex(24)}", "ulid": "01J{m.of("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 23)}"}}',
        ),
        (
            "uuid-fields",
            f'{{"user_id": "{m.uuid()}", "key_id": "{m.uuid()}", "token_id": "{m.uuid()}"}}',
        ),
        (
            "video-ids",
            f"https://www.youtube.com/watch?v={m.of(ALNUM, 11)}&list=PL{m.of(ALNUM, 32)}",
        ),
        ("drive-id", f"https://drive.google.com/file/d/{m.urlsafe(33)}/view?usp=sharing"),
    )


def _address_texts(m: Maker) -> tuple[tuple[str, str], ...]:
    blob = base64.b64encode(m.rng.randbytes(900)).decode()
    wide = [blob[start : start + 64] for start in range(0, len(blob), 64)]
    return (
        ("share-id", f"https://open.example.com/track/{m.alnum(22)}?si={m.hex(16)}"),
        ("page-token", f'{{"nextPageToken": "{m.urlsafe(44)}", "items": []}}'),
        ("cursor", f'{{"next_cursor": "{m.base64(24)}", "continuation_token": "{m.urlsafe(30)}"}}'),
        ("click-ids", f"https://example.com/?gclid={m.urlsafe(60)}&fbclid=IwAR{m.urlsafe(57)}"),
        (
            "analytics",
            f"Cookie: _ga=GA1.2.{m.digits(9)}.1790000000; _gid=GA1.2.{m.digits(9)}.1790000000\n",
        ),
        (
            "analytics-id",
            f"gtag('config', 'G-{m.of(UPPER + DIGITS, 10)}'); ga('create', 'UA-{m.digits(8)}-1');",
        ),
        ("publishable", f"Stripe('pk_live_{m.alnum(24)}'); client ca-pub-{m.digits(16)}"),
        ("recaptcha", f'data-sitekey="6L{m.urlsafe(38)}"'),
        ("sentry-dsn", f"https://{m.hex(32)}@o{m.digits(6)}.ingest.sentry.io/{m.digits(7)}"),
        ("ethereum", f"0x{m.hex(40)} sent 1.5 ETH in tx 0x{m.hex(64)}"),
        ("bitcoin", f"bc1q{m.of('023456789acdefghjklmnpqrstuvwxyz', 38)} and 1{m.of(BASE58, 33)}"),
        ("onion", f"http://{m.of('abcdefghijklmnopqrstuvwxyz234567', 56)}.onion/"),
        ("ipv6-mac", "fe80::1ff:fe23:4567:890a and 00:1a:2b:3c:4d:5e and 2001:db8::ff00:42:8329"),
        (
            "fingerprint",
            f"SHA256:{m.base64(32).rstrip('=')}\nMD5:{':'.join(m.hex(2) for _ in range(16))}\n",
        ),
        (
            "known-hosts",
            f"github.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{m.base64(32).rstrip('=')}\n",
        ),
        (
            "authorized-keys",
            f"ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ{m.base64(250).rstrip('=')} ann@laptop\n",
        ),
        (
            "public-key",
            "-----BEGIN PUBLIC KEY-----\n" + "\n".join(wide[:5]) + "\n-----END PUBLIC KEY-----\n",
        ),
        (
            "certificate",
            "-----BEGIN CERTIFICATE-----\n" + "\n".join(wide) + "\n-----END CERTIFICATE-----\n",
        ),
    )


def _identifier_texts(m: Maker) -> tuple[tuple[str, str], ...]:
    blob = base64.b64encode(m.rng.randbytes(900)).decode()
    wide = [blob[start : start + 64] for start in range(0, len(blob), 64)]
    return (
        (
            "request",
            "-----BEGIN CERTIFICATE REQUEST-----\n"
            + "\n".join(wide[:8])
            + "\n-----END CERTIFICATE REQUEST-----\n",
        ),
        (
            "pgp-public",
            "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n"
            + "\n".join(wide)
            + "\n-----END PGP PUBLIC KEY BLOCK-----\n",
        ),
        (
            "jwk-public",
            f'{{"kty":"RSA","kid":"{m.hex(16)}","use":"sig","n":"{m.urlsafe(340)}","e":"AQAB"}}',
        ),
        (
            "dkim",
            f'k1._domainkey TXT "v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQ{m.base64(140)}"',
        ),
        ("image", f"![x](data:image/png;base64,iVBORw0KGgo{blob})"),
        ("font", f"src:url(data:font/woff2;base64,d09GMgAB{blob}) format('woff2')"),
        ("attachment", "Content-Transfer-Encoding: base64\n\n" + "\n".join(wide) + "\n"),
        (
            "hex-dump",
            "\n".join(f"{i * 16:08x}  {' '.join(m.hex(2) for _ in range(16))}" for i in range(8))
            + "\n",
        ),
        ("hex-colours", " ".join(f"#{m.hex(6)}" for _ in range(20))),
        ("checksums", f"{m.hex(32)}  keys.tar\n{m.hex(64)} *secrets.zip\n"),
        (
            "torrent",
            f"magnet:?xt=urn:btih:{m.hex(40)}&dn=token+ring&tr=udp%3A%2F%2Ft.example.com%3A6969",
        ),
        ("doi-isbn", "doi:10.1145/3448016.3457550, ISBN 978-3-16-148410-0, PMID: 33456789"),
        ("arns", f"arn:aws:secretsmanager:eu-west-1:{m.digits(12)}:secret:prod/db-{m.alnum(6)}"),
        (
            "account-ids",
            f"AC{m.hex(32)} is the account; VPC vpc-{m.hex(17)}; key pair key-{m.hex(17)}",
        ),
        ("kms", f"KeyId: arn:aws:kms:eu-west-1:{m.digits(12)}:key/{m.uuid()}\n"),
    )


def _program_texts(m: Maker) -> tuple[tuple[str, str], ...]:
    return (
        (
            "openai-ids",
            f'{{"id": "chatcmpl-{m.alnum(29)}", "system_fingerprint": '
            f'"fp_{m.hex(10)}", "call_id": "call_{m.alnum(24)}"}}',
        ),
        (
            "anthropic-ids",
            f'{{"id": "toolu_01{m.alnum(22)}", "request_id": "req_01{m.alnum(22)}"}}',
        ),
        (
            "slack-ids",
            f"U{m.of(UPPER + DIGITS, 10)} in C{m.of(UPPER + DIGITS, 10)} at 1790000000.{m.digits(6)}",
        ),
        ("discord-ids", f"<@{m.digits(18)}> in <#{m.digits(18)}> https://discord.gg/{m.alnum(8)}"),
        ("place-ids", f'"place_id": "ChIJ{m.urlsafe(23)}", "plus_code": "9C3XGV4F+2Q"'),
        (
            "game-codes",
            f"Seed: {m.digits(18)}; world code: {m.of(UPPER, 4)}-{m.of(UPPER + DIGITS, 4)}; loot table "
            f"key: chest_{m.digits(3)}",
        ),
        ("deck-code", f"Deck code: AAECA{m.base64(36)}"),
        (
            "source-map",
            '"mappings":"'
            + ";".join(m.of("ACEGIKMOQSUWYacegikmoqsuwy", 4) for _ in range(60))
            + '"',
        ),
        ("protein", "MKT" + m.of("ACDEFGHIKLMNPQRSTVWY", 200)),
        ("base32-hash", f"ipfs://bafybei{m.of(BASE32.lower(), 52)}/index.html"),
        ("cookie-banner", f"consent_id={m.uuid()}; purposes=1,2,3"),
        ("build-id", f"/_next/static/{m.urlsafe(21)}/_buildManifest.js main.{m.hex(20)}.js"),
        (
            "email-ids",
            f"Message-ID: <{m.alnum(32)}@mail.example.com>\nList-Unsubscribe: <mailto:u@example.com>\n",
        ),
        ("perf", f"0x{m.hex(16)} <auth_check+0x{m.hex(2)}> token_ring_init at key.c:{m.digits(3)}"),
        ("captions", "00:01:02,345 --> 00:01:05,678\nThe password is hidden in the painting.\n"),
        ("score", f"session 3: 12-7, key stat: {m.digits(2)}%, auth score 4.5/5, pass: 231/310"),
        (
            "digest-names",
            f"sha1: {m.hex(40)}, md5={m.hex(32)}, crc32: {m.hex(8)}, key hash: {m.hex(40)}",
        ),
    )


def _other_texts(m: Maker) -> tuple[tuple[str, str], ...]:
    return (
        (
            "hex-field",
            f'{{"cacheKey": "{m.of(HEX, 32)}", "publicKey": "{m.hex(64)}", "contentHash": "{m.hex(64)}"}}',
        ),
    )


def negative_cases(make: Maker) -> list[Case]:
    """Fixed look-alikes, and those with random parts."""
    makers = (_repository_texts, _address_texts, _identifier_texts, _program_texts, _other_texts)
    random_texts = (row for each in makers for row in each(make))
    return [Case(kind, text) for kind, text in (*FIXED, *random_texts)]
