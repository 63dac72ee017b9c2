"""Failures on the wire: ``google.rpc.Status`` with one ErrorInfo and at most one further detail.

The shape is that of AIP-193. Details travel in HTTP/2 trailers, so that a whole status is bounded
by ``ERROR_DETAIL_BYTES_MAX``: beyond 8 KiB of metadata gRPC replaces the status by its own.
"""

from __future__ import annotations

from typing import Final

import grpc
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.limits import ERROR_DETAIL_BYTES_MAX
from sourcecorpus.rpc.reasons import REASONS

ERROR_DOMAIN: Final = "sourcecorpus"
STATUS_METADATA_KEY: Final = "grpc-status-details-bin"
_FIELD_CHARACTERS_MAX: Final = 256
_NANOSECONDS: Final = 1_000_000_000

# Statuses that gRPC itself makes carry no ErrorInfo; these are what they mean to a caller.
_REASON_WITHOUT_DETAILS: Final = {
    FailureCode.UNAVAILABLE: "SERVICE_UNREACHABLE",
    FailureCode.DEADLINE_EXCEEDED: "DEADLINE_EXCEEDED",
    FailureCode.CANCELLED: "CALL_CANCELLED",
    FailureCode.UNIMPLEMENTED: "METHOD_NOT_IMPLEMENTED",
}


def status_of(failure: Failure, request_id: str = "") -> status_pb2.Status:
    """Turn a failure into a status of at most 4 KiB.

    Metadata that does not fit is left out as a whole and ``truncated`` says so; reason, field and
    request id always fit.
    """
    status = _status(failure, failure.message, dict(failure.metadata), request_id)
    if status.ByteSize() > ERROR_DETAIL_BYTES_MAX:
        documented = REASONS.get(failure.reason)
        message = documented.meaning if documented else ""
        status = _status(failure, message, {"truncated": "true"}, request_id)
    return status


def _status(
    failure: Failure, message: str, metadata: dict[str, str], request_id: str
) -> status_pb2.Status:
    if request_id:
        metadata["request_id"] = request_id
    status = status_pb2.Status(code=failure.code.value, message=message)
    status.details.add().Pack(
        error_details_pb2.ErrorInfo(reason=failure.reason, domain=ERROR_DOMAIN, metadata=metadata)
    )
    if failure.retry_after_seconds is not None:
        retry = error_details_pb2.RetryInfo()
        retry.retry_delay.FromNanoseconds(int(failure.retry_after_seconds * _NANOSECONDS))
        status.details.add().Pack(retry)
    elif failure.field:
        request = error_details_pb2.BadRequest()
        request.field_violations.add(
            field=failure.field[:_FIELD_CHARACTERS_MAX], reason=failure.reason
        )
        status.details.add().Pack(request)
    elif failure.code is FailureCode.FAILED_PRECONDITION:
        precondition = error_details_pb2.PreconditionFailure()
        precondition.violations.add(type=failure.reason)
        status.details.add().Pack(precondition)
    return status


def failure_of(status: status_pb2.Status) -> Failure:
    """Read a status as a failure; unknown codes count as UNKNOWN, a missing reason is derived."""
    code = _code(status.code)
    reason, field, retry_after_seconds = "", "", None
    metadata: dict[str, str] = {}
    for detail in status.details:
        info = error_details_pb2.ErrorInfo()
        request = error_details_pb2.BadRequest()
        retry = error_details_pb2.RetryInfo()
        if detail.Unpack(info) and info.domain == ERROR_DOMAIN:
            reason, metadata = info.reason, dict(info.metadata)
        elif detail.Unpack(request) and request.field_violations:
            field = request.field_violations[0].field
        elif detail.Unpack(retry):
            retry_after_seconds = retry.retry_delay.ToNanoseconds() / _NANOSECONDS
    reason = reason or _REASON_WITHOUT_DETAILS.get(code, "UNEXPECTED_STATUS")
    return Failure(code, reason, field, retry_after_seconds, metadata, received=True)


def failure_from_rpc_error(error: grpc.RpcError) -> Failure:
    """Read the error of a call, of ``grpc`` or ``grpc.aio``, as a failure.

    The text of a foreign error is not taken over: it may hold anything.
    """
    code: grpc.StatusCode = error.code()
    try:
        status = rpc_status.from_call(error)
    except ValueError:  # The details contradict the code: a proxy changed one of them.
        status = None
    if status is None:
        status = status_pb2.Status(code=code.value[0])
    return failure_of(status)


def _code(number: int) -> FailureCode:
    try:
        return FailureCode(number)
    except ValueError:
        return FailureCode.UNKNOWN


def grpc_code(code: FailureCode) -> grpc.StatusCode:
    """The same code in gRPC's own enumeration."""
    return grpc.StatusCode[code.name]
