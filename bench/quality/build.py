"""Makes a corpus and its known items out of Debian packages.

    python -m bench.quality.build --packages FOLDER --out FOLDER [--megabytes 50] [--seed 1]

Needs Debian 12, `apt-get update` done once; installs nothing. Writes ``corpus.jsonl`` (doc_id, uri,
media_type, text) and ``queries.jsonl``. Equal packages and equal options give equal bytes.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Final

from bench.quality.known_items import Titles, sections_of
from bench.quality.manuals import text_of_manual
from bench.quality.packages import (
    BODY_BYTES_MAX,
    BODY_BYTES_MIN,
    FAQ,
    LARGE,
    MANUALS,
    OTHERS,
    PackagedFile,
    drawn,
    files_of,
)

MANUAL_SHARE: Final = 0.4
LARGE_FROM_MEGABYTES: Final = 120


def main() -> None:
    """Builds both files."""
    options = _options()
    options.out.mkdir(parents=True, exist_ok=True)
    manual, faq = Titles("manual"), Titles("debian-faq")
    chosen = _choose(options.packages, options.megabytes * 1e6, options.seed)
    with (options.out / "corpus.jsonl").open("w", encoding="utf-8") as out:
        for file in drawn(chosen, options.seed):
            text = _text(file, manual, faq)
            row = {"doc_id": file.uri, "uri": file.uri, "media_type": file.media_type, "text": text}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    with (options.out / "queries.jsonl").open("w", encoding="utf-8") as out:
        for item in [*manual.items(), *faq.items()]:
            answers = [{"doc_id": uri, "text": text} for uri, text in item.answers]
            query: dict[str, object] = asdict(item) | {"answers": answers}
            query["set"] = query.pop("set_name")
            out.write(json.dumps(query, ensure_ascii=False) + "\n")


def _choose(folder: Path, budget: float, seed: int) -> list[PackagedFile]:
    """Takes all of the FAQ, manual pages up to their share, then others until the bytes are spent."""
    large = LARGE if budget > LARGE_FROM_MEGABYTES * 1e6 else ()
    groups = ((FAQ, budget), (MANUALS, MANUAL_SHARE * budget), ((*OTHERS, *large), budget))
    chosen: list[PackagedFile] = []
    seen: set[bytes] = set()
    total = 0
    for packages, limit in groups:
        found = [file for package in packages for file in files_of(package, folder)]
        for file in drawn(found, seed):
            if total >= limit:
                break
            body = file.body()
            if BODY_BYTES_MIN <= len(body) <= BODY_BYTES_MAX and body not in seen:
                seen.add(body)
                chosen.append(file)
                total += len(body)
    return chosen


def _text(file: PackagedFile, manual: Titles, faq: Titles) -> str:
    text = file.body().decode("utf-8", "replace")
    if file.is_manual:
        text, description = text_of_manual(text)
        if description:
            manual.add(description, file.uri)
    elif file.package in FAQ:
        for title, section in sections_of(text):
            faq.add(title, file.uri, section)
    return text


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=Path, required=True, help="folder of package files")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--megabytes", type=float, default=50)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
