"""``source-corpus search`` against both services: what a person asks beside the hits."""

import json
from collections.abc import Callable

import pytest

from sourcecorpus.bridge.cli.main import main
from tests.process.calls import GAME, deliver, make_game
from tests.process.captures import mixed
from tests.process.conftest import Services

pytestmark = [pytest.mark.process, pytest.mark.timeout(120)]


OTHER = "frostfall"

Lines = Callable[..., list[str]]


@pytest.fixture
def lines(
    services: Services, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Lines:
    """Runs a command over two games with ten captures each; its lines."""
    for name in ("capture", "corpus"):
        monkeypatch.setenv(f"SOURCECORPUS_{name.upper()}_ADDRESS", services.addresses[name])
    with services.client() as client:
        for game in (GAME, OTHER):
            make_game(client, game)
            deliver(client, mixed(10, game, prefix=game), game)

    def run(*words: str) -> list[str]:
        assert main(words) == 0
        return capsys.readouterr().out.splitlines()

    return run


def test_counts_beside_the_hits(lines: Lines) -> None:
    shown = lines("search", "--game", GAME, "--facets", "Report")
    total = next(line for line in shown if line.startswith("documents: "))
    family = next(line for line in shown if line.startswith("   family: "))
    counted = [int(part.rpartition(" ")[2]) for part in family.split(", ")]
    assert sum(counted) == int(total.rpartition(" ")[2]) > 0
    document = json.loads(lines("search", "--game", GAME, "--json", "--facets", "Report")[0])
    assert document["facet_counts"]["facets"][0]["field"] == "FACET_FIELD_FAMILY"
    title = next(hit["title"] for hit in document["hits"] if hit.get("title"))
    found = json.loads(
        lines("search", "--game", GAME, "--json", "--title", title.upper(), "Report")[0]
    )
    assert {hit["title"] for hit in found["hits"]} == {title}
    heading = next(hit["heading_path"][0] for hit in document["hits"] if hit.get("heading_path"))
    below = ("search", "--game", GAME, "--json", "--section", heading.upper(), "Report")
    hits = json.loads(lines(*below)[0])["hits"]
    assert {hit["heading_path"][0] for hit in hits} == {heading}
    assert "hits" not in json.loads(lines(*below, "--speaker", "Nobody")[0])


def test_words_are_suggested(lines: Lines) -> None:
    (shown,) = [
        line
        for line in lines("suggest", "--game", GAME, "the", "repo")
        if line.endswith("the Report")
    ]
    assert shown.startswith("completion")
    document = json.loads(lines("suggest", "--game", GAME, "--json", "reprot ")[0])
    assert [one["word"] for one in document["suggestions"]] == ["Report"]
    assert document["suggestions"][0]["kind"] == "SUGGESTION_KIND_CORRECTION"
    assert lines("suggest", "--game", GAME, "zzzz") == []
    explained = json.loads(lines("search", "--game", GAME, "--json", "reprot")[0])["explanation"]
    assert explained["suggested_query"] == "Report"


def test_two_games_at_once(lines: Lines) -> None:
    both = ("search", "--game", GAME, "--game", OTHER, "--limit", "4", "Report")
    assert [line for line in lines(*both) if line.startswith("   game: ")] == [
        f"   game: {game}" for game in (GAME, OTHER) * 2
    ]
    seen: list[str] = []
    token = ""
    for _ in range(10):
        document = json.loads(lines(*both, "--json", "--page-token", token)[0])
        seen += [hit["chunk_id"] for hit in document["hits"]]
        token = document.get("next_page_token", "")
        if not token:
            break
    assert token == ""
    assert len(seen) == len(set(seen)) > 4
