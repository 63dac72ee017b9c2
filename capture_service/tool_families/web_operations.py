"""Which family a result of a web tool belongs to, by its shape first and the tool's name second.

Names of private tools are assumptions: a document is a page whatever the tool is called. A name
decides where a result has no shape of its own, such as an error or the receipt of a job.
"""

from __future__ import annotations

import enum
from typing import Final

from capture_service.domain.sources import JsonValue
from capture_service.tool_families.call import ToolCall
from capture_service.tool_families.tool_names import ToolName
from capture_service.tool_families.values import (
    field,
    integer_field,
    object_field,
    objects,
    text_field,
)

DISCOVERY: Final = "gtc_discovery"
PAGE: Final = "gtc_page"
CRAWL: Final = "crawl_job"
HTTP: Final = "http"

_PROVIDERS: Final = frozenset(
    (
        *("gtc", "web", "firecrawl", "tavily", "exa", "brave", "google", "bing", "duckduckgo"),
        *("ddg", "searx", "searxng", "serper", "serpapi", "kagi", "perplexity", "jina"),
        *("linkup", "wikipedia", "internet", "online", "news", "site", "website", "webpage"),
        *("url", "urls", "page", "x"),
    )
)
_NEVER: Final = frozenset(("feedback", "monitor", "monitors", "session", "memory", "skill"))
_GROUPS: Final = ("web", "news", "images", "developer", "tools")


class Operation(enum.Enum):
    """What a web tool does, as far as its name says."""

    SEARCH = "search"
    ANSWER = "answer"
    SCRAPE = "scrape"
    EXTRACT = "extract"
    LLMSTXT = "llmstxt"
    CRAWL = "crawl"
    BATCH_SCRAPE = "batch_scrape"
    MAP = "map"
    AGENT = "agent"
    FETCH = "fetch"
    NONE = ""


_FAMILY_OF: Final = {
    Operation.SEARCH: DISCOVERY,
    Operation.ANSWER: DISCOVERY,
    Operation.SCRAPE: PAGE,
    Operation.EXTRACT: PAGE,
    Operation.LLMSTXT: PAGE,
    Operation.CRAWL: CRAWL,
    Operation.BATCH_SCRAPE: CRAWL,
    Operation.MAP: CRAWL,
    Operation.AGENT: CRAWL,
    Operation.FETCH: HTTP,
    Operation.NONE: "",
}
# In order: the first whose words are all in the name. The second column asks for a provider's
# word in the name or the server's, because the words alone are everyday ones.
_NAMES: Final = (
    (("llmstxt",), False, Operation.LLMSTXT),
    (("llms", "txt"), False, Operation.LLMSTXT),
    (("batch", "scrape"), False, Operation.BATCH_SCRAPE),
    (("research",), True, Operation.AGENT),
    (("agent",), True, Operation.AGENT),
    (("crawl",), True, Operation.CRAWL),
    (("crawling",), True, Operation.EXTRACT),
    (("map",), True, Operation.MAP),
    (("scrape",), False, Operation.SCRAPE),
    (("scraper",), False, Operation.SCRAPE),
    (("extract",), True, Operation.EXTRACT),
    (("contents",), True, Operation.EXTRACT),
    (("answer",), True, Operation.ANSWER),
    (("ask",), True, Operation.ANSWER),
    (("search",), True, Operation.SEARCH),
    (("fetch",), False, Operation.FETCH),
    (("http",), False, Operation.FETCH),
    (("curl",), False, Operation.FETCH),
    (("read", "url"), False, Operation.FETCH),
    (("get", "url"), False, Operation.FETCH),
)


def operation_of(name: ToolName) -> Operation:
    """Returns the operation that a tool's name speaks of, NONE for no web operation."""
    if name.words & _NEVER:
        return Operation.NONE
    from_provider = bool((name.words | name.server_words) & _PROVIDERS)
    for words, needs_provider, operation in _NAMES:
        if name.words.issuperset(words) and (from_provider or not needs_provider):
            return operation
    return Operation.NONE


def web_family(call: ToolCall) -> str:
    """Returns the family of a web tool's result, "" for a tool that is none."""
    operation = operation_of(call.name)
    if call.name.words & _NEVER:
        return ""
    return _family_by_shape(call, operation) or _FAMILY_OF[operation]


def has_http_response(value: JsonValue) -> bool:
    """Tells a response of an HTTP tool: a numeric status beside headers or a body."""
    if not isinstance(value, dict):
        return False
    inner = object_field(value, "response") or value
    status = integer_field(inner, "statusCode", "status", "http_status")
    beside = any(field(inner, name) is not None for name in ("headers", "body", "text", "content"))
    return status is not None and 100 <= status <= 599 and beside


def has_job_pages(value: JsonValue) -> bool:
    """Tells an answer of a crawl by its counters beside a list of pages."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("data"), list)
        and isinstance(value.get("status"), str)
        and (integer_field(value, "total", "completed") is not None or "next" in value)
    )


def has_search_groups(value: JsonValue) -> bool:
    """Tells the groups of a search: lists of rows with addresses under known names."""
    groups = object_field(value, "data") or (value if isinstance(value, dict) else {})
    for name in _GROUPS:
        rows = objects(groups.get(name))
        if rows and all(text_field(row, "url", "imageUrl") for row in rows):
            return True
    return False


def _family_by_shape(call: ToolCall, operation: Operation) -> str:
    value = call.body.value
    if not isinstance(value, dict):
        return ""
    named = operation is not Operation.NONE
    if has_job_pages(value):
        return CRAWL
    if operation not in (Operation.SEARCH, Operation.CRAWL) and _is_page(value, named=named):
        return PAGE
    if operation in (Operation.NONE, Operation.SCRAPE, Operation.FETCH):
        if has_search_groups(value):
            return DISCOVERY
        if operation is not Operation.SCRAPE and has_http_response(value):
            return HTTP
    return ""


def _is_page(value: dict[str, JsonValue], *, named: bool) -> bool:
    if "status" in value and "data" in value:
        return False
    page = object_field(value, "data") or value
    metadata = object_field(page, "metadata")
    facts = field(metadata, "sourceURL", "source_url", "statusCode", "scrapeId") is not None
    content = any(isinstance(field(page, name), str) for name in ("markdown", "html", "rawHtml"))
    return (facts and content) or (named and (facts or content))
