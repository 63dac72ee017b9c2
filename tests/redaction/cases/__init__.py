"""Texts with planted secrets and look-alikes: a collected set, and seeded generators of a larger one.

The collected set stands in its file with every string reversed, and the generators build their secrets at run
time, so that no literal token is in the repository.
"""

import json
from pathlib import Path

from .model import Case, Maker
from .negatives import negative_cases
from .positive_encodings import encoded_cases
from .positive_shapes import SHAPES
from .short_texts import short_cases
from .templates import document_cases
from .vendor_formats import CONTEXTS, FORMATS

_COLLECTED = Path(__file__).with_name("collected_reversed.jsonl")


def collected_cases() -> list[Case]:
    """The collected set, turned round."""
    cases = []
    for line in _COLLECTED.read_text("utf-8").splitlines():
        row = json.loads(line)
        secrets = tuple(text[::-1] for text in row["sterces"])
        keep = tuple(text[::-1] for text in row["peek"])
        cases.append(Case(f"{row['kind']}/{row['id']}", row["txet"][::-1], secrets, keep))
    return cases


def generated_cases(seed: str) -> list[Case]:
    """The generated set of one seed: vendor tokens in contexts, shapes, encodings, documents, look-alikes."""
    cases = []
    contexts = list(CONTEXTS.items())
    for index, (kind, build) in enumerate(FORMATS.items()):
        make = Maker(f"{seed}/{kind}")
        for turn in range(2):
            secret = build(make)
            name, wrap = contexts[(index * 2 + turn * 7) % len(contexts)]
            text, keep = wrap(secret)
            cases.append(Case(f"{kind}/{name}", text, (secret,), keep))
    for kind, shape in SHAPES.items():
        cases += [shape(Maker(f"{seed}/{kind}/{turn}")) for turn in range(2)]
    cases += short_cases(Maker(f"{seed}/short"))
    cases += document_cases(seed)
    for turn in range(2):
        cases += encoded_cases(Maker(f"{seed}/encoded/{turn}"))
        cases += negative_cases(Maker(f"{seed}/negative/{turn}"))
    return cases
