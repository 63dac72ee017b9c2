"""``source-corpus find`` against both services: lines, sections, lists, and what zero means."""

import json
from collections.abc import Callable

import pytest

from sourcecorpus.bridge.cli.main import main
from tests.process.calls import GAME, deliver, make_game
from tests.process.captures import mixed
from tests.process.conftest import Services

pytestmark = [pytest.mark.process, pytest.mark.timeout(120)]

Shown = Callable[..., tuple[list[str], str]]


@pytest.fixture
def shown(
    services: Services, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Shown:
    """Runs a command over ten captures; its lines and what it says beside them."""
    for name in ("capture", "corpus"):
        monkeypatch.setenv(f"SOURCECORPUS_{name.upper()}_ADDRESS", services.addresses[name])
    with services.client() as client:
        make_game(client, GAME)
        deliver(client, mixed(10, GAME, prefix=GAME), GAME)

    def run(*words: str, command: str = "find") -> tuple[list[str], str]:
        assert main((command, "--game", GAME, *words)) == 0
        printed = capsys.readouterr()
        return printed.out.splitlines(), printed.err

    return run


def documents(lines: list[str]) -> list[str]:
    return [json.loads(line)["version"]["version_id"] for line in lines]


def test_lines_sections_and_lists(shown: Shown) -> None:
    lines, _ = shown("report")
    assert any(line.startswith(" > ") for line in lines)
    assert any(line.startswith("   cite: v-") for line in lines)
    found, _ = shown("--json", "report")
    versions = [json.loads(line)["version"] for line in found]
    version = next(version for version in versions if version.get("title"))
    assert documents(shown("--json", "--regex", "^.*rep[o]rt")[0]) == documents(found)
    listed, _ = shown("--json", "--title", version["title"].upper())
    assert version["version_id"] in documents(listed)
    assert all("passages" not in json.loads(line) for line in listed)
    (hits,), _ = shown("--json", "Report", command="search")
    heading = next(
        hit["heading_path"][0] for hit in json.loads(hits)["hits"] if hit.get("heading_path")
    )
    (section, *_), _ = shown("--json", "--section", heading.upper())
    roles = {line["role"] for line in json.loads(section)["passages"][0]["lines"]}
    assert roles == {"FOUND_LINE_ROLE_SECTION"}


def test_nothing_is_said_to_be_everything(shown: Shown) -> None:
    lines, beside = shown("no such words anywhere")
    assert lines == []
    assert "everything was looked at" in beside
    lines, beside = shown("--limit", "1", "--json", "--regex", ".")
    assert len(lines) == 1
    assert "not everything was looked at" in beside


def test_what_cannot_be_asked_is_one_line(
    shown: Shown, services: Services, capsys: pytest.CaptureFixture[str]
) -> None:
    del shown, services
    for words in ((), ("--regex", "a(b")):
        assert main(("find", "--game", GAME, *words)) != 0
        printed = capsys.readouterr()
        assert printed.out == ""
        assert len(printed.err.splitlines()) <= 2
        assert "query" in printed.err
