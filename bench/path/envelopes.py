"""Documents as the capture service gets them: what a fetch in the terminal returned."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from bench.store.documents import Document
from sourcecorpus.capture.v1.envelope_pb2 import Envelope, EnvelopeHead, ToolStatus


def envelopes(documents: Iterable[Document], game: str, round_name: str) -> Iterator[Envelope]:
    """One envelope for each document, with ids and addresses of this round alone."""
    for number, document in enumerate(documents):
        result = {
            "output": document.body.decode("utf-8", "replace"),
            "exit_code": 0,
            "error": None,
        }
        yield Envelope(
            head=EnvelopeHead(
                envelope_id=f"{round_name}-{number}",
                game_id=game,
                run_id=round_name,
                session_id=round_name,
                tool_call_id=f"call-{number}",
                tool_name="terminal",
                arguments=json.dumps({"command": f"curl -s '{document.uri}'"}).encode(),
                status=ToolStatus.TOOL_STATUS_OK,
            ),
            result=json.dumps(result, ensure_ascii=False).encode(),
        )
