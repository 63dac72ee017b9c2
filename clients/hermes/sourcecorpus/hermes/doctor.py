"""Looks at every link of the chain from Hermes to the corpus, and says how to mend each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final

import grpc
import yaml

from sourcecorpus.capture.v1.capture_service_pb2 import GetSessionGameRequest
from sourcecorpus.corpus.v1.game_service_pb2 import GetGameRequest, ListGamesRequest
from sourcecorpus.hermes.inspection import sidecar_status
from sourcecorpus.hermes.installation import HermesPlugins
from sourcecorpus.hermes.plugin.hermes_facts import PLUGIN_NAME
from sourcecorpus.rpc.failures import Failure
from sourcecorpus.rpc.status import failure_from_rpc_error

CALL_SECONDS_MAX: Final = 3.0
_ENABLE: Final = f"hermes plugins enable {PLUGIN_NAME}"
_START: Final = "source-corpus up"


class Health(Enum):
    """Result of one check."""

    GOOD = "good"
    NOTE = "note"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Check:
    """One link: what was found, and how to mend it where it is not good."""

    name: str
    health: Health
    found: str
    mend: str = ""


@dataclass(frozen=True, slots=True)
class Stubs:
    """The calls that the doctor makes; each raises ``grpc.RpcError``."""

    get_session_game: Callable[..., Any]
    list_games: Callable[..., Any]
    get_game: Callable[..., Any]


def examine(
    plugins: HermesPlugins,
    sidecar_folder: Path,
    stubs: Stubs,
    environment: Mapping[str, str] = os.environ,
) -> Iterator[Check]:
    """Yield the checks in the order of the chain.

    Args:
        plugins: The Hermes to look at.
        sidecar_folder: The sidecar's folder.
        stubs: Calls of both services.
        environment: Environment that Hermes would run in.
    """
    yield _hermes(plugins)
    yield _installed(plugins)
    config, fault = read_config(plugins.home / "config.yaml")
    yield _enabled(config, fault, environment)
    yield from _sidecar(sidecar_status(sidecar_folder), sidecar_folder)
    yield _service(
        "capture service", stubs.get_session_game, GetSessionGameRequest(session_id="doctor")
    )
    yield _games(stubs)
    yield _default_game(config, environment, stubs)


def read_config(path: Path) -> tuple[dict[str, Any], str]:
    """Hermes' configuration, and what is wrong with the file, "" for nothing."""
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}, "there is no config.yaml"
    except (OSError, UnicodeDecodeError):
        return {}, "config.yaml cannot be read"
    except yaml.YAMLError:
        return {}, "config.yaml is not YAML"
    if document is None:
        return {}, ""
    return (document, "") if isinstance(document, dict) else ({}, "config.yaml is no mapping")


def _hermes(plugins: HermesPlugins) -> Check:
    if not plugins.home.is_dir():
        return Check(
            "Hermes home",
            Health.BAD,
            f"{plugins.home} is not there",
            "run Hermes once, or set HERMES_HOME",
        )
    return Check("Hermes home", Health.GOOD, str(plugins.home))


def _installed(plugins: HermesPlugins) -> Check:
    if not plugins.folder.is_dir():
        return Check(
            "plugin",
            Health.NOTE,
            "no directory plugin; fine where source-corpus is installed in Hermes' own environment",
            "source-corpus hermes install",
        )
    if not plugins.is_current():
        return Check(
            "plugin", Health.BAD, "the copy is of another version", "source-corpus hermes install"
        )
    return Check("plugin", Health.GOOD, str(plugins.folder))


def _enabled(config: dict[str, Any], fault: str, environment: Mapping[str, str]) -> Check:
    if fault:
        return Check("enabled", Health.BAD, fault, _ENABLE)
    if environment.get("HERMES_SAFE_MODE", "").lower() in {"1", "true", "yes", "on"}:
        return Check(
            "enabled", Health.BAD, "HERMES_SAFE_MODE skips all plugins", "unset HERMES_SAFE_MODE"
        )
    section = config.get("plugins")
    section = section if isinstance(section, dict) else {}
    if PLUGIN_NAME in _names(section.get("disabled")):
        return Check(
            "enabled",
            Health.BAD,
            "plugins.disabled names it, which always wins",
            f"{_ENABLE}, or edit config.yaml",
        )
    if PLUGIN_NAME not in _names(section.get("enabled")):
        return Check("enabled", Health.BAD, "plugins.enabled does not name it", _ENABLE)
    return Check("enabled", Health.GOOD, "plugins.enabled names it")


def _sidecar(status: dict[str, Any], folder: Path) -> Iterator[Check]:
    if status.get("running"):
        count = len(status.get("hermes", ()))
        yield Check(
            "sidecar", Health.GOOD, f"runs as process {status['pid']}, {count} Hermes connected"
        )
    elif "fault" in status:
        yield Check(
            "sidecar",
            Health.BAD,
            str(status["fault"]),
            f"see {folder / 'sidecar.log'}; end it and let Hermes start it",
        )
    else:
        yield Check("sidecar", Health.NOTE, "does not run; Hermes starts it with its first session")
    queue = status["queue"]
    waiting = f"{queue['envelopes']} wait, the oldest for {queue['oldest_seconds']:.0f} s"
    if queue["set_aside"]:
        yield Check(
            "spool",
            Health.BAD,
            f"{waiting}; {queue['set_aside']} are set aside",
            "source-corpus status",
        )
    else:
        health = Health.NOTE if queue["oldest_seconds"] > 60 else Health.GOOD
        yield Check("spool", health, waiting, _START if health is Health.NOTE else "")
    lost = sum(status["counters"].get("lost", {}).values())
    lost += sum(sum(report.get("losses", {}).values()) for report in status["reports"])
    refused = sum(status["counters"].get("refused", {}).values())
    if lost or refused:
        found = f"{lost} lost on the way, {refused} not kept"
        yield Check("losses", Health.NOTE, found, "source-corpus status shows the reasons")
    else:
        yield Check("losses", Health.GOOD, "none")


def _service(name: str, call: Callable[..., Any], request: Any) -> Check:  # noqa: ANN401 - a message
    try:
        call(request, timeout=CALL_SECONDS_MAX)
    except grpc.RpcError as error:
        failure = failure_from_rpc_error(error)
        return Check(name, Health.BAD, _words(failure), _START)
    return Check(name, Health.GOOD, "answers")


def _games(stubs: Stubs) -> Check:
    try:
        games = stubs.list_games(ListGamesRequest(page_size=10), timeout=CALL_SECONDS_MAX).games
    except grpc.RpcError as error:
        return Check("corpus service", Health.BAD, _words(failure_from_rpc_error(error)), _START)
    if not games:
        return Check(
            "corpus service",
            Health.BAD,
            "answers, but has no game",
            "source-corpus games create ID",
        )
    return Check(
        "corpus service",
        Health.GOOD,
        "answers; games: " + ", ".join(game.game_id for game in games),
    )


def _default_game(config: dict[str, Any], environment: Mapping[str, str], stubs: Stubs) -> Check:
    game = environment.get("SOURCECORPUS_HERMES_GAME") or _entry(config).get("game")
    if not game:
        return Check(
            "game",
            Health.NOTE,
            "no default; without one nothing is kept",
            "/game ID in Hermes, for each session",
        )
    try:
        found = stubs.get_game(GetGameRequest(game_id=str(game)), timeout=CALL_SECONDS_MAX).game
    except grpc.RpcError as error:
        return Check(
            "game",
            Health.BAD,
            f"{game}: {_words(failure_from_rpc_error(error))}",
            "source-corpus games",
        )
    if found.paused:
        return Check(
            "game",
            Health.NOTE,
            f"{found.game_id} is paused",
            f"source-corpus games resume {found.game_id}",
        )
    return Check("game", Health.GOOD, f"{found.game_id} is the default")


def _entry(config: dict[str, Any]) -> dict[str, Any]:
    value: Any = config
    for key in ("plugins", "entries", PLUGIN_NAME):
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _names(value: object) -> set[str]:
    return {str(name) for name in value} if isinstance(value, list) else set()


def _words(failure: Failure) -> str:
    return f"{failure.code.name} {failure.reason}".strip()
