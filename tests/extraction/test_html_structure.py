"""What the text of a page keeps: headings, lists, tables, code, links, and the claims of its head."""

from __future__ import annotations

import pytest

from corpus_service.extraction import (
    Claim,
    ClaimKind,
    ExtractedText,
    ExtractionRequest,
    TextExtraction,
)


def _extract(page: str) -> ExtractedText:
    return TextExtraction().extract(ExtractionRequest(page.encode(), "text/html"))


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<h2>A <em>b</em></h2><p>c", "## A b\n\nc"),
        ("<h1><div>Title</div></h1><p>x", "# Title\n\nx"),
        ("<h1>open<p>para", "# open\n\npara"),
        ("<h3></h3><p>x", "x"),
        ("<ul><li>a<ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c"),
        ("<ol start=9><li>a<li>b</ol>", "9. a\n10. b"),
        ("<dl><dt>T<dd>D</dl>", "T\n: D"),
        ("<blockquote><p>a<p>b</blockquote>c", "> a\n\n> b\n\nc"),
        ("<p>a<br>b", "a\nb"),
        ("<p>  a \n\t b  </p>", "a b"),
        ("<p>a&nbsp;b", "a\u00a0b"),
        ("<b>bo</b>ld <i>it</i>", "bold it"),
        ('<a href="/x?a=1&amp;b=2"> go </a>on', "[go](/x?a=1&b=2) on"),
        ('<a href="#top">up</a> <a href="#s">¶</a> <a href="javascript:x()">js</a>', "up js"),
        ('<a href="/x"><div>card</div></a>', "card\n(/x)"),
        ('<img src="i.png" alt="pic"> <img src="j.png"> <img src="data:x" alt="d">', "![pic](i.png) d"),
        ("use <code>a</code>, <kbd>b</kbd> and <code>c`d</code>", "use `a`, `b` and `` c`d ``"),
        ("<pre>a\n  b</pre>", "```\na\n  b\n```"),
        ('<pre><code class="language-py">x<br>y</code></pre>', "```py\nx\ny\n```"),
        ("<pre>```\nin\n```</pre>", "````\n```\nin\n```\n````"),
        ("<p># no heading<p>``` no fence", "\\# no heading\n\n\\``` no fence"),
        ("<script>s</script><style>t</style><template>u</template><nav>v</nav>w", "w"),
        ("<nav><a href=/a>only</a></nav>", "[only](/a)"),
    ],
)  # fmt: skip
def test_markup_becomes_markdown_like_text(page: str, text: str) -> None:
    assert _extract(page).text == text


def _table(*rows: str) -> str:
    cells = ("".join(f"<td>{cell}" for cell in row.split(",")) for row in rows)
    return "<table>" + "".join(f"<tr>{row}" for row in cells) + "</table>"


def test_a_table_becomes_a_grid() -> None:
    page = "<p>before" + _table("a,b", "1|2,x<br>y", ",z") + "after"
    assert _extract(page).text == (
        "before\n\n| a | b |\n| --- | --- |\n| 1\\|2 | x y |\n|  | z |\n\nafter"
    )


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (_table("one,two"), "one\ntwo"),
        (_table("one", "two"), "one\ntwo"),
        (_table("<h2>H</h2>text,side", "x,y"), "## H\n\ntext\n\nside\nx\ny"),
        (_table("<pre>code</pre>,b", "c,d"), "```\ncode\n```\n\nb\nc\nd"),
        (_table(_table("a,b", "c,d") + ",x", "y,z"), "| a | b |\n| --- | --- |\n| c | d |\n\nx\ny\nz"),
    ],
)  # fmt: skip
def test_a_table_for_layout_becomes_blocks(page: str, text: str) -> None:
    assert _extract(page).text == text


def test_tables_nested_without_end_keep_their_text() -> None:
    page = "<table><tr><td>level " * 40 + "deep"
    assert _extract(page).text.count("level") == 40


def test_claims_are_kept_and_decide_nothing() -> None:
    page = (
        '<html lang="de-DE"><head><title> A\u202e \n title </title>'
        '<link rel="canonical" href="https://x.example/c"><meta property="og:url" content="/o">'
        '<link rel="alternate" hreflang="ja" href="/ja"><link rel="license" href="/by">'
        '<link rel="stylesheet" href="s.css"></head><body>Kurz.'
    )
    found = _extract(page)
    assert found.title == "A title"
    assert found.language == "de"
    assert found.claims == (
        Claim(ClaimKind.CANONICAL, "https://x.example/c"),
        Claim(ClaimKind.OPEN_GRAPH_URL, "/o"),
        Claim(ClaimKind.ALTERNATE_LANGUAGE, "/ja", "ja"),
        Claim(ClaimKind.LICENSE, "/by"),
    )


def test_the_first_heading_is_the_title_of_a_page_without_one() -> None:
    assert _extract("<h1>Only heading</h1><p>x").title == "Only heading"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("このページでは、ゲーム内の隠しアイテムの見つけ方を説明します。", "ja"),
        ("本页介绍如何找到游戏中的所有隐藏物品。", "zh"),
        ("이 페이지는 게임의 숨겨진 아이템을 찾는 방법을 설명합니다.", "ko"),
        ("Diese Seite beschreibt, wie man alle versteckten Gegenstände im Spiel findet. " * 4, "de"),
        ("Cette page décrit comment trouver tous les objets cachés du jeu et les quêtes. " * 4, "fr"),
        ("На этой странице описано, как найти все скрытые предметы в игре. " * 4, "ru"),
        ("This page is about the items that you find in the game and what they are for. " * 4, "en"),
    ],
)  # fmt: skip
def test_language_is_that_of_the_text_even_if_declared_otherwise(text: str, language: str) -> None:
    assert _extract(f'<html lang="en"><body><p>{text}').language == language
