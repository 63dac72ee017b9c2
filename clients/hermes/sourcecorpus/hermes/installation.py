"""Puts the directory plugin into a Hermes, and tells what is there."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sourcecorpus.hermes import plugin
from sourcecorpus.hermes.plugin.hermes_facts import PLUGIN_NAME
from sourcecorpus.hermes.plugin.locations import INSTALLATION_FILE

if TYPE_CHECKING:
    from collections.abc import Mapping

_SKIPPED: Final = shutil.ignore_patterns("__pycache__", "*.pyc", INSTALLATION_FILE)


@dataclass(frozen=True, slots=True)
class HermesPlugins:
    """The plugins' side of one Hermes home.

    Attributes:
        home: ``$HERMES_HOME``.
        folder: Where the directory plugin lies or would lie.
    """

    home: Path
    folder: Path

    @classmethod
    def of(
        cls, home: Path | None = None, environment: Mapping[str, str] = os.environ
    ) -> HermesPlugins:
        """The given Hermes home, or the one that the environment names, or ``~/.hermes``."""
        named = environment.get("HERMES_HOME", "").strip()
        home = home or (Path(named) if named else Path.home() / ".hermes")
        return cls(home, home / "plugins" / PLUGIN_NAME)

    def install(self, data_dir: Path) -> None:
        """Copy the plugin and note which program the sidecar is; an older copy is replaced as a whole.

        Args:
            data_dir: The services' data folder.

        Raises:
            OSError: The folder cannot be written.
        """
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        private = self.folder.with_name(f".{PLUGIN_NAME}.part")
        shutil.rmtree(private, ignore_errors=True)
        shutil.copytree(Path(plugin.__file__).parent, private, ignore=_SKIPPED)
        document = {
            "sidecar_command": [sys.executable, "-m", "sourcecorpus.hermes.sidecar"],
            "data_dir": str(data_dir.absolute()),
        }
        private.joinpath(INSTALLATION_FILE).write_text(json.dumps(document), encoding="utf-8")
        if self.folder.exists():
            shutil.rmtree(self.folder)
        private.replace(self.folder)

    def is_current(self) -> bool:
        """Whether the copied plugin equals that of this program, file by file."""
        own = Path(plugin.__file__).parent
        return all(
            _content(self.folder / path.relative_to(own)) == _content(path)
            for path in own.rglob("*")
            if path.is_file() and path.suffix in {".py", ".yaml", ".md"}
        )


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
