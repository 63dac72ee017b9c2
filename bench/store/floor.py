"""The floor: the smallest honest store of documents with full text, to measure ours against.

One SQLite file, page 8,192, WAL, synchronous FULL, page cache 128 MB, autocheckpoint 4,000 pages,
one writer, 64 documents a transaction. A document: sha256 and lz4 block before the transaction; then
look the hash up, insert the blob if new, look the address up, insert the document if new, insert a
version, and for a new blob its text (lexbor), chunks, CJK bigrams and an FTS5 entry. Not in it:
redaction, canonical addresses, spans, ledger, observations, checks, locking.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import apsw
import lz4.block
from selectolax.lexbor import LexborHTMLParser

from bench.store.documents import Document

DOCUMENTS_PER_TRANSACTION = 64
CHUNK_CHARACTERS_ASCII, CHUNK_CHARACTERS_OTHER = 1_000, 600
ASCII_SAMPLE_CHARACTERS = 4_000

SCHEMA = """
CREATE TABLE blobs (id INTEGER PRIMARY KEY, sha BLOB UNIQUE, raw_length INTEGER, data BLOB);
CREATE TABLE docs (id INTEGER PRIMARY KEY, url TEXT UNIQUE, game TEXT);
CREATE TABLE versions (id INTEGER PRIMARY KEY, doc INTEGER, blob INTEGER, at INTEGER, type TEXT);
CREATE INDEX versions_by_doc ON versions (doc);
CREATE TABLE chunks (id INTEGER PRIMARY KEY, version INTEGER, start INTEGER, end INTEGER, text TEXT);
CREATE VIRTUAL TABLE passages USING fts5 (
    text, game, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
"""
_CJK_RUN = re.compile(
    "[\u3005\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f]+"
)


def open_floor(path: Path) -> apsw.Connection:
    """Open a fresh floor store."""
    connection = apsw.Connection(str(path))
    for setting in (
        "page_size = 8192",
        "journal_mode = WAL",
        "synchronous = FULL",
        "cache_size = -131072",
        "wal_autocheckpoint = 4000",
    ):
        connection.execute(f"PRAGMA {setting}").fetchall()
    connection.execute(SCHEMA)
    return connection


def store_all(connection: apsw.Connection, documents: Sequence[Document]) -> int:
    """Store documents in transactions of 64; return the number of chunks."""
    chunks = 0
    for start in range(0, len(documents), DOCUMENTS_PER_TRANSACTION):
        group = [
            (document, hashlib.sha256(document.body).digest(), lz4.block.compress(document.body))
            for document in documents[start : start + DOCUMENTS_PER_TRANSACTION]
        ]
        connection.execute("BEGIN IMMEDIATE")
        for document, digest, packed in group:
            chunks += _store(connection, document, digest, packed)
        connection.execute("COMMIT")
    return chunks


def _store(connection: apsw.Connection, document: Document, digest: bytes, packed: bytes) -> int:
    blob = connection.execute("SELECT id FROM blobs WHERE sha = ?", (digest,)).get
    is_new = blob is None
    if is_new:
        connection.execute(
            "INSERT INTO blobs (sha, raw_length, data) VALUES (?, ?, ?)",
            (digest, len(document.body), packed),
        )
        blob = connection.last_insert_rowid()
    doc = connection.execute("SELECT id FROM docs WHERE url = ?", (document.uri,)).get
    if doc is None:
        connection.execute("INSERT INTO docs (url, game) VALUES (?, 'game')", (document.uri,))
        doc = connection.last_insert_rowid()
    connection.execute(
        "INSERT INTO versions (doc, blob, at, type) VALUES (?, ?, 1, ?)",
        (doc, blob, document.media_type),
    )
    version = connection.last_insert_rowid()
    if not is_new:
        return 0
    text = text_of(document)
    count = 0
    for start, end in chunks_of(text):
        part = text[start:end]
        connection.execute(
            "INSERT INTO chunks (version, start, end, text) VALUES (?, ?, ?, ?)",
            (version, start, end, part),
        )
        connection.execute(
            "INSERT INTO passages (rowid, text, game) VALUES (?, ?, 'game')",
            (connection.last_insert_rowid(), with_bigrams(part)),
        )
        count += 1
    return count


def text_of(document: Document) -> str:
    """The text of a body."""
    if "html" not in document.media_type:
        return document.body.decode("utf-8", "replace")
    tree = LexborHTMLParser(document.body)
    tree.strip_tags(["script", "style"])
    return tree.body.text(separator="\n") if tree.body is not None else ""


def chunks_of(text: str) -> Iterator[tuple[int, int]]:
    """Whole lines up to a size; a longer line is cut."""
    sample_is_ascii = text[:ASCII_SAMPLE_CHARACTERS].isascii()
    size = CHUNK_CHARACTERS_ASCII if sample_is_ascii else CHUNK_CHARACTERS_OTHER
    start = 0
    while start < len(text):
        end = start + size
        if end < len(text):
            feed = text.rfind("\n", start, end)
            end = feed + 1 if feed > start else end
        yield start, min(end, len(text))
        start = end


def with_bigrams(text: str) -> str:
    """CJK runs as overlapping pairs."""
    if text.isascii():
        return text
    return _CJK_RUN.sub(_pairs, text)


def _pairs(match: re.Match[str]) -> str:
    run = match[0]
    if len(run) == 1:
        return f" {run} "
    return " " + " ".join(run[at : at + 2] for at in range(len(run) - 1)) + " "
