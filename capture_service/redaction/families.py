"""Families of rules: the triggers of each, and the function that confirms."""

from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Final

from capture_service.redaction import (
    assignments,
    commands,
    headers,
    leads,
    manifests,
    markup,
    personal_data,
    private_keys,
    prose,
    statements,
    urls,
)
from capture_service.redaction.encodings import hex_spellings, keyword_spellings
from capture_service.redaction.engine import Trigger
from capture_service.redaction.scan import Scan
from capture_service.redaction.token_rules import escape
from capture_service.redaction.vocabulary import (
    CLOSERS,
    FOREIGN_WORDS,
    RARE_END,
    SENSITIVE_END,
)


class Family(IntEnum):
    """Numbers of the families in events; higher numbers are typed tokens and configured rules."""

    TOKEN = 0
    ASSIGNMENT = 1
    ESCAPED_ASSIGNMENT = 2
    PAIR = 3
    ELEMENT = 4
    CELL = 5
    SPACED = 6
    SENTENCE = 7
    ATTRIBUTE = 8
    PASSWORD_INPUT = 9
    COLUMN = 10
    FOREIGN = 11
    STATEMENT = 12
    SCHEME = 13
    PARAMETER = 14
    USER_PART = 15
    PEM = 16
    PUTTY = 17
    JWK = 18
    XML_KEY = 19
    RAW_KEY = 20
    COMMAND = 21
    COOKIE_FILE = 22
    PASSWORD_HASH = 23
    PASSWORD_FILE = 24
    UPSTREAM = 25
    VALUE_FIRST = 26
    BASE64 = 27
    HEX = 28
    ESCAPE = 29
    EMAIL = 30
    PHONE = 31
    CARD = 32
    SESSION_PATH = 33
    FORM_PART = 34
    CONFIGURED_NAME = 35
    CALL = 36
    PHRASE = 37
    ONE_TIME_CODE = 38
    FOREIGN_VERB = 39
    WIRELESS = 40
    INSERT = 41
    ORACLE = 42
    ACCOUNT_PAIR = 43
    LOGIN_PAIR = 44
    LOGIN_ADDRESS = 45
    LEAD = 46
    PROTOCOL_LEAD = 47
    LINE_LEAD = 48
    PATH_LEAD = 49
    APP_PASSWORD = 50
    CODE_LIST = 51
    MANIFEST = 52
    STATE = 53
    COOKIE_CALL = 54
    VAULT_FILE = 55
    SOCKET_ADDRESS = 56
    CODE_FIRST = 57
    FIRST_INNER = 64


PERSONAL_FAMILIES: Final = {Family.EMAIL: "email", Family.PHONE: "phone", Family.CARD: "card"}

_PARAMETER_ENDS: Final = (
    rb"(?:key|token|secret|pass(?:word|wd|phrase)?|pwd|pw|sig|signature|auth|"
    rb"authorization|code|state|session|sid|sess(?:ion)?_?id|"
    rb"jwt|otp|hash|credential|credentials|hmac|ticket|assertion|csrf|xsrf|"
    rb"verifier|verification|confirm|confirmation|accesskeyid|"
    rb"samlresponse|samlrequest|phpsessid|jsessionid|tk|at|t|k|cred|accessid|"
    rb"appid|hdnea|hdnts|psk|hint|totp|creds)(?:%5[bBdD]|[\[\]]){0,2}"
)
_HEAD: Final = SENSITIVE_END + CLOSERS
_ALNUM_ESCAPE: Final = (
    rb"\\u00[2-7][0-9a-fA-F]",
    rb"\\x[2-7][0-9a-fA-F]",
    rb"\\u\{0{0,4}[2-7][0-9a-fA-F]\}",
    rb"#(?:0{0,4}(?:4[5-9]|5[0-9]|6[0-15-9]|[78][0-9]|9[05-9]|1[01][0-9]|12[0-2])"
    rb"|[xX]0{0,4}(?:2[dDeEfF]|3[0-9aAdD]|[46][1-9a-fA-F]|[57][0-9aA]|5[fF]))"
    rb";",
    rb"%(?:25){0,2}(?:3[0-9]|[46][1-9a-fA-F]|[57][0-9aA])[A-Za-z0-9_%-]",
    rb"[A-Za-z0-9_=:-]\xe2\x80[\x8b-\x8f][A-Za-z0-9_:=-]",
    rb"\xe2\x80[\x8b-\x8f]:",
    rb"[A-Za-z0-9_=:-](?:\xe2\x81\xa0|\xef\xbb\xbf|\xc2\xad)[A-Za-z0-9_:=-]",
    rb"[A-Za-z0-9_=:-](?:&shy;|&zwnj;|&zwj;|&ZeroWidthSpace;|&#8203;|&#173;|"
    rb"<wbr>|<wbr/>|\\u200[b-f]|\\u00ad)[A-Za-z0-9_:=-]",
    rb"&(?:colon|equals|lowbar|hyphen|dash);",
    rb"\x1b\[[0-9;]{0,16}m",
    rb"\\u001[bB]\[[0-9;]{0,16}m",
    rb"\\x1[bB]\[[0-9;]{0,16}m",
    rb"[A-Za-z0-9]=\r?\n[A-Za-z0-9]",
    rb"(?:\xef\xbc[\x90-\x99\xa1-\xba]|\xef\xbd[\x81-\x9a]){4}",
)

_PATTERNS: Final[Mapping[Family, tuple[bytes, ...]]] = {
    Family.ASSIGNMENT: (
        _HEAD + rb"[ \t]{0,8}[:=]",
        RARE_END + CLOSERS + rb"[ \t]{0,8}[:=]",
        SENSITIVE_END + rb"(?:&quot;|&#34;|&#x22;)[ ]{0,2}[:=]",
        _HEAD + rb"[ \t]{0,4}\xef\xbc[\x9a\x9d]",
    ),
    Family.ESCAPED_ASSIGNMENT: (
        SENSITIVE_END + rb"(?:\\{1,7}\x22|%22|&quot;)?(?:%(?:25){0,3}3[DdAa]|&#(?:61|58|x3[dDaA])"
        rb";|\\{1,3}u003[dDaA]|\\{1,3}x3[dDaA]|=3[DA])",
    ),
    Family.PAIR: (
        SENSITIVE_END + rb"\\{0,15}[\x22'`]\s{0,4},",
        rb"(?:remember_?me|ticket|sso|_salt|assertion)\\{0,15}[\x22'`]\s{0,4},",
    ),
    Family.ELEMENT: (SENSITIVE_END + rb"(?:\\{0,3}[\x22']|\s[^<>]{0,60})?(?:\s[^<>]{0,40})?>",),
    Family.CELL: (SENSITIVE_END + rb"[: *]{0,3}</",),
    Family.SPACED: (
        rb"-" + SENSITIVE_END + rb"[ \t]",
        rb"-[a-z0-9-]{1,24}" + SENSITIVE_END + rb"[ \t]",
        rb"(?:password|passwd|requirepass|masterauth|account|secret|psk)[ \t]",
        SENSITIVE_END + rb"[ \t]{1,4}[\x22'`]",
        rb"_(?:key|token|secret|password|passwd|pwd)[ \t]",
    ),
    Family.CALL: (SENSITIVE_END + rb"\(\s{0,2}[\x22'`]",),
    Family.PHRASE: (
        rb"(?:password|passphrase|passcode|passwd|pwd|pw|token|api key|secret)"
        rb"[ ](?:for|of|to|on|in|at|from)[ ]"
        rb"[\w'. -]{1,40}[:=][ ]",
        rb"(?:password|passphrase|passcode|pw|token|api key|secret)[ ](?:has been |"
        rb"was |is )?(?:changed|set|reset|updated|"
        rb"rotated|now|still)[ ](?:to |as |is )?",
        rb"(?:user(?:name)?|login)[ :=]{1,2}[\w.@-]{1,40}[ ]?[/,;&][ ]?(?:pass|password|pw|pwd)[ ]",
        rb"(?:with|using|use|enter|and|the|your)[ ](?:the )?(?:password|passphrase|"
        rb"passcode|pw|pwd)[ ]",
    ),
    Family.ACCOUNT_PAIR: (
        rb"(?:credentials?|creds|log[ -]?in|sign[ -]?in|account)(?:(?: are| is| with)?:| are| is| with| -)[ ]",
        rb"(?:log|sign)[ -]?in (?:with|as|using)[ ]",
    ),
    Family.LOGIN_PAIR: (
        rb"(?:auth|basic_auth|credentials|creds)\s?=\s?[(\[]\\{0,3}[\x22']",
        rb"(?:basic_?auth|authenticate|login|credentials?)\(\\{0,3}[\x22']",
    ),
    Family.LOGIN_ADDRESS: (rb"[a-z0-9_]:[^\s:@/\x22'<>]{3,64}@[0-9]{1,3}\.",),
    Family.LEAD: leads.LEADS,
    Family.LINE_LEAD: leads.LINE_LEADS,
    Family.PATH_LEAD: leads.PATH_LEADS,
    Family.APP_PASSWORD: leads.APP_PASSWORD_LEADS,
    Family.CODE_LIST: leads.CODE_LIST_LEADS,
    Family.MANIFEST: manifests.KINDS,
    Family.STATE: manifests.GENERATED,
    Family.COOKIE_CALL: (rb"(?:add|set)_?cookies?\(\s{0,8}[\[({]",),
    Family.VAULT_FILE: (rb"\$ANSIBLE_VAULT;1\.[0-9];AES256",),
    Family.SOCKET_ADDRESS: (rb"[a-z0-9_]:[^\s:@/\x22'<>]{3,64}@(?:tcp|unix)\(",),
    Family.ONE_TIME_CODE: (
        rb"(?:verification|one[- ]time|security|login|sign-in|confirmation|authentication|"
        rb"2fa|access|auth)[ -]"
        rb"(?:code|password|passcode|pin)(?: is|:)?[ ]",
    ),
    Family.CODE_FIRST: (rb"[0-9] (?:is|as) your[ ]",),
    Family.FOREIGN_VERB: (
        SENSITIVE_END + rb" ?(?:\xe6\x98\xaf|\xe4\xb8\xba|\xe7\x82\xba|\xe3\x81\xaf)",
    ),
    Family.WIRELESS: (rb"WIFI:(?:[STHR]:|P:)",),
    Family.INSERT: (rb"insert[ \t]{1,4}into[ \t]",),
    Family.ORACLE: (
        rb"(?:\bconn(?:ect)?|sqlplus|oracle:thin:|oracle:oci:|rman target|expdp|"
        rb"impdp)[ ]?[\w.$#]{1,40}/",
        rb"set password for [^=;\r\n]{1,80}=",
    ),
    Family.SENTENCE: (
        SENSITIVE_END + rb"[\x22'`*)]{0,3}[ \t](?:is|was|are|to|be|ist|lautet|es|est|era|\xc3\xa9|"
        rb"\xc3\xa8|van|\xe2\x80\x94|\xe2\x80\x93|->|\xe2\x86\x92|-|now|of|of:|"
        rb"is:|with|named?)[ \t]{1,2}",
    ),
    Family.ATTRIBUTE: (
        SENSITIVE_END + rb"\\{0,3}[\x22']\s{1,4}[a-z]",
        rb"\x22samlresponse\x22\s{1,4}[a-z]",
    ),
    Family.PASSWORD_INPUT: (rb"type\s{0,2}=\s{0,2}\\{0,3}[\x22']?password",),
    Family.COLUMN: (
        SENSITIVE_END + rb"[ \t*`]{0,24}[|\t]",
        SENSITIVE_END + rb"[\x22']?[,;][\x22'\w]",
        SENSITIVE_END + rb"[\x22']?\r?\n",
    ),
    Family.FORM_PART: (SENSITIVE_END + rb"\\{0,3}\x22(?:\r?\n|\\r\\n|\\n)",),
    Family.FOREIGN: tuple(escape(word) for word in FOREIGN_WORDS),
    Family.STATEMENT: (
        rb"identified[ \t]{1,4}by",
        rb"identified with [\w']{1,40}[ \t]{1,2}(?:by|as)",
    ),
    Family.SCHEME: (rb"(?:bearer|ssws|apikey|basic|token)(?:[ \t]|%20|\+)[A-Za-z0-9._~+/=-]{12}",),
    Family.PARAMETER: (
        rb"(?:[?&#]|amp;|#38;|#x26;|u0026|x26|%26|%3F|%2526|%253F)[A-Za-z0-9_.\-\[\]%]{0,40}"
        + _PARAMETER_ENDS
        + rb"(?:=|%(?:25){0,3}3D)",
    ),
    Family.USER_PART: (
        rb":\\?/\\?/[^\s/?#@\x22'<>\\]{1,256}@",
        rb"%3A%2F%2F[^\s/?#@\x22'<>\\&]{1,256}?%40",
    ),
    Family.PUTTY: (rb"Private-Lines:",),
    Family.JWK: (rb"[\x22']kty\\{0,15}[\x22']",),
    Family.XML_KEY: (rb"<InverseQ>", rb"</DQ>"),
    Family.COMMAND: (
        rb"\b(?:sshpass|curl|wget|mysql(?:dump|admin|import)?|redis-cli|docker login|"
        rb"podman login|helm registry login|az login|"
        rb"https?ie|mongo(?:sh|dump|restore)?|mosquitto_\w{3}|ldap(?:search|modify|add|whoami)"
        rb"|htpasswd|smbclient|sqlcmd|openssl|7z[az]?|zip|unzip|"
        rb"net user?|cmdkey|psexec|evil-winrm|crackmapexec|xfreerdp|rdesktop|echo|"
        rb"http|rar|unrar|oc login|snowsql|rclone|svn|lftp|xh|"
        rb"skopeo|crane|buildah|nerdctl|oras|ncftp(?:put|get)?|winrs|schtasks|wpa_passphrase|rabbitmqctl|"
        rb"security|basic_ldap_auth|net ads|net rpc|rpcclient|"
        rb"codecov|influx|mc|poetry|ipmitool|snmp[a-z]{3,9}|altool|notarytool)[ \t]",
    ),
    Family.COOKIE_FILE: (rb"\t(?:TRUE|FALSE)\t[0-9]{1,16}\t",),
    Family.PASSWORD_HASH: (rb":\$(?:1|2[abxy]?|5|6|7|y|gy|apr1|argon2(?:id?|d)|sha1|scrypt)\$",),
    Family.PASSWORD_FILE: (rb":(?:5432|5433|6432|3306|1433|27017|\*):",),
    Family.UPSTREAM: (rb"\xc2\xabredacted:", rb"[A-Za-z0-9_.-]{6}\.\.\.[A-Za-z0-9_-]{4}"),
    Family.VALUE_FIRST: (
        rb"(?:name|key)\\{0,15}\x22\s{0,4}:\s{0,4}\\{0,15}\x22[\w.-]{0,30}"
        + SENSITIVE_END
        + rb"\\{0,15}\x22",
    ),
    Family.SESSION_PATH: (rb";(?:jsessionid|sid|phpsessid|sessionid)=",),
}
_PRIVATE_KEY_MARKS: Final = (
    rb"---- ?BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY",
    rb"-----BEGIN OpenVPN Static key V1",
)


def core_triggers(personal: frozenset[str]) -> list[Trigger]:
    """Return the triggers of all families but typed tokens and configured rules."""
    triggers = [
        Trigger(family, pattern, ignore_case=True)
        for family, patterns in _PATTERNS.items()
        for pattern in patterns
    ]
    triggers += [Trigger(Family.PROTOCOL_LEAD, pattern) for pattern in leads.PROTOCOL_LEADS]
    triggers += [Trigger(Family.PEM, pattern) for pattern in _PRIVATE_KEY_MARKS]
    triggers += [Trigger(Family.ESCAPE, pattern, once=True) for pattern in _ALNUM_ESCAPE]
    triggers += [
        Trigger(Family.BASE64, escape(word), width=len(word)) for word in keyword_spellings()
    ]
    triggers += [
        Trigger(Family.HEX, escape(word), width=len(word), ignore_case=True)
        for word in hex_spellings()
    ]
    triggers += [
        Trigger(Family.RAW_KEY, escape(word), width=len(word))
        for word in private_keys.RAW_KEY_STARTS
    ]
    if "email" in personal:
        triggers.append(Trigger(Family.EMAIL, rb"[A-Za-z0-9]@[A-Za-z0-9]", width=3))
    if "phone" in personal:
        triggers.append(Trigger(Family.PHONE, rb"\+[1-9]", width=2))
    if "card" in personal:
        triggers.append(Trigger(Family.CARD, rb"[2-6][0-9]{5}", width=6))
        triggers.append(Trigger(Family.CARD, rb"[2-6][0-9]{3}[ -][0-9]", width=6))
    return triggers


Confirm = Callable[[Scan, int], None]


def _assignment(scan: Scan, position: int) -> None:
    if scan.data[position - 1] in (0x9A, 0x9D):
        assignments.confirm_wide_assignment(scan, position)
    else:
        assignments.confirm_assignment(scan, position - 1)


def _before(confirm: Confirm, width: int) -> Confirm:
    def confirm_before(scan: Scan, position: int) -> None:
        confirm(scan, position - width)

    return confirm_before


CONFIRM: Final[Mapping[int, Confirm]] = {
    Family.ASSIGNMENT: _assignment,
    Family.ESCAPED_ASSIGNMENT: assignments.confirm_escaped_assignment,
    Family.PAIR: _before(markup.confirm_pair, 1),
    Family.ELEMENT: markup.confirm_element,
    Family.CELL: markup.confirm_cell,
    Family.SPACED: commands.confirm_spaced,
    Family.SENTENCE: prose.confirm_sentence,
    Family.ATTRIBUTE: _before(markup.confirm_attribute, 1),
    Family.PASSWORD_INPUT: markup.confirm_password_input,
    Family.COLUMN: markup.confirm_column,
    Family.FORM_PART: markup.confirm_form_part,
    Family.FOREIGN: prose.confirm_foreign,
    Family.STATEMENT: statements.confirm_statement,
    Family.INSERT: statements.confirm_insert,
    Family.ORACLE: statements.confirm_oracle,
    Family.ACCOUNT_PAIR: prose.confirm_account_pair,
    Family.LOGIN_PAIR: prose.confirm_login_pair,
    Family.LOGIN_ADDRESS: prose.confirm_login_address,
    Family.LEAD: leads.confirm_lead,
    Family.PROTOCOL_LEAD: leads.confirm_protocol_lead,
    Family.LINE_LEAD: leads.confirm_line_lead,
    Family.PATH_LEAD: leads.confirm_path_lead,
    Family.APP_PASSWORD: leads.confirm_app_password,
    Family.CODE_LIST: leads.confirm_code_list,
    Family.MANIFEST: manifests.confirm_manifest,
    Family.STATE: manifests.confirm_generated,
    Family.COOKIE_CALL: headers.confirm_cookie_call,
    Family.VAULT_FILE: private_keys.confirm_vault_file,
    Family.SOCKET_ADDRESS: prose.confirm_socket_address,
    Family.WIRELESS: statements.confirm_wireless,
    Family.CALL: markup.confirm_call,
    Family.PHRASE: prose.confirm_phrase,
    Family.ONE_TIME_CODE: prose.confirm_one_time_code,
    Family.CODE_FIRST: prose.confirm_code_first,
    Family.FOREIGN_VERB: prose.confirm_foreign_verb,
    Family.SCHEME: _before(headers.confirm_scheme, 12),
    Family.PARAMETER: urls.confirm_parameter,
    Family.SESSION_PATH: urls.confirm_session_path,
    Family.USER_PART: urls.confirm_user_part,
    Family.PEM: private_keys.confirm_pem,
    Family.PUTTY: private_keys.confirm_putty,
    Family.JWK: private_keys.confirm_jwk,
    Family.XML_KEY: private_keys.confirm_xml_key,
    Family.RAW_KEY: private_keys.confirm_raw_key,
    Family.COMMAND: commands.confirm_command,
    Family.COOKIE_FILE: headers.confirm_cookie_file_line,
    Family.PASSWORD_HASH: commands.confirm_password_hash,
    Family.PASSWORD_FILE: commands.confirm_password_file,
    Family.VALUE_FIRST: markup.confirm_value_first,
    Family.EMAIL: _before(personal_data.confirm_email, -1),
    Family.PHONE: personal_data.confirm_phone,
    Family.CARD: personal_data.confirm_card,
}
