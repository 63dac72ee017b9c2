"""The commands that delete and refresh: what they ask, and what they print."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from sourcecorpus.bridge.cli.commands import deletion, refresh
from sourcecorpus.bridge.cli.main import main
from sourcecorpus.capture.v1.refresh_pb2 import (
    REFRESH_REFUSAL_PAYWALL,
    REFRESH_STATE_REFUSED,
    RefreshRequest,
)
from sourcecorpus.corpus.v1.deletion_pb2 import DELETION_REASON_WRONG, DeleteSourceResponse
from sourcecorpus.corpus.v1.game_pb2 import Game
from sourcecorpus.corpus.v1.game_service_pb2 import GetGameResponse
from sourcecorpus.corpus.v1.refresh_pb2 import (
    ListRefreshRequestsResponse,
    RequestRefreshResponse,
)


class Client:
    """Answers every call and keeps the requests."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        ended = RefreshRequest(
            request_id="rfr-1",
            uri="https://a.example/",
            state=REFRESH_STATE_REFUSED,
            refusal=REFRESH_REFUSAL_PAYWALL,
        )
        self.games = SimpleNamespace(GetGame=self._answer(GetGameResponse(game=Game(game_id="g"))))
        self.sources = SimpleNamespace(
            DeleteSource=self._answer(DeleteSourceResponse(source_deleted=True, version_count=2)),
            RequestRefresh=self._answer(RequestRefreshResponse(requests=[ended])),
            ListRefreshRequests=self._answer(ListRefreshRequestsResponse(requests=[ended])),
        )

    def _answer(self, response: Any) -> Any:
        def call(request: Any) -> Any:
            self.asked.append(request)
            return response

        return call

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        return None


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Client:
    made = Client()
    for module in (deletion, refresh):
        monkeypatch.setattr(module, "open_client", lambda: made)
    return made


def test_delete_names_source_version_and_reason(
    client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["delete", "https://a.example/", "--game", "g", "--version", "ver-1"]
    assert main([*words, "--reason", "wrong", "--note", "a fake"]) == 0
    asked = client.asked[-1]
    assert (asked.uri, asked.version_id, asked.note) == ("https://a.example/", "ver-1", "a fake")
    assert (asked.game_id, asked.reason) == ("g", DELETION_REASON_WRONG)
    assert "the source" in capsys.readouterr().out


def test_refresh_asks_for_ids_and_addresses_and_lists_without_any(
    client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["refresh", "src-1", "https://a.example/", "--game", "g"]) == 0
    asked = client.asked[-1]
    assert (list(asked.source_ids), list(asked.uris)) == (["src-1"], ["https://a.example/"])
    assert main(["refresh", "--game", "g"]) == 0
    assert "refused" in capsys.readouterr().out.splitlines()[-1]
    assert main(["refresh", "--game", "g", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert printed["request_id"] == "rfr-1"
