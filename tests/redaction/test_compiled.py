"""Compiled rules are kept between starts: the same findings, nothing trusted that others could have written."""

import os
from pathlib import Path

import pytest

from capture_service.redaction import CompiledRules, RedactionKey, RedactionPolicy, Redactor
from capture_service.redaction import engine as engine_module
from capture_service.redaction.configuration import RedactionConfiguration
from capture_service.redaction.limits import COMPILED_BYTES_MAX, COMPILED_FILES_MAX

KEY = RedactionKey.from_bytes(b"k" * 32)
NAME = "0" * 64
TRIGGERS = [engine_module.Trigger(1, b"abc")]
TEXT = b"Authorization: Bearer abcdefghijklmnop1234\nghp_0123456789abcdefghijklmnopqrstuvwxyzAB\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "sourcecorpus"


def table_of(folder: Path) -> Path:
    (path,) = folder.glob("*.compiled")
    return path


def test_what_was_kept_finds_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = RedactionPolicy.build(KEY, engine="hyperscan", compiled=CompiledRules(folder))
    import hyperscan

    def compiled_again(*_: object, **__: object) -> None:
        pytest.fail("the rules were compiled again")

    with monkeypatch.context() as patch:
        patch.setattr(hyperscan, "Database", compiled_again)
        second = RedactionPolicy.build(KEY, engine="hyperscan", compiled=CompiledRules(folder))
    texts = [Redactor(policy).redact(TEXT).data for policy in (first, second)]
    assert texts[0] == texts[1] != TEXT
    assert first.engine.events(TEXT) == second.engine.events(TEXT)
    assert (folder.stat().st_mode & 0o777, table_of(folder).stat().st_mode & 0o777) == (
        0o700,
        0o600,
    )


@pytest.mark.parametrize("damage", ["flipped", "cut", "empty", "foreign", "writable", "a folder"])
def test_what_cannot_be_trusted_is_compiled_again(folder: Path, damage: str) -> None:
    rules = CompiledRules(folder)
    engine_module.build_engine(TRIGGERS, compiled=rules)
    path = table_of(folder)
    content = bytearray(path.read_bytes())
    if damage == "flipped":
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
    elif damage == "cut":
        path.write_bytes(content[:-1])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "foreign":
        # The hash agrees, and the library does not know the format.
        rules.keep(path.stem, b"not a table")
    elif damage == "writable":
        path.chmod(0o622)
        assert rules.read(path.stem) is None
    else:
        path.unlink()
        path.mkdir()
    engine = engine_module.build_engine(TRIGGERS, compiled=rules)
    assert engine.events(b"an abc") == [(6, 1)]


def test_secrets_are_never_kept(folder: Path) -> None:
    secret = b"correct-horse-battery-staple-42"
    configuration = RedactionConfiguration(literals=(secret,))
    RedactionPolicy.build(KEY, configuration, engine="hyperscan", compiled=CompiledRules(folder))
    kept = table_of(folder).read_bytes()
    assert secret not in kept
    assert secret.hex().encode() not in kept


def test_other_rules_have_another_table(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = CompiledRules(folder)
    engine_module.build_engine([engine_module.Trigger(1, b"abc")], compiled=rules)
    engine_module.build_engine([engine_module.Trigger(1, b"abd")], compiled=rules)
    engine_module.build_engine([engine_module.Trigger(1, b"abc", ignore_case=True)], compiled=rules)
    monkeypatch.setattr(engine_module.metadata, "version", lambda _: "another release")
    engine_module.build_engine([engine_module.Trigger(1, b"abc")], compiled=rules)
    assert len(list(folder.glob("*.compiled"))) == 4


def test_bounds(folder: Path) -> None:
    rules = CompiledRules(folder)
    rules.keep(NAME, bytes(COMPILED_BYTES_MAX))
    assert rules.read(NAME) is None
    for number in range(COMPILED_FILES_MAX + 3):
        rules.keep(f"{number:064x}", b"table")
        os.utime(folder / f"{number:064x}.compiled", (number, number))
    assert len(list(folder.iterdir())) == COMPILED_FILES_MAX
    assert rules.read(f"{COMPILED_FILES_MAX + 2:064x}") == b"table"


def test_a_folder_that_cannot_be_made_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    rules = CompiledRules(tmp_path / "file" / "cache")
    rules.keep(NAME, b"table")
    assert rules.read(NAME) is None


def test_folder_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for base, expected in (("", ".cache"), ("relative", ".cache"), (str(tmp_path / "x"), "x")):
        monkeypatch.setenv("XDG_CACHE_HOME", base)
        CompiledRules.of_user().keep(NAME, b"table")
        assert (tmp_path / expected / "sourcecorpus" / f"{NAME}.compiled").exists()
