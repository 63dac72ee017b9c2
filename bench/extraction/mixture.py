"""Mixed documents for the extraction benchmark: seeded, of a wanted size, hostile ones among them."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.extraction.document_files import docx_of, epub_of, odt_of, pdf_of

_TEXT = """the map of a cave and its hidden door shows where to find iron copper or gold when you
build with water stone wood rails lamps a quest begins at night near the old tower for each player"""
_WORDS = _TEXT.split()
_CJK = "洞窟の地図には隠された扉があり鉄や銅や金を見つける場所が描かれている。夜になると塔の近くで依頼が始まる。"


@dataclass(frozen=True, slots=True)
class Document:
    """One document of the mixture."""

    kind: str
    content_type: str
    content: bytes


def mixture(megabytes: float, seed: int, corpus: Path | None) -> Iterator[Document]:
    """Yield documents of every kind until their bytes reach the wanted size.

    Args:
        megabytes: sum of the contents' sizes, 10^6 bytes each.
        seed: equal seeds give equal documents.
        corpus: optional JSON Lines file with `media_type` and `text` or `base64` a line; its
            documents stand in for the made HTML, text, JSON and XML.
    """
    draw = random.Random(seed)
    left = int(megabytes * 1_000_000)
    given = _given(corpus) if corpus else iter(())
    while left > 0:
        document = next(given, None) or _made(draw)
        left -= len(document.content)
        yield document
        if draw.random() < 0.02:
            document = _container(draw)
            left -= len(document.content)
            yield document
    yield from hostile()


def hostile() -> Iterator[Document]:
    """Yield documents that are made to exhaust a reader."""
    yield Document("hostile", "text/html", b"<div>" * 100_000 + b"deep")
    yield Document("hostile", "text/html", b"<ul><li>" * 8_000 + b"deep")
    yield Document("hostile", "application/json", b'{"a":"' + b"x" * 25_000_000 + b'"}')
    yield Document("hostile", "application/json", b"[" * 1_000_000)
    yield Document("hostile", "text/plain", b"a" * 25_000_000)
    yield Document("hostile", "", odt_of(" " * 70_000_000))
    yield Document("hostile", "", pdf_of([[(9, 9, "x" * 2_000_000)]]))
    yield Document("hostile", "text/markdown", b"> - " * 500_000)


def _given(corpus: Path) -> Iterator[Document]:
    with corpus.open(encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            body = entry["text"].encode() if "text" in entry else base64.b64decode(entry["base64"])
            yield Document(entry["media_type"], entry["media_type"], body)


def _sentence(draw: random.Random) -> str:
    if draw.random() < 0.15:
        start = draw.randrange(20)
        return _CJK[start : start + draw.randrange(10, 40)]
    return " ".join(draw.choices(_WORDS, k=draw.randrange(6, 25))).capitalize() + "."


def _paragraph(draw: random.Random) -> str:
    return " ".join(_sentence(draw) for _ in range(draw.randrange(1, 5)))


def _made(draw: random.Random) -> Document:
    kind = draw.choices(
        ["text/html", "text/markdown", "text/plain", "application/json"], [6, 2, 1, 1]
    )
    paragraphs = [_paragraph(draw) for _ in range(draw.randrange(4, 120))]
    if kind == ["text/html"]:
        return Document("text/html", "text/html", _page(draw, paragraphs).encode())
    if kind == ["text/markdown"]:
        text = "\n\n".join(f"## {p[:30]}\n\n{p}\n\n```\n{p[:60]}\n```" for p in paragraphs)
        return Document("text/markdown", "text/markdown", text.encode())
    if kind == ["text/plain"]:
        return Document("text/plain", "text/plain", "\n".join(paragraphs).encode())
    rows = [{"id": n, "text": p, "tags": ["a", "b"]} for n, p in enumerate(paragraphs)]
    return Document("application/json", "application/json", json.dumps(rows).encode())


def _page(draw: random.Random, paragraphs: list[str]) -> str:
    parts = ["<!doctype html><html lang=en><head><title>A page</title></head><body><nav>menu</nav>"]
    for number, text in enumerate(paragraphs):
        if number % 5 == 0:
            parts.append(f'<h2 id="s{number}">{text[:40]} <a href="#s{number}">¶</a></h2>')
        parts.append(
            f'<div class="box"><p>{text} <a href="/p/{number}">see <b>more</b></a></p></div>'
        )
        if draw.random() < 0.15:
            row = "<tr><td>name</td><td><code>x</code></td><td>12</td></tr>"
            parts.append(f"<table>{row * draw.randrange(2, 12)}</table>")
        if draw.random() < 0.15:
            parts.append("<ul>" + f"<li>{text[:50]}</li>" * draw.randrange(2, 8) + "</ul>")
    return "".join(parts)


def _container(draw: random.Random) -> Document:
    paragraphs = [_paragraph(draw) for _ in range(60)]
    latin = [p.encode("ascii", "ignore").decode()[:80] for p in paragraphs]
    kind = draw.choice(["pdf", "epub", "docx", "odt"])
    if kind == "pdf":
        page = [(40, 780 - 12 * number, line) for number, line in enumerate(latin)]
        return Document(kind, "application/pdf", pdf_of([page] * draw.randrange(1, 40)))
    if kind == "epub":
        chapter = "".join(f"<p>{text}</p>" for text in paragraphs)
        return Document(kind, "application/epub+zip", epub_of([f"<h1>A</h1>{chapter}"] * 12))
    if kind == "docx":
        body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
        return Document(kind, "", docx_of(body))
    return Document(kind, "", odt_of("".join(f"<text:p>{text}</text:p>" for text in paragraphs)))
