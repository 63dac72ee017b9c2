"""The embedded backend in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus_service.domain.games import Game
from corpus_service.storage.sqlite import SqliteStore
from tests.storage.records import GAME, PREPARATION


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore(tmp_path, PREPARATION)
    opened.create_game(Game(GAME, created_time=1))
    yield opened
    opened.close()


@pytest.fixture
def game_file(tmp_path: Path) -> Path:
    return tmp_path / "games" / f"{GAME}.db"
