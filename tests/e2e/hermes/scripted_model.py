"""A local model server that answers from a script, in the shape of the OpenAI chat completions API.

A script maps a word of the first user message to steps; step n answers the request that holds n assistant messages.
A step is {"calls": [(tool, arguments), …]} or {"text": …}, or a function of the messages that gives one. Whatever no
script knows is answered with "ok".
"""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Step = dict[str, Any] | Callable[[list[dict[str, Any]]], dict[str, Any]]


class ScriptedModel:
    def __init__(self, scripts: dict[str, list[Step]]) -> None:
        self.scripts = scripts
        self.requests: list[dict[str, Any]] = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self.answer(json.dumps({"data": [{"id": "scripted", "context_length": 200_000}]}))

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", "0"))
                request = json.loads(self.rfile.read(length) or b"{}")
                model.requests.append(request)
                message = model.message_for(request.get("messages", []))
                if request.get("stream"):
                    self.answer(streamed(message), "text/event-stream")
                else:
                    self.answer(json.dumps(completion(message)))

            def answer(self, text: str, media_type: str = "application/json") -> None:
                body = text.encode()
                self.send_response(200)
                self.send_header("Content-Type", media_type)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def message_for(self, messages: list[dict[str, Any]]) -> dict[str, Any]:
        users = [text_of(message) for message in messages if message.get("role") == "user"]
        position = sum(message.get("role") == "assistant" for message in messages)
        for word, steps in self.scripts.items():
            if any(word in text for text in users):
                step = steps[min(position, len(steps) - 1)]
                return message_of(word, position, step(messages) if callable(step) else step)
        return {"role": "assistant", "content": "ok"}

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def text_of(message: dict[str, Any]) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else json.dumps(content)


def message_of(word: str, position: int, step: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": step.get("text")}
    calls = [
        {
            "id": f"call_{word}_{position}_{number}",
            "type": "function",
            "index": number,
            "function": {"name": tool, "arguments": json.dumps(arguments)},
        }
        for number, (tool, arguments) in enumerate(step.get("calls", []))
    ]
    if calls:
        message["tool_calls"] = calls
    return message


def completion(message: dict[str, Any]) -> dict[str, Any]:
    reason = "tool_calls" if "tool_calls" in message else "stop"
    return {
        "id": "scripted",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def streamed(message: dict[str, Any]) -> str:
    reason = "tool_calls" if "tool_calls" in message else "stop"
    base = {"id": "scripted", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    chunks = [
        {**base, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
        {
            **base,
            "choices": [],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        },
    ]
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
