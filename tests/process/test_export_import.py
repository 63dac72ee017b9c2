"""``source-corpus export`` and ``import`` from one installation into another, over real processes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sourcecorpus.bridge.cli.main import main
from sourcecorpus.corpus.v1.citation_service_pb2 import ResolveCitationsRequest
from sourcecorpus.corpus.v1.run_links_pb2 import (
    RUN_USE_CITED,
    LinkRunSourcesRequest,
    RunSourceLink,
)
from tests.process.calls import GAME, deliver, make_game, search
from tests.process.captures import envelope
from tests.process.conftest import Services

pytestmark = [pytest.mark.process, pytest.mark.timeout(180)]
Say = Callable[..., tuple[int, str]]


@pytest.fixture
def other(tmp_path: Path) -> Services:
    return Services(tmp_path / "other")


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Say:
    def run(services: Services, *words: str) -> tuple[int, str]:
        for name in ("capture", "corpus"):
            monkeypatch.setenv(f"SOURCECORPUS_{name.upper()}_ADDRESS", services.addresses[name])
        code = main(words)
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    return run


def test_a_game_moves_with_its_refs_and_runs(
    services: Services, other: Services, say: Say, tmp_path: Path
) -> None:
    other.folder.mkdir()
    archive = tmp_path / "emberfall.tar"
    with services.client() as client:
        make_game(client)
        deliver(client, [envelope(number, GAME) for number in range(5)], "first")
        hit = search(client, "Report")[0]
        link = RunSourceLink(ref=hit.ref, use=RUN_USE_CITED)
        client.citations.LinkRunSources(
            LinkRunSourcesRequest(game_id=GAME, run_id="run-1", links=[link])
        )
        resolve = ResolveCitationsRequest(game_id=GAME, refs=[hit.ref])
        before = client.citations.ResolveCitations(resolve)
    code, said = say(services, "export", GAME, str(archive))
    assert code == 0
    assert said.startswith(f"{GAME}: ")
    assert say(services, "export", GAME, str(archive)) == (
        1,
        f"source-corpus: {archive} is there already\n",
    )
    try:
        # The first attempt is killed when everything but the last step is done.
        other.start("corpus", SOURCECORPUS_FAULT_POINT="corpus.before_import_shown")
        other.start("capture")
        assert say(other, "import", str(archive))[0] == 3
        other.wait_for_death("corpus")
        other.start("corpus")
        assert say(other, "games") == (0, "")
        assert say(other, "import", str(archive), "--game", "another")[0] == 1
        code, said = say(other, "import", str(archive), "--json")
        assert (code, json.loads(said)["game"]["game_id"]) == (0, GAME)
        assert "GAME_NOT_EMPTY" in say(other, "import", str(archive))[1]
        again = tmp_path / "again.tar"
        assert say(other, "export", GAME, str(again))[0] == 0
        assert again.read_bytes() == archive.read_bytes()
        with other.client() as client:
            assert client.citations.ResolveCitations(resolve) == before
            assert search(client, "Report")[0].ref == hit.ref
            deliver(client, [envelope(9, GAME)], "second")
        assert "cited" in say(other, "runs", "--sources", "run-1")[1]
    finally:
        other.close()


def test_a_catalogue_and_a_file_that_is_none(services: Services, say: Say, tmp_path: Path) -> None:
    with services.client() as client:
        make_game(client)
        deliver(client, [envelope(1, GAME)], "first")
    bare = tmp_path / "bare.tar"
    code, said = say(services, "export", GAME, str(bare), "--catalogue", "--json")
    facts = json.loads(said)
    assert code == 0
    assert int(facts["size_bytes"]) == bare.stat().st_size
    assert "ARCHIVE_WITHOUT_CONTENTS" in say(services, "import", str(bare))[1]
    (tmp_path / "note.txt").write_text("not an archive " * 50)
    code, said = say(services, "import", str(tmp_path / "note.txt"))
    assert code == 1
    assert said.count("\n") == 1
    assert "ARCHIVE_UNREADABLE" in said
    assert "no-such-file" in say(services, "import", str(tmp_path / "no-such-file"))[1]
    assert "UNKNOWN_GAME" in say(services, "export", "nobody", str(tmp_path / "x"))[1]
    assert sorted(path.name for path in tmp_path.glob("*")) == sorted(
        [
            "bare.tar",
            "note.txt",
            "data",
            "capture.log",
            "corpus.log",
            "capture.ready",
            "corpus.ready",
        ]
    )
