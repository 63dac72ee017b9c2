import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

from sourcecorpus.corpus.v1.game_pb2 import Game
from sourcecorpus.corpus.v1.game_service_pb2 import GetGameResponse, ListGamesResponse
from sourcecorpus.hermes.doctor import Check, Health, Stubs, examine
from sourcecorpus.hermes.installation import HermesPlugins


class Unreachable(grpc.RpcError):
    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.UNAVAILABLE

    def details(self) -> str:
        return ""

    def trailing_metadata(self) -> tuple[()]:
        return ()


def answer(value: Any) -> Callable[..., Any]:
    return lambda _request, timeout: value


def refuse(_request: Any, timeout: float) -> Any:
    raise Unreachable


GOOD = Stubs(
    get_session_game=answer(None),
    list_games=answer(ListGamesResponse(games=[Game(game_id="emberfall")])),
    get_game=answer(GetGameResponse(game=Game(game_id="emberfall"))),
)


@pytest.fixture
def plugins(tmp_path: Path) -> HermesPlugins:
    home = tmp_path / "hermes-home"
    home.mkdir()
    found = HermesPlugins.of(home)
    found.install(tmp_path / "data")
    configure(
        found, {"enabled": ["source-corpus"], "entries": {"source-corpus": {"game": "ember"}}}
    )
    return found


def configure(plugins: HermesPlugins, section: Any) -> None:
    (plugins.home / "config.yaml").write_text(json.dumps({"plugins": section}), encoding="utf-8")


def checks(
    plugins: HermesPlugins, stubs: Stubs = GOOD, environment: dict[str, str] | None = None
) -> dict[str, Check]:
    folder = plugins.home.parent / "data" / "hermes"
    found = list(examine(plugins, folder, stubs, environment or {}))
    # Whatever is bad says how to mend it.
    assert all(check.mend for check in found if check.health is Health.BAD)
    return {check.name: check for check in found}


def bad(found: dict[str, Check]) -> set[str]:
    return {name for name, check in found.items() if check.health is Health.BAD}


def test_everything_in_order(plugins: HermesPlugins) -> None:
    found = checks(plugins)
    assert bad(found) == set()
    assert found["game"].found == "emberfall is the default"


def test_plugin_of_another_version_is_found(plugins: HermesPlugins) -> None:
    (plugins.folder / "recorder.py").write_text("# older\n", encoding="utf-8")
    assert bad(checks(plugins)) == {"plugin"}
    plugins.install(plugins.home.parent / "data")
    assert bad(checks(plugins)) == set()


@pytest.mark.parametrize(
    "section",
    [
        None,
        {},
        {"enabled": []},
        {"enabled": "source-corpus"},
        {"enabled": ["source-corpus"], "disabled": ["source-corpus"]},
    ],
)
def test_plugin_that_is_not_enabled_is_found(plugins: HermesPlugins, section: Any) -> None:
    configure(plugins, section)
    assert "enabled" in bad(checks(plugins))


@pytest.mark.parametrize("text", [b"\xff\xfe", b"a: [", b"- just\n- a list\n"])
def test_broken_configuration_is_found(plugins: HermesPlugins, text: bytes) -> None:
    (plugins.home / "config.yaml").write_bytes(text)
    assert "enabled" in bad(checks(plugins))


def test_safe_mode_is_found(plugins: HermesPlugins) -> None:
    assert bad(checks(plugins, environment={"HERMES_SAFE_MODE": "1"})) == {"enabled"}


def test_services_that_are_away_are_found(plugins: HermesPlugins) -> None:
    away = Stubs(get_session_game=refuse, list_games=refuse, get_game=refuse)
    found = checks(plugins, away)
    assert bad(found) == {"capture service", "corpus service", "game"}
    assert found["capture service"].found == "UNAVAILABLE SERVICE_UNREACHABLE"


def test_corpus_without_a_game_and_hermes_without_a_default(plugins: HermesPlugins) -> None:
    configure(plugins, {"enabled": ["source-corpus"]})
    empty = Stubs(answer(None), answer(ListGamesResponse()), answer(None))
    found = checks(plugins, empty)
    assert bad(found) == {"corpus service"}
    assert found["game"].health is Health.NOTE


def test_losses_that_a_plugin_left_in_a_file_are_told(plugins: HermesPlugins) -> None:
    reports = plugins.home.parent / "data" / "hermes" / "reports"
    reports.mkdir(parents=True)
    report = {"pid": 7, "losses": {"MEMORY_FULL": 3}, "waiting": 2}
    (reports / "one.json").write_text(json.dumps(report), encoding="utf-8")
    (reports / "torn.json").write_text("{", encoding="utf-8")
    found = checks(plugins)
    assert found["losses"].found == "3 lost on the way, 0 not kept"


def test_installed_plugin_knows_the_sidecar_and_the_data_folder(plugins: HermesPlugins) -> None:
    document = json.loads((plugins.folder / "installation.json").read_text("utf-8"))
    assert document["sidecar_command"][1:] == ["-m", "sourcecorpus.hermes.sidecar"]
    assert document["data_dir"] == str(plugins.home.parent / "data")
    assert not list(plugins.folder.rglob("__pycache__"))
