"""Places that tell a secret by themselves, with values that look like nothing."""

import json

import pytest

from capture_service.redaction import Redactor

PLAIN = ["sword" + "fish", "let" + "mein"]
MIXED = ["k" + "123", "tok" + "_51", "hunter" + "2"]
MARKED = ["p&" + "ss%", "pa" + "$5!x"]

ANY_PASSWORD = [
    '{"password": "@"}',
    '{"login": "ann", "pass": "@"}',
    '{"user": "ann", "pwd":"@"}',
    "{'password': '@', 'n': 1}",
    'password = "@"',
    "$password = '@';",
    'const password = "@";',
    'password := "@"',
    "define('DB_PASSWORD', '@');",
    'login("ann", password="@")',
    'requests.get(url, auth=("ann", "@"))',
    'user.setPassword("@")',
    "export DB_PASSWORD=@",
    'export DB_PASSWORD="@"',
    "APP_ENV=production\nDB_PASSWORD=@\nPORT=8080\n",
    "docker run -e DB_PASSWORD=@ -p 80:80 image",
    "FROM x\nENV DB_PASSWORD @\nENV PORT=1\n",
    "services:\n  db:\n    environment:\n      - DB_PASSWORD=@\n      - PORT=1\n",
    "db:\n  user: admin\n  password: @\n  port: 5432\n",
    "user: admin\npassword: @\n",
    "[client]\nuser = root\npassword = @\n",
    "[db]\npassword=@\nhost=x\n",
    "db.user=x\ndb.password=@\n",
    "//registry.npmjs.org/:_password=@",
    "<server><username>u</username><password>@</password></server>",
    '<add key="Password" value="@"/>',
    '<input type="password" name="p" value="@">',
    "<key>password</key>\n<string>@</string>",
    "CREATE USER ann IDENTIFIED BY '@';",
    "ALTER USER ann WITH PASSWORD '@';",
    "| user | password |\n|---|---|\n| ann | @ |\n",
    "username,password\nann,@\n",
    "Username: ann\nPassword: @\n",
    "Login: ann / Password: @",
    "Server=db;Database=x;User Id=sa;Password=@;Encrypt=True",
    "Server=db;Uid=sa;Pwd=@",
    "host=localhost user=ann password=@ dbname=x",
    "machine api.x.org login ann password @",
    "mysql --password=@ -u root",
    "$ tool login --user ann --password @ --host x",
    "curl -u ann:@ https://x.org",
    "WIFI:S:home;T:WPA;P:@;;",
    '{"name":"password","value":"@"}',
    "username=ann&password=@&login=1",
    "requirepass @\n",
]
ANY_SECRET = [
    '{"access_token": "@"}',
    '{"apiKey":"@","n":1}',
    '{"client_secret": "@"}',
    '{"headers":{"X-Api-Key":"@","Accept":"*/*"}}',
    '{"headers":[{"name":"X-Auth-Token","value":"@"}]}',
    "[('X-Api-Key', '@'), ('Accept', '*/*')]",
    "X-Api-Key: @",
    "GET /x HTTP/1.1\r\nHost: a\r\nX-Auth-Token: @\r\nAccept: */*\r\n\r\n",
    "> GET / HTTP/1.1\n> PRIVATE-TOKEN: @\n> Accept: */*\n",
    ":method: GET\n:path: /\nx-vault-token: @\naccept: */*\n",
    "curl -H 'X-Api-Key: @' https://api.x.org/v1",
    'headers["X-Api-Key"] = "@"',
    'req.Header.Set("X-Api-Key", "@")',
    "export API_TOKEN=@",
    "API_TOKEN=@ python app.py",
    "Authorization: Bearer @",
    'curl -H "Authorization: Token @" https://x.org/',
    '{"headers":{"Authorization":"Basic @"}}',
    "https://x.org/?api_key=@",
    "--api-key=@",
    "client_secret: @\n",
]
COOKIES = [
    "Cookie: theme=dark; sid=@; lang=en",
    "Set-Cookie: session=@; Path=/; HttpOnly",
    '{"headers":{"cookie":"PHPSESSID=@; theme=dark"}}',
    '{"cookies":[{"name":"connect.sid","value":"@","path":"/"}]}',
    "curl -b 'csrftoken=@' https://x.org",
]
SENTENCES = [
    "my password is @",
    "The password is: @",
    "I changed the password to @.",
    "das Passwort lautet @",
    "le mot de passe est @",
    "mot de passe : @",
    "la contraseña es @",
    "密码是@",
    "密码: @",
    "口令是@。",
    "パスワード: @",
    "비밀번호: @",
    "пароль — @",
]
PLACES = [
    *((text, value) for text in ANY_PASSWORD for value in PLAIN + MIXED),
    *((text, value) for text in ANY_PASSWORD[:6] for value in MARKED),
    *((text, value) for text in ANY_SECRET for value in PLAIN + MIXED),
    *((text, value) for text in COOKIES for value in [*PLAIN, *MIXED, "5", "ab" + "c"]),
    *((text, value) for text in SENTENCES for value in PLAIN + MIXED[::2]),
]

STAYS = [
    "the password is required",
    "Your password is incorrect.",
    "The password is hashed with bcrypt.",
    "das Passwort ist falsch",
    "le mot de passe est obligatoire",
    "la contraseña es incorrecta",
    "密码是必填项",
    '{"password": "Password", "forgot": "Forgot your password?"}',
    '{"password": "Contraseña"}',
    '{"password": "current-password"}',
    '{"token": "keyword", "regex": "x"}',
    '{"access_token": "access_token"}',
    "connect(\n    user=name,\n    password=password\n)",
    "const options = {\n  user: name,\n  password: pwd\n}",
    "string password = 2; bytes session_token = 3;",
    "  --http-password and --proxy-password respect the",
    "Set-Cookie: sid=deleted; Path=/",
    "Cookie: cookie_consent=accepted; theme=dark",
    "passwd:         files\ngroup:          files\n",
    "binaryauthorization:\n  projects:\n    x: 1\n",
    "https://host.example/x?token=word",
    "Authorization: required",
    "Authorization: Bearer <token>",
    "auth=('user', 'pass')",
    "npm:fdir@1.2.0",
    "the triad of machine name, login id, and password are present",
    'msgid "Password changed"\nmsgstr "Het wachtwoord is gewijzigd."',
]


@pytest.mark.parametrize(("text", "value"), PLACES)
def test_the_place_decides(
    redactor: Redactor, re2_redactor: Redactor, text: str, value: str
) -> None:
    before, after = text.split("@")
    written = before + value + after
    answer = redactor.redact_text(written).text
    assert answer.startswith(before)
    assert answer.endswith(after)
    assert value not in answer.removeprefix(before).split("~")[-1].removesuffix(after)
    assert answer != written
    assert re2_redactor.redact_text(written).text == answer
    assert redactor.redact_text(answer).text == answer


@pytest.mark.parametrize("text", STAYS)
def test_words_that_stand_for_a_secret_stay(redactor: Redactor, text: str) -> None:
    assert redactor.redact_text(text).text == text


@pytest.mark.parametrize("depth", range(5))
@pytest.mark.parametrize("name", ["password", "access_token", "X-Api-Key"])
def test_json_inside_json_strings_is_seen_through(
    redactor: Redactor, name: str, depth: int
) -> None:
    text = json.dumps({name: MIXED[0], "n": 1})
    for _ in range(depth):
        text = json.dumps({"text": text})
    answer = redactor.redact_text(text).text
    assert MIXED[0] not in answer
    for _ in range(depth):
        answer = json.loads(answer)["text"]
    assert json.loads(answer)["n"] == 1
