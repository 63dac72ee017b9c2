"""Known-item retrieval against plain FTS5 and tantivy, and words of CJK against a scan.

    python -m bench.quality.run --corpus FILE --queries FILE [--store FOLDER] [--words]

Files as `bench.quality.build` writes them. Prints one JSON object with a table in Markdown. All
engines see the same passages; a query's documents count once each where a page is the answer.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Final

from bench.quality.engines import HITS, Engine, Hit, fts5, ours, passages_of, tantivy_defaults
from bench.quality.known_items import KnownItem, read_items
from bench.quality.words import agreement
from bench.search.stocking import open_store, read_documents, stock

OURS: Final = "ours"
WORDS_SEED: Final = 7

Group = tuple[str, str, str]
"""Set, variant, language."""

Figures = dict[Group, tuple[float, float]]
"""MRR@10 and recall@10."""


def main() -> None:
    """Measures and prints."""
    options = _options()
    rows = options.queries.read_text("utf-8").splitlines()
    items = read_items(json.loads(row) for row in rows)
    # A corpus may name its documents otherwise than by address.
    with options.corpus.open(encoding="utf-8") as lines:
        names = {row["uri"]: row["doc_id"] for row in map(json.loads, lines)}
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(open_store(options.store or Path(folder))) as store,
    ):
        if (
            not options.store
            or not (options.store / "games").is_dir()
            or not store.get_game("bench")
        ):
            stock(store, read_documents(options.corpus))
        passages = passages_of(store)
        engines = {
            OURS: ours(store),
            "FTS5 AND": fts5(passages, "AND"),
            "FTS5 OR": fts5(passages, "OR"),
            "tantivy": tantivy_defaults(passages),
        }
        figures, seconds = {}, {}
        for name, engine in engines.items():
            began = time.perf_counter()
            figures[name] = measure(engine, items, names)
            seconds[name] = round(time.perf_counter() - began, 1)
        words = agreement(store, WORDS_SEED) if options.words else []
    result = {
        "passages": len(passages),
        "queries": len(items),
        "load": round(os.getloadavg()[0], 1),
        "seconds": seconds,
        "below_best": below_best(figures),
        "words": [asdict(one) for one in words],
    }
    print(json.dumps(result, indent=1, ensure_ascii=False))
    print(table(figures, items))


def measure(engine: Engine, items: Sequence[KnownItem], names: dict[str, str]) -> Figures:
    """Returns the figures of an engine for every set, variant and language."""
    ranks: dict[Group, list[float]] = {}
    for item in items:
        once = item.set_name == "manual"
        hits = [(names[uri], text) for uri, text in engine(item.query, once)]
        group = (item.set_name, item.variant, item.language)
        ranks.setdefault(group, []).append(_reciprocal_rank(item, hits, once=once))
    return {
        group: (sum(found) / len(found), sum(rank > 0 for rank in found) / len(found))
        for group, found in ranks.items()
    }


def below_best(figures: dict[str, Figures]) -> list[str]:
    """Names the groups where ours is below the better baseline, or not above it on parts."""
    found = []
    for group, mine in figures[OURS].items():
        for number, measured in enumerate(("MRR@10", "recall@10")):
            best = max(them[group][number] for name, them in figures.items() if name != OURS)
            short = mine[number] < best or (group[1] == "part" and mine[number] == best < 1.0)
            if short:
                found.append(f"{' '.join(group)}: {measured} {mine[number]:.4f} < {best:.4f}")
    return found


def table(figures: dict[str, Figures], items: Sequence[KnownItem]) -> str:
    """Writes MRR@10 / recall@10 of every engine as Markdown."""
    lines = [
        f"| set, variant, language | queries | {' | '.join(figures)} |",
        f"|---|---|{'---|' * len(figures)}",
    ]
    for group in sorted(figures[OURS]):
        count = sum((item.set_name, item.variant, item.language) == group for item in items)
        cells = [f"{them[group][0]:.3f} / {them[group][1]:.3f}" for them in figures.values()]
        lines.append(f"| {' '.join(group)} | {count} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _reciprocal_rank(item: KnownItem, hits: Sequence[Hit], *, once: bool) -> float:
    seen: set[str] = set()
    rank = 0
    for document, text in hits:
        if once and document in seen:
            continue
        seen.add(document)
        rank += 1
        if rank > HITS:
            break
        if item.is_right(document, text):
            return 1.0 / rank
    return 0.0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--store", type=Path, help="kept between runs; filled where it is empty")
    parser.add_argument("--words", action="store_true", help="compare words of CJK with a scan")
    return parser.parse_args()


if __name__ == "__main__":
    main()
