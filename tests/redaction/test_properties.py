"""Properties on random documents: nothing planted survives, a second pass is idle, chunks do not show."""

import base64
import html
import json
from urllib.parse import quote

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capture_service.redaction import Redactor, SessionMemory
from capture_service.redaction.limits import LOOKAHEAD_BYTES, SEGMENT_BYTES

from .cases import generated_cases
from .cases.model import ALNUM, Maker

POOL = [case.text.encode("utf-8", "surrogatepass") for case in generated_cases("properties")]
LENIENT = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

GLUE = st.sampled_from(
    [
        b"\n",
        b" ",
        b"",
        b"\n\n",
        b"\t",
        b", ",
        b'"',
        b"'",
        b"\\n",
        b'\\"',
        b": ",
        b"=",
        b"&",
        b"&amp;",
        b"%20",
        b"</p><p>",
        b"password=",
        b"token: ",
        b'"secret":"',
        b"Authorization: ",
        b"Cookie: ",
        b"://",
        b"@",
        b"REDACTED~",
        b"~",
        b"key",
        b"\xe2\x80\x8b",
        b"\x1b[0m",
        b"&#65;",
        b"\\u0041",
        b"%41",
        b"-----BEGIN RSA PRIVATE KEY-----\n",
        b"\xff\x00\xfe",
    ]
)
DOCUMENTS = st.lists(
    st.one_of(st.sampled_from(POOL), GLUE, st.binary(max_size=24)), max_size=14
).map(b"".join)


@LENIENT
@given(DOCUMENTS)
def test_a_second_pass_is_idle(redactor: Redactor, document: bytes) -> None:
    once = redactor.redact(document).data
    again = redactor.redact(once)
    assert again.data == once
    assert again.findings == ()


@LENIENT
@given(DOCUMENTS)
def test_both_engines_agree(redactor: Redactor, re2_redactor: Redactor, document: bytes) -> None:
    assert redactor.redact(document) == re2_redactor.redact(document)


def encodings(secret: str) -> list[str]:
    """Spellings of a token that must not survive either."""
    raw = secret.encode()
    return [
        secret,
        quote(secret, safe=""),
        "".join(f"%{byte:02X}" for byte in raw),
        "".join(f"\\u{byte:04x}" for byte in raw),
        "".join(f"\\x{byte:02x}" for byte in raw),
        "".join(f"&#{byte};" for byte in raw),
        "".join(f"&#x{byte:X};" for byte in raw),
        html.escape(secret),
        json.dumps(json.dumps(secret)),
        base64.b64encode(raw).decode(),
        base64.b64encode(b"=" + raw).decode(),
        base64.b64encode(b": " + raw + b"\n").decode(),
        base64.urlsafe_b64encode(b'{"token": "' + raw + b'"}').decode(),
        raw.hex(),
        secret[:20] + "\u200b" + secret[20:],
        secret[:20] + "\n" + secret[20:],
        secret[:20] + '" +\n "' + secret[20:],
    ]


@LENIENT
@given(
    st.integers(min_value=0, max_value=10**9),
    st.sampled_from(["ghp_", "glpat-", "npm_", "figd_", "sk_live_", "github_pat_"]),
    st.lists(st.text(max_size=30), min_size=2, max_size=2),
    st.integers(min_value=0, max_value=16),
)
def test_a_planted_token_survives_in_no_encoding(
    redactor: Redactor, seed: int, prefix: str, around: list[str], spelling: int
) -> None:
    body = Maker(str(seed)).of(ALNUM, 82 if prefix == "github_pat_" else 40)
    written = encodings(prefix + body)[spelling]
    text = f"{around[0]} {written} {around[1]}"
    output = redactor.redact(text.encode("utf-8", "surrogatepass")).data
    longest = max(written.replace('" +\n "', "\n").replace("\u200b", "\n").split("\n"), key=len)
    assert longest.encode() not in output
    assert body.encode() not in output


@LENIENT
@given(DOCUMENTS, st.lists(st.integers(min_value=1, max_value=4000), min_size=1, max_size=12))
def test_a_stream_equals_one_pass(redactor: Redactor, document: bytes, sizes: list[int]) -> None:
    assert streamed(redactor, document, sizes) == redactor.redact(document)


def streamed(redactor: Redactor, document: bytes, sizes: list[int]) -> object:
    stream = redactor.stream()
    output = b""
    position = turn = 0
    while position < len(document):
        size = sizes[turn % len(sizes)]
        output += stream.feed(document[position : position + size])
        position += size
        turn += 1
    last = stream.finish()
    return type(last)(output + last.data, last.counts, last.upstream_masked, last.findings)


def long_document(seed: str, size: int) -> bytes:
    """Cases joined to a document that is cut into several segments."""
    make = Maker(seed)
    pieces: list[bytes] = []
    length = 0
    while length < size:
        piece = make.rng.choice(POOL) + make.rng.choice([b"\n", b" ", b"", b"ordinary words " * 40])
        pieces.append(piece)
        length += len(piece)
    return b"".join(pieces)


@settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.integers(min_value=0, max_value=10**6),
    st.lists(st.integers(1, 70_000), min_size=1, max_size=5),
)
def test_a_long_stream_equals_one_pass(redactor: Redactor, seed: int, sizes: list[int]) -> None:
    document = long_document(str(seed), SEGMENT_BYTES + LOOKAHEAD_BYTES + 90_000)
    sizes = [size + 200 for size in sizes]
    whole = redactor.redact(document)
    assert streamed(redactor, document, sizes) == whole
    assert redactor.redact(whole.data).data == whole.data


def test_a_secret_at_every_distance_from_a_cut_is_masked(redactor: Redactor) -> None:
    secret = b"ghp_" + Maker("cut").alnum(36).encode()
    filler = b"plain words without any end of line "
    for offset in range(-60, 20, 7):
        before = (filler * (SEGMENT_BYTES // len(filler) + 1))[: SEGMENT_BYTES + offset - 1] + b" "
        document = before + secret + b" " + filler * 2000
        result = redactor.redact(document)
        assert secret not in result.data
        assert len(result.findings) == 1
        assert document[result.findings[0].start : result.findings[0].end] == secret


@LENIENT
@given(
    st.integers(min_value=0, max_value=10**9),
    st.integers(min_value=0, max_value=16),
    st.text(max_size=40),
)
def test_a_remembered_secret_is_masked_in_any_encoding(
    redactor: Redactor, seed: int, spelling: int, around: str
) -> None:
    memory = SessionMemory()
    secret = Maker(str(seed)).password(18, "!@#$%^*-_+")
    redactor.redact(f'{{"password": "{secret}"}}'.encode(), memory=memory)
    assert len(memory) >= 1
    written = encodings(secret)[min(spelling, 13)]
    output = redactor.redact(
        f"{around}|{written}|{around}".encode("utf-8", "surrogatepass"), memory=memory
    ).data
    assert secret.encode() not in output
    if written != json.dumps(json.dumps(secret)):
        assert written.strip("=").encode() not in output


@LENIENT
@given(
    st.recursive(
        st.one_of(
            st.none(),
            st.booleans(),
            st.integers(),
            st.text(max_size=20),
            st.sampled_from([c.decode("utf-8", "replace") for c in POOL]),
        ),
        lambda inner: st.one_of(
            st.lists(inner, max_size=4),
            st.dictionaries(
                st.sampled_from(
                    [
                        "password",
                        "token",
                        "name",
                        "value",
                        "headers",
                        "Cookie",
                        "api_key",
                        "pin",
                        "x",
                    ]
                ),
                inner,
                max_size=4,
            ),
        ),
        max_leaves=12,
    ),
    st.booleans(),
)
def test_json_stays_json(redactor: Redactor, value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    output = redactor.redact(
        text.encode("utf-8", "surrogatepass"), media_type="application/json"
    ).data
    assert shape(json.loads(output)) == shape(json.loads(text))


def shape(value: object) -> object:
    if isinstance(value, dict):
        return {key: shape(member) for key, member in value.items()}
    return [shape(member) for member in value] if isinstance(value, list) else "leaf"
