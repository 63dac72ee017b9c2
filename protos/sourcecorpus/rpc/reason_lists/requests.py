"""Reasons of requests that are not well formed."""

from __future__ import annotations

from typing import Final

from sourcecorpus.rpc.codes import FailureCode
from sourcecorpus.rpc.reason import Reason

_INVALID: Final = FailureCode.INVALID_ARGUMENT

REQUESTS: Final = (
    # Requests.
    Reason("FIELD_REQUIRED", _INVALID, "a required field is empty", "Set the field."),
    Reason("FIELD_INVALID", _INVALID, "a field has a value it cannot have", "Correct the field."),
    Reason("FIELD_TOO_LARGE", _INVALID, "a field is larger than its limit", "Send less."),
    Reason(
        "FIELD_TOO_MANY_VALUES", _INVALID, "a list has more values than its limit", "Send fewer."
    ),
    Reason("FIELD_VALUE_EMPTY", _INVALID, "a list holds an empty value", "Leave the value out."),
    Reason(
        "LOCATOR_REQUIRED", _INVALID, "exactly one locator is required", "Set exactly one locator."
    ),
    Reason("INVALID_REF", _INVALID, "the ref is not a citation ref", "Pass a ref as it was given."),
    Reason(
        "REF_CHECK_FAILED",
        _INVALID,
        "the check characters of the ref do not fit: it was mistyped",
        "Copy the ref once more.",
    ),
    Reason("QUOTE_EMPTY", _INVALID, "the quote has nothing to compare", "Send a text."),
    Reason("INVALID_HASH", _INVALID, "a hash is not sha256:<64 hex>", "Correct the hash."),
    Reason("INVALID_JSON", _INVALID, "a field is not valid JSON", "Correct the field."),
    Reason(
        "UNDECODABLE_MESSAGE",
        _INVALID,
        "the message cannot be decoded",
        "Check that both sides use the same contract; texts are UTF-8.",
    ),
    Reason("PAGE_SIZE_NEGATIVE", _INVALID, "page_size is negative", "Send 0 or more."),
    Reason(
        "PAGE_TOKEN_INVALID",
        _INVALID,
        "the page token does not belong to this request",
        "Repeat the request of the first page unchanged, or begin without a token.",
    ),
    Reason("PATTERN_INVALID", _INVALID, "the pattern is not valid RE2", "Correct it at position."),
    Reason(
        "PATTERN_TOO_COSTLY",
        FailureCode.RESOURCE_EXHAUSTED,
        "the pattern is too large for a line of version_id, which is long",
        "Ask for a simpler pattern, or for a literal.",
    ),
    Reason("QUERY_TOO_LONG", _INVALID, "the query is longer than its limit", "Shorten the query."),
    Reason("QUERY_EMPTY", _INVALID, "the query has nothing to search for", "Add a word."),
    Reason("SPAN_OUT_OF_RANGE", _INVALID, "the span lies outside of the text", "Correct the span."),
    Reason(
        "FIELDS_CONFLICT",
        _INVALID,
        "two fields that exclude each other are set",
        "Leave one of them out.",
    ),
    Reason("BATCH_EMPTY", _INVALID, "the batch is empty", "Send at least one item."),
)
