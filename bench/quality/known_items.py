"""Known items: queries whose right answer is known because the document itself says it.

``manual`` asks with the one-line description of a manual page for the page. ``faq`` asks with the
title of a section of the Debian FAQ for the section; a table of contents that repeats it is wrong.
``whole`` is the title as it stands, ``part`` two or three of its content words in a row, as somebody
types who remembers some of it.
"""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

CJK: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uff66-\uff9d"
_CJK_SHARE: Final = 0.12
_HANGUL_SHARE: Final = 0.3
_KANA_SHARE: Final = 0.08
_SAMPLE: Final = 20_000
_TAG: Final = re.compile(
    r"<(?:script|style)\b.*?</(?:script|style)>|<[^>]*>", re.DOTALL | re.IGNORECASE
)
_SECTION: Final = re.compile(
    r'<h[2-6] class="title"[^>]*>\s*<a id="[^"]+"></a>(.*?)</h[2-6]>', re.DOTALL
)
_NUMBER: Final = re.compile(r"^(?:\d+\.)+\s*")
_FUNCTION_CHARACTERS: Final = "的了是在和与或对从把被将给为也都就这那个如何怎么什哪些吗"
_CONTENT_WORD: Final = {
    "en": re.compile(r"[A-Za-z][\w-]{3,}"),
    "ja": re.compile("[\u4e00-\u9fff]{2,}|[\u30a1-\u30fc]{2,}"),
    "ko": re.compile(r"\b\w{2,}?(?=[은는이가을를의에도로와과만]?\b)"),
    "zh": re.compile(f"(?:(?![{_FUNCTION_CHARACTERS}])[\u4e00-\u9fff]){{2,}}"),
}
TITLE_CHARACTERS_MAX: Final = 200
TITLE_WORDS_MIN: Final = 3
TITLE_CJK_CHARACTERS_MIN: Final = 5
ANSWERS_MAX: Final = 3
ANSWER_CHARACTERS: Final = 2_000
SECTION_CHARACTERS_MIN: Final = 20
SHARED_CHARACTERS: Final = 20
"""A hit is right when it shares so many letters and digits in a row with the answer's text."""


@dataclass(frozen=True, slots=True)
class KnownItem:
    """One query with its answers: document and text, "" where the whole document answers."""

    set_name: str
    variant: str
    language: str
    query: str
    answers: tuple[tuple[str, str], ...]

    def is_right(self, document: str, text: str) -> bool:
        """Whether a hit is an answer. Marks and spaces do not count, on either side."""
        for right, answer in self.answers:
            if right == document and (not answer or _shares(_bare(answer), _bare(text))):
                return True
        return False


@dataclass(slots=True)
class Titles:
    """Titles of one set on the way to queries: each with the documents that it names."""

    set_name: str
    answers: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def add(self, title: str, document: str, text: str = "") -> None:
        """Notes that a title names a document or a section of it."""
        self.answers.setdefault(title, []).append((document, text))

    def items(self) -> Iterator[KnownItem]:
        """Yields the queries; titles that are short, long or everybody's are left out."""
        for title, answers in sorted(self.answers.items()):
            language = language_of(title)
            if len(answers) > ANSWERS_MAX or not _is_title(title):
                continue
            yield KnownItem(self.set_name, "whole", language, title, tuple(answers))
            part = _part_of(title, language)
            if part and self._alone(part.split()):
                yield KnownItem(self.set_name, "part", language, part, tuple(answers))

    def _alone(self, words: Sequence[str]) -> bool:
        return sum(all(word in title for word in words) for title in self.answers) <= 1


def read_items(rows: Iterable[dict[str, Any]]) -> list[KnownItem]:
    """Reads queries as JSON Lines hold them: set, variant, language, query, answers.

    An answer has ``doc_id`` and may have ``text``.
    """
    return [
        KnownItem(
            set_name=row["set"],
            variant=row["variant"],
            language=row["language"],
            query=row["query"],
            answers=tuple((answer["doc_id"], answer.get("text", "")) for answer in row["answers"]),
        )
        for row in rows
    ]


def sections_of(page: str) -> Iterator[tuple[str, str]]:
    """Yields title and text of every section of a page of the FAQ that has text of its own."""
    page = page.partition('<div class="navfooter">')[0]
    found = list(_SECTION.finditer(page))
    for number, match in enumerate(found):
        end = found[number + 1].start() if number + 1 < len(found) else len(page)
        text = _readable(page[match.end() : end])
        if len(text) >= SECTION_CHARACTERS_MIN:
            yield _NUMBER.sub("", _readable(match[1])), text[:ANSWER_CHARACTERS]


def language_of(text: str) -> str:
    """Tells en, zh, ja and ko apart by their scripts."""
    letters = [one for one in _TAG.sub(" ", text[: 5 * _SAMPLE]) if one.isalpha()][:_SAMPLE]
    cjk = [one for one in letters if re.match(f"[{CJK}]", one)]
    if len(cjk) < _CJK_SHARE * max(1, len(letters)):
        return "en"
    if sum("\uac00" <= one <= "\ud7af" for one in cjk) > _HANGUL_SHARE * len(cjk):
        return "ko"
    kana = sum("\u3040" <= one <= "\u30ff" for one in cjk)
    return "ja" if kana > _KANA_SHARE * len(cjk) else "zh"


def _readable(markup: str) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", markup)).split())


def _is_title(title: str) -> bool:
    long_enough = (
        len(title.split()) >= TITLE_WORDS_MIN
        or len(re.findall(f"[{CJK}]", title)) >= TITLE_CJK_CHARACTERS_MIN
    )
    return long_enough and len(title) <= TITLE_CHARACTERS_MAX


def _part_of(title: str, language: str) -> str:
    words = _CONTENT_WORD[language].findall(title)
    size = min(3, len(words) - 1)
    if size < 2:
        return ""
    draw = int.from_bytes(hashlib.sha256(title.encode()).digest()[:4], "big")
    start = draw % (len(words) - size + 1)
    return " ".join(words[start : start + size])


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text)


def _shares(answer: str, text: str) -> bool:
    size = min(SHARED_CHARACTERS, len(answer))
    pieces = {answer[at : at + size] for at in range(len(answer) - size + 1)}
    return any(text[at : at + size] in pieces for at in range(len(text) - size + 1))
