"""Texts that are built to make a redactor slow: each stretches one idea to a wanted size.

A redactor can pass every ordinary text and still be stopped by one page that repeats the beginning of a secret a
hundred thousand times. Behind each text stands one line with a made-up token: a redactor that gives up in the
middle and lets the rest through is caught by it.
"""

import base64
import random
from collections.abc import Callable, Mapping
from typing import Final

Builder = Callable[[random.Random, int], str]

_ALPHABET: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def _over(unit: str, first: str = "") -> Builder:
    """Return a builder of `first` and then `unit` again and again."""

    def build(_rng: random.Random, size: int) -> str:
        return (first + unit * (size // len(unit) + 1))[:size]

    return build


def _noise(rng: random.Random, size: int) -> str:
    return base64.b64encode(rng.randbytes(size)).decode()[:size]


def _encoded(word: str) -> Builder:
    def build(_rng: random.Random, size: int) -> str:
        return base64.b64encode(word.encode() * (size // len(word) + 1)).decode()[:size]

    return build


def _random_values(unit: str) -> Builder:
    """A name again and again, each time with another random value."""

    def build(rng: random.Random, size: int) -> str:
        pieces = []
        length = 0
        while length < size:
            piece = unit + "".join(rng.choice(_ALPHABET) for _ in range(16)) + "\n"
            pieces.append(piece)
            length += len(piece)
        return "".join(pieces)[:size]

    return build


SHAPES: Final[Mapping[str, Builder]] = {
    "one-letter": _over("k"),
    "quotes": _over('"'),
    "backslashes-after-key": _over("\\", '{"api_key":"'),
    "keys-in-keys": _over("token="),
    "keys-in-keys-colon": _over("secret:"),
    "open-values": _over('"secret":"'),
    "open-values-mixed": _over("\"token\":'secret':`"),
    "escaped-open-values": _over('\\"password\\":\\"'),
    "template-quotes": _over("password=&quot;"),
    "headers": _over("Authorization: Basic "),
    "header-parameters": _over('Authorization: Digest a="b", '),
    "cookies": _over("Set-Cookie: sid=a; "),
    "cookie-list": _over("a=b; ", "Cookie: "),
    "user-parts": _over("https://u:"),
    "user-parts-at": _over("https://u:p@"),
    "long-user-part": _over("u", "https://"),
    "parameters": _over("?token=&sig="),
    "key-blocks": _over("-----BEGIN PRIVATE KEY-----\n"),
    "key-blocks-with-body": _over("-----BEGIN EC PRIVATE KEY-----\nAAAA\n"),
    "key-block-blank": _over(" \n", "-----BEGIN PRIVATE KEY-----\n"),
    "putty": _over("Private-Lines: 9\nAAAA\n"),
    "web-keys": _over('{"kty":'),
    "web-keys-flat": _over('"kty",'),
    "xml-keys": _over("</DQ>"),
    "raw-keys": _over("MIIEpAIBAAKCAQEA\n"),
    "jwt-starts": _over("eyJhbGciOi."),
    "token-heads": _over("xoxb-1ghp_sk-ant-"),
    "token-lines": _over("a1\n", "github_pat_"),
    "token-joints": _over('npm_"+\n"'),
    "noise": _noise,
    "encoded-words": _encoded("secret"),
    "encoded-urls": _encoded("https://a:b@c "),
    "hex-words": _over(b"password".hex()),
    "entities": _over("&#97;"),
    "unicode-escapes": _over("\\u0061"),
    "percent-escapes": _over("%61"),
    "escapes-apart": _over("\\u0061" + "x" * 70),
    "ansi": _over("\x1b[0m"),
    "zero-width": _over("a\u200b"),
    "table-heads": _over("| password |\n"),
    "table-heads-wide": _over("| password | token |\n"),
    "csv-heads": _over("password,token\n"),
    "tags": _over("<password>"),
    "attributes": _over('<input name="password" '),
    "cells": _over("<td>password</td>"),
    "inputs": _over('type="password" '),
    "pairs": _over('"token","secret",'),
    "name-objects": _over('{"name":"token","value":'),
    "value-first": _over('"value":"x","name":"token",'),
    "commands": _over("curl -u a "),
    "command-lines": _over("sshpass -p "),
    "spaced": _over("password "),
    "netrc": _over("machine a login b password "),
    "sentences": _over("password is "),
    "phrases": _over("password for a "),
    "chinese": _over("密码"),
    "chinese-colons": _over("密码:"),
    "inserts": _over("insert into a(password)values('"),
    "oracle": _over("connect a/"),
    "wireless": _over("WIFI:S:"),
    "mnemonics": _over("abandon ", "mnemonic: "),
    "mnemonic-names": _over("mnemonic: abandon "),
    "password-files": _over(":5432:"),
    "cookie-files": _over("\tTRUE\t1\ta"),
    "dots-value": _over("....", "password="),
    "dots-values": _over('password="' + "." * 4000 + "\n\x01"),
    "paths-values": _over("token=/" + "a/" * 900 + "!\n"),
    "braces-values": _over("secret=" + "a.b(" * 600 + "\n"),
    "form-parts": _over('name="password"\n'),
    "placeholders": _over("REDACTED~secret~0123456789abcdef~token="),
    "json-lines": _over("password: ab\\n", '{"a":"'),
    "json-keys": _over('\\"password\\":\\"ab\\",', '{"a":"'),
    "json-backslashes": _over("\\\\", '{"a":"'),
    "json-units": _over("\\u5bc6\\u7801:a1 ", '{"a":"'),
    "json-members": _over('{"password":"ab"},', "["),
    "settings": _over("password=ab\n"),
    "settings-colons": _over("api_token: a1b\n"),
    "variables": _over("export A_TOKEN=ab1\n"),
    "connections": _over("User=a;Password=b;"),
    "users": _over("user: a password: b "),
    "flags": _over("tool --password ab --token a1 "),
    "devices": _over("enable secret 0 ab1\n"),
    "logins": _over("USER a\r\nPASS b1c2\r\n"),
    "login-pairs": _over('auth=("a","b1c2") '),
    "account-pairs": _over("login: a / b1c2 "),
    "login-addresses": _over("a:b1c@1.1.1.1 "),
    "schemes": _over("Authorization: Custom a1 "),
    "wide-lines": _over("".join(f"{letter}\0" for letter in "password=ab1\n")),
    "manifests": _over("\nkind: Secret\n"),
    "manifests-nested": _over("kind: Secret\ndata:\n  a: b1c2d3\n", "\n"),
    "manifests-json": _over('"kind": "Secret","data": {"a": "b1c2"},'),
    "states": _over('"random_password" "result": "a1b2c3d4"'),
    "cookie-calls": _over("set_cookie({name: 'a', value: 'b"),
    "code-lists": _over("recovery codes:\na1b2c3\n"),
    "code-lines": _over("a1b2-c3d4\n", "recovery codes:\n"),
    "vault-files": _over("$ANSIBLE_VAULT;1.1;AES256\n61626364\n"),
    "vault-lines": _over("6162\n", "$ANSIBLE_VAULT;1.1;AES256\n"),
    "identities": _over("0123456789:0:"),
    "key-containers": _over("MIIabcIBAzCC"),
    "path-tokens": _over("/reset-password/a1b2c3d4e5f6g7h8i9j0"),
    "dense-values": _over('"secret": "' + "aB3!" * 39 + '" '),
    "code-calls": _over("new mysqli('a', 'b', '"),
    "agents": _over("snmpget -A "),
    "sockets": _over("a:b1c@tcp("),
    "random-secrets": _random_values("password="),
    "random-values": _random_values("key: "),
}


def planted_line(rng: random.Random) -> tuple[str, str]:
    """Return a line with a made-up token, and the token."""
    token = "gh" + "p_" + "".join(rng.choice(_ALPHABET) for _ in range(36))
    return f"\nnote {token}\n", token


def hostile_text(name: str, size: int, seed: int = 1) -> tuple[bytes, bytes]:
    """Return the text of one shape with the planted line behind it, and the planted token."""
    rng = random.Random(f"{seed}/{name}")
    text = SHAPES[name](rng, size)
    line, token = planted_line(rng)
    return (text + line).encode(), token.encode()
