"""The slash command ``/game``: shows, sets or clears the game that results are kept for."""

from __future__ import annotations

from typing import Any

from .connection import SidecarAbsent, ask
from .hermes_facts import session_of_command
from .limits import COMMAND_SECONDS_MAX
from .recorder import Recorder

OFF_WORDS = frozenset({"off", "none", "clear"})
USAGE = "/game shows the game, /game ID sets it, /game off clears it"


class GameCommand:
    """Handles ``/game``. Answers with one or two lines and never raises."""

    def __init__(self, recorder: Recorder, context: Any) -> None:  # noqa: ANN401 - Hermes' object
        self._recorder = recorder
        self._context = context

    def __call__(self, raw_arguments: str = "") -> str:
        """Run the command with the text behind it."""
        words = str(raw_arguments or "").split()
        if len(words) > 1:
            return USAGE
        session_id = session_of_command(self._context, self._recorder.last_session_id)
        if not session_id:
            return (
                "Hermes does not tell which session this is: send a message first, or set the game "
                "from the bridge or as plugins.entries.source-corpus.game in Hermes' config.yaml."
            )
        facts = {
            "sessions": list(self._recorder.lineage.sessions_of(session_id)),
            "default_game": self._recorder.facts["default_game"],
        }
        try:
            if not words:
                return _shown(ask("game", facts, COMMAND_SECONDS_MAX))
            game = "" if words[0].lower() in OFF_WORDS else words[0]
            return _set(ask("set_game", {**facts, "game": game}, COMMAND_SECONDS_MAX))
        except SidecarAbsent as absent:
            self._recorder.start()
            return (
                f"The sidecar cannot be asked ({absent.reason}); see: source-corpus hermes doctor"
            )


def _shown(answer: dict[str, Any]) -> str:
    if "error" in answer:
        return _fault(answer)
    if not answer.get("game"):
        return "No game is set: results are not kept. " + USAGE
    return f"Results are kept for {answer['game']}."


def _set(answer: dict[str, Any]) -> str:
    if "error" in answer:
        return _fault(answer)
    if not answer.get("game"):
        return "No game is set: results are not kept from here on."
    if not answer.get("confirmed"):
        return (
            f"Results are kept for {answer['game']}; the capture service cannot be reached and will say "
            "later whether it knows this game."
        )
    return f"Results are kept for {answer['game']} from here on."


def _fault(answer: dict[str, Any]) -> str:
    reason = str(answer["error"])
    if reason == "UNKNOWN_GAME":
        return "There is no such game; source-corpus games lists them."
    return f"That did not work: {reason}"
