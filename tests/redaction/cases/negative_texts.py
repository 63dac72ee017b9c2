"""Look-alikes without random parts: code, documentation, words."""

FIXED: tuple[tuple[str, str], ...] = (
    (
        "sql-schema",
        "CREATE TABLE users (id INT PRIMARY KEY, password VARCHAR(255) NOT NULL, token TEXT);",
    ),
    (
        "openapi",
        '{"properties": {"password": {"type": "string", "format": "password", "minLength": 12}}}',
    ),
    (
        "openapi-security",
        "securitySchemes:\n  bearerAuth:\n    type: http\n    scheme: bearer\n    bearerFormat: JWT\n",
    ),
    ("json-schema-required", '{"required": ["username", "password", "token"], "type": "object"}'),
    (
        "graphql-schema",
        "type Mutation { login(username: String!, password: String!): AuthPayload! }",
    ),
    ("proto", "message Login { string user = 1; string password = 2; bytes session_token = 3; }"),
    (
        "typescript",
        "interface Auth { apiKey: string; token?: string; secret: string | undefined; }",
    ),
    (
        "pydantic",
        "class Settings(BaseSettings):\n    api_key: SecretStr = Field(default=...)\n    password: str | None = None\n",
    ),
    (
        "go-tags",
        'type C struct {\n\tToken string `json:"token" yaml:"token"`\n\tAPIKey string `env:"API_KEY"`\n}',
    ),
    ("rust-struct", "pub struct Creds { pub token: Option<String>, pub secret: Secret<String> }"),
    (
        "java-getter",
        'String password = request.getParameter("password");\nconfig.setSecretKey(env.getProperty("key"));',
    ),
    ("kotlin", "val token: String? = null\nval apiKey = BuildConfig.API_KEY\n"),
    ("swift", 'let token = try keychain.get("token") ?? ""\n'),
    ("php-get", "$password = $_POST['password'];\n$token = bin2hex(random_bytes(32));\n"),
    (
        "ruby-env",
        "password = ENV.fetch('DB_PASSWORD')\ntoken = Rails.application.credentials.token\n",
    ),
    (
        "csharp-config",
        'var key = configuration["Jwt:Key"];\nvar secret = Environment.GetEnvironmentVariable("SECRET");',
    ),
    ("shell-read", 'read -s -p "Password: " PASSWORD\nexport TOKEN=$(cat /run/secrets/token)\n'),
    ("shell-default", 'DB_PASSWORD=${DB_PASSWORD:-postgres}\nAPI_TOKEN="$1"\n'),
    ("github-actions", "env:\n  TOKEN: ${{ secrets.GITHUB_TOKEN }}\n  KEY: ${{ inputs.key }}\n"),
    ("gitlab-ci", "script:\n  - docker login -u $CI_USER -p $CI_PASSWORD $CI_REGISTRY\n"),
    (
        "helm",
        "password: {{ .Values.auth.password | quote }}\nexistingSecret: {{ .Release.Name }}-db\n",
    ),
    (
        "terraform-variable",
        'variable "db_password" {\n  type      = string\n  sensitive = true\n}\npassword = var.db_password\n',
    ),
    ("cloudformation", "MasterUserPassword: !Ref DbPassword\nSecret: !Sub '${Stack}-secret'\n"),
    (
        "k8s-secret-ref",
        "env:\n- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: db-secret\n      key: password\n",
    ),
    ("compose-secrets", "secrets:\n  db_password:\n    file: ./db_password.txt\n"),
    ("vault-path", "token: vault:secret/data/app#token\npassword: op://vault/item/password\n"),
    ("ansible-vault-ref", 'db_password: "{{ vault_db_password }}"\nbecome_pass: !vault\n'),
    (
        "env-example",
        "# .env.example\nAPI_KEY=\nDB_PASSWORD=your_password_here\nJWT_SECRET=replace-me\nTOKEN=<token>\n",
    ),
    (
        "i18n",
        '{"login.password": "Password", "login.forgot": "Forgot your password?", "token.expired": "Token expired"}',
    ),
    (
        "i18n-german",
        '{"password": "Passwort", "newPassword": "Neues Passwort", "secret": "Geheimnis"}',
    ),
    ("i18n-properties", "password.label=Enter your password\ntoken.invalid=Invalid token\n"),
    (
        "html-form",
        '<label>Password <input type="password" name="password" placeholder="Enter password" '
        'autocomplete="off"></label>',
    ),
    ("html-empty-value", '<input type="password" name="pwd" value="">'),
    (
        "css-tokens",
        "--token-primary: #0d6efd; --auth-gap: 12px; .password-field{border:1px solid #ccc}",
    ),
    (
        "password-policy",
        "Passwords must be at least 12 characters long and contain 1 digit. Password: required.",
    ),
    (
        "password-history",
        "The password is case-sensitive. Your password was changed on 2026-11-30.",
    ),
    (
        "password-advice",
        "A good password is long; the best password is one you have never used before.",
    ),
    (
        "token-economics",
        "The token is worth 3.20 USD; 1,000,000 tokens were minted. Token price: 0.0042",
    ),
    (
        "token-limits",
        "max_tokens=4096, prompt_tokens: 1200, token_count=331, tokens_per_second=87.5",
    ),
    (
        "tokenizer",
        "tokenizer_class: LlamaTokenizer\nbos_token: <s>\neos_token: </s>\npad_token_id: 128001\n",
    ),
    ("key-music", "Key: E flat minor. Tempo: 120 bpm. Time signature: 6/8."),
    ("key-keyboard", "Press any key: Enter, Escape, F10. Shortcut key: Ctrl+Shift+P"),
    ("key-game", "key: rusty_key_03, door=cellar, secret: hidden room behind the bookcase"),
    ("key-result", "The key is to practise. Key findings: 12 of 30. Primary key: user_id"),
    ("sort-key", "sort_key=created_at&partition_key=user_id&cache_key=page:v2:home"),
    (
        "secret-words",
        "Secret of Mana; The Secret Garden (1911); top secret: yes. Secret ending: unlocked",
    ),
    ("session-words", "Session: Monday 10:00-11:30, Room 4. Session ID: 12. session=morning"),
    ("cookie-words", "Cookies: chocolate chip; Cookie: oatmeal; recipe=Grandma"),
    ("cookie-preferences", "Cookie: theme=dark; lang=de; currency=EUR\n"),
    ("set-cookie-plain", "Set-Cookie: locale=en-GB; Path=/; Max-Age=31536000\n"),
    ("auth-words", "auth: none. Authorization: required. Authentication: basic. Basic: yes"),
    ("www-authenticate", 'WWW-Authenticate: Bearer realm="example", error="invalid_token"\n'),
    (
        "bearer-words",
        "Bearer of bad tidings; the standard bearer carried it; Bearer authentication",
    ),
    (
        "authorization-doc",
        "Send the header `Authorization: Bearer <access_token>` or Authorization: Basic {credentials}.",
    ),
    ("curl-doc", "curl -u username:password https://example.com -H 'X-API-Key: YOUR_API_KEY'"),
    (
        "curl-variables",
        'curl -u "$USER:$PASS" -H "Authorization: Bearer ${TOKEN}" https://example.com',
    ),
    (
        "url-template",
        "https://{user}:{password}@{host}:{port}/ and postgres://USER:PASSWORD@HOST/DB",
    ),
    ("url-doc-user", "postgresql://user:password@localhost:5432/mydb"),
    ("url-python", 'url = f"https://api.example.com/?api_key={api_key}&q={query}"'),
    ("url-percent-variable", "https://example.com/?token=%s&key=%(key)s"),
    (
        "url-oauth-doc",
        "https://example.com/authorize?response_type=code&state=xyz&scope=openid&code=CODE",
    ),
    ("url-words", "https://example.com/reset?token=invalid&key=name&code=404&state=ca&session=new"),
    (
        "url-search",
        "https://example.com/?q=password+manager&sort=token&state=new-york&code=us-east-1",
    ),
    ("url-code-path", "https://example.com/blob/main/src/secrets/token_manager.py#L12-L40"),
    ("npmrc-variable", "//registry.example.com/:_authToken=${NPM_TOKEN}\n"),
    ("netrc-doc", "machine HOST login USER password PASSWORD"),
    ("ps-list", "root 812 0.0 /usr/sbin/sshd -D\nann 913 /usr/bin/gpg-agent --supervised\n"),
    (
        "pam",
        "password [success=1 default=ignore] pam_unix.so obscure sha512\nauth required pam_env.so\n",
    ),
    (
        "ssh-config",
        "Host a\n  IdentityFile ~/.ssh/id_ed25519\n  PasswordAuthentication no\n  PubkeyAuthentication yes\n",
    ),
    ("sshd-log", "sshd[4711]: Accepted publickey for ann from 10.0.0.5 port 50022 ssh2: ED25519"),
    ("log-failed", "Failed password for invalid user admin from 203.0.113.7 port 4242 ssh2"),
    ("sudo-prompt", "[sudo] password for ann: \nSorry, try again.\n"),
    ("regex-redactor", r're.sub(r"(?i)(api_key|password)=\S+", r"\1=***", line)'),
    (
        "masked",
        "password=******** token=[FILTERED] api_key=<redacted> secret: •••••••• pw=xxxxxxxx",
    ),
    ("masked-hermes", "token ghp_A1...d4E5 and «redacted:ghp_…» and password: ***"),
    (
        "pem-marker",
        "Look for -----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY----- in the file.",
    ),
    ("pem-empty", "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----\n"),
    (
        "pem-placeholder",
        "-----BEGIN PRIVATE KEY-----\n<your key here>\n-----END PRIVATE KEY-----\n",
    ),
    ("aws-example", "aws_access_key_id = AKIAIOSFODNN7EXAMPLE\n"),
    ("github-doc", "export GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"),
    (
        "openai-doc",
        "OPENAI_API_KEY=sk-...\nANTHROPIC_API_KEY=sk-ant-...\nSLACK_TOKEN=xoxb-your-token\n",
    ),
    (
        "prefix-list",
        "Known prefixes: ghp_, gho_, glpat-, xoxb-, sk-ant-, AKIA, AIza, SG., npm_, pypi-.",
    ),
    (
        "jwt-explained",
        "A JWT has three parts: header.payload.signature, e.g. eyJ... starts the header.",
    ),
    (
        "password-hash-names",
        "algorithms: bcrypt, scrypt, argon2id, PBKDF2-SHA256; cost=12; salt length: 16",
    ),
    (
        "minified",
        "function t(e){var n=e.token,r=e.key||'';return n&&r?(this.secret=n,this.auth=!0):null}",
    ),
    (
        "minified-keys",
        'e.exports={key:"Enter",code:"KeyA",token:t,password:n.password,auth:{type:"basic"}}',
    ),
    (
        "react",
        '<Input type="password" value={password} onChange={e=>setPassword(e.target.value)} key={item.id} />',
    ),
    (
        "python-kwargs",
        "connect(host=host, user=user, password=password, token=token or None, key=key)",
    ),
    (
        "python-assert",
        "assert response.json()['token'] == token\nassert user.password != raw_password\n",
    ),
    (
        "python-type",
        "def f(token: Token, key: Callable[[str], int], secret: bytes = b'') -> None: ...",
    ),
    (
        "cpp",
        'std::string password = config->get<std::string>("password");\nauto key = map.find(k);',
    ),
    ("lisp", '(setq auth-source-save-behavior nil) (defvar my-token (getenv "TOKEN"))'),
    ("makefile", "TOKEN ?= $(shell cat token.txt)\nPASSWORD := $(PASS)\n"),
    ("dockerfile", "ARG TOKEN\nENV API_KEY=$API_KEY\nRUN --mount=type=secret,id=token make\n"),
    (
        "sql-query",
        "SELECT token, secret FROM keys WHERE password IS NOT NULL AND key = :key AND token = ?",
    ),
    ("sql-insert-null", "INSERT INTO t (password, token) VALUES (NULL, DEFAULT);"),
    ("csv-words", "name,password,role\nann,required,admin\nbob,optional,user\n"),
    ("table-words", "| option | token | default |\n|---|---|---|\n| a | word | none |\n"),
    (
        "table-html",
        "<tr><th>Parameter</th><th>Token</th></tr><tr><td>password</td><td>string</td></tr>",
    ),
    ("definition-list", "<dt>Password</dt><dd>The password of the account</dd>"),
    (
        "man-option",
        "--password PASSWORD   password to use\n--token TOKEN         token file\n-k, --key FILE        key file\n",
    ),
    ("man-page", "The -p option takes a password. See also passwd(1), login(1), and crypt(3)."),
    ("changelog", "* Fixed token refresh (#1234)\n* password: use getpass\n* key=value parsing\n"),
    (
        "license",
        "Permission is hereby granted, free of charge, to any person; the key words MUST and SHALL.",
    ),
    ("chinese-password", "请输入密码。忘记密码?密码:由字母和数字组成。令牌:一次性有效。"),
    ("chinese-length", "密码长度为8到16位;密钥长度为256位,令牌有效期为30天。"),
    ("japanese-secret", "秘密鍵は安全な場所に保管してください。パスワードは8文字以上です。"),
    ("korean-password", "비밀번호는 8자 이상이어야 합니다. 토큰은 자동으로 갱신됩니다."),
    ("russian-password", "Пароль: не менее 8 символов. Токен: обновляется автоматически."),
    ("spanish-password", "La contraseña: obligatoria. Introduzca su contraseña y pulse Entrar."),
    ("french-password", "Mot de passe : obligatoire. Clé : cliquez ici."),
    (
        "versions",
        "minipass: ^4.2.4, token-types: >=5.0.1, keyv@5.3.2, passport 0.7.0, secretlint 12.0.1",
    ),
    (
        "package-json",
        '{"dependencies": {"jsonwebtoken": "^9.0.2", "password-hash": "~1.2.2", "key-mirror": "1.0.1"}}',
    ),
    (
        "imports",
        "from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC\nimport secrets, token, keyword\n",
    ),
    (
        "resource-types",
        '{"AWS::ApiGateway::ApiKey": "Supported", "AWS::SecretsManager::Secret": "3 resources"}',
    ),
    ("xml-doc", "<password>string</password><token>${token}</token><apiKey/>"),
    ("yaml-null", 'password: null\ntoken: ~\nsecret: ""\napi_key: false\n'),
    ("json-flags", '{"password": true, "token": null, "secret": false, "apiKey": "", "keys": []}'),
    (
        "json-scopes",
        '{"token_type": "Bearer", "expires_in": 3600, "scope": "read:user repo", "key_ops": ["sign"]}',
    ),
    (
        "http-status",
        'HTTP/1.1 401 Unauthorized\nWWW-Authenticate: Basic realm="Members"\nX-Token-Status: expired\n',
    ),
    ("cors", "Access-Control-Allow-Headers: Authorization, X-API-Key, X-CSRF-Token, Cookie\n"),
    ("vary", "Vary: Authorization, Cookie, Accept-Encoding\n"),
    ("git-log", "a1b2c3d fix: token refresh\nd4e5f60 feat: add secret rotation\n"),
    ("zero-hash", "0000000000000000000000000000000000000000 refs/heads/password-reset"),
    ("math", "\\begin{align} key(x) &= \\sum_{i=0}^{n} token_i \\cdot 2^{i} \\end{align}"),
    ("svg-path", '<path d="M12 2C6.48 2 2 6.48 2 12s4.48 10 10 10 10-4.48 10-10S17.52 2 12 2z"/>'),
    ("emoji", "🔑 key: see docs 🔒 password: ask Ann 🍪 cookie: none"),
)
