"""Fixed words of commands, protocols, devices and libraries that a secret follows."""

import pytest

from capture_service.redaction import Redactor

from .cases.model import Maker

PASSWORDS = [
    "USER ann\r\nPASS @\r\n",
    "a1 LOGIN ann @",
    "127.0.0.1:6379> AUTH @",
    "/msg NickServ IDENTIFY @",
    'expect "assword:"\nsend "@\\r"',
    'ConvertTo-SecureString "@" -AsPlainText -Force',
    "ConvertTo-SecureString -String '@' -AsPlainText",
    '["password"]=> string(12) "@"',
    "{User:ann Password:@}",
    "&{User:ann Password:@ Port:5}",
    "SetEnv DB_PASSWORD @",
    "::add-mask::@",
    "openssl enc -aes-256-cbc -k @ -in x",
    'ssh-keygen -t rsa -N "@" -f k',
    "xfreerdp /u:ann /p:@ /v:h",
    "net user ann @ /add",
    "nmcli dev wifi connect Home password @",
    "username ann privilege 15 password 0 @",
    "enable secret 0 @",
    "snmp-server community @ RO",
    "CREATE DATABASE LINK x CONNECT TO ann IDENTIFIED BY @;",
    "The credentials are ann:@",
    "creds - ann / @",
    "Log in with user: ann / pass @ please",
    "A temporary password is generated for root@localhost: @",
    "the generated password is:\n    @",
    "WLAN-Schlüssel: @",
    "WiFi key: @",
    'requests.get(url, auth=HTTPBasicAuth("ann", "@"))',
    'req.SetBasicAuth("ann", "@")',
    "scp x root:@@10.0.0.1:/tmp",
    '{"type":"password","value":"@","temporary":false}',
    "mật khẩu: @",
]
KEYS = [
    'proxy_set_header Authorization "Basic @==";',
    "Sec-WebSocket-Protocol: bearer, @",
    '{"device_code":"@","user_code":"ABCD-EFGH"}',
    "code_verifier=@",
    "Stripe-Signature: t=1,v1=@",
    "CF-Access-Jwt-Assertion: @",
    '"identitytoken": "@"',
    "&quot;token&quot;:&quot;@&quot;",
    '<input name="__RequestVerificationToken" type="hidden" value="@" />',
    '{"domain":".x.org","name":"session","value":"@","path":"/"}',
    "클라이언트 시크릿: @",
    "https://api.x.org/weather?appid=@&q=Lyon",
    "jwt.sign(payload, '@')",
    "new Stripe('@')",
    "client.login('@')",
    "gh auth login --with-token <<< @",
    "vault login @",
    "cargo login @",
    "doctl auth init -t @",
    "cloudflared service install @",
    "sonar-scanner -Dsonar.login=@",
    "define('NONCE_SALT', '@');",
    "<password>{AQAAABAAAAAQ@=}</password>",
]
PATHS = [
    "https://calendar.x.org/ical/a%40b.c/private-@/basic.ics",
    "https://x.webhook.office.com/webhookb2/a/IncomingWebhook/@/x",
]
STAYS = [
    "PASS src/session.test.js",
    "PASS test_login (0.02s)",
    "vault login now and then",
    "cargo login before publishing",
    "enable password protection",
    "enable secret scanning",
    'send "show version\\r" after the password',
    "credentials are stored in the keyring",
    "Files: profiles/apparmor.d/usr.lib.dovecot.imap-login profiles/apparmor.d/pop3-login",
    "npm:fdir@1.2.0",
    "https://x.org/private-cloud/guide",
    "input[type=password]::-ms-reveal{display:none}",
]


@pytest.mark.parametrize("text", PASSWORDS)
def test_a_password_behind_fixed_words(
    redactor: Redactor, re2_redactor: Redactor, text: str
) -> None:
    for value in (Maker(text).password(14, "!%^*_+"), "plum" + "tree77"):
        check(redactor, re2_redactor, text, value)


@pytest.mark.parametrize("text", KEYS)
def test_a_key_behind_fixed_words(redactor: Redactor, re2_redactor: Redactor, text: str) -> None:
    check(redactor, re2_redactor, text, Maker(text).alnum(32))


@pytest.mark.parametrize("text", PATHS)
def test_a_key_in_a_path(redactor: Redactor, re2_redactor: Redactor, text: str) -> None:
    check(redactor, re2_redactor, text, Maker(text).hex(32))


def check(redactor: Redactor, re2_redactor: Redactor, text: str, value: str) -> None:
    head, mark, tail = text.partition("@") if "@localhost" not in text else text.rpartition("@")
    written = head + value + tail if mark else text
    answer = redactor.redact_text(written).text
    assert value not in answer
    assert answer != written
    assert re2_redactor.redact_text(written).text == answer
    assert redactor.redact_text(answer).text == answer


@pytest.mark.parametrize("text", STAYS)
def test_plain_words_behind_fixed_words_stay(redactor: Redactor, text: str) -> None:
    assert redactor.redact_text(text).text == text
