"""Reading modules name views alone, so that no path can forget the eligibility predicate."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from corpus_service.storage import sqlite
from corpus_service.storage.sqlite.migrating import migrations_of
from corpus_service.storage.sqlite.opening import DatabaseKind

FOLDER = Path(sqlite.__file__).parent
READING_MODULES = sorted(path.name for path in FOLDER.glob("read_*.py"))
# The index alone has no view; its rows are joined with readable versions, which a test checks.
ALLOWED = {"passage_index"}


def base_tables() -> set[str]:
    found: set[str] = set()
    for migration in migrations_of(DatabaseKind.GAME):
        found |= set(re.findall(r"CREATE (?:VIRTUAL )?TABLE (\w+)", migration.sql))
    return found


def texts_of(source: str) -> list[str]:
    """Every string constant of a module that is not a docstring."""
    tree = ast.parse(source)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in docstrings
    ]


def named_tables(source: str) -> set[str]:
    words = {word for text in texts_of(source) for word in re.findall(r"\w+", text)}
    return words & (base_tables() - ALLOWED - {"meta"})


@pytest.mark.parametrize("name", READING_MODULES)
def test_no_reading_module_names_a_base_table(name: str) -> None:
    assert named_tables((FOLDER / name).read_text()) == set()


def test_the_check_would_notice_one() -> None:
    assert named_tables("x = 'SELECT id FROM sources'") == {"sources"}
    assert "source_chunks" in base_tables()
    assert len(READING_MODULES) == 12


def test_every_view_of_readable_rows_filters() -> None:
    sql = "".join(migration.sql for migration in migrations_of(DatabaseKind.GAME))
    views = re.findall(r"CREATE VIEW (readable_\w+|passage_versions) AS(.*?);", sql, re.DOTALL)
    assert len(views) == 20
    rules = (
        "first_sequence IS NOT NULL",
        "readable = 1",
        "verdict = 0",
        "readable_sequence IS NOT NULL",
    )
    for name, body in views:
        assert any(rule in body for rule in rules), name
