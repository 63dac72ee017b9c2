"""The folder of the corpus service: made with mode 0700, held by one process at a time."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Final

from sourcecorpus.rpc.binding import StartError

FOLDER: Final = "corpus"
LOCK_FILE: Final = "service.lock"


class DataFolder:
    """``<data folder>/corpus``, locked while this object lives.

    The lock is flock(2) on a file that stays: the kernel frees it when the process ends, however it
    ends, and removing the file would race with another start.

    Attributes:
        path: The folder.
    """

    def __init__(self, data_dir: Path) -> None:
        """Make the folder where it is missing and lock it.

        Raises:
            StartError: It cannot be made, read or written, or another corpus service holds it.
        """
        self.path: Final = data_dir / FOLDER
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = os.open(
                self.path / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
            )
        except OSError as error:
            raise StartError(f"{self.path}: {error.strerror or 'cannot be used'}") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._lock)
            raise StartError(f"{self.path}: in use by another corpus service") from error

    async def release(self) -> None:
        """Give the folder free; the store in it must be closed."""
        os.close(self._lock)
