"""The documented list of reasons: what each one means and what to do about it.

Reasons are stable for ever; clients switch on them. The same words stand in errors, in outcomes of
single envelopes and in results of single records; there the code says which error it would be.
The entries stand in ``reason_lists``; ``docs/errors.md`` repeats them and a test keeps both equal.
``python -m sourcecorpus.rpc.reasons docs/errors.md`` writes them into the page.
Imports: standard library only.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from sourcecorpus.rpc.reason_lists.archives import ARCHIVES
from sourcecorpus.rpc.reason_lists.captures import CAPTURES
from sourcecorpus.rpc.reason_lists.operation import OPERATION
from sourcecorpus.rpc.reason_lists.reading import READING
from sourcecorpus.rpc.reason_lists.requests import REQUESTS

_ENTRIES: Final = REQUESTS + CAPTURES + READING + ARCHIVES + OPERATION

REASONS: Final = {entry.name: entry for entry in _ENTRIES}
if len(REASONS) != len(_ENTRIES):
    raise ValueError("a reason is listed twice")


def reference_table() -> str:
    """The list as a Markdown table, sorted by code and name, as docs/errors.md shows it."""
    rows = sorted(_ENTRIES, key=lambda entry: (entry.code.name, entry.name))
    lines = ["| Code | Reason | Meaning | What to do |", "|---|---|---|---|"]
    lines += [f"| {row.code.name} | `{row.name}` | {row.meaning} | {row.remedy} |" for row in rows]
    return "\n".join(lines) + "\n"


def write_reference(page: Path) -> None:
    """Replace everything behind the heading "Reasons" of a page by the list."""
    head, heading, _ = page.read_text("utf-8").partition("## Reasons\n\n")
    page.write_text(head + heading + reference_table(), "utf-8")


if __name__ == "__main__":
    write_reference(Path(sys.argv[1]))
