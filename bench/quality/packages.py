"""Debian packages as a corpus: what is downloaded, and which of their files are documents.

Packages come through apt-get into a folder that pins them: a file that is there is never renewed, so
two runs over one folder see the same documents.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FAQ: Final = ("debian-faq", "debian-faq-ja", "debian-faq-ko", "debian-faq-zh-cn")
MANUALS: Final = ("manpages", "manpages-dev", "manpages-ja", "manpages-ja-dev", "manpages-zh")
OTHERS: Final = (
    "libreoffice-help-ja", "libreoffice-help-ko", "libreoffice-help-zh-cn", "libreoffice-help-en-us",
    "debian-reference-en", "debian-reference-ja", "debian-reference-zh-cn", "git-doc", "perl-doc",
    "python3.11-doc", "crawl-common", "nethack-common",
)  # fmt: skip
LARGE: Final = ("linux-doc-6.1", "openjdk-17-doc", "rust-doc")

BODY_BYTES_MIN: Final = 300
BODY_BYTES_MAX: Final = 2_000_000
MEDIA_TYPES: Final = {".html": "text/html", ".txt": "text/plain", ".des": "text/plain"}
_MANUAL: Final = re.compile(r"usr/share/man/(?:(?P<locale>\w+)/)?man\d\w*/[^/]+\.\d\w*(?:\.gz)?")
_LOCALES: Final = frozenset({None, "ja", "zh_CN", "zh_TW"})


@dataclass(frozen=True, slots=True)
class PackagedFile:
    """One document of a package, unpacked."""

    package: str
    path: str
    location: Path

    @property
    def uri(self) -> str:
        """An address in a reserved domain, the same for every run."""
        return f"https://{self.package.replace('.', '-')}.example/{self.path}"

    @property
    def is_manual(self) -> bool:
        """Whether it is a manual page."""
        return _MANUAL.fullmatch(self.path) is not None

    @property
    def media_type(self) -> str:
        """The media type by the name of the file."""
        return MEDIA_TYPES.get(Path(self.path.removesuffix(".gz")).suffix, "text/plain")

    def body(self) -> bytes:
        """Returns the bytes, decompressed."""
        data = self.location.read_bytes()
        return gzip.decompress(data) if self.location.suffix == ".gz" else data


def unpacked(package: str, folder: Path) -> Path:
    """Returns the folder of an unpacked package, downloading it where it is missing.

    Raises:
        subprocess.CalledProcessError: apt-get or dpkg-deb failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    archives = sorted(folder.glob(f"{package}_*.deb"))
    if not archives:
        subprocess.run(["apt-get", "-qq", "download", package], cwd=folder, check=True)
        archives = sorted(folder.glob(f"{package}_*.deb"))
    target = folder / "files" / archives[-1].stem
    if not target.exists():
        half = target.with_name(f"{target.name}.half")
        half.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["dpkg-deb", "-x", str(archives[-1]), str(half)], check=True)
        half.rename(target)
    return target


def files_of(package: str, folder: Path) -> Iterator[PackagedFile]:
    """Yields the documents of a package in an order that depends on their paths alone."""
    root = unpacked(package, folder)
    paths = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    for location in paths:
        found = PackagedFile(package, location.relative_to(root).as_posix(), location)
        if _wanted(found):
            yield found


def drawn(files: list[PackagedFile], seed: int) -> list[PackagedFile]:
    """Returns files in an order drawn from a seed, so that any beginning is a fair mix."""

    def key(file: PackagedFile) -> bytes:
        return hashlib.sha256(f"{seed} {file.uri}".encode()).digest()

    return sorted(files, key=key)


def _wanted(file: PackagedFile) -> bool:
    if file.package in FAQ:
        return file.path.endswith(".html")
    manual = _MANUAL.fullmatch(file.path)
    if manual is not None:
        return manual["locale"] in _LOCALES
    if "/_sources/" in file.path or "/man/" in file.path:
        return False
    return Path(file.path.removesuffix(".gz")).suffix in MEDIA_TYPES
