"""``source-corpus runs`` and ``link`` against both services."""

import io
import json

import pytest

from sourcecorpus.bridge.cli.main import main
from tests.process.calls import GAME, deliver, document, make_game, search
from tests.process.captures import envelope
from tests.process.conftest import Services

RUN = "run-1"

pytestmark = [pytest.mark.process, pytest.mark.timeout(120)]


def test_a_run_is_linked_listed_and_its_answer_gets_proposals(
    services: Services, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("capture", "corpus"):
        monkeypatch.setenv(f"SOURCECORPUS_{name.upper()}_ADDRESS", services.addresses[name])

    def lines(*words: str) -> list[str]:
        assert main(words) == 0
        return capsys.readouterr().out.splitlines()

    with services.client() as client:
        make_game(client)
        deliver(client, [envelope(1, GAME)], "commands")
        version = search(client, "Report")[0].version_id
        sentence = document(client, version).splitlines()[2]
    assert lines("link", RUN, "cited", version) == [f"{version}  cited"]
    assert main(("link", RUN, "cited", "v-nonsense")) == 1
    assert "INVALID_REF" in capsys.readouterr().out
    assert any("cited" in line and version in line for line in lines("runs", "--sources", RUN))
    assert any(line.startswith("cited") for line in lines("runs", "--records", RUN))
    assert lines("runs", "--citing", version) == [f"cited  {RUN}"]
    assert lines("runs", "--citing", version, "--use", "cited") == [f"cited  {RUN}"]
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{sentence}. Dolphins sing."))
    first, second = (json.loads(line) for line in lines("runs", "--json", "--propose", RUN))
    assert first["proposals"][0]["grade"] == "PROPOSAL_GRADE_OVERLAP"
    assert first["proposals"][0]["citation"]["version_id"] == version
    assert second["none_reason"] == "NO_PROPOSAL_REASON_NONE_FOUND"
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{sentence}."))
    shown = lines("runs", "--propose", RUN, "--whole-game")
    assert shown[0] == f"{sentence}."
    assert shown[1].startswith("   maybe (overlap")
