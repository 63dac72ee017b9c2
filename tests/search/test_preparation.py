"""Preparation: what the index gets, what a query asks for, and that both agree."""

from __future__ import annotations

import re
import unicodedata

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_service.search.preparation import (
    TOKEN_CODE_POINTS_MAX,
    analyse,
    normalise,
    prepare_all_for_index,
    prepare_for_index,
)
from corpus_service.search.view import view_of

DIFFICULT = list(
    "ab1v.'+#_-c \u2019\u0301\u3099ﾞカ悬空引Ⅲßİé\u00ad\u200bгй\u093f\u0915ㅏㄱᄀ각\u11a8½™\n"
)
TEXTS = st.text(alphabet=st.one_of(st.sampled_from(DIFFICULT), st.characters()), max_size=40)


def words(text: str) -> list[str]:
    """The tokens as a lexer of words cuts them; private letters are letters."""
    return _cut_like_a_lexer(prepare_for_index(text))


def _cut_like_a_lexer(prepared: str) -> list[str]:
    return re.findall("(?:[^\\W_]|[\ue000-\uf8ff\U000f0000-\U0010fffd])+", prepared)


class Lexer:
    """The tokens that unicode61 itself makes of a text."""

    def __init__(self) -> None:
        self._connection = apsw.Connection(":memory:")
        self._connection.execute(
            "create virtual table t using fts5(x, tokenize='unicode61 remove_diacritics 0')"
        )
        self._connection.execute("create virtual table v using fts5vocab(t, 'instance')")

    def tokens(self, prepared: str) -> list[str]:
        self._connection.execute("delete from t")
        self._connection.execute("insert into t(rowid, x) values (1, ?)", (prepared,))
        return [row[0] for row in self._connection.execute("select term from v order by offset")]


@pytest.fixture(scope="module")
def lexer() -> Lexer:
    return Lexer()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't stop", "don t dont stop"),
        ("Don\u2019t stop", "don t dont stop"),
        ("l'été d\u02bcor", "l ete lete d or dor"),
        ("foo-bar_baz", "foo bar baz"),
        ("007 7", "007 7"),
        ("Straße STRASSE", "strasse strasse"),
        ("İstanbul ıslak", "istanbul islak"),
        ("ＡＢＣ Ⅲ号", "abc iii 号"),
        ("Łódź ångström cœur", "lodz angstrom coeur"),
        ("йод ёлка", "йод елка"),
        ("Foo\u2122 bar", "foo bar"),
        ("so\u00adft ze\u200bro \ufeffbom", "soft zero bom"),
        ("悬空引用", "悬空 空引 引用 用"),
        ("悬", "悬"),
        ("重跑gen-itgc后", "重跑 跑 gen itgc 后"),
        ("ﾄﾞｸﾀｰ", "ドク クタ ター ー"),
        ("관리자", "관리 리자 자"),
        ("발\u3000전", "발 전"),
        ("𠮷野家", "𠮷野 野家 家"),
    ],
)
def test_tokens_of_a_text(text: str, expected: str) -> None:
    assert words(text) == expected.split()


def test_signs_and_version_numbers_have_tokens_of_their_own() -> None:
    for bare, signed in (("c", "C++"), ("c", "C#"), ("net", ".NET"), ("g", "g++")):
        plain, whole = words(signed)
        assert plain == bare
        assert whole != bare
        assert words(f"使用{signed}编程")[2:4] == [plain, whole]
    assert words("c++")[1] != words("c#")[1]
    assert words("1.21.4")[:3] == ["1", "21", "4"]
    assert words("v1.21.4") == ["v", *words("1.21.4")]
    assert words("1.21.4")[3] != words("12.14")[2]
    assert words("版本1.21.4更新")[2:6] == words("1.21.4")
    assert words("1.2b")[-1] == "2b"


def test_voicing_of_kana_stays() -> None:
    assert words("ガラス") != words("カラス")
    assert words("ガラス") == words("ｶﾞﾗｽ") == words("カ\u3099ラス")


@pytest.mark.parametrize("word", ["관리자님", "Å", "é", "ガ", "한국어"])
def test_composed_and_decomposed_are_one(word: str) -> None:
    forms = {
        prepare_for_index(unicodedata.normalize(form, word)) for form in ("NFC", "NFD", "NFKD")
    }
    assert len(forms) == 1


def test_long_words_are_cut_into_bounded_tokens() -> None:
    text = "x" * (3 * TOKEN_CODE_POINTS_MAX + 5) + " é" + "y" * (TOKEN_CODE_POINTS_MAX + 1)
    assert max(map(len, words(text))) == TOKEN_CODE_POINTS_MAX
    assert [piece.token for piece in analyse(text)] == words(text)


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_index_and_query_agree_on_the_lexer_of_sqlite(lexer: Lexer, text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    assert lexer.tokens(prepare_for_index(text)) == [piece.token for piece in analyse(text)]


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_normalising_is_idempotent_and_the_view_is_its_text(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert view_of(text).text == once


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_view_maps_into_the_text_in_order(text: str) -> None:
    view = view_of(text)
    previous = 0
    for position in range(len(view.text)):
        start, end = view.original_span(position, position + 1)
        assert previous <= start < end <= len(text)
        assert view.text[position] in normalise(text[start:end])
        previous = start


def test_lone_surrogates_are_data() -> None:
    assert words("a \ud800 b") == ["a", "b"]
    assert [piece.token for piece in analyse("\udfff悬空")] == ["悬空", "空"]


@settings(max_examples=400, deadline=None)
@given(st.lists(TEXTS, max_size=5))
def test_texts_that_are_prepared_together_do_not_touch_each_other(texts: list[str]) -> None:
    together = [_cut_like_a_lexer(prepared) for prepared in prepare_all_for_index(texts)]
    assert together == [[piece.token for piece in analyse(text)] for text in texts]


def test_a_text_with_the_separator_is_prepared_like_any_other() -> None:
    texts = ["gate\x1etower", "悬空"]
    assert prepare_all_for_index(texts) == [prepare_for_index(text) for text in texts]
    assert words(texts[0]) == ["gate", "tower"]
