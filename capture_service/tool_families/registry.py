"""All families, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Sequence

from capture_service.domain.envelope import Envelope
from capture_service.domain.sources import Adaptation
from capture_service.tool_families.browser.adapter import BrowserFamily
from capture_service.tool_families.call import ToolCall, UnknownShapeError, read_call, unopened_call
from capture_service.tool_families.code.adapter import CodeFamily
from capture_service.tool_families.context import AdaptContext
from capture_service.tool_families.crawl.adapter import CrawlFamily
from capture_service.tool_families.discovery.adapter import DiscoveryFamily
from capture_service.tool_families.failures import names_unknown_tool
from capture_service.tool_families.family import ToolFamily
from capture_service.tool_families.finishing import finish
from capture_service.tool_families.http.adapter import HttpFamily
from capture_service.tool_families.local_file.adapter import LocalFileFamily
from capture_service.tool_families.page.adapter import PageFamily
from capture_service.tool_families.raw.artifact import raw_artifact
from capture_service.tool_families.shell.adapter import ShellFamily


def default_families() -> tuple[ToolFamily, ...]:
    """Returns every family. Named tools come before shapes, and pages before bare HTTP."""
    return (
        LocalFileFamily(),
        CodeFamily(),
        BrowserFamily(),
        PageFamily(),
        DiscoveryFamily(),
        CrawlFamily(),
        HttpFamily(),
        ShellFamily(),
    )


class ToolFamilies:
    """Turns tool results into sources."""

    __slots__ = ("_families",)

    def __init__(self, families: Sequence[ToolFamily] | None = None) -> None:
        """Takes the families.

        Args:
            families: In the order in which they are asked; all of them by default.
        """
        self._families = tuple(families) if families is not None else default_families()

    def adapt(self, envelope: Envelope, context: AdaptContext) -> Adaptation:
        """Returns the sources of a redacted envelope; never raises.

        A tool of no family gives an adaptation with family "". A result of a known tool whose
        shape is unknown, or that an adapter fails on, becomes one raw artifact.
        """
        try:
            call = read_call(envelope)
        except Exception as fault:  # noqa: BLE001 - no result may stop the capture
            return self._keep_unopened(unopened_call(envelope), context, type(fault).__name__)
        if names_unknown_tool(call):
            return Adaptation("")
        for family in self._families:
            adaptation = _adapt_by(family, call, context)
            if adaptation is not None:
                return adaptation
        return Adaptation("")

    def _keep_unopened(self, call: ToolCall, context: AdaptContext, fault: str) -> Adaptation:
        """Keeps a result that could not even be opened, where the tool's name has a family."""
        for family in self._families:
            if family.recognises(call):
                return finish(
                    family.name, raw_artifact(call, family.name, context, fault), call.envelope
                )
        return Adaptation("")


def _adapt_by(family: ToolFamily, call: ToolCall, context: AdaptContext) -> Adaptation | None:
    """Returns the adaptation of one family, None where the call does not belong to it."""
    try:
        if not family.recognises(call):
            return None
        adaptation = finish(family.name, family.adapt(call, context), call.envelope)
        if adaptation.drafts:
            return adaptation
        # A result that yields nothing would be silence.
        return finish(family.name, raw_artifact(call, family.name, context), call.envelope)
    except UnknownShapeError:
        return finish(family.name, raw_artifact(call, family.name, context), call.envelope)
    except Exception as fault:  # noqa: BLE001 - no result may stop the capture
        raw = raw_artifact(call, family.name, context, type(fault).__name__)
        return finish(family.name, raw, call.envelope)
