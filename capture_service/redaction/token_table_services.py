"""Typed tokens of language models, messaging, payment, monitoring, content and games.

The formats come from the public documentation of each service: its token reference, its secret-scanning
partner page or the source of its client. Lengths are minima; a longer or broken token is still a token.
"""

from typing import Final

from capture_service.redaction.token_rules import TokenRule, inner_token, token

_UUID: Final = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"

MODEL_TOKENS: Final[tuple[TokenRule, ...]] = (
    token("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None-", r"[A-Za-z0-9_-]{40,300}"),
    token(
        "anthropic-key",
        "sk-ant-",
        r"(?:api\d\d-|admin\d\d-|sid\d\d-|oat\d\d-|ort\d\d-)?[A-Za-z0-9_-]{80,200}",
    ),
    token("anthropic-key", "sk-ant-", r"[a-z]{3,6}\d\d-[A-Za-z0-9_-]{24,79}"),
    token("openrouter-key", "sk-or-v1- sk-or-", r"[0-9a-f]{64}"),
    token("langfuse-key", "sk-lf-", _UUID),
    token("helicone-key", "sk-helicone-", r"[a-z0-9-]{20,60}"),
    token("api-key", "sk-", r"[A-Za-z0-9]{32,80}", count=20, follow="[0-9A-Za-z]"),
    token("langsmith-key", "lsv2_pt_ lsv2_sk_ ls__", r"[0-9a-f]{32}(?:_[0-9a-f]{10})?"),
    token(
        "huggingface-token",
        "hf_",
        r"[A-Za-z0-9]{30,48}",
        count=20,
        follow="[0-9A-Za-z]",
        judged=False,
    ),
    token(
        "huggingface-token",
        "api_org_",
        r"[A-Za-z0-9]{34}",
        count=20,
        follow="[0-9A-Za-z]",
        judged=False,
    ),
    token("replicate-token", "r8_", r"[A-Za-z0-9]{37,40}", count=20, follow="[0-9A-Za-z]"),
    token("groq-key", "gsk_", r"[A-Za-z0-9]{48,56}", count=20, follow="[0-9A-Za-z]"),
    token("xai-key", "xai-", r"[A-Za-z0-9]{70,90}", count=20, follow="[0-9A-Za-z]"),
    token("perplexity-key", "pplx-", r"[A-Za-z0-9]{40,64}", count=20, follow="[0-9A-Za-z]"),
    token("tavily-key", "tvly-", r"(?:dev-|prod-)?[A-Za-z0-9_-]{20,64}"),
    token("firecrawl-key", "fc-", r"[0-9a-f]{32}", count=16, follow="[0-9a-f]"),
    token("together-key", "tgp_v1_", r"[A-Za-z0-9_-]{40,48}"),
    token("fireworks-key", "fw_", r"[A-Za-z0-9]{22,48}", count=20, follow="[0-9A-Za-z]"),
    token("cerebras-key", "csk-", r"[a-z0-9]{40,52}", count=20, follow="[0-9a-z]"),
    token("nvidia-key", "nvapi-", r"[A-Za-z0-9_-]{56,80}"),
    token("jina-key", "jina_", r"[0-9a-f]{32}[A-Za-z0-9_-]{20,36}"),
    token("voyage-key", "pa-", r"[A-Za-z0-9_-]{43}", count=30),
    token("pinecone-key", "pcsk_", r"[A-Za-z0-9]{4,8}_[A-Za-z0-9]{50,70}"),
    token("elevenlabs-key", "sk_", r"[0-9a-f]{48}", count=20, follow="[0-9a-f]"),
    token("e2b-key", "e2b_", r"[0-9a-f]{40}"),
    token("browserbase-key", "bb_live_ bb_test_", r"[A-Za-z0-9_-]{20,40}"),
    token("brave-key", "BSA", r"[A-Za-z0-9_-]{27,28}", count=27),
    token("wandb-key", "wandb_v1_", r"[A-Za-z0-9_]{40,100}"),
    token("kaggle-token", "KGAT_", r"[0-9a-f]{32}"),
    token("apify-token", "apify_api_", r"[A-Za-z0-9]{30,48}"),
    token("coze-token", "pat_ sat_", r"[A-Za-z0-9]{64}", count=30, follow="[0-9A-Za-z]"),
    token("cursor-key", "key_", r"[0-9a-f]{64}", count=30, follow="[0-9a-f]"),
    token("friendli-token", "flp_", r"[A-Za-z0-9]{40,60}", count=20, follow="[0-9A-Za-z]"),
    token("runpod-key", "rpa_", r"[A-Z0-9]{36,50}[a-z0-9]{0,8}", count=20, follow="[0-9A-Z]"),
    token("modal-key", "ak- as-", r"[A-Za-z0-9]{22}", count=22, follow="[0-9A-Za-z]"),
    inner_token(
        "zhipu-key",
        r"[0-9a-f]{32}",
        ".",
        r"[A-Za-z0-9]{16}",
        reach=32,
        lead="[0-9a-f]{8}",
        tail="[A-Za-z0-9]{16}",
        tail_width=16,
    ),
)

MESSAGING_TOKENS: Final[tuple[TokenRule, ...]] = (
    token(
        "slack-token",
        "xoxb- xoxp- xoxa- xoxr- xoxs- xoxc- xoxo- xoxe- xoxe.xoxb- xoxe.xoxp-",
        r"\d{1,16}-?[A-Za-z0-9-]{16,400}",
        follow="[0-9]",
        count=1,
    ),
    token("slack-token", "xoxd-", r"[A-Za-z0-9%+/=-]{40,400}"),
    token(
        "slack-token", "xapp-", r"\d-[A-Z0-9]{8,14}-\d{8,16}-[0-9a-f]{40,80}", follow="[0-9A-Z-]"
    ),
    token("slack-token", "xwfp-", r"\d[A-Za-z0-9-]{30,200}", count=2),
    token(
        "slack-webhook",
        "hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/",
        r"(?P<s>[A-Za-z0-9_]{6,16}/[A-Za-z0-9_]{6,20}/[A-Za-z0-9_/]{12,64})",
        glued=True,
    ),
    token(
        "slack-webhook", "hooks.slack-gov.com/services/", r"(?P<s>[A-Za-z0-9_/]{30,80})", glued=True
    ),
    token(
        "discord-webhook",
        "discord.com/api/webhooks/ discordapp.com/api/webhooks/ /api/v10/webhooks/",
        r"\d{16,20}/(?P<s>[A-Za-z0-9_-]{50,90})",
        glued=True,
    ),
    inner_token(
        "discord-token",
        r"[MNO][A-Za-z0-9_-]{22,27}",
        ".",
        r"[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}",
        reach=28,
        lead="[A-Za-z0-9]{8}",
        tail=r"[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}",
        tail_width=34,
    ),
    token("discord-token", "mfa.", r"[A-Za-z0-9_-]{80,90}", count=30),
    inner_token(
        "telegram-token", r"\d{8,10}", ":AA", r"[A-Za-z0-9_-]{32,36}", reach=10, lead="[0-9]{4}"
    ),
    token(
        "teams-webhook",
        "/IncomingWebhook/",
        r"(?P<s>[0-9a-f]{32}/" + _UUID + r"(?:/[A-Za-z0-9_-]{20,60})?)",
        glued=True,
    ),
    token("facebook-token", "EAA", r"(?![0-9A-F]{20})[A-Za-z0-9_-]{58,400}", count=40),
    token("instagram-token", "IGQV IGQW IGAA", r"[A-Za-z0-9_-]{80,400}", count=30),
    inner_token(
        "twitter-token",
        r"A{14,24}",
        "AAAA",
        r"[B-Zb-z0-9%][A-Za-z0-9%]{60,140}",
        reach=24,
        lead="A{4}",
        tail="[B-Zb-z0-9%]",
        tail_width=1,
    ),
    token("linkedin-secret", "WPL_AP1.", r"[A-Za-z0-9+/=._-]{16,64}"),
    token("pinterest-token", "pina_", r"[A-Za-z0-9_]{40,400}", count=20),
    token("twitch-token", "oauth:", r"[a-z0-9]{30}", count=30, follow="[0-9a-z]"),
    inner_token("mailchimp-key", r"[0-9a-f]{32}", "-us", r"\d{1,2}", reach=32, lead="[0-9a-f]{8}"),
    token("mailgun-key", "key- pubkey-", r"[0-9a-f]{32}", count=16, follow="[0-9a-f]"),
    inner_token(
        "mailgun-key",
        r"[0-9a-f]{32}",
        "-",
        r"[0-9a-f]{8}-[0-9a-f]{8}",
        reach=32,
        lead="[0-9a-f]{8}",
        tail="[0-9a-f]{8}-[0-9a-f]{8}",
        tail_width=17,
    ),
    token("sendgrid-key", "SG.", r"[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}", count=12),
    token("brevo-key", "xkeysib- xsmtpsib-", r"[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    token(
        "resend-key", "re_", r"[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,28}", count=6, follow="[0-9A-Za-z]"
    ),
    token("mandrill-key", "md-", r"[A-Za-z0-9_-]{22}", count=22),
    token("twilio-key", "SK", r"[0-9a-f]{32}", count=32, follow="[0-9a-f]"),
    token("telnyx-key", "KEY0", r"[0-9A-F]{31}_[A-Za-z0-9]{20,24}", count=20, follow="[0-9A-F]"),
    token("pubnub-key", "sec-c-", r"[A-Za-z0-9-]{36,64}"),
    token("onesignal-key", "os_v2_app_ os_v2_org_", r"[a-z0-9]{60,130}"),
    inner_token(
        "firebase-key",
        r"AAAA[A-Za-z0-9_-]{7}",
        ":APA91b",
        r"[A-Za-z0-9_-]{100,180}",
        reach=11,
        lead="[A-Za-z0-9_-]{4}",
    ),
    token(
        "zapier-webhook",
        "hooks.zapier.com/hooks/catch/",
        r"\d{4,12}/(?P<s>[A-Za-z0-9]{6,12})",
        glued=True,
        judged=False,
    ),
    token("ifttt-key", "/with/key/", r"(?P<s>[A-Za-z0-9_-]{18,64})", glued=True),
    token(
        "telegram-token",
        "api.telegram.org/bot",
        r"(?P<s>\d{6,12}:[A-Za-z0-9_-]{30,40})",
        glued=True,
    ),
)

PAYMENT_TOKENS: Final[tuple[TokenRule, ...]] = (
    token(
        "stripe-key",
        "sk_live_ rk_live_ sk_test_ rk_test_ sk_org_live_ sk_org_test_",
        r"[A-Za-z0-9]{20,250}",
    ),
    token("webhook-secret", "whsec_", r"[A-Za-z0-9+/]{24,90}={0,2}", follow="[0-9A-Za-z+/=_-]"),
    token(
        "paypal-token",
        "access_token$production$ access_token$sandbox$",
        r"[0-9a-z]{16}\$[0-9a-f]{32}",
    ),
    token("paypal-token", "A21AA", r"[A-Za-z0-9_-]{80,120}", count=30),
    token("razorpay-key", "rzp_live_ rzp_test_", r"[A-Za-z0-9]{14,24}"),
    token("paddle-key", "pdl_live_apikey_ pdl_sdbx_apikey_ pdl_ntfset_", r"[A-Za-z0-9_]{30,80}"),
    token("plaid-token", "access-sandbox- access-development- access-production-", _UUID),
    token("flutterwave-key", "FLWSECK- FLWSECK_TEST- FLWSECK_PROD-", r"[0-9a-zA-Z]{24,48}(?:-X)?"),
    token("square-token", "sq0atp- sq0csp- sq0ata-", r"[A-Za-z0-9_-]{22,50}"),
    token("shopify-token", "shpat_ shpss_ shpca_ shppa_ shpua_ shptka_", r"[0-9a-fA-F]{32}"),
    token("woocommerce-key", "ck_ cs_", r"[0-9a-f]{40}", count=20, follow="[0-9a-f]"),
    token("gocardless-token", "live_", r"[A-Za-z0-9_-]{40}", count=30),
    token("lob-key", "live_ test_", r"(?:pub_)?[0-9a-f]{35}", count=20, follow="[0-9a-f_pub]"),
    token("easypost-key", "EZAK EZTK", r"[A-Za-z0-9]{54}", count=20, follow="[0-9A-Za-z]"),
    token("shippo-token", "shippo_live_ shippo_test_", r"[0-9a-f]{40}"),
    token("duffel-token", "duffel_live_ duffel_test_", r"[A-Za-z0-9_=-]{40,64}"),
    token("secret-token", "secret-token:", r"[A-Za-z0-9._~%-]{10,300}"),  # RFC 8959
    token(
        "wallet-key",
        "xprv yprv zprv tprv",
        r"[1-9A-HJ-NP-Za-km-z]{90,110}",
        count=20,
        follow="[0-9A-Za-z]",
    ),
    token("nostr-key", "nsec1", r"[02-9ac-hj-np-z]{50,60}", count=20, follow="[0-9a-z]"),
    token("sui-key", "suiprivkey1", r"[02-9ac-hj-np-z]{50,70}"),
)

MONITORING_TOKENS: Final[tuple[TokenRule, ...]] = (
    token("newrelic-key", "NRAK- NRAA- NRII- NRRA- NRSP- NRIQ-", r"[A-Za-z0-9_-]{24,48}"),
    inner_token("newrelic-key", r"[0-9a-zA-Z]{36}", "NRAL", r"", reach=36, lead="[0-9a-zA-Z]{8}"),
    token("grafana-token", "glsa_", r"[A-Za-z0-9]{32}_[0-9a-fA-F]{8}"),
    token("grafana-token", "glc_", r"[A-Za-z0-9+/]{32,400}={0,2}", follow="[0-9A-Za-z+/=_-]"),
    token("grafana-token", "eyJrIjoi", r"[A-Za-z0-9+/]{50,400}={0,2}"),
    token("honeycomb-key", "hcaik_ hcbik_ hcxik_ hcamk_ hcxmk_ hcalk_", r"[A-Za-z0-9]{40,64}"),
    token("dynatrace-token", "dt0c01. dt0s01. dt0s02. dt0s16.", r"[A-Z2-7]{8,24}\.[A-Z2-7]{64}"),
    token("posthog-key", "phx_ phs_", r"[A-Za-z0-9_-]{40,64}"),
    token("statsig-key", "secret-", r"[A-Za-z0-9]{40,48}", count=30, follow="[0-9A-Za-z]"),
    token("elastic-key", "essu_", r"[A-Za-z0-9+/=_-]{40,200}", follow="[0-9A-Za-z+/=_-]"),
    token("pagerduty-key", "pdus+_", r"[A-Za-z0-9_+-]{20,64}"),
    token("betterstack-token", "bs_", r"[A-Za-z0-9]{40}", count=40, follow="[0-9A-Za-z]"),
)

CONTENT_TOKENS: Final[tuple[TokenRule, ...]] = (
    token("notion-token", "ntn_ secret_", r"[A-Za-z0-9]{40,50}", count=30, follow="[0-9A-Za-z]"),
    inner_token(
        "airtable-token",
        r"pat[A-Za-z0-9]{14}",
        ".",
        r"[0-9a-f]{64}",
        reach=17,
        lead="[A-Za-z0-9]{8}",
        tail="[0-9a-f]{64}",
        tail_width=64,
    ),
    token(
        "asana-token", "1/ 2/", r"\d{10,20}(?:/\d{10,20})?:[0-9a-f]{32}", count=10, follow="[0-9]"
    ),
    token("clickup-token", "pk_", r"\d{5,12}_[A-Z0-9]{32}", count=5, follow="[0-9]"),
    token("figma-token", "figd_ figo_ figor_ figuh_ figdh_", r"[A-Za-z0-9_-]{36,64}"),
    token("typeform-token", "tfp_", r"[A-Za-z0-9_.=-]{40,80}"),
    token("hubspot-token", "pat-na1- pat-na2- pat-eu1- pat-ap1-", _UUID),
    token(
        "intercom-token", "dG9rO", r"[A-Za-z0-9+/]{30,90}={0,2}", count=20, follow="[0-9A-Za-z+/]"
    ),
    token("dropbox-token", "sl. sl.u.", r"[A-Za-z0-9_-]{100,1500}", count=40),
    token("contentful-token", "CFPAT-", r"[A-Za-z0-9_-]{40,48}"),
    token("sanity-token", "sk", r"[A-Za-z0-9]{80,190}", count=80, follow="[0-9A-Za-z]"),
    token(
        "imagekit-key", "private_", r"[A-Za-z0-9+/]{26,30}={0,2}", count=26, follow="[0-9A-Za-z+/]"
    ),
    token("mapbox-token", "sk.eyJ tk.eyJ", r"[A-Za-z0-9_-]{40,400}\.[A-Za-z0-9_-]{20,64}"),
    token("frameio-token", "fio-u-", r"[A-Za-z0-9_=-]{60,72}"),
    token("adafruit-key", "aio_", r"[A-Za-z0-9]{28}", count=20, follow="[0-9A-Za-z]"),
    token("stytch-secret", "secret-live- secret-test-", r"[A-Za-z0-9_=-]{32,48}"),
    token("okta-token", "SSWS\\x20", r"(?P<s>[A-Za-z0-9_-]{40,44})", count=20),
    token("shodan-key", "shodan_", r"[A-Za-z0-9]{32}"),
    token("riot-key", "RGAPI-", _UUID),
    token(
        "roblox-cookie",
        "_|WARNING:-DO-NOT-SHARE-THIS.",
        r"[\x20-\x7e]{40,200}\|_[0-9A-Fa-f]{100,2000}",
        count=0,
        judged=False,
    ),
    token(
        "steam-token",
        "eyAidHlwIjogIkpXVCIs",
        r"[A-Za-z0-9_-]{20,400}\.[A-Za-z0-9_-]{20,1500}\.[A-Za-z0-9_-]{20,200}",
    ),
)

SIGNED_TOKENS: Final[tuple[TokenRule, ...]] = (
    token(
        "jwt",
        "eyJ",
        r"[A-Za-z0-9_-]{8,2000}(?:={0,2}\.[A-Za-z0-9_-]{6,3000}={0,2}){2}"
        r"(?:\.[A-Za-z0-9_-]{0,1500}){0,2}",
        count=8,
    ),
    token(
        "jwt",
        "eyJ",
        r"[A-Za-z0-9_-]{8,400}\.\.[A-Za-z0-9_-]{8,400}(?:\.[A-Za-z0-9_-]{8,3000}){1,2}",
        count=8,
    ),
    token("jwt", "eyJ", r"[A-Za-z0-9_-]{12,400}\.eyJ[A-Za-z0-9_-]{12,2000}\.?", count=8),
    token(
        "paseto",
        "v1.local. v2.local. v3.local. v4.local. v1.public. v2.public. v3.public. v4.public.",
        r"[A-Za-z0-9_-]{40,2000}(?:\.[A-Za-z0-9_-]{1,400})?",
    ),
    token(
        "macaroon", "MDAxY2xvY2F0aW9u MDAx MDAyMWxvY2F0aW9u", r"[A-Za-z0-9_+/=-]{80,2000}", count=40
    ),
)

SERVICE_TOKENS: Final[tuple[TokenRule, ...]] = (
    MODEL_TOKENS
    + MESSAGING_TOKENS
    + PAYMENT_TOKENS
    + MONITORING_TOKENS
    + CONTENT_TOKENS
    + SIGNED_TOKENS
)
