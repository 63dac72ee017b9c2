"""Words and expressions that triggers and confirmations share."""

from typing import Final

SENSITIVE_END: Final = (
    rb"(?:pass(?:word|wd|phrase|code|wort)?|kennwort|pwd|pswd|secret|token|"
    rb"key|cred(?:s|ential)?|auth|authorization|bearer|"
    rb"jwt|cookie|pin|sess(?:ion|id)?|sid|csrf|xsrf|otp|psk|mnemonic|phrase|hmac|"
    rb"pw|dsn|wif|pat|signature|"
    rb"contrase\xc3\xb1a|contrasena|clave|senha|heslo|has\xc5\x82o|haslo|parola|"
    rb"wachtwoord|l\xc3\xb6senord|salasana|"
    rb"mot de passe|motdepasse|\xc5\x9fifre|m\xe1\xba\xadt kh\xe1\xba\xa9u|"
    rb"jelsz\xc3\xb3|adgangskode|"
    rb"\xd0[\x9f\xbf]\xd0\xb0\xd1\x80\xd0\xbe\xd0\xbb\xd1\x8c|"
    rb"\xd0\x9f\xd0\x90\xd0\xa0\xd0\x9e\xd0\x9b\xd0\xac|\xd1\x82\xd0\xbe\xd0\xba\xd0\xb5\xd0\xbd|"
    rb"\xd0\xa2\xd0\xbe\xd0\xba\xd0\xb5\xd0\xbd|"
    rb"CONTRASE\xc3\x91A|\xc5\x9eifre|L\xc3\x96SENORD|HAS\xc5\x81O|\xcf\x83\xcf\x85\xce\xbd\xce\xb8\xce\xb7\xce\xbc\xce\xb1\xcf\x84\xce\xb9\xce\xba\xcf\x8c)"
    rb"(?:s|(?:[_ -]?(?:id|value|hex|base64|base|b64|str(?:ing)?|text|plain|prod|dev|test|"
    rb"live|staging|old|new|raw|v?[0-9]{1,3})))?"
)
"""Ends of names that may be sensitive; the name as a whole is judged after the trigger."""

RARE_END: Final = (
    rb"(?:_salt|code_verifier|assertion|npsso|authtok|password_?hash|"
    rb"(?:device|auth|authorization|revocation)_?code)"
)
"""More of them. Apart from the others, because a few more words make the whole database several times slower."""

CLOSERS: Final = rb"[\\\x22'`\])}*_]{0,16}"
"""What may stand between a name and its operator: quotes, brackets, Markdown emphasis."""

FOREIGN_WORDS: Final = tuple(
    word.encode("utf-8")
    for word in (
        "密码",
        "密碼",
        "口令",
        "令牌",
        "密钥",
        "密鑰",
        "秘钥",
        "金鑰",
        "授权码",
        "凭证",
        "パスワード",
        "トークン",
        "シークレット",
        "秘密鍵",
        "비밀번호",
        "암호",
        "토큰",
        "시크릿",
        "暗証番号",
        "合言葉",
        "パスフレーズ",
        "アクセスキー",
        "APIキー",
        "अभिगमशब्द",
        "كلمة المرور",
        "סיסמה",
        "รหัสผ่าน",
        "κωδικός",
    )
)
"""Words for password, token and key in scripts that have no spaces or no ASCII letters."""

SCHEMES: Final = (
    rb"(?:bearer|basic|token|apikey|api[-_]key|digest|negotiate|ntlm|hawk|"
    rb"hmac|oauth|ssws|splunk|jwt|dpop|bot|key|"
    rb"snowflake|googlelogin|aws4-hmac-sha256|aws4-ecdsa-p256-sha256|aws|signature|"
    rb"sharedkey(?:lite)?|sharedaccesssignature|"
    rb"hmac-sha256|goog4-rsa-sha256|tc3-hmac-sha256|acs3-hmac-sha256|deepl-auth-key|"
    rb"klaviyo-api-key|zoho-oauthtoken|"
    rb"client-id|user|private|genie(?:key)?|vapid|webpush|mac|scram-sha-256|"
    rb"passport1\.4|pinned|apitoken|appkey|mutual)"
)
"""Authentication schemes of the IANA registry, and those that services made up."""

URL_SEPARATOR: Final = rb"(?:[?&#]|&(?:amp|AMP|#38|#x26);|\\+u0026|\\+x26|%(?:25)*(?:26|3[Ff]|23))"
"""What stands before a URL parameter, also in its HTML, JSON and percent spellings."""
