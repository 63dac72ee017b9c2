"""Titles compared as whole texts, without regard to width, case and white space, in SQL."""

from __future__ import annotations

import apsw

from corpus_service.search.exact_view import fold_title


def register_titles(connection: apsw.Connection) -> None:
    """Make ``fold_title`` known to a connection."""
    connection.create_scalar_function("fold_title", _fold, 1, deterministic=True)


def _fold(*values: apsw.SQLiteValue) -> str:
    (title,) = values
    return fold_title(str(title))
