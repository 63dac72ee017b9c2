"""Formats of vendor tokens, each from the public documentation of the service."""

from collections.abc import Callable

from .model import ALNUM, BASE32, BASE58, DIGITS, LOWER, UPPER, Maker

Build = Callable[[Maker], str]


def _prefixed(prefix: str, alphabet: str, count: int) -> Build:
    return lambda make: prefix + make.of(alphabet, count)


def _hexed(prefix: str, count: int, tail: str = "") -> Build:
    return lambda make: prefix + make.hex(count) + tail


def _safe(prefix: str, count: int) -> Build:
    return lambda make: prefix + make.urlsafe(count)


LOWER_ALNUM = LOWER + DIGITS
UPPER_ALNUM = UPPER + DIGITS

FORMATS: dict[str, Build] = {
    "github-app-user": _prefixed("ghu_", ALNUM, 36),
    "github-refresh": _prefixed("ghr_", ALNUM, 76),
    "gitlab-deploy": _safe("gldt-", 20),
    "gitlab-routable": lambda m: "glpat-" + m.urlsafe(27) + ".01." + m.of(LOWER_ALNUM, 9),
    "gitlab-trigger": _hexed("glptt-", 40),
    "bitbucket-app-password": _prefixed("ATBB", ALNUM, 32),
    "sourcegraph": lambda m: "sgp_" + m.alnum(16) + "_" + m.hex(40),
    "azure-devops": lambda m: m.alnum(76) + "AZDO" + m.alnum(4),
    "circleci": lambda m: "CCIPAT_" + m.alnum(22) + "_" + m.hex(40),
    "buildkite": _hexed("bkua_", 40),
    "sonar": _hexed("squ_", 40),
    "artifactory": _prefixed("AKCp", ALNUM, 69),
    "clojars": _prefixed("CLOJARS_", LOWER_ALNUM, 60),
    "nuget": _prefixed("oy2", LOWER_ALNUM, 43),
    "crates": _prefixed("cio", ALNUM, 32),
    "docker-organisation": _safe("dckr_oat_", 32),
    "octopus": _prefixed("API-", UPPER_ALNUM, 30),
    "prefect": _prefixed("pnu_", ALNUM, 36),
    "sentry-user": _hexed("sntryu_", 64),
    "vault-batch": _safe("hvb.", 138),
    "tailscale": lambda m: "tskey-auth-" + m.alnum(12) + "CNTRL-" + m.alnum(32),
    "onepassword-secret-key": lambda m: (
        "A3-" + "-".join(m.of(UPPER_ALNUM, n) for n in (6, 6, 5, 5, 5, 5))
    ),
    "onepassword-service": lambda m: "ops_eyJ" + m.alnum(240),
    "launchdarkly": lambda m: "sdk-" + m.uuid(),
    "aws-temporary": _prefixed("ASIA", BASE32, 16),
    "aws-session": lambda m: "IQoJb3JpZ2luX2Vj" + m.base64(180),
    "aws-bedrock": lambda m: "ABSK" + m.base64(99),
    "google-refresh": lambda m: "1//0" + m.urlsafe(60),
    "google-studio": lambda m: "AQ.Ab8RN6" + m.urlsafe(44),
    "azure-foundry": lambda m: m.alnum(52) + "JQQJ99" + m.alnum(22) + "AAAA",
    "digitalocean-oauth": _hexed("doo_v1_", 64),
    "scaleway": _prefixed("SCW", UPPER_ALNUM, 17),
    "vercel": _prefixed("vcp_", ALNUM, 56),
    "netlify": _prefixed("nfp_", ALNUM, 40),
    "render": _prefixed("rnd_", ALNUM, 32),
    "cloudflare-origin": lambda m: "v1.0-" + m.hex(24) + "-" + m.hex(146),
    "tencent-id": _prefixed("AKID", ALNUM, 32),
    "volcengine": _prefixed("AKLT", ALNUM, 44),
    "yandex-api": _safe("AQVN", 36),
    "supabase-secret": lambda m: "sb_secret_" + m.urlsafe(31),
    "neon": _prefixed("napi_", LOWER_ALNUM, 64),
    "planetscale-password": _safe("pscale_pw_", 43),
    "mongodb-atlas": _safe("mdb_sa_sk_", 40),
    "databricks-2": _hexed("dapi", 32, "-2"),
    "aiven": _safe("AVNS_", 22),
    "openai-admin": lambda m: "sk-admin-" + m.urlsafe(58) + "T3BlbkFJ" + m.urlsafe(58),
    "anthropic-oauth": lambda m: "sk-ant-oat01-" + m.urlsafe(93) + "AA",
    "langfuse": lambda m: "sk-lf-" + m.uuid(),
    "langsmith": lambda m: "lsv2_pt_" + m.hex(32) + "_" + m.hex(10),
    "together": _safe("tgp_v1_", 43),
    "fireworks": _prefixed("fw_", ALNUM, 24),
    "cerebras": _prefixed("csk-", LOWER_ALNUM, 48),
    "nvidia": _safe("nvapi-", 64),
    "jina": lambda m: "jina_" + m.hex(32) + m.urlsafe(28),
    "voyage": _safe("pa-", 43),
    "pinecone": lambda m: "pcsk_" + m.alnum(6) + "_" + m.alnum(63),
    "elevenlabs": _hexed("sk_", 48),
    "apify": _prefixed("apify_api_", ALNUM, 36),
    "zhipu": lambda m: m.hex(32) + "." + m.alnum(16),
    "moonshot": _prefixed("sk-", ALNUM, 48),
    "slack-config": lambda m: "xoxe.xoxp-1-" + m.alnum(146),
    "slack-session": lambda m: (
        "xoxc-" + "-".join((m.digits(12), m.digits(13), m.digits(13), m.hex(64)))
    ),
    "firebase-messaging": lambda m: "AAAA" + m.urlsafe(7) + ":APA91b" + m.urlsafe(134),
    "facebook": _prefixed("EAA", ALNUM, 150),
    "twitter-bearer": lambda m: "A" * 21 + "B" + m.alnum(80),
    "twitch": _prefixed("oauth:", LOWER_ALNUM, 30),
    "brevo": lambda m: "xkeysib-" + m.hex(64) + "-" + m.alnum(16),
    "resend": lambda m: "re_" + m.alnum(8) + "_" + m.alnum(24),
    "mailgun-signed": lambda m: m.hex(32) + "-" + m.hex(8) + "-" + m.hex(8),
    "telnyx": lambda m: "KEY0" + m.of("0123456789ABCDEF", 31) + "_" + m.alnum(22),
    "stripe-test": _prefixed("sk_test_", ALNUM, 24),
    "plaid": lambda m: "access-production-" + m.uuid(),
    "flutterwave": lambda m: "FLWSECK-" + m.of(LOWER_ALNUM, 32) + "-X",
    "square-secret": _safe("sq0csp-", 43),
    "shopify-shared": _hexed("shpss_", 32),
    "woocommerce": _hexed("cs_", 40),
    "easypost": _prefixed("EZAK", ALNUM, 54),
    "paddle": lambda m: (
        "pdl_live_apikey_" + m.of(LOWER_ALNUM, 26) + "_" + m.alnum(22) + "_" + m.alnum(3)
    ),
    "wallet-extended": _prefixed("xprv9s21Z", BASE58, 102),
    "nostr": _prefixed("nsec1", "qpzry9x8gf2tvdw0s3jn54khce6mua7l", 58),
    "newrelic-license": lambda m: m.hex(36) + "NRAL",
    "grafana-cloud": lambda m: "glc_" + m.base64(90),
    "honeycomb": _prefixed("hcaik_", LOWER_ALNUM, 58),
    "dynatrace": lambda m: "dt0c01." + m.of(BASE32, 24) + "." + m.of(BASE32, 64),
    "posthog-personal": _prefixed("phx_", ALNUM, 44),
    "notion-old": _prefixed("secret_", ALNUM, 43),
    "asana": lambda m: "1/" + m.digits(16) + ":" + m.hex(32),
    "clickup": lambda m: "pk_" + m.digits(8) + "_" + m.of(UPPER_ALNUM, 32),
    "typeform": _safe("tfp_", 59),
    "hubspot": lambda m: "pat-na1-" + m.uuid(),
    "dropbox": _safe("sl.", 138),
    "contentful": _safe("CFPAT-", 43),
    "mapbox-secret": lambda m: "sk.eyJ1Ijoi" + m.urlsafe(70) + "." + m.urlsafe(22),
    "adafruit": _prefixed("aio_", ALNUM, 28),
    "riot": lambda m: "RGAPI-" + m.uuid(),
    "paseto": lambda m: "v4.local." + m.urlsafe(120),
    "jwe": lambda m: (
        "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0.." + ".".join(m.urlsafe(n) for n in (16, 90, 22))
    ),
    "postman-2": lambda m: "PMAK-" + m.hex(24) + "-" + m.hex(34),
    "atlassian-3": lambda m: "ATATT3xFfGF0" + m.urlsafe(172) + "=" + m.of("0123456789ABCDEF", 8),
    "linear-oauth": _prefixed("lin_oauth_", ALNUM, 64),
    "figma-oauth": _safe("figo_", 40),
    "pulumi-2": _hexed("pul-", 40),
    "discord-mfa": _safe("mfa.", 84),
    "google-hmac": _prefixed("GOOG1E", UPPER_ALNUM, 55),
    "plain-secret-token": _safe("secret-token:", 40),
    "readme": _prefixed("rdme_", LOWER_ALNUM, 70),
    "duffel": _safe("duffel_live_", 43),
    "kaggle": _hexed("KGAT_", 32),
    "e2b": _hexed("e2b_", 40),
    "xata": _prefixed("xau_", ALNUM, 40),
    "coze": _prefixed("pat_", ALNUM, 64),
}

Wrap = Callable[[str], tuple[str, tuple[str, ...]]]

CONTEXTS: dict[str, Wrap] = {
    "sentence": lambda t: (
        f"He pasted {t}, sadly, into the chat.",
        ("He pasted ", ", sadly, into the chat."),
    ),
    "parentheses": lambda t: (f"the old one ({t}) was revoked", ("the old one (", ") was revoked")),
    "yaml": lambda t: (f"plugin:\n  value: {t}\n  level: 3\n", ("plugin:", "level: 3")),
    "log": lambda t: (
        f"10:11:12 ERROR upstream said 403 for {t} [pid 4711]",
        ("10:11:12 ERROR", "[pid 4711]"),
    ),
    "json-text": lambda t: (
        f'{{"content": "line one\\n{t}\\nline two", "n": 4}}',
        ("line one", "line two", '"n": 4'),
    ),
    "json-nested": lambda t: (
        f'{{"out": "{{\\"v\\": \\"{t}\\", \\"w\\": 5}}"}}',
        ('\\"w\\": 5',),
    ),
    "shell": lambda t: (
        f"$ tool login --with {t} && echo done\nok\n",
        ("tool login", "echo done\nok"),
    ),
    "markdown": lambda t: (
        f"1. Copy `{t}`\n2. Paste it below\n",
        ("1. Copy `", "2. Paste it below"),
    ),
    "html": lambda t: (f"<p>Use <kbd>{t}</kbd> here</p>", ("<p>Use <kbd>", "</kbd> here</p>")),
    "chinese": lambda t: (f"旧的凭据{t}已经失效,请更新。", ("旧的凭据", "已经失效,请更新。")),
    "python": lambda t: (f'client = Client("{t}", retries=3)\n', ("client = Client(", "retries=3")),
    "csv": lambda t: (f"id,value,note\n7,{t},old\n", ("id,value,note", ",old")),
    "url-path": lambda t: (
        f"GET /v1/hooks/{t}/run HTTP/1.1\nHost: a.example\n",
        ("Host: a.example",),
    ),
    "diff": lambda t: (f"-const K = '{t}'\n+const K = load()\n", ("+const K = load()",)),
    "env": lambda t: (f"LANG=C\nSERVICE_VALUE={t}\nTERM=xterm\n", ("LANG=C", "TERM=xterm")),
}
