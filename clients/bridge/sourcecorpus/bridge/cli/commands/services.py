"""``source-corpus up``, ``health`` and ``config``: the two services as processes."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sourcecorpus.bridge.cli.commands.common import open_client
from sourcecorpus.bridge.cli.output import print_json, print_rows

if TYPE_CHECKING:
    import argparse

HEALTH_SECONDS_MAX: Final = 5.0
_SERVICES: Final = (
    ("capture", "sourcecorpus.capture.v1.CaptureService"),
    ("corpus", "sourcecorpus.corpus.v1.SearchService"),
)


def register(name: str, parser: argparse.ArgumentParser) -> None:
    """Register the arguments of one of the three commands."""
    if name == "health":
        parser.set_defaults(run=run_health)
        return
    parser.add_argument("--config-file", type=Path, default=None, help="TOML file with settings")
    if name == "config":
        parser.set_defaults(run=run_config)
        return
    parser.add_argument(
        "--no-sample", action="store_true", help="do not load the sample game on first start"
    )
    parser.set_defaults(run=run_up)


def run_up(options: argparse.Namespace) -> int:
    """Start both services, load the sample on first start, wait for Ctrl-C, drain both."""
    from sourcecorpus.bridge.cli.processes import ServicePair

    with ServicePair(options.config_file) as services:
        services.start()
        if not options.no_sample:
            from sourcecorpus.bridge.sample import load_sample_on_first_start

            with services.client() as client:
                load_sample_on_first_start(client)
        _print_welcome(services.addresses.capture, services.addresses.corpus, as_json=options.json)
        return services.wait()


def run_health(options: argparse.Namespace) -> int:
    """Ask both services; exits with 3 when one does not serve."""
    import grpc
    from grpc_health.v1 import health_pb2, health_pb2_grpc

    rows: list[tuple[str, str, str]] = []
    with open_client() as client:
        addresses = {"capture": client.addresses.capture, "corpus": client.addresses.corpus}
        for name, service in _SERVICES:
            stub = health_pb2_grpc.HealthStub(client.channel(addresses[name]))
            try:
                answer = stub.Check(
                    health_pb2.HealthCheckRequest(service=service), timeout=HEALTH_SECONDS_MAX
                )
                state = health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)
            except grpc.RpcError as error:
                state = error.code().name
            rows.append((name, addresses[name], state))
    if options.json:
        for name, address, state in rows:
            print_json({"service": name, "address": address, "status": state})
    else:
        print_rows(rows)
    return 0 if all(state == "SERVING" for _, _, state in rows) else 3


def run_config(options: argparse.Namespace) -> int:
    """List every setting of both services."""
    from capture_service.settings import CaptureSettings
    from corpus_service.settings import CorpusSettings
    from sourcecorpus.hermes.sidecar.settings import SidecarSettings
    from sourcecorpus.rpc.runtime_settings import RuntimeSettings
    from sourcecorpus.rpc.settings import describe, load

    rows = [
        row
        for settings in (RuntimeSettings, CaptureSettings, CorpusSettings, SidecarSettings)
        for row in describe(settings, load(settings, file=options.config_file))
    ]
    if options.json:
        for row in rows:
            print_json(dataclasses.asdict(row))
    else:
        print_rows(
            (row.variable, row.value, f"[{row.table}] {row.key}", row.description) for row in rows
        )
    return 0


def _print_welcome(capture: str, corpus: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"capture": capture, "corpus": corpus})
        return
    print(f"capture service on {capture}, corpus service on {corpus}; Ctrl-C ends both")
    print("try, in another terminal:")
    print("  source-corpus games")
    print("  source-corpus search --game emberfall cold iron")
    print("  source-corpus demo", flush=True)
