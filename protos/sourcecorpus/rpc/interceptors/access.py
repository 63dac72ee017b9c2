"""Refuses calls whose caller lacks the role, before anything is looked up."""

from __future__ import annotations

from sourcecorpus.rpc.access import AccessPolicy
from sourcecorpus.rpc.interceptors.base import (
    Context,
    HandlerInterceptor,
    Method,
    metadata_value,
)


class AccessInterceptor(HandlerInterceptor):
    """Asks an access policy about each call."""

    def __init__(self, policy: AccessPolicy) -> None:
        super().__init__()
        self._policy = policy

    def before(self, method: Method, context: Context) -> None:
        """Let the call pass.

        Raises:
            Failure: UNAUTHENTICATED or PERMISSION_DENIED.
        """
        self._policy.check(method.full_name, metadata_value(context, "authorization"))
