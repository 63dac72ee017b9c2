"""Whether the stored text of a version still has its hash, before a span of it is cited.

A text is proven once for a state of the file: SQLite's data version changes with every commit of any
other connection, so that nothing changed behind the store's back is served as proven.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Final
from weakref import WeakKeyDictionary

import apsw

from corpus_service.limits import PROVEN_TEXT_CODE_POINTS_MAX, PROVEN_TEXTS_MAX
from sourcecorpus.rpc.failures import Failure, FailureCode


@dataclass(slots=True)
class _Proven:
    data_version: int
    rows: set[int] = field(default_factory=set)


# A connection is used by one thread at a time.
_PROVEN: Final[WeakKeyDictionary[apsw.Connection, _Proven]] = WeakKeyDictionary()


def proven_rows(connection: apsw.Connection) -> set[int]:
    """Returns the rows of versions that are proven; inside a read transaction that has read."""
    data_version = connection.data_version()
    proven = _PROVEN.get(connection)
    if proven is None or proven.data_version != data_version or len(proven.rows) > PROVEN_TEXTS_MAX:
        proven = _PROVEN[connection] = _Proven(data_version)
    return proven.rows


def prove(
    connection: apsw.Connection, row: int, chunk_count: int, text_length: int, proven: set[int]
) -> None:
    """Reads the whole text of a version and compares its hash, unless that was done.

    Texts of more than `PROVEN_TEXT_CODE_POINTS_MAX` code points are not read for a citation.

    Raises:
        Failure: DATA_LOSS ``STORED_HASH_MISMATCH`` with both hashes.
    """
    if row in proven or text_length > PROVEN_TEXT_CODE_POINTS_MAX:
        return
    expected = connection.execute(
        "SELECT text_hash FROM readable_versions WHERE row = ?", (row,)
    ).get
    digest = hashlib.sha256()
    for (text,) in connection.execute(
        "SELECT text FROM readable_chunks WHERE id BETWEEN ? AND ? ORDER BY id",
        (row, row + chunk_count - 1),
    ):
        digest.update(text.encode("utf-8", "surrogatepass"))
    actual = f"sha256:{digest.hexdigest()}"
    if actual != expected:
        raise Failure(
            FailureCode.DATA_LOSS,
            "STORED_HASH_MISMATCH",
            "text_hash",
            metadata={"expected": str(expected), "actual": actual},
        )
    proven.add(row)
