"""Command lines, SQL statements and credential files whose value stands behind white space."""

import re
from typing import Final

from capture_service.redaction.assignments import name_before, rule_name
from capture_service.redaction.headers import confirm_authorization, confirm_cookie
from capture_service.redaction.judge import (
    is_code,
    is_function_word,
    is_placeholder,
    is_words,
    judge,
    judge_password,
    looks_machine_made,
)
from capture_service.redaction.names import NameClass, classify_name
from capture_service.redaction.placement import member_decides
from capture_service.redaction.scan import NAMED, STRUCTURED, Scan
from capture_service.redaction.values import Value, bare_value, quoted_value

_SPACE: Final = re.compile(rb"(?:[ \t]|\\t){1,8}")
_NETRC: Final = re.compile(
    rb"(?:machine|login|default|host)[ \t\r\n]+[^\s]{1,128}[\s\\n]{1,8}(?:(?:login|"
    rb"port|user)[ \t]+\S{1,128}\s{1,8}){0,2}\Z"
)
_SQL: Final = re.compile(
    rb"(?i)(?:identified (?:with [\w'\"]{1,40} )?(?:by|as)|(?:user|role|login|"
    rb"encrypted|with|set)[^;\r\n]{0,80}password|auth|requirepass|masterauth|"
    rb"secret(?: \d)?|password(?: \d)?)\Z"
)
_LINE: Final = re.compile(rb"[^\r\n]{0,1024}")
_USER_FLAG: Final = re.compile(
    rb"(?:^|\s)(?:-u|--user|--proxy-user|-U|--proxy-u|-a|--auth|--userpwd|"
    rb"-A)(?:[ \t]{1,3}|=|(?=[^\s=-]))[\"']?([^\s:\"']{1,80}):([^\s\"']{1,256})"
)
_REMOTE_LOGIN: Final = re.compile(
    rb"(?i)(?:psexec|winexe|evil-winrm|crackmapexec|rdesktop|xfreerdp)[^|;&\r\n]{0,160}? (?:-p |"
    rb"/p:)([\"']?)((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"
)
_PASSWORD_FLAG: Final = {
    b"psexec": _REMOTE_LOGIN,
    b"winexe": _REMOTE_LOGIN,
    b"evil-winrm": _REMOTE_LOGIN,
    b"crackmapexec": _REMOTE_LOGIN,
    b"rdesktop": _REMOTE_LOGIN,
    b"xfreerdp": _REMOTE_LOGIN,
    b"sshpass": re.compile(
        rb"sshpass[^|;&\r\n]{0,24}? -p ?([\"']?)((?:[^\s\"'\\]|\\[^nrt]){3,128})\1"
    ),
    b"mysql": re.compile(
        rb"mysql[a-z_-]{0,10}[^|;&\r\n]{0,200}? -p([\"']?)((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"
    ),
    b"login": re.compile(
        rb"login[^|;&\r\n]{0,160}? (?:-p|--pwd|-w)[ =]([\"']?)((?:[^\s\"'\\]|\\[^nrt]){4,512})\1"
    ),
    b"redis": re.compile(
        rb"redis-cli[^|;&\r\n]{0,160}? -a ([\"']?)((?:[^\s\"'\\]|\\[^nrt]){4,256})\1"
    ),
    b"mongo": re.compile(
        rb"mongo(?:sh|dump|restore|export|import)?\s[^|;&\r\n]{0,200}? -p ([\"']?)"
        rb"((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"
    ),
    b"ldap": re.compile(
        rb"ldap[a-z_]{3,8}\s[^|;&\r\n]{0,240}? -w ([\"']?)((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"
    ),
    b"htpasswd": re.compile(
        rb"htpasswd\s+-[a-zA-Z]{0,3}b[a-zA-Z]{0,3}\s+(?:\S{1,120}\s+){1,2}([\"']?)"
        rb"((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"
    ),
    b"smbclient": re.compile(
        rb"smbclient[^|;&\r\n]{0,160}? -U ?([\"']?)[^\s%\"']{1,64}%((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"
    ),
    b"mosquitto": re.compile(
        rb"mosquitto_\w{3}[^|;&\r\n]{0,160}? -P ?([\"']?)((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"
    ),
    b"sqlcmd": re.compile(
        rb"sqlcmd[^|;&\r\n]{0,160}? -P ?([\"']?)((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"
    ),
    b"openssl": re.compile(rb"pass(?:in|out)? pass:([\"']?)((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"),
    b"7z": re.compile(
        rb"(?:7z[a-z]?|unrar|rar)\s+[aex]\b[^|;&\r\n]{0,160}? -(?:hp|p)([\"']?)((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"
    ),
    b"zip": re.compile(
        rb"(?:un)?zip\b[^|;&\r\n]{0,120}? -P ?([\"']?)((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"
    ),
    b"net use": re.compile(
        rb"net use \S{1,80} (?:\S{1,160} )?(?:/user:\S{1,80} )?([\"']?)([^\s\"'/\\:]{4,128})"
        rb"\1(?=\s|\Z)"
    ),
    b"cmdkey": re.compile(
        rb"cmdkey [^|;&\r\n]{0,120}? /pass:([\"']?)((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"
    ),
    b"net user": re.compile(rb"net user [\w.-]{1,40} ([\"']?)([^\s\"'/\\]{4,128})\1 /add"),
    b"codecov": re.compile(
        rb"codecov[^\r\n|;&]{0,80}? -t ([\"']?)(?=\S{0,64}\d)((?:[^\s\"'\\]|\\[^nrt]){8,128})\1"
    ),
    b"influx": re.compile(
        rb"influx [^\r\n|;&]{0,120}? -t ([\"']?)(?=\S{0,64}\d)((?:[^\s\"'\\]|\\[^nrt]){8,128})\1"
    ),
    b"mc alias": re.compile(
        rb"mc (?:alias set|config host add) \S{1,40} \S{1,120} "
        rb"([\"']?)(?=\S{0,128}\d)((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"
    ),
    b"mc ": re.compile(
        rb"mc (?:alias set|config host add) \S{1,40} \S{1,120} \S{1,128} "
        rb"([\"']?)(?=\S{0,128}\d)((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"
    ),
    b"poetry": re.compile(
        rb"poetry config http-basic\.[\w-]{1,40} \S{1,64} ([\"']?)((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"
    ),
    b"ipmitool": re.compile(
        rb"ipmitool [^\r\n|;&]{0,120}? -P ([\"']?)((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"
    ),
    b"snmp -A": re.compile(
        rb"snmp[a-z]{3,9} [^\r\n|;&]{0,160}? -A ([\"']?)((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"
    ),
    b"snmp -X": re.compile(
        rb"snmp[a-z]{3,9} [^\r\n|;&]{0,160}? -X ([\"']?)((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"
    ),
    b"altool": re.compile(
        rb"altool [^\r\n|;&]{0,200}? (?:-p|--password)[ =]([\"']?)((?:[^\s\"'@\\]|\\[^nrt]){4,128})\1"
    ),
    b"notarytool": re.compile(
        rb"notarytool [^\r\n|;&]{0,200}? --password[ =]([\"']?)((?:[^\s\"'@\\]|\\[^nrt]){4,128})\1"
    ),
    b"lftp": re.compile(
        rb"lftp [^\r\n|;&]{0,80}?-u ([\"']?)[^\s,\"']{1,64},((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"
    ),
    b"ncftp": re.compile(
        rb"ncftp(?:put|get)? [^\r\n|;&]{0,80}?-p ([\"']?)((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"
    ),
    b"winrs": re.compile(
        rb"winrs [^\r\n|;&]{0,120}?[-/]p:([\"']?)((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"
    ),
    b"schtasks": re.compile(
        rb"schtasks [^\r\n|;&]{0,200}?/rp ([\"']?)((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"
    ),
    b"wpa_passphrase": re.compile(
        rb"wpa_passphrase \S{1,64} ([\"']?)((?:[^\s\"'\\]|\\[^nrt]){8,63})\1"
    ),
    b"rabbitmqctl": re.compile(
        rb"rabbitmqctl (?:add_user|change_password) \S{1,64} ([\"']?)((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"
    ),
    b"security": re.compile(
        rb"security add-(?:generic|internet)-password [^\r\n|;&]{0,160}?-w ([\"']?)((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"
    ),
    b"-U": re.compile(
        rb"(?:net (?:ads|rpc)|rpcclient) [^\r\n|;&]{0,160}?-U ?([\"']?)"
        rb"[^\s%\"']{1,64}%((?:[^\s\"'\\]|\\[^nrt]){4,128})\1"
    ),
    b"echo": re.compile(
        rb"echo (?:-n )?([\"']?)((?:[^\s\"'|\\]|\\[^nrt]){3,128})\1 ?\| ?(?:sudo -S|docker login|"
        rb"passwd|chpasswd|kinit|gh auth|vault login|base64 -w|secret-tool|(?:sudo )?cryptsetup)"
    ),
    b"chpasswd": re.compile(
        rb"echo (?:-n |-e )?([\"']?)[^\s:\"'|]{1,40}:((?:[^\s\"'|\\]|\\[^nrt]){4,128})\1 ?\| ?chpasswd"
    ),
}
_ENDS_ARGUMENT: Final = re.compile(
    rb"[\"'`)]|[ \t]{0,4}(?:\r?\n|\\[nr\r\n]|\Z|[|;&>]|[ \t]-{1,2}[A-Za-z]|[ \t]https?:)"
)
"""What may follow an argument in a command line, unlike in a sentence about a flag."""
_COMMAND_LINE: Final = re.compile(
    rb"(?:\A|[\n\"'`]|\\n|[$>#%] )[ \t]{0,8}[a-z][\w./-]{1,30}(?: [\w./:=@-]{1,60}){0,8} \Z"
)
"""Command and arguments before a flag."""
_SETTING_BEFORE: Final = re.compile(rb"(?:ENV|setx|setenv|SetEnv) \Z")
"""What stands before the name of a variable and its value."""
_LINE_START: Final = re.compile(rb"(?:\A|\n|\\n)[ \t]{0,4}\Z")
_DIRECTIVES: Final = (b"requirepass", b"masterauth")
"""Settings of Redis that stand at the start of a line."""
_COOKIE_FLAG: Final = re.compile(
    rb"(?:^|\s)(?:-b|--cookie)(?:[ \t]{1,3}|=)([\"'])(?=[^\"'\r\n]{1,4096}=)"
)
_HASH: Final = re.compile(
    rb"\$(?:1|2[abxy]?|5|6|7|y|gy|apr1|argon2(?:id?|d)|sha1|scrypt|pbkdf2(?:-sha\d+)?)"
    rb"\$[A-Za-z0-9./=$,+-]{8,400}"
)
_HASH_NAME: Final = re.compile(rb"(?:^|\n|\\n|[\s\"'=,])[A-Za-z_][\w.@-]{0,40}\Z")
_PASSWORD_FILE: Final = re.compile(rb"(?:\A|\n|\\n|[\"'\s])[\w.*-]{1,80}\Z")
_PASSWORD_FILE_REST: Final = re.compile(
    rb"[\w.*$-]{1,64}:[\w.*@$-]{1,64}:((?:[^\s:\\\"']|\\:){1,128})(?=\s|\\n|\"|\Z)"
)


def confirm_spaced(scan: Scan, position: int) -> None:
    """Mask a value behind a name and white space: flags, netrc lines, SQL.

    The trigger ended at `position`, behind the first white space or behind the quote that opens the value.
    """
    data = scan.data
    position -= 1
    if data[position : position + 1] not in b" \t":
        position -= 1
    while position > 0 and data[position - 1 : position] in (b" ", b"\t"):
        position -= 1
    name, start, _end = name_before(data, position)
    gap = _SPACE.match(data, position)
    if not name or gap is None:
        return
    scan.budget.spend(200)
    word = name.rsplit(b" ", 1)[-1]
    flag = word.startswith(b"-") or data[start - 1 : start] == b"-"
    word = word.lstrip(b"-")
    name_class = classify_name(word)
    if name_class is NameClass.NONE:
        return
    value = quoted_value(scan, gap.end()) or bare_value(scan, gap.end())
    text = data[value.start : value.end]
    if value.quoted and word.lower() == b"authorization":
        confirm_authorization(scan, value.start)
        return
    if flag:
        _mask_flag(scan, word, name_class, value, text)
        return
    before = data[max(0, start - 200) : position]
    low = max(0, start - 300)
    netrc = (
        name_class is NameClass.PASSWORD
        and (data.find(b"login", low, start) >= 0 or data.find(b"machine", low, start) >= 0)
        and _NETRC.search(data, low, start) is not None
    )
    if (
        netrc
        and not (
            is_placeholder(text) or is_function_word(text) or (text.isalpha() and text.isupper())
        )
        and not value.quoted
        and len(text) >= 3
    ):
        scan.add(value.start, value.end, NAMED, "password")
    elif _accepts_spaced(name_class, word, text, value, before) or _is_setting(
        word, name_class, text, before
    ):
        _add(scan, value, name_class)


def _accepts_spaced(
    name_class: NameClass, word: bytes, text: bytes, value: Value, before: bytes
) -> bool:
    if value.quoted:
        return _accepts(name_class, text, _SQL.search(before) is not None)
    if len(text) < 8 or is_code(text):
        return False
    if b"_" in word and _names_one_value(name_class, text):
        return True
    return looks_machine_made(text, 10) and _SQL.search(before) is not None


def _names_one_value(name_class: NameClass, text: bytes) -> bool:
    """Judge a value behind a variable's name, as in ``aws configure set aws_secret_access_key …``."""
    return (
        name_class >= NameClass.SECRET
        and looks_machine_made(text, 16)
        and not is_code(text)
        and not text.islower()
    )


def _mask_flag(scan: Scan, word: bytes, name_class: NameClass, value: Value, text: bytes) -> None:
    if (
        text.startswith(b"-")
        or is_placeholder(text)
        or (name_class is NameClass.WEAK and len(text) < 16)
    ):
        return
    if value.quoted:
        accepted = judge(name_class, text, True)
    elif name_class is NameClass.PASSWORD:
        accepted = judge_password(text, False)
    else:
        accepted = looks_machine_made(text, 8) and not is_code(text)
    if accepted or (member_decides(word, name_class, text) and _is_argument(scan, value, text)):
        _add(scan, value, name_class)


def _is_argument(scan: Scan, value: Value, text: bytes) -> bool:
    """Say whether a value is the argument of a flag in a command line, and not the next word of a sentence."""
    if value.quoted:
        return len(text) >= 4 or not text.isalpha()
    if is_code(text) or b"\\" in text or not _ENDS_ARGUMENT.match(scan.data, value.end):
        return False
    if not text.isalpha():
        return True
    flag = scan.data.rfind(b" -", max(0, value.start - 80), value.start) + 1
    return (
        len(text) >= 4
        and text.islower()
        and not is_function_word(text)
        and _COMMAND_LINE.search(scan.data, max(0, flag - 300), flag) is not None
    )


def _is_setting(word: bytes, name_class: NameClass, text: bytes, before: bytes) -> bool:
    """Say whether a name and a value stand in a line of a Dockerfile, of a shell, or of a Redis configuration."""
    lead = before[: len(before) - len(word)]
    placed = (word.isupper() and _SETTING_BEFORE.search(lead)) or (
        word in _DIRECTIVES and _LINE_START.search(lead)
    )
    return bool(placed) and member_decides(word, name_class, text)


def _accepts(name_class: NameClass, text: bytes, statement: bool) -> bool:
    if b" " in text or is_placeholder(text):
        return False
    if statement and name_class is NameClass.PASSWORD:
        return judge_password(text, True) or member_decides(b"", name_class, text)
    return looks_machine_made(text, 8 if name_class is NameClass.PASSWORD else 16) and not is_code(
        text
    )


def _add(scan: Scan, value: Value, name_class: NameClass) -> None:
    if not scan.touches_placeholder(value.start, value.end):
        scan.add(value.start, value.end, NAMED, rule_name(name_class))


def confirm_command(scan: Scan, position: int) -> None:
    """Mask passwords in the arguments of well-known commands; the command's name ends at `position`."""
    data = scan.data
    start = max(data.rfind(b"\n", max(0, position - 24), position) + 1, position - 24, 0)
    line = _LINE.match(data, start)
    assert line is not None
    end = line.end()
    while data[end - 1 : end] == b"\\" and end - start < 2048:
        following = _LINE.match(data, min(len(data), end + 1))
        if following is None or following.end() <= end + 1:
            break
        end = following.end()
    if scan.already_done("command", position, end):
        return
    scan.budget.spend(2 * (end - start) + 64)
    for match in _USER_FLAG.finditer(data, start, end):
        text = match.group(2)
        if not is_placeholder(text) and not (
            is_words(text) and text.lower() in (b"password", b"pass", b"passwd")
        ):
            _add(scan, Value(*match.span(2), False), NameClass.PASSWORD)
    for word, pattern in _PASSWORD_FLAG.items():
        if data.find(word[:4], start, end) >= 0:
            for match in pattern.finditer(data, start, end):
                if not is_placeholder(match.group(2)) and not (
                    word != b"sshpass" and is_code(match.group(2))
                ):
                    _add(scan, Value(*match.span(2), False), NameClass.PASSWORD)
    for match in _COOKIE_FLAG.finditer(data, start, end):
        confirm_cookie(scan, match.end())


def confirm_password_hash(scan: Scan, position: int) -> None:
    """Mask the crypt hash of a passwd, shadow or htpasswd line whose ``:$…$`` ends at `position`."""
    data = scan.data
    position = data.rfind(b":$", max(0, position - 20), position)
    match = _HASH.match(data, position + 1)
    scan.budget.spend(128)
    if match is not None and _HASH_NAME.search(data, max(0, position - 48), position):
        scan.add(*match.span(), STRUCTURED, "password-hash")


def confirm_password_file(scan: Scan, position: int) -> None:
    """Mask the last field of a ``host:port:database:user:password`` line; the port's colon ends at `position`."""
    data = scan.data
    colon = data.rfind(b":", max(0, position - 8), position - 1)
    rest = _PASSWORD_FILE_REST.match(data, position)
    scan.budget.spend(128)
    if rest is None or colon < 0 or not _PASSWORD_FILE.search(data, max(0, colon - 96), colon):
        return
    text = rest.group(1)
    if (
        not is_placeholder(text)
        and not scan.touches_placeholder(*rest.span(1))
        and (
            judge_password(text, True)
            or len(text) > 7
            or member_decides(b"", NameClass.PASSWORD, text)
        )
    ):
        scan.add(*rest.span(1), STRUCTURED, "password")
