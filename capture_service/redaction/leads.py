"""Fixed words that a secret follows directly: commands, protocols, device settings, calls of client libraries.

Sources: the manual pages of the commands, RFC 959 and RFC 9051 (logins of FTP and IMAP), RFC 2812 and the help of
its services, the command references of Cisco IOS and PowerShell, and the documentation of the client libraries.
"""

import re
from typing import Final

from capture_service.redaction.judge import is_code, is_reference
from capture_service.redaction.limits import LEAD_CONTEXT_BYTES
from capture_service.redaction.placement import stands_in
from capture_service.redaction.scan import STRUCTURED, Scan

LEADS: Final = (
    rb"::add-mask::",
    rb"nickserv[ :]{1,2}identify[ ]",
    rb"snmp-server community[ ]",
    rb"enable (?:secret|password)[ ](?:[0-9][ ])?",
    rb"username [\w.-]{1,40}[ ](?:privilege \d{1,2}[ ])?(?:password|secret)[ ](?:[0-9][ ])?",
    rb"nmcli [^\r\n]{1,120}[ ]password[ ]",
    rb"gh auth login --with-token <<<[ ]",
    rb"\b(?:vault|cargo|npx wrangler|huggingface-cli|wandb|snyk auth|fly auth|pulumi) login[ ]",
    rb"\bdoctl auth init (?:-t|--access-token)[ ]",
    rb"\bcloudflared (?:service install|tunnel run --token)[ ]",
    rb"\bngrok (?:config add-authtoken|authtoken)[ ]",
    rb"sec-websocket-protocol: (?:bearer|token|access_token|base64url\.bearer\.authorization\.k8s\.io)[,.][ ]?",
    rb"stripe-signature: t=[0-9]{1,12},v1=",
    rb"x-hub-signature(?:-256)?: sha(?:1|256)=",
    rb"-dsonar\.(?:login|token)=",
    rb"convertto-securestring (?:-string )?(?:-asplaintext )?[\x22']",
    rb"\bjwt\.(?:sign|verify|encode|decode)\([^()\x22'\r\n]{1,60},[ ]?[\x22']",
    rb"\b(?:client|bot)\.(?:login|run|start)\([\x22']",
    rb"\bnew (?:stripe|openai|anthropic|resend|slack|webclient|octokit|twilio)\([\x22']",
    rb"(?:wlan-schl\xc3\xbcssel|netzwerkschl\xc3\xbcssel|wi-?fi key|wlan key|network key|cl\xc3\xa9 wi-?fi)[ ]?[:=][ ]",
    rb"/private-",
    rb"/incomingwebhook/",
    rb"password (?:is|was) generated for [\w.@-]{1,40}:[ ]",
    rb"(?:password|passphrase|token|api key|secret) is:?(?:\r?\n){1,2}[ ]{0,8}",
    rb"ssh-keygen [^\r\n|;&]{0,120}[ ]-N[ ]?[\x22']",
    rb"ssh-keygen [^\r\n|;&]{0,120}[ ]-N[ ]",
    rb"openssl (?:enc|aes-[0-9a-z-]{3,12}) [^\r\n|;&]{0,120}[ ]-k[ ]",
    rb"net user [\w.-]{1,40}[ ]",
    rb"identified by[ ]",
)
"""Expressions that end where the secret begins, without regard to case."""
PROTOCOL_LEADS: Final = (
    rb"[\r\n> :]PASS[ ]",
    rb"\b[A-Za-z]{0,4}[0-9]{1,6} LOGIN [\w.@\x22-]{1,60}[ ]\x22?",
    rb"[0-9]> AUTH[ ]",
    rb"send (?:-- )?\x22",
)
"""Lines of protocols and of scripts that talk to them, with regard to case."""

_VALUE: Final = re.compile(rb"([\x21\x23-\x26\x28-\x5b\x5d-\x5f\x61-\x7e]{4,512})")
_TOKEN_PATH: Final = re.compile(rb"[0-9a-fA-F]{20,64}(?=[/\s\"'<>?]|\Z)")
_PLAIN: Final = re.compile(rb"[A-Za-z._:/ -]*")
_LOGIN_BEFORE: Final = re.compile(rb"(?:USER|NICK) \S{1,64}|assword|assphrase")


def confirm_lead(scan: Scan, position: int) -> None:
    """Mask what follows the fixed words that end at `position`, unless it is a plain word."""
    data = scan.data
    scan.budget.spend(96)
    if (
        data[max(0, position - 17) : position]
        .lower()
        .endswith((b"/private-", b"/incomingwebhook/"))
    ):
        match = _TOKEN_PATH.match(data, position)
        if match is not None and not scan.touches_placeholder(*match.span()):
            scan.add(*match.span(), STRUCTURED, "url-parameter")
        return
    _mask(scan, position)


def confirm_protocol_lead(scan: Scan, position: int) -> None:
    """Mask the password of a login in a protocol; a lone ``PASS`` is the verdict of a test suite."""
    before = scan.data[max(0, position - LEAD_CONTEXT_BYTES) : position]
    scan.budget.spend(LEAD_CONTEXT_BYTES)
    lone = before.endswith((b"PASS ", b'send "', b'send -- "'))
    if lone and _LOGIN_BEFORE.search(before[:-5]) is None:
        return
    _mask(scan, position)


def _mask(scan: Scan, position: int) -> None:
    match = _VALUE.match(scan.data, position)
    if match is None:
        return
    text = match.group().rstrip(b".,;:)")
    end = position + len(text)
    if (
        len(text) < 4
        or _PLAIN.fullmatch(text)
        or stands_in(b"", text)
        or is_code(text)
        or is_reference(text)
        or scan.touches_placeholder(position, end)
    ):
        return
    scan.add(position, end, STRUCTURED, "secret")
