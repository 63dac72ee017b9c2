"""Redactors shared by the tests of redaction: building one compiles a database, which takes a second."""

import pytest

from capture_service.redaction import RedactionKey, RedactionPolicy, Redactor


def build(engine: str) -> Redactor:
    return Redactor(RedactionPolicy.build(RedactionKey.from_bytes(bytes(range(32))), engine=engine))


@pytest.fixture(scope="session")
def redactor() -> Redactor:
    return build("hyperscan")


@pytest.fixture(scope="session")
def re2_redactor() -> Redactor:
    return build("re2")
