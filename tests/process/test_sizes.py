"""Results of every size go through and come back byte for byte, in bounded memory."""

import json
from collections import Counter
from collections.abc import Iterator

import pytest

from sourcecorpus.bridge.client import SourceCorpusClient
from sourcecorpus.capture.v1.envelope_pb2 import Envelope
from sourcecorpus.rpc.limits import DATA_FRAME_BYTES_MAX, ENVELOPE_BYTES_MAX
from tests.process.calls import GAME, deliver, make_game, outcome_names, raw, search, send
from tests.process.captures import digest, envelope
from tests.process.conftest import Services
from tests.process.files import CAPTURE, CORPUS, all_files, row_counts, stored_result
from tests.process.measures import open_files, resident_megabytes, resident_megabytes_peak
from tests.process.streams import RawStream, Request, head_frame, open_frame
from tests.process.waiting import until

MEBIBYTE = 1_024 * 1_024
SIZES = {
    "4 MiB - 1": 4 * MEBIBYTE - 1,
    "4 MiB": 4 * MEBIBYTE,
    "4 MiB + 1": 4 * MEBIBYTE + 1,
    "5.3 MB": 5_300_000,
    "64 MB": 64 * MEBIBYTE,
}
RESIDENT_MEGABYTES_MAX = 200.0
RECOVERY_SECONDS_MAX = 5.0
# What the allocator may keep after a large moment.
KEPT_MEGABYTES_MAX = 16.0

pytestmark = [pytest.mark.process, pytest.mark.timeout(180)]


def page(size: int, name: str) -> Envelope:
    """A fetch of exactly so many bytes, as the terminal tool returns it."""
    begin, end = b'{"exit_code": 0, "error": null, "output": "', b'"}'
    line = b"the cold iron of karn vale lies in shaft %08d \\n"
    room = size - len(begin) - len(end)
    first = f"lamp{name.removeprefix('size-')} \\n".encode()
    count = (room - len(first)) // len(line % 0)
    lines = first + b"".join(line % number for number in range(count))
    one = envelope(1, GAME, prefix=name)
    one.head.tool_name = "terminal"
    command = f"curl -s http://127.0.0.1:18803/{name}"
    one.head.arguments = json.dumps({"command": command}).encode()
    one.result = begin + lines + b"." * (room - len(lines)) + end
    assert len(one.result) == size
    return one


def test_results_of_every_size_in_bounded_memory(shared_services: Services) -> None:
    with shared_services.client() as client:
        for number, (name, size) in enumerate(SIZES.items()):
            one = page(size, f"size-{number}")
            outcomes = deliver(client, [one], f"size-{number}")
            assert outcome_names(outcomes) == ["STORED"], name
            data, content_hash = raw(client, envelope_id=one.head.envelope_id)
            assert (len(data), content_hash) == (size, digest(one.result)), name
            assert data == one.result, name
        # What is taken apart is found; a larger result is kept whole and served, not searched.
        found = [bool(search(client, f"lamp{number}")) for number in range(len(SIZES))]
        assert found == [True, True, True, True, False]
    for service in ("capture", "corpus"):
        peak = resident_megabytes_peak(shared_services.pid(service))
        assert peak < RESIDENT_MEGABYTES_MAX, f"{service}: {peak:.0f} MB"


def test_a_result_above_the_limit_is_refused_by_name(shared_services: Services) -> None:
    one = envelope(1, GAME, prefix="too-large")
    one.result = bytes(ENVELOPE_BYTES_MAX + 1)
    with shared_services.client() as client:
        (outcome,) = send(client, [one], "too-large")
    assert outcome_names([outcome]) == ["REJECTED"]
    assert outcome.reason == "ENVELOPE_TOO_LARGE"


def everything_kept(services: Services) -> tuple[Counter[str], list[str]]:
    rows = row_counts(services.folder / CAPTURE) + row_counts(services.folder / CORPUS)
    # A session that was opened is known, even if nothing came of it.
    del rows["capture_sessions"]
    return rows, [str(path) for path in all_files(services.folder / "data")]


def test_a_client_that_breaks_off_leaves_nothing(services: Services) -> None:
    pid = services.pid("capture")
    with services.client() as client:
        make_game(client)
        deliver(client, [envelope(1, GAME)], "healthy")
        before = everything_kept(services)
        files, memory = open_files(pid), resident_megabytes(pid)
        for attempt in range(10):
            with RawStream(client) as stream:
                stream.send(open_frame(f"broken-{attempt}"))
                assert stream.receive().opened.resume_after_sequence == 0
                stream.send(head_frame(envelope(2, GAME, prefix="broken"), 1))
                for _ in range(3):
                    stream.send(Request(data=bytes([attempt]) * DATA_FRAME_BYTES_MAX))
        until(lambda: open_files(pid) <= files, RECOVERY_SECONDS_MAX)
        until(lambda: resident_megabytes(pid) < memory + KEPT_MEGABYTES_MAX, RECOVERY_SECONDS_MAX)
        assert everything_kept(services) == before
        # The session goes on where it was, with the same envelope.
        one = envelope(2, GAME, prefix="broken")
        assert outcome_names(deliver(client, [one], "broken-0")) == ["STORED"]


BYTE_STRINGS = {
    "empty": b"",
    "nul": b"\x00",
    "nul-inside": b"before\x00after",
    "ff": b"\xff",
    "all-bytes": bytes(range(256)) * 5,
    "bom": b"\xef\xbb\xbf# Title\n\ntext\n",
    "utf-16": "# 冷铁\n".encode("utf-16"),
    "crlf": b"# Title\r\n\r\none\r\ntwo\rthree\n",
    "lone-surrogate": rb'{"output": "a \ud800 b \udc00\ud800 c", "exit_code": 0, "error": null}',
    "escaped-nul": rb'{"output": "a \u0000 b", "exit_code": 0, "error": null}',
    "raw-surrogate": b'{"output": "a \xed\xa0\x80 b", "exit_code": 0, "error": null}',
    "cut-json": b'{"output": "a',
    "deep": b"[" * 100_000,
    "long-number": b'{"output": ' + b"9" * 10_000 + b"}",
    "half-a-character": "冷铁".encode()[:-1],
}


TOOLS = ["terminal", "web_search", "web_extract", "read_file", "browser_snapshot"]


@pytest.fixture(scope="module")
def client(shared_services: Services) -> Iterator[SourceCorpusClient]:
    with shared_services.client() as client:
        yield client


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("name", BYTE_STRINGS)
def test_every_byte_string_survives(
    shared_services: Services, client: SourceCorpusClient, name: str, tool: str
) -> None:
    one = envelope(1, GAME, prefix=f"bytes-{name}-{tool}")
    one.head.tool_name = tool
    one.head.arguments = json.dumps(
        {
            "command": f"curl -s http://127.0.0.1:18803/{name}",
            "query": name,
            "urls": [f"http://93.184.216.34/{name}"],
            "path": f"/home/player/{name}",
        }
    ).encode()
    one.result = BYTE_STRINGS[name]
    (outcome,) = deliver(client, [one], f"bytes-{name}-{tool}")
    assert outcome_names([outcome])[0] in {"STORED", "NEW_VERSION", "OBSERVED_AGAIN"}
    # Whether readers get them or not (a failed call, a binary body), the bytes are kept.
    assert stored_result(shared_services.folder / CORPUS, one.head.envelope_id) == one.result
    if tool in {"web_search", "web_extract"} and one.result:
        data, content_hash = raw(client, envelope_id=one.head.envelope_id)
        assert data == one.result
        assert content_hash == digest(one.result)
