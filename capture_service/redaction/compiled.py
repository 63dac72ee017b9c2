"""Keeps compiled rule tables between starts: compiling takes two seconds of CPU time, reading half a millisecond.

Rules are kept, secrets never: the engine of literal secrets is compiled anew at each start. What is read back is used
only from a file of the same user that nobody else may write, and only if its hash agrees.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from pathlib import Path
from typing import Final, Self

from capture_service.redaction.limits import COMPILED_BYTES_MAX, COMPILED_FILES_MAX

_HASH_BYTES: Final = hashlib.sha256().digest_size
_SUFFIX: Final = ".compiled"


class CompiledRules:
    """A folder of compiled rule tables, the newest few. Every fault only means that rules are compiled again."""

    def __init__(self, folder: Path) -> None:
        """Name the folder; it is made, for the user alone, with the first table."""
        self._folder = folder

    @classmethod
    def of_user(cls) -> Self:
        """``$XDG_CACHE_HOME/sourcecorpus``, or ``~/.cache/sourcecorpus`` (XDG Base Directory)."""
        base = os.environ.get("XDG_CACHE_HOME", "")
        # The specification tells to ignore a path that is not absolute.
        home = Path(base) if base.startswith("/") else Path("~/.cache").expanduser()
        return cls(home / "sourcecorpus")

    def read(self, name: str) -> bytes | None:
        """The table of a name, or None where there is none that can be trusted.

        Args:
            name: Hexadecimal hash of everything that the table was made of.
        """
        try:
            with (self._folder / (name + _SUFFIX)).open("rb") as file:
                facts = os.fstat(file.fileno())
                if not _is_private(facts):
                    return None
                content = file.read(COMPILED_BYTES_MAX + 1)
        except (OSError, RuntimeError):
            return None
        table = content[_HASH_BYTES:]
        if (
            len(content) > COMPILED_BYTES_MAX
            or hashlib.sha256(table).digest() != content[:_HASH_BYTES]
        ):
            return None
        return table

    def keep(self, name: str, table: bytes) -> None:
        """Keep a table, whole or not at all, and give up the oldest beyond ``COMPILED_FILES_MAX``."""
        if len(table) + _HASH_BYTES > COMPILED_BYTES_MAX:
            return
        with contextlib.suppress(OSError, RuntimeError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, part = tempfile.mkstemp(dir=self._folder, suffix=".part")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(hashlib.sha256(table).digest() + table)
                Path(part).replace(self._folder / (name + _SUFFIX))
            except OSError:
                Path(part).unlink(missing_ok=True)
                raise
            kept = sorted(self._folder.glob(f"*{_SUFFIX}"), key=lambda path: path.stat().st_mtime)
            for path in kept[:-COMPILED_FILES_MAX]:
                path.unlink(missing_ok=True)


def _is_private(facts: os.stat_result) -> bool:
    """Whether it is a regular file that nobody but its owner, the user of this process, may write."""
    if not stat.S_ISREG(facts.st_mode):
        return False
    # Windows tells neither; its folder of the user is private.
    return os.name == "nt" or (facts.st_uid == os.geteuid() and not facts.st_mode & 0o022)
