"""ZIP containers (EPUB, DOCX, ODT) opened with bounds on members and unpacked bytes.

The standard library reads no more of a member than its declared size, so bounding the declared sizes
bounds what is unpacked, whatever the members claim or how they overlap.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from typing import Final
from urllib.parse import unquote

from corpus_service.extraction.limits import (
    ARCHIVE_MEMBER_BYTES_MAX,
    ARCHIVE_MEMBERS_MAX,
    ARCHIVE_TOTAL_BYTES_MAX,
)
from corpus_service.extraction.types import ExtractionFailed, FailureReason

_ZIP_MARK: Final = b"PK\x03\x04"
_MIMETYPE: Final = b"mimetype"
_BROKEN: Final = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    ValueError,
    OSError,
)


class Archive:
    """A bounded ZIP container."""

    def __init__(self, content: bytes, extractor: str) -> None:
        """Open the container and check its bounds.

        Raises:
            ExtractionFailed: MALFORMED for what is no ZIP, ARCHIVE_TOO_LARGE beyond the bounds.
        """
        self._extractor = extractor
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
            members = self._zip.infolist()
        except _BROKEN as error:
            raise self.failure(FailureReason.MALFORMED) from error
        self._names = {member.filename for member in members}
        if (
            len(members) > ARCHIVE_MEMBERS_MAX
            or sum(member.file_size for member in members) > ARCHIVE_TOTAL_BYTES_MAX
            or any(member.file_size > ARCHIVE_MEMBER_BYTES_MAX for member in members)
        ):
            raise self.failure(FailureReason.ARCHIVE_TOO_LARGE)

    def failure(self, reason: FailureReason) -> ExtractionFailed:
        """Return a failure of the extractor that opened the container."""
        return ExtractionFailed(reason, self._extractor)

    def has(self, name: str) -> bool:
        """Say whether a member exists."""
        return name in self._names

    def read(self, name: str) -> bytes:
        """Return a member's bytes.

        Raises:
            ExtractionFailed: MALFORMED where it is missing or damaged, ENCRYPTED where it needs a
                password.
        """
        try:
            return self._zip.read(name)
        except RuntimeError as error:
            raise self.failure(FailureReason.ENCRYPTED) from error
        except (KeyError, *_BROKEN) as error:
            raise self.failure(FailureReason.MALFORMED) from error


def is_zip(content: bytes) -> bool:
    """Say whether bytes begin like a ZIP container."""
    return content.startswith(_ZIP_MARK)


def declared_mimetype(content: bytes) -> str:
    """Return the media type that EPUB and OpenDocument store uncompressed as their first member.

    Source: OCF 3.3, section 4.2.2; OpenDocument 1.3 part 2, section 3.3.
    """
    if not is_zip(content) or content[30:38] != _MIMETYPE:
        return ""
    size = int.from_bytes(content[22:26], "little")
    extra = int.from_bytes(content[28:30], "little")
    if not size:
        # Written as a stream: the size follows the content, so the type ends where a header begins.
        end = content.find(b"PK", 38 + extra)
        size = min(max(end - 38 - extra, 0), 100)
    return content[38 + extra :][: min(size, 100)].decode("ascii", "replace").strip()


def resolve_member(base: str, reference: str) -> str:
    """Return the member that a relative reference inside `base` means; never above the container."""
    path = unquote(reference.split("#", 1)[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), path)).lstrip("./")
