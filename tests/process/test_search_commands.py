"""``source-corpus search`` against both services: what a person asks beside the hits."""

import json

import pytest

from sourcecorpus.bridge.cli.main import main
from tests.process.calls import GAME, deliver, make_game
from tests.process.captures import mixed
from tests.process.conftest import Services

pytestmark = [pytest.mark.process, pytest.mark.timeout(120)]


def test_counts_beside_the_hits(
    services: Services, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("capture", "corpus"):
        monkeypatch.setenv(f"SOURCECORPUS_{name.upper()}_ADDRESS", services.addresses[name])

    def lines(*words: str) -> list[str]:
        assert main(words) == 0
        return capsys.readouterr().out.splitlines()

    with services.client() as client:
        make_game(client)
        deliver(client, mixed(10, GAME), "search")
    shown = lines("search", "--facets", "Report")
    total = next(line for line in shown if line.startswith("documents: "))
    family = next(line for line in shown if line.startswith("   family: "))
    counted = [int(part.rpartition(" ")[2]) for part in family.split(", ")]
    assert sum(counted) == int(total.rpartition(" ")[2]) > 0
    document = json.loads(lines("search", "--json", "--facets", "Report")[0])
    assert document["facet_counts"]["facets"][0]["field"] == "FACET_FIELD_FAMILY"
    title = next(hit["title"] for hit in document["hits"] if hit.get("title"))
    found = json.loads(lines("search", "--json", "--title", title.upper(), "Report")[0])
    assert {hit["title"] for hit in found["hits"]} == {title}
