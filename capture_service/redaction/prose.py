"""Secrets in sentences: "the password is …", in English and other languages."""

import re
from typing import Final

from capture_service.redaction.assignments import confirm_recovery_phrase, name_before, rule_name
from capture_service.redaction.judge import (
    is_code,
    is_function_word,
    is_placeholder,
    judge_password,
    looks_machine_made,
)
from capture_service.redaction.names import NameClass, classify_name, words
from capture_service.redaction.placement import member_decides
from capture_service.redaction.scan import LOOSE, STRUCTURED, Scan
from capture_service.redaction.values import Value, bare_value, quoted_value

_FOREIGN_LINK: Final = re.compile(
    "(?:\\s|是|为|為|は|が|を|:|：|=|＝|→|->|「|『|（|\\(|“|【|는|은|이|가|に|設定|设置|设为|更改为|改为|\\*|`)"
    "{1,6}".encode()
)
_VERB: Final = re.compile(rb"[ \t](?P<verb>\S{1,12})[ \t]{1,2}\Z")
_ONE_TIME_CODE: Final = re.compile(
    rb"[ \t]{0,4}[*_`<b>]{0,4}(\d{3}[- ]?\d{3}|\d{7,8}|(?<=[:s] )(?!19|20)\d{4,5})(?![\w-]|\.\d)"
)
_SKIP: Final = re.compile(rb"(?:[ \t]|\*{1,2}|:|&nbsp;|-> ?|= ?){0,6}")
_DIGIT: Final = re.compile(rb"[0-9]")
_LETTER: Final = re.compile(rb"[A-Za-z]")
_MARK: Final = re.compile(rb"[!@#$%^&*_+=?~]")
TOLD_NAMES: Final = (
    b"password",
    b"passwd",
    b"passphrase",
    b"passcode",
    b"passwort",
    b"kennwort",
    b"pwd",
    b"pw",
    b"contrase\xc3\xb1a",
    b"mot de passe",
    b"clave",
    b"senha",
    "\N{CYRILLIC SMALL LETTER PE}\N{CYRILLIC SMALL LETTER A}\N{CYRILLIC SMALL LETTER ER}\N{CYRILLIC SMALL LETTER O}"
    "\N{CYRILLIC SMALL LETTER EL}\N{CYRILLIC SMALL LETTER SOFT SIGN}".encode(),
)
"""Names behind which a sentence may tell a password in one plain word."""
SECRET_NAMES: Final = (
    b"api key",
    b"apikey",
    b"api_key",
    b"token",
    b"secret",
    b"secret key",
    b"access key",
)
"""Names behind which a sentence may tell a short key."""
_TELLING: Final = frozenset(
    verb.encode()
    for verb in (
        "is",
        "was",
        "is:",
        "lautet",
        "ist",
        "es",
        "est",
        "is",
        "->",
        "→",
        "—",
        "–",
        "now",
        "\xe9",
        "é",
    )
)
_ADDRESS_REST: Final = re.compile(rb"[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}(?![\w.-])")
_CODE_FIRST: Final = re.compile(
    rb"(?<![\w.,:-])([0-9]{4,8}|[0-9]{3}[ -][0-9]{3}) (?i:is|as) your \Z"
)
_CODE_WORDS: Final = re.compile(
    rb"(?:[A-Z][\w.]{1,20} ){0,2}(?i:(?:(?:verification|one[- ]time|security|login|sign[- ]in|confirmation|"
    rb"authentication|2fa|access|activation|temporary|new|account) ){0,3}(?:code|pin|password|otp|passcode)\b)"
    rb"(?=\s{0,4}(?:[.,;:!)\"'<\\]|\Z)|\s+(?:for|to|at|on|in|and|valid|expires|it)\b)"
)
_SOCKET_ADDRESS: Final = re.compile(
    rb"(?<![\w/:.-])[A-Za-z_][\w.-]{0,63}:([^\s:@/\"'<>]{3,64})@(?:tcp|unix)\(\Z", re.IGNORECASE
)
_CHANGED: Final = re.compile(rb"\b(?:changed|set|reset|updated|rotated) ")
_ACCOUNT_PAIR: Final = re.compile(
    rb"[ \t]{0,4}[\"'`*]{0,2}[\w.@+-]{2,60}[\"'`*]{0,2}[ \t]{0,2}[/:|][ \t]{0,2}[\"'`*]{0,2}"
    rb"([\x21-\x7e]{4,64}?)(?=[\"'`*]{0,3}(?:[.,;]?\s|[.,;]?\Z|[\"'`)]|\\n))"
)
_LOGIN_USER: Final = re.compile(rb"[^\"'\r\n]{1,80}\\{0,3}[\"']\s{0,4},\s{0,8}(?=\\{0,3}[\"'])")
_LOGIN_ADDRESS: Final = re.compile(
    rb"(?<![\w/:.-])[A-Za-z_][\w.-]{0,31}:([^\s:@/\"'<>]{3,64})@[0-9]{1,3}\.\Z"
)
_NAMING: Final = re.compile("是|为|為|は|:|：|=|＝|→|->|「|는|은|更改为|改为|设为|设置".encode())
_ENDS: Final = re.compile(
    rb"[.!]?(?:[\"'`)\]*]{0,3}(?:\s{0,4}\Z|\s*\n|\\n|\\?\"))|[.,;!] | - |"
    rb"(?: and | but |, )(?:my|the|your|his|her|user|login)\b|"
    rb"\xe3\x80\x82|\xef\xbc\x8c|\xe3\x81|\xec|\xeb"
)
"""What follows the last word of a sentence."""
_PREDICATE_ENDS: Final = re.compile(
    rb"(?:ed|ing|ly|able|ible|ive|ous|less|ful|ary|ory|ant|ent|ic|al|lich|ig|isch|bar|tig|iert|ida|ido|ada|ado|oria|"
    rb"orio|cta|cto|oire|ise|ide|ise|quis|ique|uto|wn|ten|den|ken)\Z"
)
_PREDICATES: Final = words(
    """
    required needed wrong empty valid invalid correct incorrect right unset changed stored optional missing weak strong
    secret expired different same hidden masked here there yours mine theirs also always never often still already just
    only too very short long safe secure secured unsafe unique unknown good bad okay fine blank null none case sensitive
    compromised leaked exposed public private plain plaintext hashed text simple complex easy hard random reset ready
    active inactive sent read write kept lost gone known falsch leer richtig korrekt gesetzt neu alt kurz lang sicher
    unsicher hier jetzt nicht noch vide court longue mauvais correcta correcto incorrecta vac\u00eda corta larga requis
    what when where which that this these those they enough below above next part about again away back because before
    behind being between both during each either else ever every first from given half have into itself last late least
    less like made make many more most much must near neither nothing once other ours over same since some such than
    then through under until upon used using well were while whole with within without would
    """
)
"""Words that a sentence says about a password."""
_UNIT: Final = re.compile(
    rb"(?i)\d+[-_ ]?(?:bits?|bytes?|chars?|characters?|digits?|st|nd|rd|th|"
    rb"px|em|k|kb|mb|ms|s|min|h|d|x)|[A-Za-z]{2,6}-\d{1,5}|\d+-\d+"
)


def confirm_sentence(scan: Scan, position: int) -> None:
    """Mask the value behind a name and a linking verb; the verb ends at `position`."""
    data = scan.data
    verb = _VERB.search(data, max(0, position - 18), position)
    if verb is None:
        return
    name, start, _end = name_before(data, verb.start())
    scan.budget.spend(160)
    folded = name.lower()
    if folded.endswith((b"phrase", b"mnemonic")) and confirm_recovery_phrase(scan, position):
        return
    name_class = classify_name(name) if name else NameClass.NONE
    if name_class is NameClass.NONE or (
        folded.endswith(b"pass") and verb.group("verb").lower() not in (b"is", b"was", b"->")
    ):
        return
    skip = _SKIP.match(data, position)
    _judge_loose(
        scan,
        name_class,
        skip.end() if skip else position,
        told=folded.endswith(TOLD_NAMES + SECRET_NAMES)
        and _tells(data, start, verb.group("verb").lower()),
    )


def _tells(data: bytes, start: int, verb: bytes) -> bool:
    """Say whether a verb behind a password name that begins at `start` is followed by the password itself."""
    return verb in _TELLING or (
        verb == b"to" and _CHANGED.search(data, max(0, start - 24), start + 24) is not None
    )


def confirm_phrase(scan: Scan, position: int) -> None:
    """Mask the value behind a phrase such as ``password for the router:`` that ends at `position`."""
    skip = _SKIP.match(scan.data, position)
    scan.budget.spend(96)
    before = scan.data[max(0, position - 64) : position].lower()
    password = any(
        word in before for word in (b"passw", b"passp", b"passc", b"pw ", b"pwd ", b"pass ")
    )
    name_class = NameClass.PASSWORD if password else NameClass.SECRET
    told = password and before.endswith((b": ", b"= ", b" to ", b"pass ", b"password "))
    _judge_loose(scan, name_class, skip.end() if skip else position, told=told)


def confirm_one_time_code(scan: Scan, position: int) -> None:
    """Mask the digits of a verification code whose announcement ends at `position`."""
    match = _ONE_TIME_CODE.match(scan.data, position)
    scan.budget.spend(64)
    if match is not None:
        scan.add(*match.span(1), LOOSE, "one-time-code")


def confirm_foreign_verb(scan: Scan, position: int) -> None:
    """Mask the value behind an English name and a Chinese or Japanese copula that ends at `position`."""
    name, _start, _end = name_before(scan.data, position - 3)
    name_class = classify_name(name) if name else NameClass.NONE
    link = _FOREIGN_LINK.match(scan.data, position)
    scan.budget.spend(96)
    if name_class is not NameClass.NONE:
        _judge_loose(scan, name_class, link.end() if link else position, told=True)


def confirm_foreign(scan: Scan, position: int) -> None:
    """Mask the value behind a word for password or token of another script that ends at `position`."""
    link = _FOREIGN_LINK.match(scan.data, position)
    scan.budget.spend(96)
    if link is None:
        return
    before = scan.data[max(0, position - 24) : position]
    told = _NAMING.search(link.group()) is not None
    _judge_loose(scan, classify_name(before) or NameClass.SECRET, link.end(), told=told)


def _judge_loose(scan: Scan, name_class: NameClass, position: int, *, told: bool = False) -> None:
    data = scan.data
    value = quoted_value(scan, position) or bare_value(scan, position)
    text = data[value.start : value.end]
    if (
        scan.touches_placeholder(value.start, value.end)
        or text.startswith(b"\\")
        or is_placeholder(text)
        or _UNIT.fullmatch(text)
    ):
        return
    if _accept(name_class, text, value) or (told and _is_told(data, name_class, text, value)):
        scan.add(value.start, value.end, LOOSE, rule_name(name_class))


def _accept(name_class: NameClass, text: bytes, value: Value) -> bool:
    if name_class is NameClass.PASSWORD:
        mixed = _DIGIT.search(text) is not None and _LETTER.search(text) is not None
        marked = _MARK.search(text) is not None or text.isdigit()
        return len(text) >= 6 and judge_password(text, value.quoted) and (mixed or marked)
    minimum = 20 if name_class is NameClass.WEAK else 12
    return looks_machine_made(text, minimum)


def _is_told(data: bytes, name_class: NameClass, text: bytes, value: Value) -> bool:
    """Say whether a sentence tells a password in one word: it ends the sentence, and it is no predicate."""
    if not member_decides(b"", name_class, text) or is_code(text) or b"\\" in text:
        return False
    if _DIGIT.search(text) and _LETTER.search(text):
        return len(text) >= (4 if name_class is NameClass.PASSWORD else 8)
    if name_class is not NameClass.PASSWORD or len(text) < 4:
        return False
    if not text.isalpha():
        return value.quoted or (
            _MARK.search(text) is not None and _ENDS.match(data, value.end) is not None
        )
    lowered = text.lower()
    return (
        text.islower()
        and (value.quoted or _ENDS.match(data, value.end) is not None)
        and lowered.decode("ascii") not in _PREDICATES
        and (value.quoted or _PREDICATE_ENDS.search(lowered) is None)
        and not is_function_word(text)
    )


def confirm_account_pair(scan: Scan, position: int) -> None:
    """Mask the second of ``user / password`` behind the word for credentials that ends at `position`."""
    pair = _ACCOUNT_PAIR.match(scan.data, position)
    scan.budget.spend(128)
    if pair is None:
        return
    text = pair.group(1)
    if (
        _DIGIT.search(text)
        and b"/" not in text
        and judge_pair(text)
        and not scan.touches_placeholder(*pair.span(1))
    ):
        scan.add(*pair.span(1), LOOSE, "password")


def judge_pair(text: bytes) -> bool:
    """Judge the password of a user and password that stand side by side."""
    return judge_password(text, True) or member_decides(b"", NameClass.PASSWORD, text)


def confirm_login_pair(scan: Scan, position: int) -> None:
    """Mask the second string of ``auth=("user", "password")``; the first one's quote ends before `position`."""
    user = _LOGIN_USER.match(scan.data, position)
    scan.budget.spend(128)
    value = quoted_value(scan, user.end()) if user is not None else None
    if value is not None and not scan.touches_placeholder(value.start, value.end):
        text = scan.data[value.start : value.end]
        if judge_pair(text) and not value.template:
            scan.add(value.start, value.end, STRUCTURED, "password")


def confirm_code_first(scan: Scan, position: int) -> None:
    """Mask the digits of ``123456 is your login code``; the word before the kind of code ends at `position`."""
    found = _CODE_FIRST.search(scan.data, max(0, position - 24), position)
    scan.budget.spend(80)
    if found is not None and _CODE_WORDS.match(scan.data, position):
        scan.add(*found.span(1), LOOSE, "one-time-code")


def confirm_socket_address(scan: Scan, position: int) -> None:
    """Mask the password of ``user:password@tcp(host:port)/database``; the bracket ends at `position`."""
    found = _SOCKET_ADDRESS.search(scan.data, max(0, position - 140), position)
    scan.budget.spend(140)
    if (
        found is not None
        and judge_pair(found.group(1))
        and not scan.touches_placeholder(*found.span(1))
    ):
        scan.add(*found.span(1), STRUCTURED, "password")


def confirm_login_address(scan: Scan, position: int) -> None:
    """Mask the password of ``user:password@10.0.0.1`` without a scheme; the first dot ends before `position`."""
    low = max(0, position - 112)
    found = (
        _LOGIN_ADDRESS.search(scan.data, low, position)
        if _ADDRESS_REST.match(scan.data, position)
        else None
    )
    scan.budget.spend(128)
    if (
        found is not None
        and judge_pair(found.group(1))
        and not scan.touches_placeholder(*found.span(1))
    ):
        scan.add(*found.span(1), STRUCTURED, "password")
