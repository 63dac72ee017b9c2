"""The one predicate that decides whether an observation is in reading paths.

It is asked once, at ingest, and its verdict is stored with the observation; every reading statement
goes through views over that verdict, so that a new path cannot forget it. Captures whose redaction
failed never come here: the capture service keeps their reason alone.
"""

from __future__ import annotations

import enum
from typing import Final

from corpus_service.domain.vocabulary import Completeness, SourceRole

HTTP_ERROR_MIN: Final = 400
"""From this status on an answer is an error page (RFC 9110, section 15), not the document."""


class Verdict(enum.IntEnum):
    """Why an observation is in reading paths, or which rule keeps it out."""

    READABLE = 0
    PROBE = 1
    FAILED = 2
    STUB = 3
    SHELL = 4

    @property
    def word(self) -> str:
        """The verdict in lower case, as the artifact's status."""
        return self.name.lower()


def judge(
    *,
    probe: bool,
    role: SourceRole,
    completeness: Completeness,
    http_status: int,
    has_content: bool,
    empty_frame: bool = False,
    unchanged: bool = False,
) -> Verdict:
    """Judge one observation.

    Args:
        probe: The capture is a probe.
        role: Role within its envelope.
        completeness: How much the content holds.
        http_status: Status of the last hop; 0 means unknown.
        has_content: The observation has bytes, its own or those that it says are unchanged.
        empty_frame: Extraction found a frame or script notice in place of the page.
        unchanged: The call gave no content and says that the earlier one, which is at hand, still
            holds: then it is an observation of that content and no stub.
    """
    if probe:
        return Verdict.PROBE
    documentary = role in (SourceRole.DOCUMENT, SourceRole.DERIVED)
    if role is SourceRole.FAILED or (documentary and http_status >= HTTP_ERROR_MIN):
        return Verdict.FAILED
    named_only = role is SourceRole.STUB or completeness is Completeness.STUB
    if not has_content or (named_only and not unchanged):
        return Verdict.STUB
    if empty_frame or completeness is Completeness.SHELL:
        return Verdict.SHELL
    return Verdict.READABLE
