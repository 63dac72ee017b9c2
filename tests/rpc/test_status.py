"""Failures keep their facts over the wire, whatever they carry; foreign statuses are understood."""

from __future__ import annotations

import grpc
import pytest
from google.rpc import status_pb2
from hypothesis import given
from hypothesis import strategies as st

from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.limits import ERROR_DETAIL_BYTES_MAX
from sourcecorpus.rpc.reasons import REASONS
from sourcecorpus.rpc.status import failure_from_rpc_error, failure_of, grpc_code, status_of

WORDS = st.text(st.characters(codec="utf-8"), max_size=200)


@given(
    reason=st.sampled_from(sorted(REASONS)),
    field=WORDS,
    retry_after_seconds=st.one_of(st.none(), st.floats(0, 3_600)),
    metadata=st.dictionaries(
        st.from_regex(r"[a-z][a-z_]{0,30}", fullmatch=True), WORDS, max_size=30
    ),
)
def test_a_failure_comes_back_and_never_exceeds_the_limit(
    reason: str, field: str, retry_after_seconds: float | None, metadata: dict[str, str]
) -> None:
    sent = Failure(REASONS[reason].code, reason, field, retry_after_seconds, metadata)
    status = status_of(sent, request_id="r" * 64)
    assert status.ByteSize() <= ERROR_DETAIL_BYTES_MAX
    assert 1 <= len(status.details) <= 2
    found = failure_of(status_pb2.Status.FromString(status.SerializeToString()))
    assert (found.code, found.reason) == (sent.code, sent.reason)
    if retry_after_seconds is not None:
        assert found.retry_after_seconds == pytest.approx(retry_after_seconds, abs=1e-8)
    elif field:
        assert found.field == field
    if found.metadata.get("truncated") != "true":
        assert dict(found.metadata) == {**metadata, "request_id": "r" * 64}
    assert found.metadata["request_id"] == "r" * 64


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (grpc.StatusCode.UNAVAILABLE, "SERVICE_UNREACHABLE"),
        (grpc.StatusCode.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED"),
        (grpc.StatusCode.CANCELLED, "CALL_CANCELLED"),
        (grpc.StatusCode.UNIMPLEMENTED, "METHOD_NOT_IMPLEMENTED"),
        (grpc.StatusCode.INTERNAL, "UNEXPECTED_STATUS"),
    ],
)
def test_statuses_that_grpc_makes_itself(code: grpc.StatusCode, reason: str) -> None:
    error = grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(), "foreign text")
    failure = failure_from_rpc_error(error)
    assert (failure.code.name, failure.reason) == (code.name, reason)
    assert "foreign text" not in str(failure)


def test_details_that_contradict_the_code_are_left_aside() -> None:
    status = status_of(Failure(FailureCode.NOT_FOUND, "UNKNOWN_GAME"))
    trailers = grpc.aio.Metadata(("grpc-status-details-bin", status.SerializeToString()))
    error = grpc.aio.AioRpcError(
        grpc.StatusCode.UNAVAILABLE, grpc.aio.Metadata(), trailers, "no such game"
    )
    assert failure_from_rpc_error(error).reason == "SERVICE_UNREACHABLE"


def test_a_reason_of_a_newer_service_comes_through() -> None:
    newer = Failure(FailureCode.ABORTED, "SOMETHING_NEW", received=True)
    found = failure_of(status_of(newer))
    assert found.reason == "SOMETHING_NEW"
    assert found.message == "the service refused the call"


def test_an_unknown_code_counts_as_unknown() -> None:
    assert failure_of(status_pb2.Status(code=99)).code is FailureCode.UNKNOWN


def test_our_codes_are_grpcs_codes() -> None:
    for code in FailureCode:
        assert grpc_code(code).value[0] == code.value
