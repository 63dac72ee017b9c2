"""Headers of a tar file as POSIX.1-1988 (ustar) has them: one form for each name and size.

Only what an export needs: regular files with short names and sizes below 8 GiB. Owner, mode and time
are always the same, so that equal contents are equal bytes.
"""

from __future__ import annotations

import tarfile
from typing import Final

BLOCK_BYTES: Final = tarfile.BLOCKSIZE
END: Final = bytes(2 * BLOCK_BYTES)
"""What stands behind the last entry."""


def header(name: str, size: int) -> bytes:
    """Returns the header of an entry: one block."""
    entry = tarfile.TarInfo(name)
    entry.size = size
    return entry.tobuf(tarfile.USTAR_FORMAT, "ascii", "strict")


def padding(size: int) -> int:
    """Returns the number of zero bytes behind an entry of a size."""
    return -size % BLOCK_BYTES


def entry_bytes(size: int) -> int:
    """Returns how much of the archive an entry takes, header and padding included."""
    return BLOCK_BYTES + size + padding(size)


def read_header(block: bytes) -> tuple[str, int] | None:
    """Returns name and size of an entry, None where the block is not one that `header` writes.

    Links, folders, devices, other owners or modes and names with extensions are no entries of an
    export, whatever they would unpack to.
    """
    try:
        entry = tarfile.TarInfo.frombuf(block, "ascii", "strict")
        if header(entry.name, entry.size) != block:
            return None
    except (tarfile.TarError, ValueError):
        return None
    return entry.name, entry.size
