"""Words of the index: how they go on, and which current versions use them."""

from __future__ import annotations

import pytest

from corpus_service.domain.deletions import Deletion, DeletionReason
from corpus_service.domain.queries import WordUse
from corpus_service.domain.vocabulary import SourceRole
from corpus_service.storage.interface import CorpusStore
from sourcecorpus.identity.identifiers import source_id
from sourcecorpus.rpc.failures import Failure
from tests.storage.records import GAME, SECOND, page, prepared, put, put_page, record, text_of

URI = "https://castle.example/"


def uses(store: CorpusStore, *tokens: str, passages_max: int = 100) -> dict[str, WordUse]:
    return dict(store.word_uses(GAME, tokens, passages_max=passages_max))


def test_words_that_begin_so_with_their_numbers(store: CorpusStore) -> None:
    put_page(store, "a", b"gate gatehouse gate", f"{URI}a")
    put_page(store, "b", b"gate garden", f"{URI}b", at=2)
    assert store.counted_tokens(GAME, "ga", limit=9) == [
        ("garden", 1), ("gate", 2), ("gatehouse", 1),
    ]  # fmt: skip
    assert store.counted_tokens(GAME, "ga", limit=2) == [("garden", 1), ("gate", 2)]
    assert store.counted_tokens(GAME, "x", limit=2) == []
    with pytest.raises(Failure, match="UNKNOWN_GAME"):
        store.counted_tokens("nobody", "x", limit=2)


def test_uses_count_current_versions(store: CorpusStore) -> None:
    put_page(store, "a", b"gate and tower " * 6, f"{URI}a")
    put_page(store, "b", b"gate", f"{URI}b", at=2)
    found = uses(store, "gate", "tower", "absent")
    assert set(found) == {"gate", "tower"}
    assert (found["gate"].documents, found["tower"].documents) == (2, 1)
    newest = store.passages(GAME, [found["gate"].row])[found["gate"].row]
    assert newest.text == "gate"
    assert not found["gate"].at_least
    few = uses(store, "gate", passages_max=1)["gate"]
    assert (few.documents, few.at_least) == (1, True)


def test_words_of_superseded_versions_are_not_used(store: CorpusStore) -> None:
    put_page(store, "old", b"portcullis", URI)
    assert set(uses(store, "portcullis")) == {"portcullis"}
    put_page(store, "new", b"drawbridge", URI, at=2)
    assert set(uses(store, "portcullis", "drawbridge")) == {"drawbridge"}


def test_words_of_deleted_sources_are_not_used(store: CorpusStore) -> None:
    put_page(store, "a", b"portcullis gate", URI)
    put_page(store, "b", b"gate", f"{URI}b", at=2)
    assert uses(store, "gate")["gate"].documents == 2
    store.delete_source(
        GAME, Deletion(source_id(GAME, URI), DeletionReason.WRONG, 9 * SECOND, "", "")
    )
    left = uses(store, "portcullis", "gate")
    assert set(left) == {"gate"}
    assert left["gate"].documents == 1


def test_words_of_hidden_captures_are_not_there(store: CorpusStore) -> None:
    for name, role, probe in (
        ("probe", SourceRole.DOCUMENT, True),
        ("failed", SourceRole.FAILED, False),
        ("stub", SourceRole.STUB, False),
    ):
        captured = record(name, [page(URI, b"portcullis", role=role)], [b"portcullis"], probe=probe)
        put(store, prepared(captured, [text_of(b"portcullis")]))
    assert uses(store, "portcullis") == {}
    assert store.counted_tokens(GAME, "port", limit=9) == []
