"""Reviewed data: which parameters are no part of a key. Changing it changes keys.

Every change raises `PARAMETER_DATA_VERSION`, because the same URL may then have another key. Names
are compared after percent-decoding; how a list treats case and separators is said beside it.
"""

from dataclasses import dataclass
from typing import Final

PARAMETER_DATA_VERSION: Final = 1
"""Version of everything in this module."""

TRACKING_NAMES: Final = frozenset(
    (
        # Google Analytics, "URL builders: collect campaign data with custom URLs".
        "utm_source",
        "utm_medium",
        "utm_campaign",
        "utm_term",
        "utm_content",
        # Google Ads and Campaign Manager, "About auto-tagging": click identifiers.
        "gclid",
        "dclid",
        "gbraid",
        "wbraid",
        # Meta, "fbp and fbc parameters": click identifier.
        "fbclid",
        # Microsoft Advertising, "Microsoft click ID".
        "msclkid",
        # Mailchimp, "About Google Analytics tracking": subscriber identifier.
        "mc_eid",
        # Yandex Direct, "yclid": click identifier.
        "yclid",
        # Instagram: identifier of the person who shared the link.
        "igshid",
    )
)
"""Removed on every host. Exact spelling, case included: another spelling is another name."""

SECRET_NAMES: Final = frozenset(
    (
        # RFC 6750 section 2.3, RFC 6749 sections 2.3.1 and 6, OpenID Connect Core 1.0 section 3.
        "accesstoken",
        "refreshtoken",
        "idtoken",
        "idtokenhint",
        "clientsecret",
        "clientassertion",
        "codeverifier",
        # Usual names of API keys; the vendor's page is named where a name is a vendor's.
        "apikey",
        "apitoken",
        "apisecret",
        "xapikey",
        "appkey",
        "appsecret",
        "applicationkey",
        "subscriptionkey",  # Azure API Management, "Subscriptions".
        "ocpapimsubscriptionkey",
        "hapikey",  # HubSpot, "API keys".
        "accesskey",
        "secretkey",
        "secretaccesskey",
        "privatekey",
        "privatetoken",  # GitLab REST API, "Authentication".
        "jobtoken",
        "authtoken",
        "authkey",
        "authenticitytoken",
        "xauthtoken",
        "bearertoken",
        "usertoken",
        "sessiontoken",
        "logintoken",
        "oauthtoken",  # RFC 5849 section 3.1, with the three names below.
        "oauthtokensecret",
        "oauthsignature",
        "oauthnonce",
        "oauthverifier",
        "csrftoken",
        "xsrftoken",
        "csrfmiddlewaretoken",
        "authorization",
        "jwt",
        # Further names that say what they hold; the redactor's table has them too.
        "accesskeysecret",
        "accesssecret",
        "accesstokensecret",
        "adminkey",
        "authcode",
        "consumersecret",
        "encryptionkey",
        "jwttoken",
        "loginticket",
        "magictoken",
        "onetimetoken",
        "resettoken",
        "samlassertion",
        "samlresponse",
        "securitytoken",
        "sessionkey",
        "sharedsecret",
        "signingsecret",
        "tokensecret",
        "verificationtoken",
        "webhooksecret",
        "xaccesstoken",
        "xamzsecuritytoken",
        "xosssecuritytoken",
        # Passwords.
        "adminpassword",
        "databasepassword",
        "password",
        "passwd",
        "passphrase",
        "userpassword",
        "dbpassword",
        # Session identifiers in the query: PHP, Java, ASP, ColdFusion.
        "phpsessid",
        "jsessionid",
        "aspsessionid",
        "cftoken",
    )
)
"""Removed whatever the value is.

Compared in lower case without `-`, `_` and `.`; of `a[b]` the `b` is compared.
"""

SECRET_IF_MACHINE_MADE: Final = {
    # Names that mostly name a secret; a short or readable value is an everyday one.
    "token": 12,
    "secret": 12,
    "pwd": 8,
    "pass": 8,
    "auth": 12,
    "session": 12,
    "sessionid": 12,
    "sessid": 12,
    "sid": 12,
    "signature": 12,
    "credential": 12,
    "credentials": 12,
    "csrf": 12,
    "xsrf": 12,
    "hmac": 12,
    "hdnea": 12,
    "hdnts": 12,
    "assertion": 12,
    "sign": 16,
    # Everyday names: only a long value without any readable shape.
    "key": 16,
    "sig": 16,
    "code": 16,
    "state": 16,
    "nonce": 16,
    "ticket": 16,
    "tk": 16,
    "pw": 16,
}
"""Name, spelled as in `SECRET_NAMES`, to the fewest characters of a machine-made value."""

PATH_SESSION_NAMES: Final = ("jsessionid", "phpsessid", "sessionid", "aspsessionid", "sid")
"""Path parameters `;name=value` that hold a session identifier, without regard to case.

Jakarta Servlet 6.0 section 7.1.3 (URL rewriting) for the first; the others are spelled so by
frameworks that copied it.
"""


@dataclass(frozen=True, slots=True)
class SigningScheme:
    """Parameters that one scheme of signed addresses adds, and that leave the key together.

    Attributes:
        name: For people.
        required: The scheme is in use when all of these are present (lower case).
        parameters: Leave when it is in use (lower case); `required` is part of it.
        hosts: The scheme is known only on these hosts and their subdomains; empty: everywhere.
    """

    name: str
    required: frozenset[str]
    parameters: frozenset[str]
    hosts: tuple[str, ...] = ()


def _scheme(
    name: str,
    required: str,
    also: str = "",
    hosts: tuple[str, ...] = (),
) -> SigningScheme:
    needed = frozenset(required.split())
    return SigningScheme(name, needed, needed | frozenset(also.split()), hosts)


SIGNING_SCHEMES: Final = (
    # Amazon S3 API reference, "Authenticating requests: query parameters (AWS Signature V4)".
    _scheme(
        "aws-v4",
        "x-amz-signature",
        "x-amz-algorithm x-amz-credential x-amz-date x-amz-expires x-amz-signedheaders"
        " x-amz-security-token x-amz-content-sha256",
    ),
    # Amazon S3 user guide, "Signing and authenticating REST requests (Signature V2)".
    _scheme("aws-v2", "awsaccesskeyid signature", "expires x-amz-security-token"),
    # Google Cloud Storage, "V4 signing process: canonical requests".
    _scheme(
        "gcs-v4",
        "x-goog-signature",
        "x-goog-algorithm x-goog-credential x-goog-date x-goog-expires x-goog-signedheaders",
    ),
    # Google Cloud Storage, "V2 signing process".
    _scheme("gcs-v2", "googleaccessid signature", "expires"),
    # Azure Storage, "Create an account / a service / a user delegation SAS". The response-header
    # overrides (rscc, rsct, …) and the snapshot stay: they choose what comes back.
    _scheme(
        "azure-sas",
        "sv sig",
        "ss srt sp se st spr sr sip si skoid sktid skt ske sks skv saoid suoid scid sdd ses sduoid",
    ),
    # Amazon CloudFront developer guide, "Create a signed URL using a canned / custom policy".
    _scheme("cloudfront", "key-pair-id signature", "expires policy hash-algorithm"),
    # Alibaba Cloud OSS, "Include signatures in URLs" V1 and V4.
    _scheme("oss-v1", "ossaccesskeyid signature", "expires security-token"),
    _scheme(
        "oss-v4",
        "x-oss-signature",
        "x-oss-signature-version x-oss-credential x-oss-date x-oss-expires"
        " x-oss-additional-headers x-oss-security-token",
    ),
    # Tencent Cloud COS, "Request signature".
    _scheme(
        "cos",
        "q-sign-algorithm q-signature",
        "q-ak q-sign-time q-key-time q-header-list q-url-param-list x-cos-security-token",
    ),
    # Discord developer reference, "Signed attachment CDN URLs".
    _scheme("discord-cdn", "ex is hm", hosts=("cdn.discordapp.com", "media.discordapp.net")),
)

HOST_TRACKING_NAMES: Final = {
    # The share dialogues of these sites add who shared the link; the address works without it.
    "youtube.com": frozenset(("si",)),
    "youtu.be": frozenset(("si",)),
    "open.spotify.com": frozenset(("si",)),
}
"""Host (subdomains included) to names that are removed there beside `TRACKING_NAMES`."""
