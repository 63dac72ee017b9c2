"""Text full of secrets as tools answer with them: one in about 150 bytes, each in a place of its own kind."""

import random
from typing import Final

_ALPHABET: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
REPEATED_SHARE: Final = 0.5
"""Share of the places that show a secret which stands elsewhere in the text too."""

PLACES: Final = (
    '{{"id": {number}, "name": "deploy-{number}", "settings": {{"region": "eu-west-1", "api_key": "{secret}"}}, '
    '"retries": 3, "active": true, "tags": ["a", "b"]}}\n',
    "2026-11-30T12:{minute:02d}:44Z WARN client rejected token={secret} status=401 request_id={number} path=/v1/items "
    "duration=12ms upstream=10.0.0.7\n",
    "# settings of host {number}\nAPP_ENV=production\nDB_PASSWORD={secret}\nPORT=8080\nLOG_LEVEL=info\nWORKERS=4\n",
    "GET /reports/{number} HTTP/1.1\nHost: intranet.example.com\nAuthorization: Bearer {secret}\nAccept: text/html\n"
    "User-Agent: curl/8\n\n",
    "GET /cart HTTP/1.1\nHost: shop.example.com\nCookie: theme=dark; session={secret}; lang=en\nAccept: */*\n\n",
    "Fetched https://data.example.com/f/{number}.csv?fmt=csv&access_token={secret}&page=2 in {number} ms, 200 OK.\n",
    'service:\n  name: billing-{number}\n  credential: "gh'
    + 'p_{secret}"\n  replicas: 2\n  region: eu-west-1\n',
    'engine = create_engine("postgresql://app:{secret}@db{number}.example.com:5432/app")  # pool of the reports\n',
)


def dense_text(size: int, seed: int = 1) -> bytes:
    """Return about `size` bytes; the same seed gives the same text."""
    rng = random.Random(seed)
    secrets: list[str] = []
    pieces: list[str] = []
    length = 0
    while length < size:
        if not secrets or rng.random() > REPEATED_SHARE:
            secrets.append("".join(rng.choice(_ALPHABET) for _ in range(36)))
        piece = PLACES[len(pieces) % len(PLACES)].format(
            number=rng.randrange(1000, 9999), minute=rng.randrange(60), secret=rng.choice(secrets)
        )
        pieces.append(piece)
        length += len(piece)
    return "".join(pieces).encode()
