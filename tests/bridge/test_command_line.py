"""The command line as a process: help, usage, and a service that is not there."""

import json
import os
import shlex
import subprocess
import sys

import pytest

from sourcecorpus.bridge.cli.main import COMMANDS, build_parser

NOWHERE = "127.0.0.1:1"
MODULE = "sourcecorpus.bridge.cli.main"


def run(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    environment = {
        **os.environ,
        "SOURCECORPUS_CAPTURE_ADDRESS": NOWHERE,
        "SOURCECORPUS_CORPUS_ADDRESS": NOWHERE,
    }
    return subprocess.run(
        [sys.executable, "-m", MODULE, *arguments],
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


def test_an_argument_that_is_no_text_is_told() -> None:
    done = subprocess.run(
        [sys.executable, "-m", MODULE, "search", "--game", b"\xff", "word"],
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == (
        "source-corpus: an argument or a line of the input is not UTF-8\n"
    )


def test_what_the_terminal_cannot_show_is_escaped() -> None:
    done = subprocess.run(
        [sys.executable, "-m", MODULE, "canonical-uri", "x:悬"],
        capture_output=True,
        check=False,
        timeout=60,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"x:\\u60ac\n", b"")


def closed(descriptor: int, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command that starts without one of its streams."""
    command = shlex.join([sys.executable, "-m", MODULE, *arguments])
    return subprocess.run(
        ["/bin/sh", "-c", f"exec {command} {descriptor}>&-"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=60,
    )


def test_a_closed_standard_input_is_an_empty_one() -> None:
    done = closed(0, "command")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_closed_standard_output_is_told() -> None:
    done = closed(1, "canonical-uri", "https://a.example/")
    assert (done.returncode, done.stderr) == (1, b"source-corpus: standard output is closed\n")


def test_without_standard_error_the_answer_is_the_same() -> None:
    done = closed(2, "canonical-uri", "https://a.example/")
    assert (done.returncode, done.stdout) == (0, b"https://a.example/\n")
