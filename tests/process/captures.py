"""Envelopes for process tests: mixed sizes and tools, every one with bytes of its own."""

import hashlib
import json
import random
from collections.abc import Iterator

from sourcecorpus.capture.v1.envelope_pb2 import Envelope, EnvelopeHead, ToolStatus

WORDS = (
    "ash bell cold depth ember foundry gate harbour iron jetty karn lamp market needle",
    "orchard pylon quarry rope salt tide urn vale wraith yard 冷铁 鐘の塔 灰烬 잿불",
)

# Some are larger than what goes to the corpus within a batch.
LARGE_EVERY = 400
LARGE_BYTES = 1_500_000


def text(seed: int, words: int) -> str:
    chooser = random.Random(seed)
    choice = " ".join(WORDS).split()
    lines = [
        " ".join(chooser.choice(choice) for _ in range(min(12, words - start)))
        for start in range(0, words, 12)
    ]
    return f"# Report {seed}\n\n" + "\n".join(lines) + "\n"


def envelope(number: int, game: str, *, prefix: str = "mixed") -> Envelope:
    """The numbered envelope; the same number gives the same bytes."""
    makers = (_page, _command, _search, _file, _unknown)
    maker = _large_page if number % LARGE_EVERY == 0 else makers[number % len(makers)]
    tool, arguments, result = maker(number)
    return Envelope(
        head=EnvelopeHead(
            envelope_id=f"{prefix}-{number}",
            game_id=game,
            run_id=f"run-{number % 7}",
            session_id="process-test",
            tool_call_id=f"call-{number}",
            tool_name=tool,
            arguments=json.dumps(arguments).encode(),
            status=ToolStatus.TOOL_STATUS_OK,
        ),
        result=result,
    )


def mixed(count: int, game: str, *, prefix: str = "mixed") -> Iterator[Envelope]:
    return (envelope(number, game, prefix=prefix) for number in range(1, count + 1))


def digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _page(number: int) -> tuple[str, dict[str, object], bytes]:
    # Every third page is an address that came before, with new content: a new version.
    url = f"http://93.184.216.34/page/{number if number % 3 else number // 30}"
    page = {"url": url, "title": f"Page {number}", "content": text(number, 60), "error": None}
    return "web_extract", {"urls": [url]}, json.dumps({"results": [page]}).encode()


def _large_page(number: int) -> tuple[str, dict[str, object], bytes]:
    url = f"http://127.0.0.1:18803/atlas/{number}"
    line = f"Shaft {number}: {text(number, 12)[2:-1]}".replace("\n", " ")
    body = "\n".join(f"{row} {line}" for row in range(LARGE_BYTES // len(line)))
    output = {"output": body, "exit_code": 0, "error": None}
    return "terminal", {"command": f"curl -s {url}"}, json.dumps(output).encode()


def _command(number: int) -> tuple[str, dict[str, object], bytes]:
    url = f"http://127.0.0.1:18803/report/{number}"
    output = {"output": text(number, 200), "exit_code": 0, "error": None}
    return "terminal", {"command": f"curl -s {url}"}, json.dumps(output).encode()


def _search(number: int) -> tuple[str, dict[str, object], bytes]:
    hits = [
        {
            "url": f"http://93.184.216.34/page/{number + rank}",
            "title": f"Hit {rank}",
            "description": "x",
        }
        for rank in range(3)
    ]
    result = {"success": True, "data": {"web": hits}}
    return "web_search", {"query": f"report {number}"}, json.dumps(result, indent=2).encode()


def _file(number: int) -> tuple[str, dict[str, object], bytes]:
    lines = text(number, 40).split("\n")
    content = "\n".join(f"{row}|{line}" for row, line in enumerate(lines, start=1))
    result = {"content": content, "total_lines": len(lines) - 1, "truncated": False}
    path = f"/home/player/games/emberfall/notes-{number}.md"
    return "read_file", {"path": path}, json.dumps(result).encode()


def _unknown(number: int) -> tuple[str, dict[str, object], bytes]:
    # A search whose answer has a shape that nobody knows, with bytes that are no text.
    return "web_search", {"query": f"odd {number}"}, bytes(range(256)) + str(number).encode()
