"""The agent tools: schemas for the model, and handlers that ask the sidecar."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from .connection import SidecarAbsent, ask
from .limits import CALL_SECONDS_MAX
from .lineage import CallIds

if TYPE_CHECKING:
    from .recorder import Recorder

TOOLSET: Final = "source-corpus"
_PAGE: Final = {"type": "string", "description": "next_page of the answer before; alone is enough"}

SCHEMAS: Final[tuple[dict[str, Any], ...]] = (
    {
        "name": "corpus_search",
        "description": (
            "Search what this game's tools have really returned before: pages, documents, command output. "
            'Use it before searching the web again. Words, "a phrase", a trailing * and a leading - are '
            "understood; everything else is a word. Each hit has a ref for corpus_read and corpus_cite."
        ),
        "parameters": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to look for"},
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 20,
                    "description": "Hits; 8 by default",
                },
                "page": _PAGE,
            },
        },
    },
    {
        "name": "corpus_find",
        "description": (
            "Find every line that holds exactly this text (case, width and runs of spaces make no difference), in "
            "document order. Use it to count, to check a wording, or to prove that something does not occur: only "
            "exhausted: true proves that there is nothing more. A page may be empty with next_page: go on."
        ),
        "parameters": {
            "type": "object",
            "properties": {
                "text": {"type": "string", "description": "Text within one line"},
                "regex": {
                    "type": "boolean",
                    "description": "text is an RE2 expression, matched line by line without regard to case",
                },
                "speaker": {
                    "type": "string",
                    "description": "Only lines written as 'Name: …' by this name; text may then be left out",
                },
                "url_prefix": {"type": "string", "description": "Only addresses that begin so"},
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 20,
                    "description": "Documents; 8 by default",
                },
                "page": _PAGE,
            },
        },
    },
    {
        "name": "corpus_read",
        "description": (
            "Read exact lines of a stored source: by ref (exactly that version) or by url (its current version). "
            "The answer says which lines it holds and has next_page where the document goes on."
        ),
        "parameters": {
            "type": "object",
            "properties": {
                "ref": {"type": "string", "description": "Ref of a search hit or a citation"},
                "url": {"type": "string", "description": "Address of a source, in any spelling"},
                "first_line": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "First line, from 1",
                },
                "max_lines": {"type": "integer", "minimum": 1, "maximum": 500},
                "page": _PAGE,
            },
        },
    },
    {
        "name": "corpus_cite",
        "description": (
            "Open refs and prove quotations before they go into an answer. For each ref: the stored text and its "
            "source, or why there is none. With a quote the verdict and the quote's own ref: EXACT, NORMALISED (only "
            "spaces, quotation marks or case differ), ELSEWHERE (another version or source has it), or ABSENT: then "
            "do not present the words as a quotation."
        ),
        "parameters": {
            "type": "object",
            "properties": {
                "citations": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": 20,
                    "items": {
                        "type": "object",
                        "properties": {
                            "ref": {"type": "string"},
                            "quote": {
                                "type": "string",
                                "description": "Words to prove, exactly as quoted",
                            },
                        },
                        "required": ["ref"],
                    },
                }
            },
            "required": ["citations"],
        },
    },
    {
        "name": "corpus_sources",
        "description": "List the stored sources of this game, newest first, with how complete and how old each is.",
        "parameters": {
            "type": "object",
            "properties": {
                "url_prefix": {"type": "string", "description": "Only addresses that begin so"},
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 50,
                    "description": "20 by default",
                },
                "page": _PAGE,
            },
        },
    },
)


def agent_tools(recorder: Recorder) -> list[dict[str, Any]]:
    """Arguments of Hermes' ``register_tool``, one mapping for each tool."""
    return [
        {
            "name": schema["name"],
            "toolset": TOOLSET,
            "schema": schema,
            "handler": _handler(recorder, schema["name"]),
            "description": schema["description"],
        }
        for schema in SCHEMAS
    ]


def _handler(recorder: Recorder, name: str) -> Callable[..., str]:
    def handle(args: object, **context: Any) -> str:  # noqa: ANN401 - Hermes' own values
        """Answer with JSON text; a fault is ``{"error": REASON}``."""
        ids = CallIds.of(context)
        session_id = ids.session_id or recorder.lineage.session_of_task(ids.task_id)
        question = {
            "arguments": args if isinstance(args, dict) else {},
            "sessions": list(recorder.lineage.sessions_of(session_id)),
            "default_game": recorder.facts["default_game"],
            "run": recorder.lineage.run_of(session_id),
        }
        try:
            answer = ask(name, question, CALL_SECONDS_MAX)
        except SidecarAbsent as absent:
            recorder.start()
            answer = {"error": absent.reason}
        except (TypeError, ValueError):
            answer = {"error": "ARGUMENTS_INVALID"}
        return json.dumps(answer, ensure_ascii=False)

    return handle
