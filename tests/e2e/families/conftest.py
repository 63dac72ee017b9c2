"""A corpus that the tests of one module share; each case has a game of its own."""

from collections.abc import Iterator

import pytest

from tests.e2e.families.both_services import BothServices


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BothServices]:
    opened = BothServices(tmp_path_factory.mktemp("corpus"))
    yield opened
    opened.close()
