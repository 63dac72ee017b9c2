"""Units: the words and phrases of a query, as queries over tokens and as places in a text.

A unit is made once from the pieces of what was typed. Its query finds chunks in an index; its
locator finds the same words again in the normalised text of a chunk, for highlights.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from corpus_service.domain.queries import And, Or, Phrase, Prefix, Query, Term
from corpus_service.search.characters import PRIVATE, UNSPACED
from corpus_service.search.limits import PHRASE_TOKENS_MAX, RUN_CHARACTERS_OF_A_WORD_MAX
from corpus_service.search.preparation import (
    Piece,
    PieceKind,
    analyse_normalised,
    normalise,
)
from corpus_service.search.stop_words import STOP_WORDS

_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_LETTER: Final = re.compile(f"(?![{UNSPACED}_])[\\w{PRIVATE}]")
_RUN_KINDS: Final = frozenset({PieceKind.PAIR, PieceKind.LAST})
_WHOLE_KINDS: Final = frozenset({PieceKind.JOINED, PieceKind.DOTTED, PieceKind.SIGNED})
_BEYOND_ASCII: Final = "\x80"
_VERSION_LETTER: Final = "v"
_BETWEEN_WORDS: Final = r"[\W_]+"
_BETWEEN_PARTS: Final = r"[\W_]*"


@dataclass(frozen=True, slots=True)
class Unit:
    """A word or phrase of a query.

    Attributes:
        shown: As it was typed.
        query: What finds it in an index.
        pattern: Regular expression over normalised text; word borders are checked beside it.
        literal: The same as plain text where it is plain, else "".
        prefix: The last word is only begun.
        stop_word: A word without a subject.
        parts: Smaller units of a run that is a sentence rather than a word; empty otherwise.
        forms: Other forms of the word that ``query`` finds as well.
    """

    shown: str
    query: Query
    pattern: str
    literal: str = ""
    prefix: bool = False
    stop_word: bool = False
    parts: tuple[Unit, ...] = ()
    forms: tuple[str, ...] = ()

    def find(self, normalised: str, *, limit: int) -> list[tuple[int, int]]:
        """Finds the unit in a normalised text; spans there, in order, without overlap."""
        found: list[tuple[int, int]] = []
        for start, behind in self._occurrences(normalised):
            if not _begins_word(normalised, start):
                continue
            end = _word_end(normalised, behind) if self.prefix else behind
            if _ends_word(normalised, end) and (not found or start >= found[-1][1]):
                found.append((start, end))
                if len(found) >= limit:
                    break
        return found

    def _occurrences(self, text: str) -> Iterator[tuple[int, int]]:
        if self.literal:
            if "'" not in text or not self.literal.isalpha():
                yield from _places(self.literal, text)
                return
            if "''" not in text:
                # Compiling a pattern for each new word costs more than ten passages do.
                yield from _places_without_apostrophes(self.literal, text)
                return
        expression = re.compile(self.pattern)
        match = expression.search(text)
        while match is not None:
            yield match.span()
            match = expression.search(text, match.start() + 1)


def units_of_word(
    shown: str, normalised: str, pieces: Sequence[Piece], *, prefix: bool
) -> list[Unit]:
    """Makes the units of what stands between two spaces.

    Words that punctuation joins stay together as a phrase; a run without spaces is a unit of its
    own, because where scripts meet the writing says nothing about what belongs together.
    """
    groups: list[list[Piece]] = []
    for piece in pieces:
        begins = (
            not groups
            or (piece.kind in _RUN_KINDS) != (groups[-1][-1].kind in _RUN_KINDS)
            or (piece.kind is PieceKind.PAIR and piece.start >= groups[-1][-1].end)
        )
        if begins:
            groups.append([])
        groups[-1].append(piece)
    units: list[Unit] = []
    for number, group in enumerate(groups):
        whole = len(groups) == 1
        name = shown if whole else normalised[group[0].start : group[-1].end]
        if group[0].kind in _RUN_KINDS:
            units.extend(_run_units(name, normalised, group))
        else:
            begun = prefix and number == len(groups) - 1
            units.extend(_word_units(name, normalised, group, prefix=begun))
    return units


def units_of_phrase(shown: str, normalised: str, pieces: Sequence[Piece]) -> list[Unit]:
    """Makes the unit of a quoted text; more than one only where it is very long."""
    units = []
    for part in _parts(pieces):
        tokens, begun = _phrase_tokens(part)
        pattern, literal = _surface(normalised, part)
        units.append(
            Unit(
                shown=shown,
                query=_sequence(tokens, begun=begun),
                pattern=pattern,
                literal=literal,
            )
        )
    return units


def units_of_literal(text: str) -> list[Unit]:
    """Makes the units of a text in which nothing is syntax."""
    normalised = normalise(text)
    return units_of_phrase(text.strip(), normalised, analyse_normalised(normalised))


def literal_query(texts: Sequence[str]) -> Query | None:
    """Makes a query that every passage with one of some texts as words of its own matches.

    Returns:
        The query; None where a text has no words, so that the index cannot tell.
    """
    queries = [[unit.query for unit in units_of_literal(text)] for text in texts]
    return any_of([all_of(parts) for parts in queries]) if all(queries) else None


def _parts(pieces: Sequence[Piece]) -> Iterator[Sequence[Piece]]:
    for at in range(0, len(pieces), PHRASE_TOKENS_MAX):
        yield pieces[at : at + PHRASE_TOKENS_MAX]


def _run_units(shown: str, normalised: str, group: Sequence[Piece]) -> Iterator[Unit]:
    for part in _parts(group):
        if all(piece.kind is PieceKind.LAST for piece in part):
            continue
        tokens, begun = _phrase_tokens(part)
        start, end = part[0].start, part[-1].end
        text = normalised[start:end]
        smaller: tuple[Unit, ...] = ()
        if end - start > RUN_CHARACTERS_OF_A_WORD_MAX:
            smaller = tuple(
                Unit(shown=token, query=Term(token), pattern=re.escape(token), literal=token)
                for token in dict.fromkeys(tokens)
            )
        yield Unit(
            shown=shown,
            query=_sequence(tokens, begun=begun),
            pattern=re.escape(text),
            literal=text,
            parts=smaller,
        )


def _word_units(
    shown: str, normalised: str, group: Sequence[Piece], *, prefix: bool
) -> Iterator[Unit]:
    parts = list(_parts(group))
    for number, part in enumerate(parts):
        begun = prefix and number == len(parts) - 1 and part[-1].kind not in {
            PieceKind.SIGNED, PieceKind.DOTTED
        }  # fmt: skip
        pattern, literal = _surface(normalised, part)
        yield Unit(
            shown=shown,
            query=_word_query(part, prefix=begun),
            pattern=pattern,
            literal=literal,
            prefix=begun,
            stop_word=len(group) == 1 and not begun and part[0].token in STOP_WORDS,
        )


def _word_query(part: Sequence[Piece], *, prefix: bool) -> Query:
    last = part[-1]
    if prefix:
        return Prefix(tuple(piece.token for piece in _without_last_joined(part)))
    plain, _ = _phrase_tokens(part)
    query = _sequence(plain, begun=False)
    if last.kind is PieceKind.JOINED and _is_whole(part):
        # The parts find every spelling, the whole prefers the one that was typed.
        return Or((query, Term(last.token)))
    if last.kind is PieceKind.DOTTED and len(part) == 2:
        return Or((Term(part[0].token), Term(last.token)))
    return query


def _is_whole(part: Sequence[Piece]) -> bool:
    """Whether the last piece stands for all others, a v before a version number apart."""
    has_v = part[0].token == _VERSION_LETTER and len(part) > 2
    return part[-1].start in {part[0].start, part[int(has_v)].start}


def _without_last_joined(part: Sequence[Piece]) -> Sequence[Piece]:
    return part[:-1] if part[-1].kind is PieceKind.JOINED and len(part) > 1 else part


def _phrase_tokens(part: Sequence[Piece]) -> tuple[tuple[str, ...], bool]:
    """Returns the tokens of a phrase and whether its last one is only begun.

    A whole behind the last word, or the last character behind the last pair, would ask for the end
    of a word or run there. A bare word before its signed form adds nothing at the beginning.
    """
    kept = list(_without_last_joined(part))
    if kept[-1].kind is PieceKind.LAST and len(kept) > 1:
        kept.pop()
    if len(kept) > 1 and kept[1].kind is PieceKind.SIGNED and kept[1].start == kept[0].start:
        kept.pop(0)
    last = kept[-1]
    begun = last.kind in _RUN_KINDS and last.end - last.start == 1
    return tuple(piece.token for piece in kept), begun


def _sequence(tokens: tuple[str, ...], *, begun: bool) -> Query:
    if begun:
        return Prefix(tokens)
    return Term(tokens[0]) if len(tokens) == 1 else Phrase(tokens)


def _surface(normalised: str, part: Sequence[Piece]) -> tuple[str, str]:
    """Returns a pattern for the text of the pieces, and the text itself where it is one word."""
    spans: list[tuple[int, int]] = []
    for piece in part:
        if spans and piece.start < spans[-1][1]:
            # Pairs overlap, a whole covers its parts: together they are one stretch of text.
            if piece.kind in _RUN_KINDS or piece.kind is PieceKind.SIGNED:
                spans[-1] = (spans[-1][0], max(spans[-1][1], piece.end))
            continue
        spans.append((piece.start, piece.end))
    words = [re.escape(normalised[start:end]) for start, end in spans]
    if len(spans) == 1:
        word = normalised[spans[0][0] : spans[0][1]]
        signs = part[-1].kind is PieceKind.SIGNED
        if signs:
            word += normalised[spans[0][1] : spans[0][1] + len(part[-1].token) - len(word)]
        pattern = "'?".join(map(re.escape, word)) if word.isalpha() else re.escape(word)
        return pattern, word
    pattern = words[0]
    for (_, end), (start, _), word in zip(spans, spans[1:], words[1:], strict=False):
        gap = normalised[end:start]
        meets = _UNSPACED.match(normalised, end - 1) or _UNSPACED.match(normalised, start)
        loose = gap in {"", "'"} or meets
        pattern += (_BETWEEN_PARTS if loose else _BETWEEN_WORDS) + word
    return pattern, ""


def _places(literal: str, text: str) -> Iterator[tuple[int, int]]:
    """Finds a text in another one, overlapping places too."""
    size = len(literal)
    at = text.find(literal)
    while at >= 0:
        yield at, at + size
        at = text.find(literal, at + 1)


def _places_without_apostrophes(word: str, text: str) -> Iterator[tuple[int, int]]:
    """Finds a word between whose letters single apostrophes may stand."""
    parts = text.split("'")
    # The position within the joined parts before which each apostrophe stands.
    borders = list(accumulate(map(len, parts[:-1])))
    for start, end in _places(word, "".join(parts)):
        yield start + bisect_right(borders, start), end + bisect_right(borders, end - 1)


def _is_letter(character: str) -> bool:
    """Whether a character belongs to a word that stands between spaces."""
    if character < _BEYOND_ASCII:
        return character.isalnum()
    return _LETTER.match(character) is not None


def _begins_word(text: str, start: int) -> bool:
    if start == 0 or not _is_letter(text[start - 1]) or not _is_letter(text[start]):
        return True
    # A version number is found behind its v.
    return text[start - 1] == _VERSION_LETTER and text[start].isdigit()


def _ends_word(text: str, end: int) -> bool:
    return end >= len(text) or not (_is_letter(text[end]) and _is_letter(text[end - 1]))


def _word_end(text: str, end: int) -> int:
    while end < len(text) and _is_letter(text[end]):
        end += 1
    return end


def all_of(queries: Sequence[Query]) -> Query:
    """Joins queries that must all match."""
    return queries[0] if len(queries) == 1 else And(tuple(queries))


def any_of(queries: Sequence[Query]) -> Query:
    """Joins queries of which some must match."""
    return queries[0] if len(queries) == 1 else Or(tuple(queries))
