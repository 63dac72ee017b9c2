"""Documents for the store's figures, read from a corpus of JSON lines or made up by a seed.

A line of a corpus file is {"uri", "media_type", "text" or "base64"}. ``raw`` takes documents as
they come, ``mid20k`` those of 8 to 60 KB, the size that captures have.
"""

from __future__ import annotations

import base64
import json
import random
from dataclasses import dataclass
from pathlib import Path

MID_BYTES = (8_000, 60_000)


@dataclass(frozen=True, slots=True)
class Document:
    """One body under one address."""

    uri: str
    media_type: str
    body: bytes


def from_file(path: Path, *, count: int, mid: bool) -> list[Document]:
    """Return the first documents of a corpus file."""
    found: list[Document] = []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            body = entry["text"].encode() if "text" in entry else base64.b64decode(entry["base64"])
            if mid and not MID_BYTES[0] <= len(body) <= MID_BYTES[1]:
                continue
            found.append(Document(entry["uri"], entry["media_type"], body))
            if len(found) == count:
                break
    return found


def made_up(*, count: int, seed: int = 5) -> list[Document]:
    """Return HTML pages of 8 to 60 KB with words drawn by Zipf's law."""
    draw = random.Random(seed)
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    words = ["".join(draw.choices(letters, k=draw.randint(2, 11))) for _ in range(20_000)]
    weights = [1 / (rank + 1) for rank in range(len(words))]
    found = []
    for number in range(count):
        parts = [f"<html><head><title>Page {number}</title></head><body>"]
        size = draw.randint(*MID_BYTES)
        length = 0
        while length < size:
            text = " ".join(draw.choices(words, weights, k=60))
            parts.append(f"<h2>{text[:40]}</h2><div class='c'><p>{text}</p></div>")
            length += len(parts[-1])
        body = "".join([*parts, "</body></html>"]).encode()
        found.append(Document(f"https://pages.example/{number}", "text/html", body))
    return found
