"""The plugin inside Hermes: standard library only, hooks that copy and enqueue, tools that ask the sidecar.

Works as a directory plugin (``plugin.yaml`` beside this file) and as an entry point of the group
``hermes_agent.plugins``. Relative imports only, because Hermes imports a directory plugin under a name of its own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .commands import GameCommand
from .hermes_facts import configured_game
from .recorder import Recorder, shared_recorder
from .refreshing import shared_refresher
from .tools import agent_tools

__all__ = ["register"]


def register(ctx: Any) -> None:  # noqa: ANN401 - Hermes' object
    """Called by Hermes' plugin manager, once for each discovery."""
    recorder = shared_recorder(configured_game())
    if not _is_hooked(ctx, recorder):
        ctx.register_hook("post_tool_call", recorder.post_tool_call)
        ctx.register_hook("pre_tool_call", recorder.pre_tool_call)
        ctx.register_hook("subagent_start", recorder.subagent_start)
        ctx.register_hook("post_llm_call", recorder.post_llm_call)
        ctx.register_hook("on_session_start", recorder.session_starts)
        ctx.register_hook("on_session_end", recorder.turn_ends)
        ctx.register_hook("on_session_finalize", recorder.turn_ends)
        ctx.register_hook("on_session_end", shared_refresher(recorder, ctx).turn_ends)
    if hasattr(ctx, "register_command"):
        ctx.register_command(
            "game",
            GameCommand(recorder, ctx),
            description="Show, set or clear the game that tool results are kept for",
            args_hint="<id or alias | off>",
        )
    if hasattr(ctx, "register_tool"):
        for tool in agent_tools(recorder):
            ctx.register_tool(**tool)
    if hasattr(ctx, "register_skill"):
        ctx.register_skill(
            "citing-sources",
            Path(__file__).parent / "skill" / "SKILL.md",
            description="When to search, read, verify and cite the stored sources of the current game",
        )
    recorder.start()


def _is_hooked(ctx: Any, recorder: Recorder) -> bool:  # noqa: ANN401 - Hermes' object
    """Whether this process calls the recorder already: a plugin may be found twice, under two names."""
    hooks = getattr(getattr(ctx, "_manager", None), "_hooks", None)
    known = hooks.get("post_tool_call", ()) if isinstance(hooks, dict) else ()
    return any(getattr(callback, "__self__", None) is recorder for callback in known)
