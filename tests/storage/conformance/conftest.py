"""Every test of the suite runs over each backend; a new backend joins the list here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus_service.domain.games import Game
from corpus_service.storage.interface import CorpusStore
from corpus_service.storage.memory import MemoryStore
from corpus_service.storage.sqlite import SqliteStore
from tests.storage.records import GAME, PREPARATION

BACKENDS = ("sqlite", "memory")


@pytest.fixture(params=BACKENDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[CorpusStore]:
    opened: CorpusStore = (
        SqliteStore(tmp_path, PREPARATION) if request.param == "sqlite" else MemoryStore()
    )
    opened.create_game(Game(GAME, created_time=1))
    yield opened
    opened.close()
