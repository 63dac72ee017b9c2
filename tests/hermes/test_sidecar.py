"""The sidecar as a whole, in one process: redaction, spool, stream, resume, games, refusals."""

import os
import shutil
import socket
from pathlib import Path

import pytest
from capture_double import CaptureDouble
from sidecar_double import PluginConnection, RunningSidecar, results, until

from capture_service.spool import SpoolFullError
from sourcecorpus.hermes.plugin.connection import SidecarAbsent, ask
from sourcecorpus.hermes.plugin.frames import receive_frame, send_frame
from sourcecorpus.hermes.plugin.locations import Endpoint
from sourcecorpus.hermes.sidecar.endpoint import AnotherSidecarError, Listener

TOKEN = "_".join(["ghp", "Zk3vQ9xTmB7c" + "R2nWpL5dY8hJ" + "sF4gK6aEu1Vo"])


def test_event_becomes_an_envelope_with_everything_that_is_known(
    running: RunningSidecar, capture: CaptureDouble
) -> None:
    plugin = PluginConnection(running)
    plugin.send(
        1,
        b'{"results": []}',
        arguments=b'{"urls": ["http://a/"]}',
        side_files=[("/cache/web/a.md", b"full"), ("/cache/web/empty.md", b"")],
        task_id="task",
        turn_id="turn",
        tool_call_id="call",
        parent_session_id="parent",
        parent_tool_call_id="outer",
        run_id="run",
        attempt=2,
        status="timeout",
        error="timed out",
        duration_milliseconds=1_500,
        finished_seconds=1_796_000_000.25,
    )
    plugin.wait_durable(1)
    until(lambda: len(capture.memory.snapshot()) == 1)
    (envelope,) = capture.memory.snapshot()
    head = envelope.head
    assert (envelope.result, head.arguments) == (b'{"results": []}', b'{"urls": ["http://a/"]}')
    assert [(file.name, file.data) for file in envelope.side_files] == [
        ("/cache/web/a.md", b"full"),
        ("/cache/web/empty.md", b""),
    ]
    assert (head.session_id, head.task_id, head.turn_id) == ("session", "task", "turn")
    assert (head.tool_call_id, head.parent_session_id) == ("call", "parent")
    assert (head.parent_tool_call_id, head.run_id, head.attempt) == ("outer", "run", 2)
    assert (head.game_id, head.error, head.status) == ("emberfall", "timed out", 4)
    assert head.finished_time.ToNanoseconds() == 1_796_000_000_250_000_000
    assert head.started_time.ToNanoseconds() == 1_795_999_998_750_000_000


def test_secret_is_masked_in_every_part_before_it_is_stored(
    running: RunningSidecar, capture: CaptureDouble, tmp_path: Path
) -> None:
    capture.stop()
    secret = TOKEN.encode()
    plugin = PluginConnection(running)
    plugin.send(
        1,
        b"see " + secret,
        arguments=b'{"token": "' + secret + b'"}',
        side_files=[(f"/cache/{TOKEN}.md", b"file " + secret)],
        error=f"failed with {TOKEN}",
        tool_call_id=TOKEN,
        sessions=[f"session {TOKEN}"],
    )
    plugin.wait_durable(1)
    stored = [path for path in (tmp_path / "data").rglob("*") if path.is_file()]
    assert len(stored) > 3
    assert all(secret not in path.read_bytes() for path in stored)
    capture.start()
    until(lambda: len(capture.memory.snapshot()) == 1)
    assert secret not in capture.memory.snapshot()[0].SerializeToString()
    assert sum(running.counters()["masked"].values()) >= 5


def test_event_that_is_sent_again_is_taken_once(
    running: RunningSidecar, capture: CaptureDouble
) -> None:
    plugin = PluginConnection(running)
    for number in (1, 2):
        plugin.send(number, b"%d" % number)
    plugin.wait_durable(2)
    again = PluginConnection(running)
    assert again.durable == 2
    for number in (1, 2, 3):
        again.send(number, b"%d" % number)
    again.wait_durable(3)
    other = PluginConnection(running, instance="two")
    assert other.durable == 0
    other.send(1, b"another process")
    other.wait_durable(1)
    until(lambda: len(capture.memory.snapshot()) == 4)
    assert results(capture) == [b"1", b"2", b"3", b"another process"]


def test_plugin_that_leaves_at_once_has_said_its_last_word(
    running: RunningSidecar, capture: CaptureDouble
) -> None:
    plugin = PluginConnection(running)
    for number in range(1, 21):
        plugin.send(number, b"%d" % number * 1_000)
    plugin.close()
    until(lambda: len(capture.memory.snapshot()) == 20)
    assert results(capture) == [b"%d" % number * 1_000 for number in range(1, 21)]


def test_frame_that_is_cut_counts_for_nothing(
    running: RunningSidecar, capture: CaptureDouble
) -> None:
    plugin = PluginConnection(running)
    plugin.send(1)
    plugin.socket.sendall(b"\x00\x00\x00\x10\x00\x00")
    plugin.close()
    broken = PluginConnection(running, instance="two")
    broken.send(1, result_bytes=99)
    with pytest.raises(Exception, match=r"cut|") as ended:
        receive_frame(broken.socket)
    assert ended.type.__name__ in {"ConnectionEnded", "FrameError", "ConnectionResetError"}
    again = PluginConnection(running)
    assert again.durable in {0, 1}
    until(lambda: results(capture) == [b"text"])


def test_stream_resumes_after_a_restart_of_the_capture_service(
    running: RunningSidecar, capture: CaptureDouble
) -> None:
    plugin = PluginConnection(running)
    capture.break_after = 3
    for number in range(1, 31):
        plugin.send(number, b"%d" % number)
        if number == 15:
            capture.stop()
    plugin.wait_durable(30)
    assert running.ask("status")["queue"]["envelopes"] > 0
    capture.start()
    until(lambda: running.ask("status")["queue"]["envelopes"] == 0)
    assert results(capture) == [b"%d" % number for number in range(1, 31)]
    assert capture.memory.duplicates == 0
    assert sum(running.counters()["outcome"].values()) == 30


def test_capture_service_that_has_lost_its_memory_gets_a_new_session(
    running: RunningSidecar, capture: CaptureDouble
) -> None:
    plugin = PluginConnection(running)
    plugin.send(1)
    until(lambda: running.ask("status")["queue"]["envelopes"] == 0 and bool(results(capture)))
    (first_session,) = capture.memory.durable
    capture.stop()
    capture.memory.durable.clear()
    capture.start()
    plugin.send(2, b"second")
    until(lambda: len(results(capture)) == 2)
    assert first_session not in capture.memory.durable


def test_large_result_with_a_side_file_arrives_whole(
    running: RunningSidecar, capture: CaptureDouble
) -> None:
    body = b"".join(b"line %d of a long page\n" % number for number in range(120_000))
    plugin = PluginConnection(running)
    plugin.send(1, body, side_files=[("/cache/web/x.md", body[::-1])])
    until(lambda: len(results(capture)) == 1)
    (envelope,) = capture.memory.snapshot()
    assert (envelope.result, envelope.side_files[0].data) == (body, body[::-1])


def test_full_disk_and_full_spool_refuse_and_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RunningSidecar(tmp_path / "data", "127.0.0.1:1", spool_bytes_max=1_048_576) as running:
        plugin = PluginConnection(running)
        plugin.send(1, os.urandom(400_000).hex().encode())
        plugin.send(2, os.urandom(900_000).hex().encode())
        plugin.send(3, b"small")
        plugin.wait_durable(3)
        assert running.counters()["refused"] == {"SPOOL_FULL": 1}
        assert running.ask("status")["queue"]["envelopes"] == 2

        def full(*_: object, **__: object) -> None:
            raise SpoolFullError("DISK_FULL")

        monkeypatch.setattr("capture_service.spool.queue.append", full)
        plugin.send(4, b"no room")
        plugin.wait_durable(4)
        assert running.counters()["refused"] == {"DISK_FULL": 1, "SPOOL_FULL": 1}
        assert running.ask("status")["queue"]["envelopes"] == 2


def test_queue_is_there_after_a_restart_of_the_sidecar(
    tmp_path: Path, capture: CaptureDouble
) -> None:
    address = capture.address
    capture.stop()
    with RunningSidecar(tmp_path / "data", address) as running:
        plugin = PluginConnection(running)
        for number in (1, 2, 3):
            plugin.send(number, b"%d" % number)
        plugin.wait_durable(3)
    capture.start()
    with RunningSidecar(tmp_path / "data", address) as running:
        assert PluginConnection(running).durable == 3
        until(lambda: len(results(capture)) == 3)
    assert results(capture) == [b"1", b"2", b"3"]


def test_damaged_content_is_set_aside_and_the_rest_goes_on(
    tmp_path: Path, capture: CaptureDouble
) -> None:
    address = capture.address
    capture.stop()
    with RunningSidecar(tmp_path / "data", address) as running:
        plugin = PluginConnection(running)
        for number in (1, 2, 3):
            plugin.send(number, b"content %d" % number)
        plugin.wait_durable(3)
        running.sidecar.store.write(
            lambda connection: connection.execute(
                "UPDATE queue_contents SET data = zeroblob(40) WHERE content_id = 2"
            ).fetchall()
        ).result()
        capture.start()
        until(lambda: len(results(capture)) == 2)
        until(lambda: running.ask("status")["queue"]["envelopes"] == 0)
        assert results(capture) == [b"content 1", b"content 3"]
        assert running.ask("status")["queue"]["set_aside"] == 1
        assert running.counters()["undeliverable"] == {"CONTENT_DAMAGED": 1}


def test_loss_report_is_counted_once(running: RunningSidecar) -> None:
    for _ in range(2):
        plugin = PluginConnection(running)
        counts = {"MEMORY_FULL": 3, "bad": "x", "worse": -1}
        send_frame(plugin.socket, {"kind": "loss", "sequence": 1, "counts": counts})
        plugin.wait_durable(1)
    assert running.counters()["lost"] == {"MEMORY_FULL": 3}


def test_one_sidecar_per_user(running: RunningSidecar, tmp_path: Path) -> None:
    with pytest.raises(AnotherSidecarError):
        Listener(tmp_path / "data" / "hermes")
    assert running.ask("status")["running"]


def test_deep_folder_gets_a_socket_elsewhere(tmp_path: Path) -> None:
    folder = tmp_path / ("deep" * 20) / ("folder" * 10)
    listener = Listener(folder)
    try:
        path = Path(listener.endpoint.unix_path)
        assert not path.is_relative_to(tmp_path)
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700
    finally:
        listener.close()
    assert not path.parent.exists()


def test_tcp_asks_for_the_token(tmp_path: Path, capture: CaptureDouble) -> None:
    with RunningSidecar(tmp_path / "data", capture.address, transport="tcp") as running:
        endpoint = running.listener.endpoint
        assert endpoint.port
        assert (tmp_path / "data" / "hermes" / "sidecar.json").stat().st_mode & 0o777 == 0o600
        with pytest.raises(SidecarAbsent, match="TOKEN_WRONG"):
            ask("status", {}, 5.0, Endpoint(port=endpoint.port, token="guessed"))
        PluginConnection(running).send(1)
        until(lambda: results(capture) == [b"text"])


def test_idle_sidecar_ends(tmp_path: Path) -> None:
    running = RunningSidecar(tmp_path / "data", "127.0.0.1:1", idle_seconds=1.0)
    with running:
        running.join()
    assert not (tmp_path / "data" / "hermes" / "sidecar.json").exists()


def test_listener_of_a_removed_folder_leaves_the_next_one_alone(tmp_path: Path) -> None:
    folder = tmp_path / "hermes"
    old = Listener(folder)
    shutil.rmtree(folder)
    new = Listener(folder)
    file = folder / "sidecar.json"
    file.write_text(file.read_text("utf-8").replace(f'"pid": {os.getpid()}', '"pid": 1'))
    assert not old.is_reachable()
    old.close()
    assert file.exists()
    assert (folder / "sidecar.sock").exists()
    new.close()


def test_sidecar_whose_folder_was_removed_ends(tmp_path: Path) -> None:
    running = RunningSidecar(tmp_path / "data", "127.0.0.1:1")
    with running:
        plugin = PluginConnection(running)
        plugin.send(1)
        plugin.wait_durable(1)
        plugin.close()
        (tmp_path / "data" / "hermes" / "sidecar.json").unlink()
        running.join()


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ({"kind": "hello", "protocol": 99}, "PROTOCOL_UNKNOWN"),
        ({"kind": "nonsense", "protocol": 1}, "FRAME_UNKNOWN"),
    ],
)
def test_other_protocols_are_refused_by_name(
    running: RunningSidecar, header: dict[str, object], reason: str
) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(running.listener.endpoint.unix_path)
        send_frame(connection, header)
        assert receive_frame(connection)[0] == {"kind": "refused", "reason": reason}


def test_questions_that_nobody_answers(running: RunningSidecar) -> None:
    assert running.ask("no_such_call") == {"error": "CALL_UNKNOWN"}
    assert running.ask("set_game", sessions=[], game="x")["error"] == "SESSION_UNKNOWN"
    assert running.ask("set_game", sessions=["s"], game=7)["error"] == "FIELD_INVALID"
