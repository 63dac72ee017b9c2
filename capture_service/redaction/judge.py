"""Judge of values: tells a secret from a placeholder, a word, a piece of code or a reference.

All functions are pure and look at bounded values only.
"""

import re
from itertools import pairwise
from typing import Final

from capture_service.redaction.names import NameClass, words
from capture_service.redaction.verdicts import remembered

_COMMON_BIGRAMS: Final = frozenset(
    (ord(pair[0]), ord(pair[1]))
    for pair in words(
        """
        th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me
        de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot
        il tr ly nc et ut ss so rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai
        sh ir su id os iv ia am fi ci vi pl ig tu ev ld ry mp fe bl ab gh ty op wo sa ay ex ke fr oo av ag
        if ap gr od bo sp rd do uc bu ei ov by rm ep tt oc fa ef cu rn sc gi da yo cr cl du ga qu ue ff ba
        ey ls va um pp ua up lu go ht ru ug ds lt pi rc rr eg au ck ew mu br bi pt ak pu ui rg ib tl ny ki
        rk ys ob mm fu ph og ms ye ud mb ip ub oi rl gu dr hr cc tw ft wn nu af hu nn eo vo rv nf xp gn sm
        fl iz ok nl my gl aw ju oa eq sy sl ps jo lf nv je nk kn gs dy hy ze ks xt bs ik dd pt xa ox ax ix
        wt js
        """
    )
)
_UPPER: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ASCII: Final = frozenset(range(0x80))
_PLACEHOLDER: Final = re.compile(
    rb"[\s\[({]{0,4}(?:"
    rb"<[^>]*+>?|\[[^\]]*+\]|\([\s\S]*|\{(?![A-Za-z0-9+/]{20,400}={0,2}\}\Z|[0-9a-f]{40}[A-Za-z0-9./]{8}\Z)"
    rb"[\s\S]*|\$(?!(?:2[abxy]?|[1567y]|argon2\w{1,2}|apr1|scrypt)\$)(?:[({\[$@*#0-9]"
    rb"[\s\S]*|"
    rb"[A-Za-z_]\w*+(?:[:./-][\w:./-]*+)?)|"
    rb"%[({][\s\S]*|%[sdvqr]|%[A-Za-z_]\w*+%[\s\S]*|#\{[\s\S]*|@[({][\w.:-]*+[)}]?|"
    rb"@[A-Za-z_.]++|![A-Za-z]++|\$ANSIBLE_VAULT;[\w.;-]*+|"
    rb"\?++|:[a-z_]++|&(?:lt|#60|#[xX]3[cC]);[\s\S]*|\.\.[\s\S]*|"
    rb"[-_*xX.#=~+/\\|\xe2\x80\xa2\xa6\xc2\xb7\x97\x8f ]++|(?:\\u2022|\\u25cf|"
    rb"&bull;|&#8226;)++|0++|"
    rb"(?i:null|nil|none|undefined|true|false|void ?0?|nan|n/?a|yes|no|on|"
    rb"off|string|text|bytes|str|int|bool|boolean|"
    rb"number|object|any|unknown|default|empty|optional|required|auto))"
    rb"[\s>\])},;.!]*+"
)
_PLACEHOLDER_BYTES: Final = 512
"""Bytes of a value that are looked at for the form of a placeholder."""
_PLACEHOLDER_PARTS: Final = re.compile(
    rb"your-|your_|your |example|placeholder|changeme|change-|change_|change |"
    rb"replace|insert-|insert_|redact|dummy|xxxxx|\*\*\*|\.\.\.|-here|_here|"
    rb"sample|\xe2\x80\xa6|\xe2\x80\xa2\xe2\x80\xa2|\{\{|\$\{|<%|0123456789|"
    rb"abcdefgh|_goes_"
)
"""Parts of lower-case values that only samples and masks have."""
_PLACEHOLDER_START: Final = re.compile(
    rb"your|my[-_](?:api|secret|token|access|auth|key|pass|super)|todo\b|enter[-_ ]"
    rb"|123456\Z|123456789\Z|some[-_]|"
    rb"test[-_]?(?:token|key|secret|password|pass)\b|[^<]{0,64}<[a-z_ -]{2,40}"
    rb">|\$\(\w|%\(\w{1,32}\)[sd]"
)
_CODE: Final = re.compile(
    rb"(?:new |await |return |typeof |lambda\b|function\b|async |yield |not |"
    rb"delete |raise |self\.|this\.|cls\.)[\s\S]*|"
    rb"[!~&*-]{0,2}[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)*[?!]?\s{0,2}[(\[][\s\S]*|"
    rb"[\[{(][\s\S]*|=+[\s\S]*|-?>[\s\S]*|[|&+]{1,2}\s?[\s\S]{0,8}|[<>][\s\S]*|/[/*^\[(\\][\s\S]*|"
    rb"(?:os|process|env|config|settings|secrets|vars|var|local|module|data|"
    rb"params|args|opts|options|props|github|"
    rb"inputs|steps|request|req|res|response|event|ctx|context|state|user|"
    rb"row|obj|item)(?:\.|\[)[\s\S]*"
)
_REFERENCE: Final = re.compile(
    rb"(?i:https?|file|s3|gs|arn|vault|op|ssm|secretsmanager|aws|gcp|azure|"
    rb"env|urn|sops|k8s|keyvault|"
    rb"ref|bao|doppler|mailto|data|ftp|git|ssh)(?::|\+)[\s\S]*|"
    rb"(?=[a-z0-9.@/~ _-]*\Z)~?\.{0,2}/[\w.@/~ -]*|(?:~|\.{1,2})?(?:/[A-Za-z._-]{1,40}+\d{0,3})++/?|"
    rb"(?=[a-z_0-9.]*\Z)[a-z_]+\w*(?:\.[a-z_]\w*){2,8}|[A-Za-z]:\\[\s\S]*|"
    rb"[\w-]+(?:/[\w.-]+)+\.\w{1,5}"
    rb"|[\w-]+\.(?:json|ya?ml|txt|pem|key|crt|py|js|ts|"
    rb"html?|md|env|cfg|ini|conf|png|svg|css|go|rs|java|rb|php|toml|xml|com|org|net|io|dev)|"
    rb"[\w.+-]+@[\w-]+\.[\w.]+|v?\d+(?:\.\d+)+(?:[-+.]?(?:alpha|beta|rc|dev|"
    rb"post)?[.-]?\d*)?|[\^~>=<]+\s?\d[\w.*-]*"
)
_REFERENCE_MARK: Final = re.compile(rb"[:/.@+\\^~><=]")
"""Every reference has one of these."""
_IDENTIFIER: Final = re.compile(
    rb"[_$]{0,2}(?:[A-Z]?[a-z]+(?:[A-Z][a-z]+|_[a-z]+|_?\d{1,5}(?=\Z|[A-Z_]))*|"
    rb"[A-Z]+(?:_[A-Z]+)*_?\d{0,2})_?"
)
_DOTTED: Final = re.compile(
    rb"[&*!]{0,2}[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)+[;,)\]}]*"
)
_ALTERNATIVES: Final = re.compile(rb"[a-z]\w*(?::[\w,]+)?(?:\|[a-z]\w*(?::[\w,]+)?)+")
_DATE: Final = re.compile(
    rb"\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-][\d:]+)?)?|\d{1,5}/\d{1,5}|\d{1,2}"
    rb"[:/.]\d{2}(?:[:/.]\d{2,4})?"
)
_TECHNICAL: Final = re.compile(
    rb"(?i)(?:sha|md|utf|base|aes|rsa|hs|rs|es|ps|bcrypt|scrypt|argon|pbkdf|"
    rb"oauth|tls|ssl|http|iso|ed|x|h|ipv|win|int|uint|"
    rb"float|crc|rc|des|blake|ascii|latin|cp|ucs|id|step|page|line|part|level|"
    rb"type|version|version|v|p|arg|val|param)"
    rb"[-_]?\d{1,5}(?:[-_](?:\w{1,8}))?"
)
_COUNTED: Final = re.compile(
    rb"(?i)\d{1,3}-(?:digit|char|character|letter|word|symbol|sign|bit|byte|part|step|factor|time)s?"
)
_POINTER: Final = re.compile(rb"0x[0-9a-fA-F]{1,16}")
_HEX: Final = re.compile(rb"(?:0x)?[0-9a-fA-F]+")
_UUID: Final = re.compile(rb"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_INTEGRITY: Final = re.compile(rb"(?i)(?:sha\d{1,3}|md5|h1)[-:][A-Za-z0-9+/=_-]+|W/.*")
_PARTS: Final = re.compile(rb"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_LETTERS_ONLY: Final = re.compile(rb"[A-Za-z_\-. /:,']+")
_FUNCTION_WORDS: Final = re.compile(
    rb"(?i)\b(?:the|your|you|a|an|is|are|was|be|must|should|can|will|to|of|"
    rb"for|in|on|at|and|or|not|with|from|please|"
    rb"enter|no|this|that|has|have|by|as|if|it|password|forgot|new|reset|confirm|"
    rb"invalid|incorrect|required|"
    rb"de|la|el|le|der|die|das|und|ein|su|tu|votre|contrase\S*|passwor[dt]"
    rb"|min|max|characters|least)\b"
)
_WORD_PARTS: Final = re.compile(
    rb"(?i)(?:my|the|new|old|user|admin|root|db|database|test|secret|password|"
    rb"passwd|pass|pwd|token|key|api|auth|access|"
    rb"login|client|default|demo|foo|bar|baz|qux|hello|world|guest|postgres|"
    rb"mysql|app|secure|strong|abc|value|"
    rb"[-_. ])+(?:\d{1,4}|!)?[!]?"
)
WEAK_BYTES: Final = 20
"""Shortest value that is masked beside a name that is only sometimes secret."""
_WEAK_ALPHABET: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-=+/"
_DENSE: Final = re.compile(rb"(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])(?=[^0-9]*[0-9])[ -~]{40,160}")
_EXPRESSION: Final = re.compile(rb"\\|\(\?|\[[^\]]{0,12}(?:[aA]-[zZ]|0-9)|\{\d{1,4},?\d{0,4}\}|://")
_LONG_RUNS: Final = re.compile(rb"[A-Za-z][a-z]{4,}")
_NO_SIGNS: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 "
_DIGIT_RUNS: Final = re.compile(rb"[0-9]+")
_LETTER: Final = re.compile(rb"[A-Za-z]")
_SAFE_MACHINE: Final = re.compile(rb"[\x21-\x7e]+")


def _wordish(part: bytes) -> float:
    """Share of letter pairs of one alphabetic run that are common in English."""
    if len(part) < 2:
        return 0.0
    part = part.lower()
    return sum(map(_COMMON_BIGRAMS.__contains__, pairwise(part))) / (len(part) - 1)


def _count_digits(value: bytes) -> int:
    return len(value) - len(value.translate(None, b"0123456789"))


@remembered
def is_technical(value: bytes) -> bool:
    """Say whether a value is an algorithm, a type, a version, a numbered part, a date or a choice of words."""
    return any(form.fullmatch(value) for form in (_TECHNICAL, _DATE, _ALTERNATIVES, _COUNTED))


def is_function_word(value: bytes) -> bool:
    """Say whether a value is one of the words that sentences are built with."""
    return _FUNCTION_WORDS.fullmatch(value) is not None


@remembered
def is_reference(value: bytes) -> bool:
    """Say whether a value is a path, an address, a file name or a version."""
    return _REFERENCE_MARK.search(value) is not None and _REFERENCE.fullmatch(value) is not None


@remembered
def is_placeholder(value: bytes) -> bool:
    """Say whether a value only stands for a secret: empty, masked, a template or a sample of documentation."""
    start = value[:_PLACEHOLDER_BYTES]
    if _PLACEHOLDER.fullmatch(start) is not None:
        return True
    lowered = start.lower()
    return (
        _PLACEHOLDER_PARTS.search(lowered) is not None
        or _PLACEHOLDER_START.match(lowered) is not None
    )


@remembered
def is_code(value: bytes) -> bool:
    """Say whether an unquoted value reads as code, a reference to another value, a path or a version."""
    if _CODE.fullmatch(value) is not None or is_reference(value):
        return True
    return _DOTTED.fullmatch(value) is not None and all(
        _names_something(part) for part in re.findall(rb"[\w$]+", value)
    )


def _names_something(part: bytes) -> bool:
    """Say whether one part of a dotted expression reads as an identifier and not as random characters."""
    if len(part) <= 4:
        return part.strip(b"_$").isalpha()
    return _IDENTIFIER.fullmatch(part) is not None and _mean_wordish(part.lower()) >= 0.5


@remembered
def is_words(value: bytes) -> bool:
    """Say whether most of a value is made of pronounceable words."""
    digits = _count_digits(value)
    if digits > 4 and digits * 3 > len(value):
        return _TECHNICAL.fullmatch(value) is not None
    if _WORD_PARTS.fullmatch(value) is not None or _TECHNICAL.fullmatch(value) is not None:
        return True
    parts = _PARTS.findall(value)
    letters = sum(map(len, parts))
    if not parts or letters < 2.5 * len(parts):
        return False
    wordlike = sum(len(part) for part in parts if len(part) >= 3 and _wordish(part) >= 0.55)
    return wordlike >= 0.68 * letters and len(value) - letters <= max(3, len(value) // 3)


@remembered
def looks_machine_made(value: bytes, minimum: int) -> bool:
    """Say whether a value looks generated: long enough, mixed, no words, no path, version, date or address."""
    if len(value) < minimum or is_placeholder(value):
        return False
    return _looks_random(value, minimum)


@remembered
def _looks_random(value: bytes, minimum: int) -> bool:
    if _SAFE_MACHINE.fullmatch(value) is None or is_reference(value) or _DATE.fullmatch(value):
        return False
    if len(set(value)) < min(6, len(value) // 2 + 1):
        return False
    if _UUID.fullmatch(value):
        return True
    digits = _count_digits(value)
    if digits == len(value):
        return False
    if digits == 0 and not (_random_letters(value) and len(value) >= max(minimum, 12)):
        return False
    if len(value) >= 20 and value.isalnum() and len(_DIGIT_RUNS.findall(value)) >= 3:
        return True
    return not is_words(value)


def _random_letters(value: bytes) -> bool:
    letters = b"".join(_PARTS.findall(value))
    if len(letters) * 5 < len(value) * 4:
        return len(letters) * 2 < len(value) or _mean_wordish(value) < 0.5
    upper = len(letters) - len(letters.translate(None, _UPPER))
    return 0 < upper < len(letters) and _mean_wordish(value) < 0.5


def _mean_wordish(value: bytes) -> float:
    runs = re.findall(rb"[A-Za-z]{2,}", value)
    total = sum(len(run) - 1 for run in runs)
    return sum(_wordish(run) * (len(run) - 1) for run in runs) / total if total else 0.0


@remembered
def is_dense(value: bytes) -> bool:
    """Say whether a value is a salt of all printable characters, as installers write it into PHP files.

    Regular expressions have many signs too, but also classes, groups and backslashes; messages have long words.
    """
    return (
        _DENSE.fullmatch(value) is not None
        and _EXPRESSION.search(value) is None
        and sum(len(run) for run in _LONG_RUNS.findall(value) if _wordish(run) >= 0.6) < 12
        and len(set(value)) >= 24
        and len(value.translate(None, _NO_SIGNS)) * 7 >= len(value)
    )


def reads_as_text(value: bytes) -> bool:
    """Say whether the letters of several short words follow each other as in a language."""
    return _mean_wordish(value) >= 0.8


def is_digest_like(value: bytes) -> bool:
    """Say whether a value has the form of a hash, an identifier or an integrity attribute."""
    return bool(
        _UUID.fullmatch(value)
        or _INTEGRITY.fullmatch(value)
        or (_HEX.fullmatch(value) and len(value) in (8, 16, 32, 40, 56, 64, 96, 128))
    )


@remembered
def judge_password(value: bytes, quoted: bool) -> bool:
    """Judge the value beside a password name."""
    if not quoted and b"\\" in value:
        value = value.replace(b"\\&", b"").replace(b"\\", b"")
    if not 4 <= len(value) <= 512 or b"`" in value or is_placeholder(value):
        return False
    if not quoted and is_code(value):
        return False
    if b" " in value or b"\t" in value:
        return quoted and _judge_passphrase(value)
    if (
        _DATE.fullmatch(value)
        or _COUNTED.fullmatch(value)
        or _ALTERNATIVES.fullmatch(value)
        or is_reference(value)
        or (_CODE.fullmatch(value) and b"(" in value and not _has_digit(value))
    ):
        return False
    if _LETTERS_ONLY.fullmatch(value):
        return len(value) >= 8 and _random_letters(value) and not is_words(value)
    if value.isdigit():
        return len(value) >= 6
    if not value.isascii():
        return quoted and _has_digit(value) and len(value) <= 64 and _ascii_share(value) > 0.5
    if is_words(value) and not _has_symbol(value):
        if _WORD_PARTS.fullmatch(value) or _TECHNICAL.fullmatch(value) or not _has_digit(value):
            return False
        if all(_IDENTIFIER.fullmatch(part) for part in re.split(rb"[-_.:]+", value)):
            long_enough = len(value) >= (5 if quoted and value.islower() else 8)
            return long_enough and value.isalnum() and (quoted or value.islower())
        return len(value) >= 6
    return len(value) >= 5 and _WORD_PARTS.fullmatch(value) is None


def _ascii_share(value: bytes) -> float:
    return sum(map(_ASCII.__contains__, value)) / len(value)


def _has_digit(value: bytes) -> bool:
    return _count_digits(value) > 0


def _has_symbol(value: bytes) -> bool:
    return len(value.translate(None, b"!@#$%^&*+=?~|;")) < len(value)


def _judge_passphrase(value: bytes) -> bool:
    if _FUNCTION_WORDS.search(value) or len(value) > 128 or not value.isascii():
        return False
    parts = value.split()
    return (
        (len(parts) >= 3 and _has_digit(value))
        or (len(parts) >= 4 and value.replace(b" ", b"").isalpha() and value.islower())
        or (len(parts) >= 2 and _has_digit(value) and _has_symbol(value))
    )


@remembered
def judge_secret(value: bytes, quoted: bool) -> bool:
    """Judge the value beside a name for a key, token or secret."""
    if not 8 <= len(value) <= 4096 or is_placeholder(value):
        return False
    if not quoted and is_code(value):
        return False
    if b" " in value or b"\t" in value:
        return False
    if _INTEGRITY.fullmatch(value) or _POINTER.fullmatch(value):
        return False
    return _looks_random(value, 8)


@remembered
def judge_weak(value: bytes, quoted: bool) -> bool:
    """Judge the value beside a name that is only sometimes secret."""
    if len(value) < WEAK_BYTES or not value.isascii() or not _has_digit(value):
        return False
    if len(value.translate(None, _WEAK_ALPHABET)) * 8 > len(value) or is_digest_like(value):
        return False
    if _LETTER.search(value) is None or (not quoted and is_code(value)):
        return False
    return looks_machine_made(value, WEAK_BYTES)


def judge(name_class: NameClass, value: bytes, quoted: bool) -> bool:
    """Judge a value by the class of its name."""
    if name_class is not NameClass.NONE and quoted and is_dense(value):
        return True
    if name_class is NameClass.PASSWORD:
        return judge_password(value, quoted)
    if name_class is NameClass.SECRET:
        return judge_secret(value, quoted)
    return name_class is NameClass.WEAK and judge_weak(value, quoted)
