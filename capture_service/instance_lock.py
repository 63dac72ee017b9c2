"""One process for each data folder: two writers with own ideas of a queue would harm each other."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


class FolderInUseError(Exception):
    """Another process uses the folder."""


class InstanceLock:
    """Holds a lock file until it is released or the process ends, however it ends."""

    def __init__(self, path: Path) -> None:
        """Take the lock.

        Raises:
            FolderInUseError: Another process holds it.
            OSError: The file cannot be made.
        """
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._descriptor)
            raise FolderInUseError from None

    def release(self) -> None:
        """Let another process take the folder."""
        os.close(self._descriptor)
