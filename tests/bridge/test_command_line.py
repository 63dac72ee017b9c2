"""The command line as a process: help, usage, and a service that is not there."""

import json
import os
import subprocess
import sys

import pytest

from sourcecorpus.bridge.cli.main import COMMANDS, build_parser

NOWHERE = "127.0.0.1:1"


def run(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    environment = {
        **os.environ,
        "SOURCECORPUS_CAPTURE_ADDRESS": NOWHERE,
        "SOURCECORPUS_CORPUS_ADDRESS": NOWHERE,
    }
    return subprocess.run(
        [sys.executable, "-m", "sourcecorpus.bridge.cli.main", *arguments],
        input=stdin,
        capture_output=True,
        env=environment,
        timeout=60,
        check=False,
    )


def test_help_lists_every_command() -> None:
    answer = run("--help")
    assert answer.returncode == 0
    for command in COMMANDS:
        assert command.name.encode() in answer.stdout


@pytest.mark.parametrize("command", [command.name for command in COMMANDS])
def test_every_command_registers_its_arguments_and_json(command: str) -> None:
    help_text = build_parser().format_help()
    assert command in help_text
    assert b"--json" in run(command, "--help").stdout


@pytest.mark.parametrize("arguments", [("--nonsense",), ("search",), ("games", "explode"), ()])
def test_wrong_usage_is_exit_code_2(arguments: tuple[str, ...]) -> None:
    answer = run(*arguments)
    assert answer.returncode == 2
    assert b"Traceback" not in answer.stderr


def test_an_unreachable_service_is_one_line_and_exit_code_3() -> None:
    answer = run("games")
    assert answer.returncode == 3
    assert answer.stderr.count(b"\n") == 1
    assert b"UNAVAILABLE" in answer.stderr


def test_a_fault_as_json_is_one_object() -> None:
    answer = run("games", "--json")
    assert json.loads(answer.stderr)["error"]["code"] == "UNAVAILABLE"


def test_health_of_absent_services() -> None:
    answer = run("health", "--json")
    assert answer.returncode == 3
    states = [json.loads(line)["status"] for line in answer.stdout.splitlines()]
    assert states == ["UNAVAILABLE", "UNAVAILABLE"]


def test_canonical_uris_come_in_order() -> None:
    answer = run("canonical-uri", "HTTP://EXAMPLE.com:80/a/../b?utm_source=x#top", "not a uri")
    assert answer.stdout.decode().splitlines() == ["http://example.com/b", "not a uri"]


def test_redact_is_a_filter_that_keeps_order() -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    lines = b"".join(
        json.dumps({"text": text}).encode() + b"\n"
        for text in ("plain", f"key {token} end", "last")
    )
    answer = run("redact", stdin=lines)
    texts = [json.loads(line)["text"] for line in answer.stdout.splitlines()]
    assert texts[0] == "plain"
    assert texts[2] == "last"
    assert token not in texts[1]
    assert texts[1].startswith("key ")
    assert texts[1].endswith(" end")


def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys; from sourcecorpus.bridge.cli.main import build_parser; build_parser('');"
        "print([name for name in ('grpc', 'google.protobuf', 'apsw', 'hyperscan') "
        "if name in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert answer.stdout.strip() == b"[]"


@pytest.mark.parametrize(
    "arguments",
    [
        ("read", "ver-x", "--lines", "-3"),
        ("read", "ver-x", "--from", "4294967296"),
        ("search", "word", "--limit", "-1"),
        ("sources", "--limit", "x"),
    ],
)
def test_a_count_is_a_whole_number(arguments: tuple[str, ...]) -> None:
    answer = run(*arguments)
    assert answer.returncode == 2
    assert b"expected a whole number, 0 or more" in answer.stderr
