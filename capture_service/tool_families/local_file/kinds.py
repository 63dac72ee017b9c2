"""Kind and media type of a file, told by its alias, folder and name."""

from __future__ import annotations

import posixpath
import re
from typing import Final

from capture_service.tool_families.context import AdaptContext

_MANUAL_WORDS: Final = re.compile(
    r"(?:^|[\W_])(?:manuals?|readme|guides?|handbooks?|walkthroughs?|howto|instructions?|faq)"
    r"(?:$|[\W_])",
    re.IGNORECASE,
)
_INSTALL_WORDS: Final = re.compile(r"(?:^|[\W_])(?:install(?:er|ation)?|setup)", re.IGNORECASE)
_SAVE_FOLDER: Final = re.compile(r"/(?:saves?|savegames?|saved[ _]games)/", re.IGNORECASE)
_DOCUMENTS: Final = frozenset(
    (".md", ".markdown", ".rst", ".txt", ".html", ".htm", ".epub", ".docx", ".odt", ".rtf")
)
_INSTALLERS: Final = frozenset((".exe", ".msi", ".deb", ".rpm", ".pkg", ".dmg", ".iso", ".run"))
_CONFIGS: Final = frozenset(
    (".ini", ".cfg", ".conf", ".toml", ".yaml", ".yml", ".json", ".properties", ".xml", ".env")
)
_SAVES: Final = frozenset((".sav", ".save", ".savegame", ".ess"))
_MEDIA_TYPES: Final = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".html": "text/html",
    ".htm": "text/html",
    ".json": "application/json",
    ".xml": "application/xml",
    ".csv": "text/csv",
}


def file_kind(uri: str, context: AdaptContext) -> str:
    """Returns manual, pdf, install, config, save or other.

    Args:
        uri: The `file:` URI.
        context: Names the aliases of manuals and saved games.
    """
    alias, _, path = uri.removeprefix("file:///").partition("/")
    name = posixpath.basename(path)
    extension = posixpath.splitext(name)[1].lower()
    if extension == ".pdf":
        return "pdf"
    if extension in _SAVES or alias in context.save_aliases or _SAVE_FOLDER.search(f"/{path}"):
        return "save"
    if extension in _INSTALLERS or _INSTALL_WORDS.match(name):
        return "install"
    if extension in _DOCUMENTS or not extension:
        is_manual = alias in context.manual_aliases or _MANUAL_WORDS.search(name)
        return "manual" if is_manual else "other"
    return "config" if extension in _CONFIGS else "other"


def text_media_type(uri: str) -> str:
    """Returns the media type of a file's text, which the tool has decoded already."""
    extension = posixpath.splitext(uri)[1].lower()
    return f"{_MEDIA_TYPES.get(extension, 'text/plain')}; charset=utf-8"
