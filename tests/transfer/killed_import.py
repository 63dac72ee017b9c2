"""A process that imports an archive until somebody ends it: `python -m … FOLDER FILE`.

The environment's fault point says where it ends itself.
"""

from __future__ import annotations

import sys
from pathlib import Path

from corpus_service.storage.sqlite import SqliteStore, importing
from sourcecorpus.rpc import faults
from tests.storage.records import PREPARATION
from tests.transfer.filled import import_into


def main(folder: Path, file: Path) -> None:
    faults.arm_from_environment()
    # A commit for each few rows, so that one of them can be broken off.
    vars(importing)["IMPORT_COMMIT_ROWS"] = 5
    store = SqliteStore(folder, PREPARATION)
    import_into(store, file.read_bytes())
    store.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
