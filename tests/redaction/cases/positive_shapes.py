"""Secrets without a format of their own: fields, headers, cookies, URLs, keys, encodings, sentences."""

import base64
from collections.abc import Callable, Iterator
from urllib.parse import quote

from .model import Case, Maker

BIP39_WORDS = (
    "abandon",
    "ability",
    "absent",
    "canyon",
    "decade",
    "embrace",
    "fabric",
    "gadget",
    "harvest",
    "icon",
    "jungle",
    "kidney",
    "lumber",
)

Shape = Callable[[Maker], Case]
SHAPES: dict[str, Shape] = {}


def shape(function: Shape) -> Shape:
    """Register a shape under the name of its function."""
    SHAPES[function.__name__.replace("_", "-")] = function
    return function


def simple(kind: str, template: str, secret: Callable[[Maker], str], *keep: str) -> None:
    """Register a shape whose text is a template with one secret in place of ``@@``."""

    def build(make: Maker) -> Case:
        value = secret(make)
        return Case(kind, template.replace("@@", value), (value,), keep)

    SHAPES[kind] = build


def password(make: Maker) -> str:
    return make.password(14)


def tame(make: Maker) -> str:
    return make.password(14, "-_.+")


def token32(make: Maker) -> str:
    return make.alnum(32)


def token40(make: Maker) -> str:
    return make.urlsafe(40)


def hex32(make: Maker) -> str:
    return make.hex(32)


for _kind, _template, _secret, *_keep in (
    # Fields of documents
    ("json-uuid-key", '{"apiKey": "@@", "zone": 2}', lambda m: m.uuid(), '"zone": 2'),
    (
        "json-number",
        '{"user": "ann", "password": @@, "ok": true}',
        lambda m: m.digits(9),
        '"user": "ann"',
        '"ok": true',
    ),
    ("json-list", '{"tokens_for": "ci", "secrets": ["@@"], "n": 1}', token32, '"n": 1'),
    (
        "json-pretty",
        '{\n  "db": {\n    "passwd" : "@@",\n    "port" : 5432\n  }\n}',
        password,
        '"port" : 5432',
    ),
    (
        "json-single",
        "{'username': 'ann', 'password': '@@', 'age': 3}",
        tame,
        "'username': 'ann'",
        "'age': 3",
    ),
    (
        "yaml-quoted",
        'smtp:\n  user: ann\n  pass: "@@"\n  port: 25\n',
        password,
        "user: ann",
        "port: 25",
    ),
    ("yaml-bare", "redis:\n  password: @@\n  db: 3\n", tame, "db: 3"),
    ("yaml-block", "api_key: |\n  @@\nregion: eu\n", token40, "region: eu"),
    ("ini", "[mail]\nsmtp_password = @@\nport = 25\n", password, "port = 25"),
    (
        "properties",
        "spring.datasource.password=@@\nspring.datasource.url=jdbc:h2:mem\n",
        password,
        "jdbc:h2:mem",
    ),
    ("toml-inline", 'auth = { user = "ann", password = "@@" }\nn = 1\n', tame, "n = 1"),
    (
        "xml-attribute",
        '<add key="ApiKey" value="@@"/><add key="Retries" value="3"/>',
        token32,
        'key="Retries" value="3"',
    ),
    (
        "xml-namespace",
        "<soap:Password>@@</soap:Password><soap:Id>7</soap:Id>",
        tame,
        "<soap:Id>7</soap:Id>",
    ),
    ("plist", "<key>AccessToken</key>\n<string>@@</string>\n<key>N</key>", token40, "<key>N</key>"),
    (
        "html-meta",
        '<meta name="csrf-token" content="@@"><title>Home</title>',
        token40,
        "<title>Home</title>",
    ),
    (
        "html-hidden",
        '<input type="hidden" name="authenticity_token" value="@@"><p>x</p>',
        token40,
        "<p>x</p>",
    ),
    (
        "html-table",
        "<tr><td>API key</td><td>@@</td></tr><tr><td>Plan</td><td>Free</td></tr>",
        token32,
        "<td>Free</td>",
    ),
    (
        "html-label",
        "<dt>Secret key</dt><dd><code>@@</code></dd><dt>Plan</dt><dd>Pro</dd>",
        token32,
        "<dd>Pro</dd>",
    ),
    (
        "go-struct",
        'cfg := Config{Addr: "a:1", Password: "@@", DB: 0}',
        tame,
        'Addr: "a:1"',
        "DB: 0",
    ),
    ("rust", 'let api_key = "@@";\nlet n = 3;\n', token32, "let n = 3;"),
    ("java", 'private static final String SECRET_KEY = "@@";\nint n = 3;', token32, "int n = 3;"),
    ("php-array", "'db_password' => '@@',\n'db_port' => 3306,\n", tame, "'db_port' => 3306"),
    (
        "php-define",
        "define('DB_PASSWORD', '@@');\ndefine('DB_HOST', 'localhost');",
        tame,
        "define('DB_HOST', 'localhost');",
    ),
    ("ruby", ':password => "@@", :port => 21', tame, ":port => 21"),
    (
        "csharp",
        'var conn = "Server=a;Database=b;User Id=c;Password=@@;Timeout=5";',
        tame,
        "Timeout=5",
    ),
    ("powershell", '$env:API_TOKEN = "@@"\nGet-Item .\n', token32, "Get-Item ."),
    ("batch", "set DB_PASSWORD=@@\r\ncall run.bat\r\n", tame, "call run.bat"),
    ("fish", "set -x OPENAI_API_KEY @@\nls\n", lambda m: "sk-" + m.alnum(48), "ls"),
    ("dockerfile-arg", "ARG NPM_TOKEN=@@\nRUN make\n", token40, "RUN make"),
    ("compose", "environment:\n  - POSTGRES_PASSWORD=@@\n  - TZ=UTC\n", tame, "TZ=UTC"),
    (
        "kubernetes-env",
        "- name: DB_PASSWORD\n  value: @@\n- name: PORT\n  value: '80'\n",
        tame,
        "value: '80'",
    ),
    (
        "terraform",
        'resource "x" "y" {\n  master_password = "@@"\n  size = 3\n}\n',
        tame,
        "size = 3",
    ),
    ("ansible", "ansible_ssh_pass: @@\nansible_port: 22\n", tame, "ansible_port: 22"),
    (
        "wireguard",
        "[Interface]\nPrivateKey = @@\nListenPort = 51820\n",
        lambda m: m.base64(32),
        "ListenPort = 51820",
    ),
    ("wpa", 'network={\n  ssid="home"\n  psk="@@"\n}\n', password, 'ssid="home"'),
    (
        "redis-conf",
        "port 6379\nrequirepass @@\nappendonly yes\n",
        token32,
        "port 6379",
        "appendonly yes",
    ),
    (
        "nginx-header",
        'proxy_set_header X-Api-Key "@@";\nproxy_pass http://a;\n',
        token32,
        "proxy_pass http://a;",
    ),
    (
        "django",
        "SECRET_KEY = 'django-insecure-@@'\nDEBUG = True\n",
        lambda m: m.of("abcdefgh0123456789!@#$%^&*(-_=+)", 50),
        "DEBUG = True",
    ),
    (
        "firebase-config",
        'const c = { apiKey: "@@", projectId: "demo" };',
        lambda m: "AIza" + m.urlsafe(35),
        'projectId: "demo"',
    ),
    (
        "pypirc",
        "[pypi]\nusername = ann\npassword = @@\n[other]\n",
        tame,
        "username = ann",
        "[other]",
    ),
    ("git-credentials", "https://ann:@@@github.com\nhttps://example.com\n", tame, "@github.com"),
    (
        "pgpass",
        "db.example.com:5432:shop:ann:@@\n# end\n",
        tame,
        "db.example.com:5432:shop:ann:",
        "# end",
    ),
    (
        "htpasswd",
        "ann:$apr1$@@\nbob:x\n",
        lambda m: m.alnum(8) + "$" + m.of("./0123456789ABCDEFGHabcdefgh", 22),
        "ann:",
        "bob:x",
    ),
    (
        "shadow",
        "root:$6$@@:19000:0:99999:7:::\nbin:*:1\n",
        lambda m: m.alnum(16) + "$" + m.alnum(86),
        "root:",
        ":19000:0:99999:7:::",
    ),
    (
        "docker-config",
        '{"auths": {"r.example.com": {"auth": "@@"}}}',
        lambda m: base64.b64encode(("ann:" + m.password(14)).encode()).decode(),
        "r.example.com",
    ),
    (
        "kubeconfig-token",
        "users:\n- name: ann\n  user:\n    token: @@\n",
        lambda m: m.of("abcdefghijkmnpqrstuvwxyz0123456789", 54),
        "- name: ann",
    ),
    ("gcp-hmac", "access_id: x\nsecret: @@\nend: 1\n", lambda m: m.base64(30), "end: 1"),
    (
        "azure-bus",
        "Endpoint=sb://x.example.net/;SharedAccessKeyName=Root;SharedAccessKey=@@;EntityPath=q",
        lambda m: m.base64(32),
        "SharedAccessKeyName=Root",
        "EntityPath=q",
    ),
    (
        "cosmos",
        "AccountEndpoint=https://x.example.com:443/;AccountKey=@@;",
        lambda m: m.base64(64),
        "AccountEndpoint=https://x.example.com:443/",
    ),
    ("jaas", 'LoginModule required username="ann" password="@@";', tame, 'username="ann"'),
    ("ldif", "bindDN: cn=a\nbindpw: @@\nbase: dc=x\n", tame, "base: dc=x"),
    ("snmp-auth", "authPassword: @@\nversion: 3\n", tame, "version: 3"),
    (
        "sql-identified",
        "CREATE USER ann IDENTIFIED BY '@@';\nSELECT 1;",
        tame,
        "CREATE USER ann IDENTIFIED BY '",
        "SELECT 1;",
    ),
    (
        "sql-password",
        "ALTER ROLE ann WITH LOGIN PASSWORD '@@';\n-- done",
        tame,
        "ALTER ROLE ann WITH LOGIN PASSWORD '",
        "-- done",
    ),
    (
        "mnemonic",
        'mnemonic: "@@"\nnet: main\n',
        lambda m: " ".join(m.rng.choice(BIP39_WORDS) for _ in range(12)),
        "net: main",
    ),
    (
        "value-object",
        '{"name": "api_token", "value": "@@", "type": "text"}',
        token32,
        '"type": "text"',
    ),
    ("value-object-first", '{"value": "@@", "name": "api_token", "n": 1}', token32, '"n": 1'),
    ("pair-list", '[["accept", "*/*"], ["x-api-key", "@@"]]', token32, '["accept", "*/*"]'),
    (
        "markdown-column",
        "| user | password |\n|------|----------|\n| ann | @@ |\n| end | - |\n",
        tame,
        "| user | password |",
        "| end | - |",
    ),
    (
        "csv-column",
        "host,user,password\na.example,ann,@@\n",
        tame,
        "host,user,password",
        "a.example,ann,",
    ),
    ("tsv-column", "name\tapi_key\nmaps\t@@\n", token32, "name\tapi_key", "maps\t"),
    ("bold-field", "**Password:** @@\n**Host:** a.example\n", tame, "**Host:** a.example"),
    ("list-field", "- API Key: `@@`\n- Region: eu\n", token32, "- Region: eu"),
    ("own-line", "Your API key:\n\n    @@\n\nKeep it.\n", token32, "Keep it."),
    (
        "env-json-dump",
        '{"PATH": "/bin", "MY_SERVICE_TOKEN": "@@", "HOME": "/root"}',
        token32,
        '"PATH": "/bin"',
        '"HOME": "/root"',
    ),
    ("escaped-newline-env", '{"stdout": "A=1\\nDB_PASSWORD=@@\\nB=2\\n"}', tame, "A=1", "B=2"),
    ("printenv", "SHELL=/bin/sh\nGH_TOKEN=@@\nPWD=/srv\n", token40, "SHELL=/bin/sh", "PWD=/srv"),
    (
        "querystring-body",
        "user=ann&password=@@&remember=1",
        tame,
        "user=ann&password=",
        "&remember=1",
    ),
    (
        "otpauth",
        "otpauth://totp/Ex:ann?secret=@@&issuer=Ex",
        lambda m: m.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 32),
        "issuer=Ex",
    ),
    # Command lines
    ("flag-space", "deploy --api-key @@ --region eu", token32, "--region eu"),
    ("flag-equals", "deploy --token=@@ --dry-run", token40, "--dry-run"),
    ("flag-quoted", "psql --password '@@' -h db", password, "-h db"),
    ("mysql-short", "mysql -u root -p@@ shop", tame, "mysql -u root", " shop"),
    (
        "docker-login",
        "docker login -u ann -p @@ registry.example.com",
        tame,
        "registry.example.com",
    ),
    ("redis-cli", "redis-cli -h r.example -a @@ ping", tame, " ping"),
    ("pgpassword", "PGPASSWORD=@@ psql -h db -U ann -c 'select 1'", tame, "psql -h db"),
    ("curl-proxy", "curl --proxy-user ann:@@ https://example.com/x", tame, "https://example.com/x"),
    (
        "wget",
        "wget --user=ann --password=@@ https://example.com/f.zip",
        tame,
        "https://example.com/f.zip",
    ),
    ("argv-json", '{"argv": ["deploy", "--token", "@@", "-v"]}', token32, '"-v"'),
    ("java-define", "java -Djavax.net.ssl.keyStorePassword=@@ -jar app.jar", tame, "-jar app.jar"),
    ("openssl-pass", "openssl rsa -in k.pem -passin pass:@@ -out o.pem", tame, "-out o.pem"),
    ("echo-pipe", "echo '@@' | docker login -u ann --password-stdin", tame, "| docker login"),
    # Databases and URLs
    (
        "db-mongo",
        "mongodb+srv://app:@@@cluster0.example.net/db?retryWrites=true",
        tame,
        "mongodb+srv://",
        "@cluster0.example.net",
    ),
    ("db-sqlalchemy", 'url = "mssql+pyodbc://sa:@@@db:1433/x?driver=a"', tame, "@db:1433/x"),
    ("db-empty-user", "redis://:@@@cache:6379/1", tame, "@cache:6379/1"),
    (
        "smtp-url",
        "smtps://ann%40example.com:@@@mail.example.com:465",
        tame,
        "@mail.example.com:465",
    ),
    (
        "git-token-url",
        "remote: https://@@@git.example.com/a/b.git",
        token40,
        "@git.example.com/a/b.git",
    ),
    (
        "url-sas",
        "https://x.blob.example.net/c/f?sv=2024-01-01&se=2027-01-01&sr=b&sp=r&sig=@@&n=1",
        lambda m: quote(m.base64(32), safe=""),
        "sv=2024-01-01",
        "&n=1",
    ),
    (
        "url-google-signed",
        "https://storage.example.com/f?X-Goog-Expires=900&X-Goog-Signature=@@",
        lambda m: m.hex(512),
        "X-Goog-Expires=900",
    ),
    (
        "url-oss-signed",
        "https://b.oss.example.com/f?Expires=1790000000&Signature=@@",
        lambda m: quote(m.base64(20), safe=""),
        "Expires=1790000000",
    ),
    ("url-magic-link", "https://app.example.com/login/magic?token=@@&email=x", token40, "&email=x"),
    ("url-invite", "Join: https://chat.example.com/join?invite_token=@@ now", token32, " now"),
    ("url-session", "https://old.example.com/a.php?PHPSESSID=@@&p=2", hex32, "&p=2"),
    (
        "url-saml",
        "https://sp.example.com/acs?SAMLResponse=@@&RelayState=x",
        lambda m: quote(m.base64(90), safe=""),
        "RelayState=x",
    ),
    (
        "url-double-encoded",
        "https://a.example/?u=https%253A%252F%252Fb.example%252F%253Faccess_token%253D@@%2526z%253D1",
        token32,
        "%2526z%253D1",
    ),
    (
        "url-json-escaped",
        '{"u": "https:\\/\\/ann:@@@git.example.com\\/x"}',
        tame,
        "git.example.com",
    ),
    (
        "url-fragment-id",
        "https://app.example.com/cb#id_token=@@&state=x1",
        token40,
        "https://app.example.com/cb#id_token=",
    ),
    ("url-in-log", '"GET /api/x?page=2&api_key=@@ HTTP/1.1" 200 17', token32, "page=2", '" 200 17'),
    (
        "url-markdown-image",
        "![m](https://maps.example.com/s?zoom=3&key=@@)",
        lambda m: m.urlsafe(39),
        "zoom=3",
    ),
    ("url-ws", "wss://rt.example.com/socket?auth_token=@@&vsn=2", token32, "vsn=2"),
    (
        "teams-webhook",
        "https://x.webhook.office.com/webhookb2/a@b/IncomingWebhook/@@",
        lambda m: m.hex(32) + "/" + m.uuid(),
        "https://x.webhook.office.com/",
    ),
    (
        "telegram-url",
        "https://api.telegram.org/bot@@/getMe",
        lambda m: m.digits(10) + ":AA" + m.urlsafe(33),
        "/getMe",
    ),
    # Headers and cookies
    (
        "header-curl-verbose",
        "> GET / HTTP/2\n> authorization: Bearer @@\n> accept: */*\n",
        token40,
        "> accept: */*",
    ),
    ("header-token-scheme", "Authorization: Token @@\nHost: a\n", lambda m: m.hex(40), "Host: a"),
    ("header-bare", "Authorization: @@\nHost: a\n", lambda m: m.urlsafe(48), "Host: a"),
    (
        "header-digest",
        'Authorization: Digest username="ann", realm="r", nonce="abc", uri="/x", response="@@"',
        hex32,
        'username="ann"',
        'uri="/x"',
    ),
    (
        "header-oauth1",
        'Authorization: OAuth oauth_version="1.0", oauth_signature="@@"',
        lambda m: quote(m.base64(20), safe=""),
        'oauth_version="1.0"',
    ),
    (
        "header-hawk",
        'Authorization: Hawk id="dh37", ts="1790000000", mac="@@"',
        lambda m: m.base64(32),
        'ts="1790000000"',
    ),
    (
        "header-go-map",
        "map[Accept:[*/*] Authorization:[Bearer @@] Host:[a]]",
        token40,
        "Accept:[*/*]",
        "Host:[a]]",
    ),
    (
        "header-http-client",
        'req.Header.Set("Authorization", "Bearer @@")\nreq.Close = true',
        token40,
        "req.Close = true",
    ),
    (
        "header-set-request",
        "xhr.setRequestHeader('X-Auth-Token', '@@');\nxhr.send();",
        token40,
        "xhr.send();",
    ),
    (
        "header-list-of-lists",
        '[["Authorization", "Basic @@"], ["Host", "a"]]',
        lambda m: base64.b64encode(("ann:" + m.password()).encode()).decode(),
        '["Host", "a"]',
    ),
    (
        "header-lower-json",
        '{"x-amz-security-token": "@@", "host": "a"}',
        lambda m: m.base64(60),
        '"host": "a"',
    ),
    ("header-vault", "X-Vault-Token: @@\nHost: a\n", lambda m: "hvs." + m.urlsafe(90), "Host: a"),
    ("header-webhook", "X-Hub-Signature-256: sha256=@@\nHost: a\n", lambda m: m.hex(64), "Host: a"),
    (
        "header-yaml",
        "headers:\n  Authorization: Bearer @@\n  Accept: text/html\n",
        token40,
        "Accept: text/html",
    ),
    (
        "header-python",
        'requests.get(u, headers={"Authorization": f"Bearer @@"}, timeout=9)',
        token40,
        "timeout=9",
    ),
    (
        "header-httpie",
        "http GET a.example/x 'Authorization: Bearer @@' page==2",
        token40,
        "page==2",
    ),
    ("bearer-prose", "I called it with Bearer @@ and got 401.", token40, " and got 401."),
    (
        "cookie-json",
        '{"headers": {"cookie": "sid=@@; theme=dark", "a": "b"}}',
        token40,
        "theme=dark",
        '"a": "b"',
    ),
    (
        "set-cookie-attributes",
        "Set-Cookie: auth_token=@@; Max-Age=3600; Path=/; SameSite=Lax\n",
        token40,
        "Max-Age=3600",
        "Path=/",
        "SameSite=Lax",
    ),
    (
        "cookie-expires",
        "set-cookie: session=@@; Expires=Wed, 09 Jun 2027 10:18:14 GMT; Path=/\nx: y\n",
        token40,
        "Expires=Wed, 09 Jun 2027 10:18:14 GMT",
        "x: y",
    ),
    (
        "cookie-jar",
        ".example.com\tTRUE\t/\tTRUE\t1790000000\tsession_id\t@@\n# end\n",
        token40,
        ".example.com\tTRUE",
        "# end",
    ),
    (
        "cookie-list",
        '"cookies": [{"name": "connect.sid", "value": "@@", "domain": "a"}]',
        lambda m: "s%3A" + m.urlsafe(32) + "." + m.urlsafe(40),
        '"domain": "a"',
    ),
    (
        "cookie-playwright",
        '{"cookies": [{"value": "@@", "name": "auth_session", "path": "/"}]}',
        token40,
        '"path": "/"',
    ),
    (
        "cookie-flag",
        "curl --cookie 'laravel_session=@@; lang=de' https://a.example/",
        token40,
        "lang=de",
        "https://a.example/",
    ),
    # Sentences
    (
        "prose-english",
        "The admin password is @@ for now.",
        tame,
        "The admin password is ",
        " for now.",
    ),
    ("prose-quoted", 'Use the password "@@" when asked.', tame, " when asked."),
    ("prose-german", "Das Passwort lautet @@ und gilt bis Mai.", tame, "und gilt bis Mai."),
    ("prose-french", "Mot de passe : @@\nServeur : a\n", tame, "Serveur : a"),
    ("prose-portuguese", "senha: @@\nporta: 22\n", tame, "porta: 22"),
    ("prose-russian", "Пароль: @@\nСервер: a\n", tame, "Сервер: a"),
    ("prose-japanese", "パスワードは「@@」です。", tame, "です。"),
    ("prose-japanese-colon", "パスワード:@@\nサーバー:a\n", tame, "サーバー:a"),
    ("prose-korean", "비밀번호: @@\n서버: a\n", tame, "서버: a"),
    ("prose-chinese-is", "登录密码是@@,请尽快修改。", tame, "登录密码是", "请尽快修改。"),
    ("prose-chinese-key", "密钥:@@\n地址:a\n", token32, "地址:a"),
    ("prose-token", "My access token is @@ by the way.", token40, " by the way."),
    ("prose-arrow", "password -> @@\nhost -> a\n", tame, "host -> a"),
    (
        "prose-login-slash",
        "Login: ann / Password: @@ (valid today)",
        tame,
        "Login: ann",
        "(valid today)",
    ),
):
    simple(_kind, _template, _secret, *_keep)


def _pem(make: Maker, label: str, octets: int = 400) -> tuple[str, list[str]]:
    lines = make.base64_lines(octets)
    return f"-----BEGIN {label}-----\n" + "\n".join(lines) + f"\n-----END {label}-----\n", lines


@shape
def pem_pkcs8(make: Maker) -> Case:
    text, lines = _pem(make, "PRIVATE KEY")
    return Case("pem-pkcs8", f"see\n{text}end\n", (lines[0], lines[2]), ("see\n", "end\n"))


@shape
def pem_truncated(make: Maker) -> Case:
    text, lines = _pem(make, "RSA PRIVATE KEY", 900)
    cut = text[: len(text) * 2 // 3]
    return Case(
        "pem-truncated",
        f"cat key\n{cut}",
        (lines[0], lines[3], cut.rsplit("\n", 1)[1] or lines[4]),
        ("cat key",),
    )


@shape
def pem_headers(make: Maker) -> Case:
    _, lines = _pem(make, "RSA PRIVATE KEY")
    head = (
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,"
        + make.hex(32).upper()
    )
    return Case(
        "pem-headers",
        head + "\n\n" + "\n".join(lines) + "\n-----END RSA PRIVATE KEY-----\nok",
        (lines[0], lines[3]),
        ("ok",),
    )


@shape
def pem_escaped(make: Maker) -> Case:
    text, lines = _pem(make, "EC PRIVATE KEY", 120)
    return Case(
        "pem-escaped",
        'KEY="' + text.replace("\n", "\\n") + '"\nPORT=1\n',
        (lines[0], lines[1]),
        ("PORT=1",),
    )


@shape
def pem_double_escaped(make: Maker) -> Case:
    text, lines = _pem(make, "PRIVATE KEY")
    escaped = text.replace("\n", "\\\\n")
    return Case(
        "pem-double-escaped",
        f'{{"a": "{{\\"private_key\\": \\"{escaped}\\", \\"n\\": 1}}"}}',
        (lines[0], lines[2]),
        ('\\"n\\": 1',),
    )


@shape
def pem_one_line(make: Maker) -> Case:
    text, lines = _pem(make, "PRIVATE KEY", 240)
    return Case(
        "pem-one-line",
        "key: " + text.replace("\n", " ").strip() + "\nport: 1\n",
        (lines[0], lines[1]),
        ("port: 1",),
    )


@shape
def pem_quoted_mail(make: Maker) -> Case:
    text, lines = _pem(make, "OPENSSH PRIVATE KEY")
    quoted = "".join(f"> {line}\n" for line in text.splitlines())
    return Case(
        "pem-quoted-mail", f"On Monday:\n{quoted}Bye\n", (lines[0], lines[2]), ("On Monday:", "Bye")
    )


@shape
def pem_crlf(make: Maker) -> Case:
    text, lines = _pem(make, "DSA PRIVATE KEY")
    return Case(
        "pem-crlf",
        "a\r\n" + text.replace("\n", "\r\n") + "b\r\n",
        (lines[0], lines[2]),
        ("a\r\n", "b\r\n"),
    )


@shape
def pem_ssh2(make: Maker) -> Case:
    lines = make.base64_lines(300, 70)
    text = "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: laptop\n" + "\n".join(lines)
    return Case(
        "pem-ssh2",
        text + "\n---- END SSH2 ENCRYPTED PRIVATE KEY ----\nok\n",
        (lines[0], lines[2]),
        ("ok",),
    )


@shape
def pem_javascript(make: Maker) -> Case:
    text, lines = _pem(make, "PRIVATE KEY", 200)
    source = " +\n".join(f'  "{line}\\n"' for line in text.splitlines())
    return Case(
        "pem-javascript", f"const k =\n{source};\nrun();\n", (lines[0], lines[2]), ("run();",)
    )


@shape
def raw_der(make: Maker) -> Case:
    body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEA" + make.base64(600)
    return Case("raw-der", f"signer = load('{body}')\nn = 1\n", (body,), ("n = 1",))


@shape
def jwk_ec(make: Maker) -> Case:
    d = make.urlsafe(43)
    x = make.urlsafe(43)
    return Case(
        "jwk-ec",
        f'{{"kty":"EC","crv":"P-256","x":"{x}","y":"{make.urlsafe(43)}","d":"{d}"}}',
        (d,),
        (x,),
    )


@shape
def jwk_symmetric(make: Maker) -> Case:
    k = make.urlsafe(43)
    return Case(
        "jwk-symmetric", f'{{"keys":[{{"kty":"oct","kid":"a","k":"{k}"}}]}}', (k,), ('"kid":"a"',)
    )


@shape
def xml_rsa(make: Maker) -> Case:
    d, modulus = make.base64(128), make.base64(128)
    text = f"<RSAKeyValue><Modulus>{modulus}</Modulus><InverseQ>{make.base64(64)}</InverseQ><D>{d}</D></RSAKeyValue>"
    return Case("xml-rsa", text, (d,), (modulus,))


@shape
def putty_escaped(make: Maker) -> Case:
    lines = make.base64_lines(160)
    text = (
        "PuTTY-User-Key-File-2: ssh-rsa\nComment: x\nPublic-Lines: 1\nAAAAB3Nz\nPrivate-Lines: 4\n"
    )
    return Case(
        "putty",
        text + "\n".join(lines) + "\nPrivate-MAC: " + make.hex(40) + "\n",
        (lines[0], lines[2]),
        ("Comment: x",),
    )


def _encodings(make: Maker) -> Iterator[tuple[str, Case]]:
    secret = "ghp_" + make.alnum(36)
    line = f"GITHUB_TOKEN={secret}\n"
    yield (
        "base64-url",
        Case(
            "base64-url",
            "x " + base64.urlsafe_b64encode(f"token: {secret}".encode()).decode() + " y",
            (base64.urlsafe_b64encode(f"token: {secret}".encode()).decode(),),
            ("x ", " y"),
        ),
    )
    wrapped = base64.encodebytes((line * 3).encode()).decode()
    yield (
        "base64-wrapped",
        Case("base64-wrapped", f"data: |\n{wrapped}end: 1\n", tuple(wrapped.split()), ("end: 1",)),
    )
    password = make.password(16, "-_.")
    body = base64.b64encode(f'{{"user":"ann","password":"{password}"}}'.encode()).decode()
    yield "base64-json", Case("base64-json", f'{{"blob": "{body}", "n": 1}}', (body,), ('"n": 1',))
    yield (
        "hex",
        Case("hex", f"dump={line.encode().hex()} end", (line.strip().encode().hex(),), (" end",)),
    )
    yield (
        "backslash-x",
        Case(
            "backslash-x",
            's = "' + "".join(f"\\x{ord(c):02x}" for c in secret) + '"; n = 1',
            ("".join(f"\\x{ord(c):02x}" for c in secret),),
            ("n = 1",),
        ),
    )
    yield (
        "u-escaped-whole",
        Case(
            "u-escaped-whole",
            '{"a": "' + "".join(f"\\u{ord(c):04x}" for c in secret) + '", "n": 1}',
            ("".join(f"\\u{ord(c):04x}" for c in secret),),
            ('"n": 1',),
        ),
    )
    yield (
        "u-escaped-key",
        Case(
            "u-escaped-key",
            '{"p\\u0061ssword": "' + password + '", "n": 1}',
            (password,),
            ('"n": 1',),
        ),
    )
    yield (
        "entity-hex",
        Case(
            "entity-hex",
            "<b>" + "".join(f"&#x{ord(c):x};" for c in secret) + "</b><i>k</i>",
            ("".join(f"&#x{ord(c):x};" for c in secret),),
            ("<i>k</i>",),
        ),
    )
    yield (
        "entity-one",
        Case(
            "entity-one",
            f"<b>{secret[:20]}&#{ord(secret[20])};{secret[21:]}</b><i>k</i>",
            (secret[21:],),
            ("<i>k</i>",),
        ),
    )
    yield (
        "percent-one",
        Case(
            "percent-one",
            f"https://a.example/?q={secret[:10]}%{ord(secret[10]):02X}{secret[11:]}&n=1",
            (secret[11:],),
            ("&n=1",),
        ),
    )
    yield (
        "percent-all",
        Case(
            "percent-all",
            "x=" + "".join(f"%{ord(c):02X}" for c in secret) + "&n=1",
            ("".join(f"%{ord(c):02X}" for c in secret),),
            ("&n=1",),
        ),
    )
    yield (
        "zero-width",
        Case("zero-width", f"key {secret[:12]}\u200b{secret[12:]} end", (secret[12:],), (" end",)),
    )
    yield (
        "soft-hyphen",
        Case("soft-hyphen", f"key {secret[:12]}\u00ad{secret[12:]} end", (secret[12:],), (" end",)),
    )
    yield (
        "full-width",
        Case(
            "full-width",
            "key " + "".join(chr(ord(c) + 0xFEE0) for c in secret) + " end",
            ("".join(chr(ord(c) + 0xFEE0) for c in secret[4:]),),
            (" end",),
        ),
    )
    yield (
        "quoted-printable",
        Case(
            "quoted-printable",
            f"token=3D{secret[:30]}=\r\n{secret[30:]}\r\nend",
            (secret[:30],),
            ("\r\nend",),
        ),
    )
    yield (
        "python-implicit",
        Case(
            "python-implicit",
            f'K = ("{secret[:20]}"\n     "{secret[20:]}")\nn = 1\n',
            (secret[:20], secret[20:]),
            ("n = 1",),
        ),
    )
    yield (
        "backslash-joint",
        Case(
            "backslash-joint",
            f"export K={secret[:25]}\\\n{secret[25:]}\nn=1\n",
            (secret[:25], secret[25:]),
            ("n=1",),
        ),
    )
    yield (
        "escaped-wrap",
        Case(
            "escaped-wrap",
            f'{{"o": "key {secret[:25]}\\n{secret[25:]} x"}}',
            (secret[:25], secret[25:]),
            (" x",),
        ),
    )
    yield (
        "html-break",
        Case(
            "html-break",
            f"<p>{secret[:18]}<wbr>{secret[18:]}</p>",
            (secret[:18], secret[18:]),
            ("<p>",),
        ),
    )
    yield (
        "ansi-json",
        Case("ansi-json", f'{{"o": "\\u001b[33m{secret}\\u001b[0m ok"}}', (secret,), (" ok",)),
    )
    yield (
        "html-quotes",
        Case(
            "html-quotes",
            f"&lt;a password=&quot;{password}&quot; n=&quot;1&quot;&gt;",
            (password,),
            ("n=&quot;1&quot;",),
        ),
    )
    yield (
        "smart-quotes",
        Case("smart-quotes", f"password: “{password}” and user: “ann”", (password,), ("“ann”",)),
    )
    yield (
        "triple-escaped",
        Case(
            "triple-escaped",
            '{"a": "{\\"b\\": \\"{\\\\\\"password\\\\\\": \\\\\\"'
            + password
            + '\\\\\\"}\\"}", "n": 1}',
            (password,),
            ('"n": 1',),
        ),
    )
    kube = base64.b64encode(_pem(make, "RSA PRIVATE KEY", 300)[0].encode()).decode()
    yield (
        "kubeconfig-key",
        Case("kubeconfig-key", f"client-key-data: {kube}\nname: ann\n", (kube,), ("name: ann",)),
    )


def encoded_cases(make: Maker) -> list[Case]:
    """Cases whose secret is encoded, split or dressed up."""
    return [case for _, case in _encodings(make)]
