"""What Hermes can tell besides its hooks: the plugin's configuration, and the session of a command.

Both are read through doors that another version of Hermes may not have; then they say nothing.
"""

from __future__ import annotations

import os
from typing import Any, Final

PLUGIN_NAME: Final = "source-corpus"
GAME_VARIABLE: Final = "SOURCECORPUS_HERMES_GAME"


def configured_game() -> str:
    """Game of every session that has none of its own: environment, then ``plugins.entries.source-corpus.game``."""
    named = os.environ.get(GAME_VARIABLE, "")
    if named:
        return named
    try:
        from hermes_cli.config import load_config

        entry = load_config()["plugins"]["entries"][PLUGIN_NAME]
        game = entry["game"]
    except Exception:  # noqa: BLE001 - any fault of a foreign configuration means that nothing is configured
        return ""
    return game if isinstance(game, str) else ""


def refreshes_are_wanted() -> bool:
    """Whether requests to capture a source again are carried out: unless ``refresh`` is false in the plugin's entry."""
    try:
        from hermes_cli.config import load_config

        return load_config()["plugins"]["entries"][PLUGIN_NAME].get("refresh") is not False
    except Exception:  # noqa: BLE001 - nothing is configured
        return True


def session_of_command(context: Any, last_session_id: str) -> str:  # noqa: ANN401 - Hermes' object
    """The session that a slash command was typed in; empty where Hermes does not tell.

    Args:
        context: Hermes' plugin context.
        last_session_id: Session of the newest turn, for a process that has one conversation alone.
    """
    try:
        from gateway.session_context import get_session_env, session_context_engaged

        bound = get_session_env("HERMES_SESSION_ID", "")
        several = session_context_engaged()
    except Exception:  # noqa: BLE001 - another version of Hermes
        bound, several = "", False
    if isinstance(bound, str) and bound:
        return bound
    command_line = getattr(getattr(context, "_manager", None), "_cli_ref", None)
    session_id = getattr(command_line, "session_id", None)
    if isinstance(session_id, str) and session_id:
        return session_id
    # A gateway serves many people at once: the newest session may be another person's.
    return "" if several else last_session_id
