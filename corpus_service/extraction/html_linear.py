"""HTML without a tree: for documents whose depth or attributes would make a tree quadratic.

Text is complete, structure is lost. One pass of one regular expression; time is linear in the size.
"""

from __future__ import annotations

import html
import re
from typing import Final

from corpus_service.extraction.limits import HTML_DEPTH_MAX, HTML_TAG_BYTES_MAX

_TAG: Final = re.compile(
    r"<(?:!--.*?(?:-->|\Z)|(/?)([a-zA-Z][a-zA-Z0-9-]{0,40})[^>]*+(?:>|\Z)|[!?][^>]*+(?:>|\Z))",
    re.DOTALL,
)
_HIDDEN: Final = re.compile(
    r"<(script|style|template|noscript|svg)\b[^>]*+(?:\Z|>.*?(?:</\1\s*>|\Z))",
    re.DOTALL | re.IGNORECASE,
)
_INLINE: Final = frozenset(
    [
        "a",
        "abbr",
        "acronym",
        "b",
        "bdi",
        "bdo",
        "big",
        "cite",
        "code",
        "data",
        "del",
        "dfn",
        "em",
        "font",
        "i",
        "ins",
        "kbd",
        "label",
        "mark",
        "nobr",
        "q",
        "rp",
        "rt",
        "ruby",
        "s",
        "samp",
        "small",
        "span",
        "strike",
        "strong",
        "sub",
        "sup",
        "time",
        "tt",
        "u",
        "var",
        "wbr",
    ]
)
# Elements without an end tag, or whose end tag may be omitted: what contains them counts.
_NOT_COUNTED: Final = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
        "a",
        "p",
        "li",
        "dt",
        "dd",
        "tr",
        "td",
        "th",
        "tbody",
        "thead",
        "tfoot",
        "caption",
        "colgroup",
        "option",
        "optgroup",
        "rp",
        "rt",
    ]
)
_BLANK_LINES: Final = re.compile(r"[ \t\f]*\n[ \t\f\n]*")
_SPACES: Final = re.compile(r"[ \t\f]+")


def is_hostile(markup: str) -> bool:
    """Say whether a tree of this markup would be too deep or a start tag too large.

    An element whose end tag is missing counts as open, which is what makes the depth; elements that a
    parser closes by itself do not.
    """
    depth = 0
    for match in _TAG.finditer(markup):
        if match.end() - match.start() > HTML_TAG_BYTES_MAX and match[2]:
            return True
        name = match[2]
        if not name or name.lower() in _NOT_COUNTED:
            continue
        if match[1]:
            depth = max(0, depth - 1)
        else:
            depth += 1
            if depth > HTML_DEPTH_MAX:
                return True
    return False


def linear_text(markup: str) -> str:
    """Return the text between the tags, one line per block element."""
    markup = _HIDDEN.sub(" ", markup)
    text = html.unescape(_TAG.sub(_replacement, markup))
    return _BLANK_LINES.sub("\n", _SPACES.sub(" ", text)).strip()


def _replacement(match: re.Match[str]) -> str:
    name = match[2]
    return "" if not name or name.lower() in _INLINE else "\n"
