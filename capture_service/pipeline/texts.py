"""Texts on their way into protobuf fields: valid UTF-8 and within their bound."""

from __future__ import annotations


def valid_text(text: str) -> str:
    """Replace lone surrogates by U+FFFD; protobuf refuses a text that is no valid UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def bounded_text(text: str, code_points_max: int) -> str:
    """Valid text cut after a number of code points."""
    return valid_text(text[:code_points_max])
