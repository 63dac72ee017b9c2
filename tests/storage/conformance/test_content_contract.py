"""Bytes come back exactly, in bounded pieces, verified."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpus_service.domain.vocabulary import IngestStatus, SourceRole
from corpus_service.limits import CONTENT_PIECE_BYTES
from corpus_service.storage.interface import CorpusStore
from corpus_service.storage.pieces import compress_content, compress_piece
from sourcecorpus.rpc.failures import Failure
from tests.storage.records import GAME, hash_of, page, prepared, put, record, without_bytes

STRANGE = {
    "nothing": b"",
    "nul": b"\0",
    "not utf-8": b"\xff\xfe\xff",
    "byte order mark": b"\xef\xbb\xbfa",
    "line ends": b"a\r\nb\rc\n",
    "one piece less a byte": b"x" * (CONTENT_PIECE_BYTES - 1),
    "one piece": b"x" * CONTENT_PIECE_BYTES,
    "one piece and a byte": b"x" * (CONTENT_PIECE_BYTES + 1),
    "more than is buffered": bytes(range(256)) * 4 * 1024 * 5,
}


def keep(store: CorpusStore, envelope_id: str, data: bytes) -> None:
    whole = record(
        envelope_id,
        [page(f"https://castle.example/{envelope_id}", data)],
        [data],
        result_hash=hash_of(data),
    )
    assert put(store, prepared(whole, [None])).status is IngestStatus.COMMITTED


@pytest.mark.parametrize("data", STRANGE.values(), ids=STRANGE)
def test_bytes_come_back_exactly(store: CorpusStore, data: bytes) -> None:
    keep(store, "e", data)
    content = store.open_content(GAME, hash_of(data))
    pieces = list(content.pieces())
    assert b"".join(pieces) == data
    assert max(map(len, pieces), default=0) <= CONTENT_PIECE_BYTES
    assert content.facts.size_bytes == len(data)
    assert content.facts.content_type == "text/plain; charset=utf-8"


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None
)
@given(offset=st.integers(0, 600_000), length=st.one_of(st.none(), st.integers(0, 600_000)))
def test_ranges_are_those_of_a_slice(store: CorpusStore, offset: int, length: int | None) -> None:
    data = bytes(range(251)) * 2_100
    if store.missing_contents(GAME, [hash_of(data)]):
        keep(store, "e", data)
    content = store.open_content(GAME, hash_of(data))
    end = None if length is None else offset + length
    assert b"".join(content.pieces(offset, length)) == data[offset:end]


def test_contents_have_three_names(store: CorpusStore) -> None:
    whole = record(
        "e",
        [page(data=b"A")],
        [b"A", b"{}"],
        result_hash=hash_of(b"{}"),
        result_media_type="application/json",
    )
    artifact = put(store, prepared(whole)).sources[0].artifact_id
    assert store.artifact_content(GAME, artifact).content_hash == hash_of(b"A")
    facts = store.envelope_content(GAME, "e")
    assert (facts.content_hash, facts.size_bytes) == (hash_of(b"{}"), 2)
    assert facts.content_type == "application/json"
    with pytest.raises(Failure) as refused:
        store.artifact_content(GAME, "art-x")
    assert refused.value.reason == "CONTENT_NOT_FOUND"
    with pytest.raises(Failure) as refused:
        store.envelope_content(GAME, "x")
    assert refused.value.reason == "CONTENT_NOT_FOUND"


def test_an_upload_waits_for_its_record(store: CorpusStore) -> None:
    data = b"y" * (CONTENT_PIECE_BYTES + 7)
    upload = store.begin_upload(GAME, hash_of(data), len(data))
    for piece in compress_content(data):
        upload.write(piece)
    assert store.missing_contents(GAME, [hash_of(data)])
    upload.commit()
    upload.abort()
    assert not store.missing_contents(GAME, [hash_of(data)])
    with pytest.raises(Failure):
        store.open_content(GAME, hash_of(data))
    assert b"".join(store.open_for_extraction(GAME, hash_of(data)).pieces()) == data
    whole = without_bytes(record("e", [page(data=data)], [data]))
    assert put(store, prepared(whole, [None])).status is IngestStatus.COMMITTED
    assert b"".join(store.open_content(GAME, hash_of(data)).pieces()) == data


def test_an_upload_that_is_dropped_leaves_nothing(store: CorpusStore) -> None:
    upload = store.begin_upload(GAME, hash_of(b"A"), 1)
    upload.write(compress_piece(b"A"))
    upload.abort()
    assert store.missing_contents(GAME, [hash_of(b"A")])
    assert store.drop_uploads(GAME, older_than=2**62) == 0


def test_two_uploads_of_the_same_bytes_are_one_content(store: CorpusStore) -> None:
    uploads = [store.begin_upload(GAME, hash_of(b"A"), 1) for _ in range(2)]
    for upload in uploads:
        upload.write(compress_piece(b"A"))
    for upload in uploads:
        upload.commit()
    assert b"".join(store.open_for_extraction(GAME, hash_of(b"A")).pieces()) == b"A"
    assert store.drop_uploads(GAME, older_than=2**62) == 1
    assert store.missing_contents(GAME, [hash_of(b"A")])


def test_uploads_go_when_their_time_has_passed_and_records_keep_theirs(store: CorpusStore) -> None:
    keep(store, "e", b"kept")
    upload = store.begin_upload(GAME, hash_of(b"A"), 1)
    upload.write(compress_piece(b"A"))
    upload.commit()
    assert store.drop_uploads(GAME, older_than=1) == 0
    assert store.drop_uploads(GAME, older_than=2**62) == 1
    assert store.missing_contents(GAME, [hash_of(b"A"), hash_of(b"kept")]) == {hash_of(b"A")}


def test_the_raw_result_of_a_readable_envelope_is_readable(store: CorpusStore) -> None:
    whole = record(
        "e",
        [
            page(data=b"A"),
            page("https://castle.example/gone", None, role=SourceRole.FAILED, error="404"),
        ],
        [b"A", b"result"],
        result_hash=hash_of(b"result"),
    )
    put(store, prepared(whole))
    assert b"".join(store.open_content(GAME, hash_of(b"result")).pieces()) == b"result"
