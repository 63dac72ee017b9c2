"""``source-corpus hermes``, ``sidecar`` and ``status``: the Hermes side."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sourcecorpus.bridge.cli.commands.common import open_client
from sourcecorpus.bridge.cli.faults import CommandError
from sourcecorpus.bridge.cli.output import print_json, print_rows
from sourcecorpus.rpc.runtime_settings import RuntimeSettings
from sourcecorpus.rpc.settings import load

if TYPE_CHECKING:
    import argparse


def register(name: str, parser: argparse.ArgumentParser) -> None:
    """Register the arguments of one of the three commands."""
    if name == "sidecar":
        parser.description = (
            "Run the sidecar of Hermes in the foreground until it is idle or ended. One runs per user: "
            "a second one ends at once. Hermes starts it by itself."
        )
        parser.set_defaults(run=run_sidecar)
        return
    if name == "status":
        parser.description = (
            "Show what the sidecar keeps for the capture service, and what was not kept, by reason."
        )
        parser.set_defaults(run=run_status)
        return
    parser.description = (
        "install: copy the plugin into Hermes' plugin folder; enable it with: hermes plugins enable source-corpus. "
        "doctor: look at every link from Hermes to the corpus; exits with 1 when one is broken."
    )
    parser.add_argument("action", choices=("install", "doctor"))
    parser.add_argument(
        "--home",
        type=Path,
        default=None,
        metavar="FOLDER",
        help="Hermes home ($HERMES_HOME or ~/.hermes)",
    )
    parser.set_defaults(run=run_hermes)


def run_sidecar(_options: argparse.Namespace) -> int:
    """Run the sidecar."""
    from sourcecorpus.hermes.sidecar.bootstrap import main

    return main()


def run_status(options: argparse.Namespace) -> int:
    """Print the sidecar's status."""
    from sourcecorpus.hermes.inspection import sidecar_status

    status = sidecar_status(load(RuntimeSettings).data_dir / "hermes")
    if options.json:
        print_json(status)
    else:
        print_rows(status_rows(status))
    return 0


def run_hermes(options: argparse.Namespace) -> int:
    """Install the plugin or examine the chain."""
    from sourcecorpus.hermes.installation import HermesPlugins

    plugins = HermesPlugins.of(options.home)
    runtime = load(RuntimeSettings)
    if options.action == "doctor":
        return _examine(plugins, runtime, as_json=options.json)
    if not plugins.home.is_dir():
        raise CommandError(
            f"{plugins.home} is not there: run Hermes once, or name its home with --home"
        )
    plugins.install(runtime.data_dir)
    if options.json:
        print_json({"folder": str(plugins.folder)})
    else:
        print(f"the plugin is in {plugins.folder}")
        print("enable it with: hermes plugins enable source-corpus")
    return 0


def _examine(plugins: Any, runtime: RuntimeSettings, *, as_json: bool) -> int:  # noqa: ANN401
    from sourcecorpus.hermes.doctor import Health, Stubs, examine

    with open_client() as client:
        stubs = Stubs(
            get_session_game=client.captures.GetSessionGame,
            list_games=client.games.ListGames,
            get_game=client.games.GetGame,
        )
        checks = list(examine(plugins, runtime.data_dir / "hermes", stubs))
    if as_json:
        for check in checks:
            print_json({**dataclasses.asdict(check), "health": check.health.value})
    else:
        print_rows((check.health.value, check.name, check.found) for check in checks)
        for check in checks:
            if check.mend and check.health is not Health.GOOD:
                print(f"to mend {check.name}: {check.mend}")
    return 1 if any(check.health is Health.BAD for check in checks) else 0


def status_rows(status: dict[str, Any]) -> list[tuple[str, str]]:
    """The status for people."""
    running = f"runs as process {status['pid']}" if status.get("running") else "does not run"
    queue = status["queue"]
    rows = [
        ("sidecar", running + (f" ({status['fault']})" if "fault" in status else "")),
        ("waiting", f"{queue['envelopes']} envelopes, {queue['stored_bytes']} bytes"),
        ("oldest", f"{queue['oldest_seconds']:.1f} s" if queue["envelopes"] else "-"),
    ]
    if queue["set_aside"]:
        rows.append(("set aside", f"{queue['set_aside']} envelopes that cannot be delivered"))
    if status.get("running"):
        rows.append(("hermes", f"{len(status['hermes'])} connected"))
        rows.append(("last error", status["capture"]["last_error"] or "-"))
        for entry in status["games"]:
            pending = "" if entry["confirmed"] else " (not confirmed yet)"
            rows.append(
                ("game", f"{entry['game'] or 'none'}{pending} for session {entry['session']}")
            )
    counters = status["counters"]
    labels = (
        ("outcome", "kept as"),
        ("refused", "not kept"),
        ("lost", "lost"),
        ("undeliverable", "set aside"),
        ("masked", "masked"),
    )
    for kind, label in labels:
        rows += [(label, f"{amount} {name}") for name, amount in counters.get(kind, {}).items()]
    if "NO_GAME" in counters.get("refused", {}):
        rows.append(("hint", "results came while no game was set; /game ID in Hermes sets one"))
    rows += _report_rows(status["reports"])
    return rows


def _report_rows(reports: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """What Hermes processes have told that could reach no sidecar."""
    rows = []
    for report in reports:
        process = f"in Hermes process {report.get('pid')}"
        if report.get("waiting"):
            rows.append(
                ("waited", f"{report['waiting']} {process}, when it last could not hand them over")
            )
        losses = report.get("losses")
        for reason, amount in (losses if isinstance(losses, dict) else {}).items():
            rows.append(("lost", f"{amount} {reason} {process}"))
    return rows
