"""Headings, fences and tables: where chunks may begin and what they carry."""

from __future__ import annotations

import pytest

from corpus_service.chunking import Chunk, ChunkFormat, ChunkLimits, chunk_text, find_structure


def _chunks(text: str, target: int = 1_000, hard: int = 4_000) -> list[Chunk]:
    limits = ChunkLimits(target_characters=target, hard_characters=hard)
    return chunk_text(text, format=ChunkFormat.MARKDOWN, limits=limits)


def _spans(text: str, target: int = 1_000, hard: int = 4_000) -> list[str]:
    return [text[chunk.start : chunk.end] for chunk in _chunks(text, target, hard)]


def test_a_comment_in_a_fence_begins_no_chunk() -> None:
    text = "# Example\n```python\n# a comment\nprint(1)\n```\n# Next"
    chunks = _chunks(text)
    assert [chunk.heading_path for chunk in chunks] == [("Example",), ("Next",)]
    assert text[chunks[1].start :] == "# Next"


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("```", "```"),
        ("~~~", "~~~"),
        ("````md\n```\n# in\n```", "````"),
        ("~~~~\n~~~\n```", "~~~~~"),
        ("   ```", "```  "),
        ("```c++ title=x", "``````"),
    ],
)
def test_every_kind_of_fence_hides_headings(opening: str, closing: str) -> None:
    text = f"# A\n{opening}\n# not a heading\n{closing}\n# B\nend"
    assert [heading.title for heading in find_structure(text).headings] == ["A", "B"]


@pytest.mark.parametrize(
    "text",
    [
        "# A\n> ```\n> # not\n> ```\n# B\n",
        "# A\n> ```\n> # not\n\n# B\n",
        "# A\n- ```\n  # not\n  ```\n# B\n",
        "# A\n- item\n\n  ~~~\n  # not\n  ~~~\n# B\n",
        "# A\n10. ```\n    # not\n# B\n",
        "# A\n> - ```\n>   # not\n# B\n",
    ],
)
def test_fences_in_lists_and_quotes_end_with_their_container(text: str) -> None:
    assert [heading.title for heading in find_structure(text).headings] == ["A", "B"]


def test_an_unclosed_fence_reaches_to_the_end() -> None:
    text = "# A\n```\n# not\n\n# neither\n"
    assert [heading.title for heading in find_structure(text).headings] == ["A"]


@pytest.mark.parametrize(
    "line",
    [
        "#5 is a number",
        "#",
        "####### seven",
        "    # indented code",
        "\t# tab",
        r"\# escaped",
        "`# x`",
    ],
)
def test_what_is_no_heading_with_a_title(line: str) -> None:
    assert [h.title for h in find_structure(f"p\n\n{line}\n").headings if h.title] == []


def test_headings_of_both_styles_make_the_path() -> None:
    text = "Top\n===\n\nintro\n\nSub\n---\n\nbody\n\n### Deep ###\n\nmore\n\n## Other\n\nlast\n"
    assert [chunk.heading_path for chunk in _chunks(text)] == [
        ("Top",),
        ("Top", "Sub"),
        ("Top", "Sub", "Deep"),
        ("Top", "Other"),
    ]


def test_an_empty_heading_keeps_the_path() -> None:
    text = "# A\n\none\n\n###\n\ntwo\n\n#\n\nthree\n"
    assert {chunk.heading_path for chunk in _chunks(text)} == {("A",)}
    assert "".join(_spans(text)) == text


def test_headings_without_a_body_stay_with_what_follows() -> None:
    text = "# A\n\n## B\n\n### C\n\ntext\n"
    chunks = _chunks(text)
    assert [chunk.heading_path for chunk in chunks] == [("A", "B", "C")]


def test_front_matter_is_no_heading() -> None:
    text = "---\ntitle: x\nsummary: y\n---\n\n# A\n\ntext\n"
    assert [heading.title for heading in find_structure(text).headings] == ["A"]


def test_a_long_table_is_cut_between_rows_and_repeats_its_header() -> None:
    header = "| item | where |\n|:---|---:|\n"
    rows = "".join(f"| thing {number} | cave {number} |\n" for number in range(60))
    text = "Some words.\n\n" + header + rows + "\nAfter.\n"
    chunks = _chunks(text, target=200)
    inside = [chunk for chunk in chunks if "| thing" in text[chunk.start : chunk.end]]
    assert len(inside) > 3
    assert inside[0].context == ""
    assert "| thing 0 |" in text[inside[0].start : inside[0].end]
    assert {chunk.context for chunk in inside[1:]} == {header}
    assert all(text[chunk.start - 1] == "\n" for chunk in inside[1:])
    assert text[chunks[-1].start : chunks[-1].end].endswith("After.\n")


def test_a_fence_stays_whole_up_to_the_hard_cap() -> None:
    fence = "```\n" + "line of code\n" * 100 + "```\n"
    text = "word " * 30 + "\n" + fence + "word " * 30 + "\n"
    assert any(fence in span for span in _spans(text, target=300, hard=2_000))


def test_a_fence_over_the_hard_cap_is_cut_at_lines_and_repeats_its_opening() -> None:
    text = "```python\n" + "line of code\n" * 100 + "```\nafter\n"
    chunks = _chunks(text, target=300, hard=300)
    assert len(chunks) > 3
    assert {chunk.context for chunk in chunks[1:-1]} == {"```python\n"}
    assert all(text[chunk.end - 1] == "\n" for chunk in chunks)


def test_whole_lines_are_gathered_and_blank_lines_preferred() -> None:
    paragraph = "one line of words\n" * 4 + "\n"
    spans = _spans(paragraph * 6, target=200)
    assert all(span.endswith("\n\n") for span in spans)


def test_one_long_line_is_cut_at_sentences_then_words() -> None:
    text = "First sentence is here. Second sentence is there. " * 40
    assert all(len(span) <= 200 and span.endswith(". ") for span in _spans(text, target=200)[:-1])
    words = _spans("word" * 3 + " longer" * 200, target=100)
    assert all(span.endswith("longer ") for span in words[1:-1])


def test_cjk_text_has_its_own_target() -> None:
    text = "これは長い日本語の文章です。" * 200
    sizes = [chunk.end - chunk.start for chunk in _chunks(text)]
    assert max(sizes) <= 420
    assert min(sizes[:-1]) > 210


def test_one_line_of_json_of_25_kilobytes_is_cut_under_the_cap() -> None:
    text = '{"key":"' + "v" * 25_000 + '"}'
    chunks = chunk_text(text, format=ChunkFormat.PLAIN)
    assert max(chunk.end - chunk.start for chunk in chunks) <= 1_000
    assert chunks[-1].end == len(text)


def test_white_space_has_no_chunk_of_its_own() -> None:
    assert chunk_text(" \n\t\n\u3000", format=ChunkFormat.PLAIN) == []
    text = "\n" * 5_000 + "a" + "\n" * 5_000 + "b" + " " * 5_000
    assert len(chunk_text(text, format=ChunkFormat.PLAIN)) == 2


def test_too_many_sections_are_divided_evenly() -> None:
    text = "# h\nx\n" * 1_000
    limits = ChunkLimits(maximum_chunks=10)
    chunks = chunk_text(text, format=ChunkFormat.MARKDOWN, limits=limits)
    assert 5 <= len(chunks) <= 10
    assert max(chunk.end - chunk.start for chunk in chunks) < 2 * len(text) / 10


def test_tokens_are_bytes_divided_by_four() -> None:
    assert chunk_text("abcde", format=ChunkFormat.PLAIN)[0].token_count == 2
    assert chunk_text("日本", format=ChunkFormat.PLAIN)[0].token_count == 2


@pytest.mark.parametrize("field", ["target_characters", "hard_characters", "maximum_chunks"])
def test_limits_under_one_are_refused(field: str) -> None:
    with pytest.raises(ValueError, match=field):
        ChunkLimits(**{field: 0})


@pytest.mark.parametrize(
    "text",
    [
        "- " * 200_000,
        "> " * 200_000,
        "|-" * 200_000 + "x",
        "-|-" + " " * 400_000 + "x",
        "`" * 400_000 + "x",
        "# " * 200_000,
        "a\n" + "=" * 400_000 + "x",
        "---\n" + "a: b\n" * 100_000,
        "\n" * 400_000,
        "1. " * 130_000,
        ("```\n" + "x\n") * 60_000,
        ("> ```\n" + "x\n") * 40_000,
        ("a|b\n-|-\n") * 50_000,
    ],
)
def test_hostile_lines_cost_linear_time(text: str) -> None:
    # Quadratic work on these would run into the test's time limit.
    chunks = chunk_text(text, format=ChunkFormat.MARKDOWN)
    assert not text.strip() or chunks[-1].end == len(text)
