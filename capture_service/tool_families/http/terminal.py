"""Fetches in a shell command: curl, wget, HTTPie."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from capture_service.domain.envelope import Completeness, Derivation
from capture_service.domain.sources import JsonValue, Window
from capture_service.tool_families.call import ToolCall, UnknownShapeError
from capture_service.tool_families.commands.fetches import Fetch
from capture_service.tool_families.commands.plan import FetchPlan, read_plan
from capture_service.tool_families.context import AdaptContext
from capture_service.tool_families.drafting import DraftCollector
from capture_service.tool_families.http import responses, wget_log
from capture_service.tool_families.http.bodies import Body, byte_body, media_type, text_body
from capture_service.tool_families.http.observation import Exchange, add_exchange
from capture_service.tool_families.http.responses import CutOutput, Response
from capture_service.tool_families.http.write_out import split_write_out
from capture_service.tool_families.limits import MAXIMUM_ERROR_CODE_POINTS
from capture_service.tool_families.personal_paths import aliased
from capture_service.tool_families.terminal_output import (
    CommandResult,
    command_of,
    read_command_result,
)

_CURL_ERROR: Final = re.compile(r"curl: \((\d{1,3})\) ([^\n]*)")
_RETURNED_STATUS: Final = re.compile(r"returned error: (\d{3})|ERROR (\d{3}): |HTTP (\d{3}) ")
_LENGTH_TOLERANCE: Final = 64
"""Bytes by which a body may fall short of its declared length: the tool strips white space."""


def plan_of(call: ToolCall) -> FetchPlan:
    """Returns what the command of a call fetches."""
    return read_plan(command_of(call))


def add_terminal_fetches(collector: DraftCollector, call: ToolCall, context: AdaptContext) -> None:
    """Adds one source for each address of the command.

    Raises:
        UnknownShapeError: the result is of no known shape.
    """
    result = read_command_result(call)
    plan = plan_of(call)
    if result is None:
        raise UnknownShapeError
    failed = bool(result.error) or result.exit_code not in (0, None)
    printed = [
        (fetch, address)
        for fetch in plan.printed
        for address, target in zip(fetch.addresses, fetch.outputs, strict=True)
        if not target
    ]
    bodies = {} if failed else _bodies(plan, printed, result, context)
    for fetch in plan.fetches:
        for address, target in zip(fetch.addresses, fetch.outputs, strict=True):
            if failed:
                exchange = _failed(fetch, address, result, context)
            elif target:
                exchange = _saved(
                    call, context, result, fetch=fetch, address=address, target=target
                )
            else:
                exchange = bodies[fetch, address]
            add_exchange(collector, call, exchange)


def _failed(fetch: Fetch, address: str, result: CommandResult, context: AdaptContext) -> Exchange:
    message = _CURL_ERROR.search(result.output)
    words = message[0] if message is not None else ""
    words = words or result.error or result.meaning or result.output[-MAXIMUM_ERROR_CODE_POINTS:]
    status = _RETURNED_STATUS.search(result.output)
    code = "" if result.exit_code is None else f"EXIT_{result.exit_code}"
    return Exchange(
        address=address,
        body=None,
        completeness=Completeness.UNSPECIFIED,
        method=fetch.method,
        status=int(next(group for group in status.groups() if group)) if status else 0,
        error=aliased(words.strip()[:MAXIMUM_ERROR_CODE_POINTS], context.path_aliases)
        or "the command failed",
        error_code=code,
        sent=fetch.body_sent,
        metadata=_facts(fetch),
    )


def _saved(
    call: ToolCall,
    context: AdaptContext,
    result: CommandResult,
    *,
    fetch: Fetch,
    address: str,
    target: str,
) -> Exchange:
    """A body that went to a file is in the result only if the client sent the file along."""
    facts = _facts(fetch)
    if target not in ("?", "/dev/null"):
        facts["saved_as"] = context.path_aliases.to_uri(target)
    logged = wget_log.read_log(result.output, address) if fetch.program == "wget" else None
    written = split_write_out(result.output, fetch.write_out) if fetch.write_out else None
    exchange = Exchange(
        address=address,
        body=_side_body(call, target, logged.content_type if logged else "", context),
        completeness=Completeness.FULL,
        method=fetch.method,
        status=logged.status if logged else 0,
        headers={"content-type": logged.content_type} if logged and logged.content_type else {},
        locations=logged.locations if logged else (),
        derivation=Derivation.CACHE_FILE,
        sent=fetch.body_sent,
        metadata=facts,
    )
    return exchange if written is None else _with_variables(exchange, written.variables)


def _side_body(call: ToolCall, target: str, declared: str, context: AdaptContext) -> Body | None:
    name = posixpath.basename(target)
    for file in call.envelope.side_files:
        if name and posixpath.basename(file.name.replace("\\", "/")) == name:
            kind = media_type(declared) or media_type(file.media_type)
            return byte_body(kind, file.data, keep_binary=context.keep_binary_bodies)
    return None


def _bodies(
    plan: FetchPlan,
    printed: list[tuple[Fetch, str]],
    result: CommandResult,
    context: AdaptContext,
) -> dict[tuple[Fetch, str], Exchange]:
    if not printed:
        return {}
    cut = responses.read_cut(result.output)
    output = result.output if cut is None else cut.text
    fetch = printed[0][0]
    variables: Mapping[str, str] = {}
    certain = True
    if fetch.write_out:
        written = split_write_out(output, fetch.write_out)
        certain = written is not None
        if written is not None:
            output, variables = written.body, written.variables
    found = _responses(fetch, output, len(printed))
    if found is None:
        raise UnknownShapeError
    exchanges: dict[tuple[Fetch, str], Exchange] = {}
    for (own, address), response in zip(printed, found, strict=True):
        exchange = _exchange(own, address, response, cut, context, certain=certain)
        exchanges[own, address] = _with_variables(exchange, variables)
    return exchanges


def _responses(fetch: Fetch, output: str, count: int) -> list[Response] | None:
    if fetch.verbose and count == 1:
        traced = responses.verbose_response(output)
        if traced is not None:
            return [traced]
    if fetch.headers_shown:
        found = responses.responses_with_headers(output, count)
        if found is not None:
            return found
    if count > 1:
        return None
    if fetch.program == "wget" and not fetch.quiet:
        return [wget_log.printed_response(output)]
    plain = responses.plain_response(output, quiet=fetch.quiet or fetch.program != "curl")
    if fetch.headers_shown or fetch.verbose:
        plain = replace(plain, body_is_certain=False)
    return [plain]


def _exchange(
    fetch: Fetch,
    address: str,
    response: Response,
    cut: CutOutput | None,
    context: AdaptContext,
    *,
    certain: bool,
) -> Exchange:
    declared = media_type(response.headers.get("content-type", ""))
    body = text_body(declared, response.body, keep_binary=context.keep_binary_bodies)
    facts = _facts(fetch)
    facts["final_newline"] = "stripped by the tool"
    window = None
    completeness = Completeness.FULL
    if cut is not None:
        completeness = Completeness.TRUNCATED
        window = Window("characters", 1, max(1, cut.head), cut.total)
        facts["tool_window"] = {"head": cut.head, "tail": cut.tail, "total": cut.total}
    elif not certain or not response.body_is_certain or _is_short(response, body):
        completeness = Completeness.UNKNOWN
    return Exchange(
        address=address,
        body=None if fetch.head_only else body,
        completeness=completeness,
        method=fetch.method,
        status=response.status,
        headers=response.headers,
        locations=response.locations,
        window=window,
        derivation=Derivation.STDOUT,
        sent=fetch.body_sent,
        metadata=facts,
    )


def _is_short(response: Response, body: Body) -> bool:
    """Tells whether the body falls short of its declared length, where the length counts it."""
    declared = response.headers.get("content-length", "")
    if not declared.isdigit() or "content-encoding" in response.headers or body.content is None:
        return False
    return int(declared[:15]) - len(body.content) > _LENGTH_TOLERANCE


def _with_variables(exchange: Exchange, variables: Mapping[str, str]) -> Exchange:
    """Adds what curl's `-w` told: status, type, final address."""
    status = variables.get("http_code") or variables.get("response_code") or ""
    declared = variables.get("content_type", "")
    headers = dict(exchange.headers)
    body = exchange.body
    if declared and "content-type" not in headers:
        headers["content-type"] = declared
        if body is not None and body.textual and body.content is not None:
            body = replace(body, content_type=f"{media_type(declared)}; charset=utf-8")
    return replace(
        exchange,
        body=body,
        status=exchange.status or (int(status) if status.isdigit() else 0),
        headers=headers,
        final=exchange.final or variables.get("url_effective", ""),
    )


def _facts(fetch: Fetch) -> dict[str, JsonValue]:
    facts: dict[str, JsonValue] = {"program": fetch.program}
    if fetch.authenticated:
        facts["authenticated"] = True
    return facts
