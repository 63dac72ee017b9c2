"""Fixed words that a secret follows directly: commands, protocols, device settings, calls of client libraries.

Sources: the manual pages of the commands, RFC 959 and RFC 9051 (logins of FTP and IMAP), RFC 2812 and the help of
its services, the command references of Cisco IOS and PowerShell, and the documentation of the client libraries.
"""

import re
from typing import Final

from capture_service.redaction.judge import (
    is_code,
    is_reference,
    is_technical,
    looks_machine_made,
    reads_as_text,
)
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
    rb"\bimportprivkey [\x22']?",
    rb"\x22username\x22:\s?\x22[^\x22\r\n]{1,64}\x22,\s{0,24}\x22key\x22:\s?\x22",
    rb"\x22type\x22:\s?\x22securestring\x22,\s{0,24}\x22value\x22:\s?\x22",
    rb"\x22payload\x22:\s?\{\s{0,24}\x22data\x22:\s?\x22",
    rb"vault\.azure\.net/secrets/[\w/-]{1,160}\x22,\s{0,24}(?:\x22[\w]{1,24}\x22:\s?(?:null|\x22[^\x22]{0,80}\x22),\s{0,24}){0,3}"
    rb"\x22value\x22:\s?\x22",
    rb"\x22apikey\x22:\s?\[\s{0,24}\{\s{0,24}\x22key\x22:\s?\x22value\x22,\s{0,24}\x22value\x22:\s?\x22",
    rb"\]:[0-9]{2,5}[ \t]{1,8}[\w.@+-]{1,64}:",
    rb"\buser[ \t]{1,8}[\w.@-]{1,64}\r?\n[ \t]{0,8}pass[ \t]{1,8}\x22?",
    rb"password[ ]{1,8}reg_sz[ ]{1,8}",
    rb"\b(?:user|setuser) [\w.-]{1,40} (?:on|off)[^\r\n>]{0,80} >",
    rb"\x22(?:requirepass|masterauth|masterpass)\x22\r?\n[ ]?2\) \x22",
    rb"\b(?:cohere|openai|anthropic|groq|mistralai|genai|telegram|telebot|discord)\."
    rb"(?:async)?(?:clientv?2?|bot|telebot|openai|anthropic|groq)\([\x22']",
    rb"\bclient\([\x22']AC[0-9a-f]{32}[\x22'],\s?[\x22']",
    rb"\bleagueclient:[0-9]{1,6}:[0-9]{1,6}:",
    rb"sv_setsteamaccount[ ]\x22?",
    rb"<wlan>\s{0,20}<key>",
    rb"\boption key[ ]{1,4}'",
    rb"\bunity[^\r\n]{0,160} -serial[ ]",
    rb":[0-9]{3,6}:[0-9a-f]{32}:",
    rb"[\w.-]::[\w.-]{0,40}:[0-9a-f]{16}:",
    rb"authorization: (?:basic|digest) [\w.@-]{1,64}[ ]",
    rb"npmauthident\x22?: ?[\x22']?[\w.@-]{1,64}:",
    rb"jenkins-crumb[:=] ?",
    rb"(?:key content|schl\xc3\xbcsselinhalt)[ ]{1,24}:[ ]",
    rb"<auth-user-pass>\s{1,8}[^\s<>]{1,64}\s{1,4}",
    rb"<apikeys>\s{0,40}<add key=\x22[^\x22]{1,200}\x22 value=\x22",
    rb"\x22(?:github-oauth|gitlab-oauth|gitlab-token|forgejo-token|bearer)\x22\s?:\s{0,4}\{\s{0,24}"
    rb"\x22[\w.-]{1,80}\x22\s?:\s{0,4}\x22",
    rb"\x22permissions\x22:\s?\x22full\x22,\s{1,24}\x22value\x22:\s?\x22",
    rb"'crypt'\s{0,2}=>\s{0,2}(?:\[|array ?\()\s{0,24}'key'\s{0,2}=>\s{0,2}'",
    rb"\b(?:new mysqli|mysqli_connect|mysql_connect|imap_open|getconnection|new pdo)"
    rb"\(\s{0,4}[\x22'][^\x22'\r\n]{0,200}[\x22'],\s?[\x22'][^\x22'\r\n]{0,80}[\x22'],\s?[\x22']",
)
"""Expressions that end where the secret begins, without regard to case."""
PROTOCOL_LEADS: Final = (
    rb"[\r\n> :]PASS[ ]",
    rb"\b[A-Za-z]{0,4}[0-9]{1,6} LOGIN [\w.@\x22-]{1,60}[ ]\x22?",
    rb"[0-9]> AUTH[ ]",
    rb"send (?:-- )?\x22",
    rb"\bPASSWORD [\w.-]{1,40} = ",
    rb"\x22AUTH\x22 (?:\x22[\w.-]{1,40}\x22 )?\x22",
    rb": (?:PSK|XAUTH|EAP|NTLM) \x22",
)
"""Lines of protocols and of scripts that talk to them, with regard to case."""
LINE_LEADS: Final = (
    rb"identified by values[ ]'",
    rb"password for (?:the )?[\w.-]{1,40}(?: user)?(?: \([^()\r\n]{1,120}\))?:\s{0,2}(?:\r?\n|\\n)[ ]{0,8}",
    rb"initial-(?:admin-)?password[^\r\n:]{0,60}(?:\r?\n|\\n)",
    rb"\b(?:cat|less|head|type) [^\s]{0,80}(?:master|production)\.key(?:\r?\n|\\n)",
    rb"\bwg gen(?:key|psk)(?:\r?\n|\\n)",
    rb"\b(?:gcloud secrets versions access|bw get password|op read|pass show|vault (?:kv get|read) -field=|"
    rb"secret-tool lookup|security find-(?:generic|internet)-password|get-login-password|"
    rb"gcloud auth print-(?:access|identity)-token)[^\r\n\\]{0,120}(?:\r?\n|\\n)",
    rb"334 UGFzc3dvcmQ6(?:\r?\n|\\r\\n|\\n)(?:C: )?",
    rb"\bAUTH(?:ENTICATE)? (?:PLAIN|LOGIN|XOAUTH2|OAUTHBEARER)[ ]",
)
"""Words and ends of lines that a secret follows which looks machine-made, without regard to case.

An expression that begins like one of the others stands here, since one engine tells a single end for each beginning.
"""
PATH_LEADS: Final = (
    rb"/(?:password[/_-]?resets?|reset[/_-]?password|forgot[/_-]password|magic(?:-?link)?|"
    rb"verify-?email|email/verify|confirm(?:-email|ation)?|activate|invite)/",
    rb"\brtmps?://[\w.-]{1,80}/live2/",
    rb"//conda\.anaconda\.org/t/",
    rb"//[\w.-]{0,40}infura\.io/(?:ws/)?v3/",
    rb"//[\w.-]{0,40}\.alchemy\.com/v2/",
)
"""Parts of addresses whose next part is a token of one use or of one account."""
APP_PASSWORD_LEADS: Final = (
    rb"\bapp(?:[ -]specific|lication)?[ -]pass(?:word|wort)s?(?: is)?:?[ ]",
)
"""Words before the passwords of single programs, which Apple, Google and WordPress write in groups of four."""
CODE_LIST_LEADS: Final = (
    rb"(?:recovery|backup|scratch|rescue)[ -](?:codes|keys):?[ ]{0,2}(?:\r?\n|\\n){1,2}",
)
"""Headings of lists of one-time codes."""

_VALUE: Final = re.compile(rb"([\x21\x23-\x26\x28-\x5b\x5d-\x5f\x61-\x7e]{4,512})")
_TOKEN_PATH: Final = re.compile(rb"[0-9a-fA-F]{20,64}(?=[/\s\"'<>?]|\Z)")
_PATH_PART: Final = re.compile(rb"[A-Za-z0-9_.-]{20,256}(?=[/?#\s\"'<>)\\]|\Z)")
_STREAM_KEY: Final = re.compile(rb"[a-z0-9]{4}(?:-[a-z0-9]{4}){3,5}")
_APP_PASSWORD: Final = re.compile(
    rb"(?:[a-z]{4}([ -]?)[a-z]{4}\1[a-z]{4}\1[a-z]{4}|(?:[A-Za-z0-9]{4} ){5}[A-Za-z0-9]{4})(?![A-Za-z0-9])"
)
_CODE_LINE: Final = re.compile(
    rb"[ \t]{0,8}(?:\d{1,2}[.)][ \t]|[-*][ \t])?((?:[A-Za-z0-9]{4,10}(?:[ -][A-Za-z0-9]{4,10}){0,3}[ \t]{0,8}){1,4})"
    rb"(?:\r?\n|\\n|\Z)"
)
CODE_LINES_MAX: Final = 32
"""Lines of one list of codes that are masked; services give 8 to 16."""
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


def confirm_line_lead(scan: Scan, position: int) -> None:
    """Mask what follows the words that end at `position`, if it looks machine-made."""
    match = _VALUE.match(scan.data, position)
    scan.budget.spend(96)
    if (
        match is not None
        and looks_machine_made(match.group(), 10)
        and not scan.touches_placeholder(*match.span())
    ):
        scan.add(*match.span(), STRUCTURED, "secret")


def confirm_path_lead(scan: Scan, position: int) -> None:
    """Mask the part of a path that begins at `position`, if it looks machine-made."""
    match = _PATH_PART.match(scan.data, position)
    scan.budget.spend(96)
    if (
        match is not None
        and (looks_machine_made(match.group(), 20) or _STREAM_KEY.fullmatch(match.group()))
        and not scan.touches_placeholder(*match.span())
    ):
        scan.add(*match.span(), STRUCTURED, "url-parameter")


def confirm_app_password(scan: Scan, position: int) -> None:
    """Mask a password in groups of four; four words of a sentence are none."""
    match = _APP_PASSWORD.match(scan.data, position)
    scan.budget.spend(32)
    if match is not None and (match.group(1) == b"-" or not reads_as_text(match.group())):
        scan.add(*match.span(), STRUCTURED, "password")


def confirm_code_list(scan: Scan, position: int) -> None:
    """Mask the lines of a list of one-time codes that begins at `position`; a list has two lines at least."""
    lines: list[tuple[int, int]] = []
    while len(lines) < CODE_LINES_MAX:
        match = _CODE_LINE.match(scan.data, position)
        scan.budget.spend(64)
        if match is None or not any(48 <= byte <= 57 for byte in match.group(1)):
            break
        lines.append((match.start(1), match.start(1) + len(match.group(1).rstrip())))
        position = match.end()
    if len(lines) > 1:
        for start, end in lines:
            scan.add(start, end, STRUCTURED, "recovery-code")


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
        or is_technical(text)
        or scan.touches_placeholder(position, end)
    ):
        return
    scan.add(position, end, STRUCTURED, "secret")
