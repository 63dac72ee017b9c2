"""``source-corpus diff`` and ``read`` against both services."""

import json
from collections.abc import Callable

import pytest

from sourcecorpus.bridge.cli.main import main
from sourcecorpus.capture.v1.envelope_pb2 import Envelope, EnvelopeHead, ToolStatus
from tests.process.calls import GAME, deliver, make_game
from tests.process.conftest import Services

pytestmark = [pytest.mark.process, pytest.mark.timeout(120)]

Lines = Callable[..., list[str]]

PAGE = "http://93.184.216.34/wiki/Cold_iron"
TEXTS = (
    "# Cold iron\n\nCold iron ends every ward.\n\n## Places\n\nThe old gate.\n",
    "# Cold iron\n\nCold iron ends every seal.\n\n## Places\n\nThe old gate.\n\nThe harbour.\n",
)


def page(number: int, text: str) -> Envelope:
    body = {"url": PAGE, "title": "Cold iron", "content": text, "error": None}
    return Envelope(
        head=EnvelopeHead(
            envelope_id=f"reading-{number}",
            game_id=GAME,
            session_id="process-test",
            tool_call_id=f"call-{number}",
            tool_name="web_extract",
            arguments=json.dumps({"urls": [PAGE]}).encode(),
            status=ToolStatus.TOOL_STATUS_OK,
        ),
        result=json.dumps({"results": [body]}).encode(),
    )


@pytest.fixture
def lines(
    services: Services, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Lines:
    """Runs a command over one page in two versions; its lines."""
    for name in ("capture", "corpus"):
        monkeypatch.setenv(f"SOURCECORPUS_{name.upper()}_ADDRESS", services.addresses[name])
    with services.client() as client:
        make_game(client)
        for number, text in enumerate(TEXTS):
            deliver(client, [page(number, text)], f"session-{number}")

    def run(*words: str) -> list[str]:
        assert main(words) == 0
        return capsys.readouterr().out.splitlines()

    return run


def test_two_versions_are_compared(lines: Lines, capsys: pytest.CaptureFixture[str]) -> None:
    new, old = (line.split()[0] for line in lines("versions", PAGE))
    shown = lines("diff", PAGE)
    assert shown == [
        f"--- {old}",
        f"+++ {new}",
        "@@ -3,1 +3,1 @@",
        "-Cold iron ends every ward.",
        "+Cold iron ends every seal.",
        "@@ -0,0 +8,2 @@",
        "+",
        "+The harbour.",
    ]
    assert "Cold iron ends every [-ward-]{+seal+}." in "\n".join(lines("diff", "--words", old, new))
    changes = [json.loads(line) for line in lines("diff", "--json", old, new)]
    assert [change["kind"] for change in changes] == [
        "CHANGE_KIND_REPLACED",
        "CHANGE_KIND_INSERTED",
    ]
    assert lines("diff", new, new) == [f"--- {new}", f"+++ {new}"]
    assert main(("diff", old)) == 1
    assert "say which version" in capsys.readouterr().err


def test_sources_are_sorted_and_narrowed(lines: Lines) -> None:
    by_size = [json.loads(line) for line in lines("sources", "--json", "--sort", "size")]
    sizes = [int(source["size_bytes"]) for source in by_size]
    assert sizes == sorted(sizes)
    (source,) = [json.loads(line) for line in lines("sources", "--json", "--text", "cold IRON")]
    assert (source["canonical_uri"], source["version_count"]) == (PAGE, 2)
    narrowed = ("--host", "93.184.216.34", "--trust", "fetched", "--sort", "title", "--descending")
    assert len(lines("sources", *narrowed)) == 1
    assert lines("sources", "--host", "example.org") == []


def test_documents_are_read_by_title_and_section(
    lines: Lines, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lines("read", "--by", "title", "COLD iron")[0] == "# Cold iron"
    assert lines("read", "--section", "Places", PAGE)[0] == "## Places"
    shown = lines("read", "--section", "Cold iron", "--section", "Places", "--lines", "1", PAGE)
    assert shown == ["## Places"]
    assert main(("read", "--section", "Places", "--lines", "1", PAGE)) == 0
    assert "more: --from 6" in capsys.readouterr().err
    for words, reason in (
        (("--by", "title", "nobody"), "SOURCE_NOT_FOUND"),
        (("--by", "collection", "nobody"), "COLLECTION_NOT_FOUND"),
        (("--section", "nobody", PAGE), "SECTION_NOT_FOUND"),
    ):
        assert main(("read", *words)) == 1
        assert reason in capsys.readouterr().err
