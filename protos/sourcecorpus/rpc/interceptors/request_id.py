"""Gives each call its request id and tells it to the caller in the trailing metadata."""

from __future__ import annotations

from sourcecorpus.rpc import request_ids
from sourcecorpus.rpc.interceptors.base import (
    Context,
    HandlerInterceptor,
    Method,
    metadata_value,
)


class RequestIdInterceptor(HandlerInterceptor):
    """Takes a well-formed ``x-request-id`` of the caller, or makes one."""

    def before(self, method: Method, context: Context) -> None:
        """Set the id of the call."""
        del method
        request_id = request_ids.begin(metadata_value(context, request_ids.REQUEST_ID_KEY))
        context.set_trailing_metadata(((request_ids.REQUEST_ID_KEY, request_id),))
