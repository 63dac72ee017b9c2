"""What the plugin costs Hermes: the hook alone, and real dispatcher calls with it and with a hook that does nothing.

Run it with the interpreter of Hermes' own environment; nothing else is needed there:

    HERMES_PYTHON bench/hermes/hook_cost.py --plugin FOLDER [--pairs 300] [--size 300000] [--sidecar STATE]

FOLDER is the plugin as ``source-corpus hermes install`` leaves it. STATE is what becomes of the sidecar: ``running``,
``absent`` (it cannot be started), ``dead`` (its socket is there and nobody listens), ``full`` (it runs on a file system
without room; needs the right to mount one). Each pair makes one call with the plugin's hooks
and one with empty hooks in their place, in random order, so that a slow moment of the machine meets both. Empty hooks
are the fair neighbour: Hermes itself works more for a call as soon as anybody listens.
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PAUSE_SECONDS = 0.02


def main() -> None:
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder), options)
        from hermes_cli.plugins import discover_plugins, get_plugin_manager

        discover_plugins()
        manager = get_plugin_manager()
        recorder = sys.modules["sourcecorpus_hermes_state"].recorder
        wait_for_sidecar(recorder, options.sidecar, Path(folder))
        print(json.dumps({"hook, call after call": hook_alone(recorder, options, 0.0)}))
        print(json.dumps({"hook, 20 ms apart": hook_alone(recorder, options, PAUSE_SECONDS)}))
        print(json.dumps({"dispatcher": dispatcher(manager, recorder, options)}))
        print(
            json.dumps({"losses": recorder.queue.losses(), "connected": recorder.sender.connected})
        )
        sys.stdout.flush()
        if options.sidecar == "full":
            subprocess.run(["umount", "-l", str(Path(folder) / "data")], check=True)
        # A sidecar whose folder is gone ends, whatever it still keeps.
        shutil.rmtree(folder, ignore_errors=True)
        # As Hermes' own one-shot mode ends.
        os._exit(0)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plugin", type=Path, required=True)
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--size", type=int, default=300_000, help="characters of a result")
    parser.add_argument(
        "--sidecar", choices=("running", "absent", "dead", "full"), default="running"
    )
    return parser.parse_args()


def prepare(home: Path, options: argparse.Namespace) -> None:
    plugins = home / "plugins"
    plugins.mkdir()
    (plugins / "source-corpus").symlink_to(options.plugin.absolute())
    config = {
        "plugins": {"enabled": ["source-corpus"], "entries": {"source-corpus": {"game": "x"}}}
    }
    (home / "config.yaml").write_text(json.dumps(config), encoding="utf-8")
    os.environ["HERMES_HOME"] = str(home)
    os.environ["SOURCECORPUS_DATA_DIR"] = str(home / "data")
    os.environ["SOURCECORPUS_SIDECAR_IDLE_SECONDS"] = "5"
    if options.sidecar in {"absent", "dead"}:
        os.environ["SOURCECORPUS_SIDECAR_COMMAND"] = json.dumps([str(home / "missing")])
    if options.sidecar == "dead":
        leave_a_dead_socket(home / "data" / "hermes")
    if options.sidecar == "full":
        (home / "data").mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(home / "data")]
        subprocess.run(mount, check=True)


def leave_a_dead_socket(folder: Path) -> None:
    folder.mkdir(parents=True)
    path = str(folder / "sidecar.sock")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
    (folder / "sidecar.json").write_text(json.dumps({"unix_path": path}), encoding="utf-8")


def wait_for_sidecar(recorder: Any, wanted: str, home: Path) -> None:  # noqa: ANN401
    deadline = time.monotonic() + 30
    while wanted in {"running", "full"} and not recorder.sender.connected:
        if time.monotonic() > deadline:
            sys.exit("the sidecar does not come up")
        time.sleep(0.05)
    if wanted == "full":
        with contextlib.suppress(OSError), (home / "data" / "filler").open("wb", 0) as filler:
            while True:
                filler.write(bytes(4_096))


def call_ids(number: int) -> dict[str, str]:
    return {"session_id": "bench", "task_id": "bench", "tool_call_id": f"call-{number}"}


def hook_alone(recorder: Any, options: argparse.Namespace, pause: float) -> dict[str, float]:  # noqa: ANN401
    """Milliseconds of one hook call; results are made anew so that none is shared."""
    times = []
    for number in range(options.pairs):
        result = json.dumps({"content": f"{number} " + "x" * options.size})
        facts = {"tool_name": "web_extract", "args": {"urls": ["http://a/"]}, "result": result}
        facts |= {"status": "ok", "duration_ms": 5, **call_ids(number)}
        begin = time.perf_counter()
        recorder.post_tool_call(**facts)
        times.append((time.perf_counter() - begin) * 1_000)
        time.sleep(pause)
    return quantiles(times)


def nothing(**_: object) -> None:
    """The hook of a neighbour that does nothing."""


def dispatcher(manager: Any, recorder: Any, options: argparse.Namespace) -> dict[str, Any]:  # noqa: ANN401
    """Milliseconds of whole dispatcher calls of a tool that only returns a text."""
    from model_tools import handle_function_call
    from tools.registry import registry

    text = json.dumps({"content": "x" * options.size})
    registry.register(
        name="bench_tool",
        toolset="bench",
        schema={"name": "bench_tool", "description": "", "parameters": {"type": "object"}},
        handler=lambda args, **_: text[:-2] + str(args["n"]) + '"}',
    )
    hooks = manager._hooks  # noqa: SLF001 - Hermes has no public way to take hooks away
    ours = {name: list(callbacks) for name, callbacks in hooks.items()}
    bare = {
        name: [nothing if getattr(call, "__self__", None) is recorder else call for call in calls]
        for name, calls in ours.items()
    }

    def timed(chosen: dict[str, list[Callable[..., Any]]], number: int) -> float:
        hooks.clear()
        hooks.update(chosen)
        begin = time.perf_counter()
        handle_function_call("bench_tool", {"n": number}, **call_ids(number))
        return (time.perf_counter() - begin) * 1_000

    with_plugin, without, differences = [], [], []
    chooser = random.Random(1)
    for number in range(options.pairs):
        order = [True, False]
        chooser.shuffle(order)
        pair = {ours_first: timed(ours if ours_first else bare, number) for ours_first in order}
        with_plugin.append(pair[True])
        without.append(pair[False])
        differences.append(pair[True] - pair[False])
        time.sleep(PAUSE_SECONDS)
    return {
        "with": quantiles(with_plugin),
        "without": quantiles(without),
        "difference": quantiles(differences),
    }


def quantiles(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        "p50_ms": round(statistics.median(ordered), 4),
        "p99_ms": round(ordered[int(len(ordered) * 0.99) - 1], 4),
        "max_ms": round(ordered[-1], 4),
    }


if __name__ == "__main__":
    main()
