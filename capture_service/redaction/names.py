"""Names that tell a secret: field names, header names, URL parameters, cookies. Data and pure look-ups.

Importing this module loads no matching engine, so that others can use the lists as data.

Sources of the names: RFC 6749 and RFC 6750 (OAuth), RFC 7617 (Basic), RFC 7523, OpenID Connect Core, the
signed-URL documentation of AWS, Google Cloud and Azure Storage, and the public client documentation of the
services in the token table.
"""

import re
from enum import IntEnum
from functools import lru_cache
from typing import Final


def words(text: str) -> frozenset[str]:
    """Return the words of a text that are separated by white space."""
    return frozenset(text.split())


class NameClass(IntEnum):
    """How much a name says about its value."""

    NONE = 0
    WEAK = 1
    SECRET = 2
    PASSWORD = 3


SECRET_PARAMETER_NAMES: Final[frozenset[str]] = words(
    """
    accesskey accesskeysecret accesssecret accesstoken adminkey adminpassword apikey apisecret apitoken appkey
    appsecret appid_secret applicationkey authkey authtoken authenticitytoken authorization bearertoken
    clientassertion clientsecret codeverifier consumersecret csrftoken databasepassword dbpassword devicetoken
    encryptionkey gitlabtoken hapikey idtoken idtokenhint jsessionid jwt loginticket logintoken magictoken
    oauthsignature oauthtoken oauthtokensecret onetimetoken ossaccesskeyid otp passphrase passwd password phpsessid
    privatekey privatetoken psk pwd refreshtoken registrationtoken resettoken samlassertion samlresponse
    secret secretaccesskey secretkey securitytoken sessionid sessionkey sessiontoken sessid sharedsecret
    signingsecret subscriptionkey token tokensecret totp upn userpassword usertoken verificationtoken webhooksecret
    xamzcredential xamzsecuritytoken xamzsignature xgoogcredential xgoogsignature xosssecuritytoken xosssignature
    xapikey xauthtoken xaccesstoken xsrftoken csrf xsrf ticket accesstokensecret invitetoken unsubscribetoken
    confirmationtoken activationtoken sharetoken downloadtoken uploadtoken signedtoken authcode jwttoken
    """
) - {"upn", "appid_secret"}
"""Parameters whose value is a secret whenever it is not a plain word, without ``_``, ``-`` and ``.``, lower case."""

MACHINE_PARAMETER_NAMES: Final[frozenset[str]] = words(
    "auth signature hmac sessiontoken session sid credential credentials accessid hash hdnea hdnts policy skoid "
    "keypairid pass verification verify confirm confirmation nonce assertion oauthverifier samlrequest"
) - {"policy", "skoid", "keypairid", "nonce"}
"""Parameters whose value is a secret when it looks machine-made from 12 characters on."""

EVERYDAY_PARAMETER_NAMES: Final[frozenset[str]] = words(
    "code state key sig t k tk at pw st s appid"
) - {"s"}
"""Everyday parameters whose value is a secret only when it looks machine-made from 16 characters on."""

PASSWORD_WORDS: Final[frozenset[str]] = words(
    """
    password passwords passwd pwd pswd passwort kennwort passphrase passcode psk pw passw userpassword dbpassword
    userpass dbpass rootpass adminpass mysqlpwd pgpassword mysqlpassword rootpassword adminpassword
    wachtwoord senha heslo haslo parola jelszo salasana losenord contrasena contrasenya motdepasse clave
    keypass storepass cardpin pincode sshpass ftppass smtppass bindpw rootpw keystorepassword truststorepassword
    requirepass masterauth wpapassphrase remotepass imappass mailpass authpass proxypass ldappass rpcpass
    sudopass authtok
    """
)
SECRET_WORDS: Final[frozenset[str]] = words(
    """
    secret secrets token credential credentials creds apikey apitoken apisecret appsecret authtoken accesstoken
    refreshtoken idtoken clientsecret jwt authkey secretkey accesskey privatekey authorization bearer jsessionid
    phpsessid sessionid sessiontoken csrf xsrf csrftoken xsrftoken otpsecret hapikey mnemonic privkey
    accesskeysecret secretaccesskey sharedsecret signingkey encryptionkey masterkey accountkey sharedaccesskey
    subscriptionkey webhooksecret authenticitytoken usertoken bearertoken sessionkey licensekey
    devicecode codeverifier authorizationcode authcode revocationcode npsso samlresponse passwordhash passwdhash
    """
)
WEAK_WORDS: Final[frozenset[str]] = words(
    "key auth session sessid sess sid sig signature pass code hmac ticket login otp totp sas dsn pat wif salt seed "
    "jwk cookie"
)
KEY_QUALIFIERS: Final[frozenset[str]] = words(
    """
    api access secret private auth authentication encryption encrypt decryption signing sign master account shared
    subscription deploy ssh hmac app application consumer webhook write admin server crypt license service
    validation rest ingest ingestion unseal bot project push vapid registration recovery backup activation
    storage wallet
    """
)
DENIED_BEFORE: Final[dict[str, frozenset[str]]] = {
    "key": words(
        """
        foreign public pub sort partition cache unique composite row hash range map object dict json yaml
        translation message group shard index order lookup idempotency dedupe routing arrow hot shortcut keyboard
        enter escape tab function modifier meta ctrl alt shift param query field property config option react
        list item locale label data column attribute event state registry natural surrogate candidate dataset
        site reverse extra no any missing invalid unknown first last next prev previous new old current
        """
    ),
    "token": words(
        """
        next page continuation pagination eos bos pad unk sep cls mask special stop start end max min num cancellation
        cancel syntax keyword lex parse parser word sub input output prompt completion last first current prev
        previous peek idempotency sync resume delta skip marker request nextpage image text audio total per batch
        new line string identifier operator number comment class design color abort request
        """
    ),
    "secret": words("top open image pull tls"),
    "code": words(
        "status error exit response return source country language zip postal area qr http"
    ),
    "session": frozenset(["db", "tmux"]),
    "pass": words("first second multi single two high low band by com sur render shadow depth"),
}

AUTHORIZATION_HEADERS: Final[frozenset[str]] = frozenset(
    [
        "authorization",
        "proxyauthorization",
        "xauthorization",
        "xforwardedauthorization",
        "xoriginalauthorization",
        "xserverlessauthorization",
        "authenticationinfo",
    ]
)
COOKIE_HEADERS: Final[frozenset[str]] = frozenset(
    ["cookie", "setcookie", "cookie2", "setcookie2", "cookies"]
)
SECRET_HEADERS: Final[frozenset[str]] = words(
    """
    xapikey apikey xauthtoken xaccesstoken xauthkey xapitoken xapisecret xcsrftoken xxsrftoken privatetoken jobtoken
    xgoogapikey ocpapimsubscriptionkey xamzsecuritytoken xvaulttoken xgitlabtoken xhubsignature256 xhubsignature
    xsessiontoken xsessionid xplextoken xshopifyaccesstoken xfunctionskey xalgoliaapikey xdatadogapikey ddapikey
    ddapplicationkey xhoneycombteam xinsertkey xlicensekey xrapidapikey xmashapekey xsubscriptiontoken
    xforwardedaccesstoken xconsultoken xnomadtoken xamzsignature xmssignature xredmineapikey circletoken
    xtrackertoken xfigmatoken xmbxapikey cbaccesskey cbaccesssign cbaccesspassphrase okaccesskey okaccesssign
    xauth xtoken xsecret xkey xcmcproapikey xapiauth xjwtassertion cfaccessjwtassertion cfaccessclientsecret
    xgoogiapjwtassertion xdynatracetoken xauthemailkey xappkey xappsecret xclientsecret xtypesenseapikey
    meilimasterkey xmetabasesession xmatteruser sessiontoken xelasticapikey securitytoken xdevicetoken
    """
)
COOKIE_ATTRIBUTES: Final[frozenset[str]] = words(
    "path domain expires maxage samesite secure httponly priority partitioned version comment"
)
"""Attributes of RFC 6265 (and its drafts) that keep their value."""

PLAIN_COOKIES: Final = re.compile(
    r"_g[ai](?:d|t|_.*|cl_.*|)|__utm[a-z]|_fb[pc]|theme|lang(?:uage)?|locale|timezone|tz|consent|cookie_?consent|"
    r"_hj.*|intercom-.*-id|optimizely.*|dnt|currency|country|region|_uet[a-z]{2,3}|_pk_.*|ajs_.*",
    re.IGNORECASE,
)
"""Cookies of analytics and preferences: no login hangs on them."""

_SEGMENT = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\x00-\x7f]+")
_NO_LETTERS: Final = {
    code: None for code in range(256) if not chr(code).isascii() or not chr(code).isalpha()
}
_NO_MARKS: Final = {ord(mark): None for mark in "_-."}
_TAIL = re.compile(
    r"(?:api_?key|passwd|password|passphrase|secret|accesskey|secretkey|authtoken|accesstoken|apitoken|privatekey|"
    r"(?:identity|registry|bearer|session|security|device|login|reset|bot|user|client|refresh|deploy|push|private|"
    r"personal|job|web|verification|middleware)token)$"
)
_FOREIGN: Final = frozenset(
    [
        "contraseña",
        "contraseñas",
        "contrasenya",
        "mot de passe",
        "lösenord",
        "hasło",
        "şifre",
        "parolă",
        "пароль",
        "пароля",
        "密码",
        "密碼",
        "口令",
        "パスワード",
        "비밀번호",
        "암호",
        "mật khẩu",
        "κωδικός",
        "सङ्केतशब्द",
    ]
)
_FOREIGN_SECRET: Final = frozenset(
    [
        "令牌",
        "密钥",
        "密鑰",
        "秘钥",
        "金鑰",
        "トークン",
        "シークレット",
        "秘密鍵",
        "토큰",
        "시크릿",
        "токен",
        "ключ",
        "授权码",
        "凭证",
        "clé secrète",
        "jeton",
    ]
)


def collapse(name: str) -> str:
    """Return the name in lower case without anything but ASCII letters."""
    return name.lower().translate(_NO_LETTERS)


def collapse_parameter(name: str) -> str:
    """Return the name in lower case without ``_``, ``-`` and ``.``."""
    return name.lower().translate(_NO_MARKS)


def is_secret_parameter(name: str) -> bool:
    """Say whether a URL parameter of this decoded name carries a secret whatever its value looks like."""
    return collapse_parameter(name) in SECRET_PARAMETER_NAMES


@lru_cache(maxsize=8192)
def classify_name(raw: bytes) -> NameClass:
    """Classify the name of a field, variable, option or header by its last words."""
    name = raw.decode("utf-8", "replace").strip(" \t_-.$*[]()\"'`")
    lowered = name.lower()
    for foreign in _FOREIGN:
        if lowered.endswith(foreign):
            return NameClass.PASSWORD
    for foreign in _FOREIGN_SECRET:
        if lowered.endswith(foreign):
            return NameClass.SECRET
    if collapse_parameter(name) in SECRET_HEADERS and name[:1].isalpha():
        return NameClass.SECRET
    segments = [segment.lower() for segment in _SEGMENT.findall(name)]
    return _classify_segments(segments) if segments else NameClass.NONE


def _classify_segments(segments: list[str]) -> NameClass:
    last = segments[-1]
    before = segments[-2] if len(segments) > 1 else ""
    if before in DENIED_BEFORE.get(last, ()):
        return NameClass.NONE
    pair = before + last
    if pair == "sessionid" and before:
        return NameClass.WEAK
    if last in PASSWORD_WORDS or pair in PASSWORD_WORDS or (last == "pass" and before):
        return NameClass.PASSWORD
    if last in SECRET_WORDS or pair in SECRET_WORDS:
        return NameClass.SECRET
    if last == "key" and before in KEY_QUALIFIERS:
        return NameClass.SECRET
    if (
        last in ("id", "hex", "value", "base", "v", "string", "str")
        and pair != "sessionid"
        and len(segments) > 1
    ):
        return _classify_value_suffix(segments, last)
    if last == "pass" or segments == ["pin"]:
        return NameClass.PASSWORD
    if last in WEAK_WORDS or pair == "sessionid":
        return NameClass.WEAK
    tail = _TAIL.search(last)
    if tail is None:
        return NameClass.NONE
    return NameClass.PASSWORD if tail.group().startswith("pass") else NameClass.SECRET


def _classify_value_suffix(segments: list[str], last: str) -> NameClass:
    """``secret_value`` and ``token_hex`` name the secret itself; ``secret_id`` names it only in a few schemes."""
    if last == "id":
        return NameClass.WEAK if segments[-2] in ("secret", "session") else NameClass.NONE
    return _classify_segments(segments[:-1])
