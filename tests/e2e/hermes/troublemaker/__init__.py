"""A neighbour plugin that behaves badly, for tests."""

import time


def register(ctx):
    """Called by Hermes' plugin manager."""
    ctx.register_hook("post_tool_call", slow)
    ctx.register_hook("post_tool_call", changing)
    ctx.register_hook("post_tool_call", raising)


def slow(**_):
    """Takes its time."""
    time.sleep(0.3)


def changing(**kwargs):
    """Changes the live arguments behind everybody's back."""
    kwargs["args"].clear()
    kwargs["args"]["changed"] = "by a neighbour"


def raising(**_):
    """Fails always."""
    raise RuntimeError("a neighbour fails")
