"""Starts the sidecar where none runs. It belongs to the user, not to Hermes, and outlives it."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Final

from .limits import LAUNCH_PAUSE_SECONDS_MAX, LAUNCH_PAUSE_SECONDS_MIN
from .locations import COMMAND_VARIABLE, DATA_VARIABLE, data_folder, installation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# Nothing else of Hermes' environment goes on: it holds keys of providers, and paths of another interpreter.
_KEPT_VARIABLES: Final = frozenset(
    {"PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "TEMP", "TMP"}
    | {"SYSTEMROOT", "USERPROFILE", "APPDATA", "LOCALAPPDATA"}
)
_KEPT_PREFIXES: Final = ("SOURCECORPUS_", "XDG_", "LC_")


class Launcher:
    """Starts the sidecar at most once in a while. Belongs to the sender's thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pause = LAUNCH_PAUSE_SECONDS_MIN
        self._next = float("-inf")
        self._child: subprocess.Popen[bytes] | None = None

    def starting(self) -> bool:
        """Whether a sidecar was started a moment ago and has not ended."""
        return self._child is not None and self._child.poll() is None

    def start(self) -> bool:
        """Start it unless that was just tried; a second one beside a running one ends by itself.

        Returns:
            Whether it was started.
        """
        if self.starting() or self._clock() < self._next:
            return False
        command = sidecar_command()
        self._next = self._clock() + self._pause
        self._pause = min(self._pause * 2, LAUNCH_PAUSE_SECONDS_MAX)
        if not command:
            return False
        try:
            # S603: the command is the user's own, from the environment, the installation or this interpreter.
            self._child = subprocess.Popen(  # noqa: S603
                command,
                env=sidecar_environment(os.environ),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                cwd=os.path.sep,
            )
        except (OSError, ValueError):
            return False
        return True

    def succeeded(self) -> None:
        """A sidecar was reached: the next start need not wait."""
        self._pause = LAUNCH_PAUSE_SECONDS_MIN


def sidecar_command() -> Sequence[str]:
    """Command that starts the sidecar; empty where none is known."""
    named = os.environ.get(COMMAND_VARIABLE, "")
    if named:
        return _words(named)
    noted = installation().get("sidecar_command")
    if isinstance(noted, list) and noted and all(isinstance(word, str) for word in noted):
        return noted
    if _importable():
        return [sys.executable, "-m", "sourcecorpus.hermes.sidecar"]
    found = shutil.which("source-corpus")
    return [found, "sidecar"] if found else []


def sidecar_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The part of Hermes' environment that the sidecar gets, and the data folder that both mean."""
    kept = {
        name: value
        for name, value in environment.items()
        if name in _KEPT_VARIABLES or name.startswith(_KEPT_PREFIXES)
    }
    kept.setdefault(DATA_VARIABLE, str(data_folder()))
    return kept


def _words(text: str) -> Sequence[str]:
    """A JSON list of words, or one path."""
    try:
        words = json.loads(text)
    except ValueError:
        return [text]
    return words if isinstance(words, list) and all(isinstance(word, str) for word in words) else []


def _importable() -> bool:
    try:
        return importlib.util.find_spec("sourcecorpus.hermes.sidecar") is not None
    except (ImportError, ValueError):
        return False
