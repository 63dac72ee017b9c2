"""A local web on the loopback range: a plain site and the two Firecrawl calls that Hermes makes.

Pages are given by the test as {url: {"markdown", "title", "status"}}; the addresses of the pages are never contacted.
"""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


class LocalWeb:
    """Serves until it is closed; ``port`` is chosen by the system."""

    def __init__(self, pages: dict[str, dict[str, Any]], hits: list[dict[str, str]]) -> None:
        self.pages = pages
        self.hits = hits
        web = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                page = web.pages.get(self.path)
                body = page["body"].encode() if page else b"no such page\n"
                self.answer(200 if page else 404, body, page["type"] if page else "text/plain")

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", "0"))
                request = json.loads(self.rfile.read(length) or b"{}")
                answer = web.firecrawl(self.path, request)
                self.answer(200, json.dumps(answer).encode(), "application/json")

            def answer(self, status: int, body: bytes, media_type: str) -> None:
                self.send_response(status)
                self.send_header("Content-Type", media_type)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def firecrawl(self, path: str, request: dict[str, Any]) -> dict[str, Any]:
        if path.endswith("/search"):
            return {"success": True, "data": {"web": self.hits[: request.get("limit", 5)]}}
        page = self.pages.get(request.get("url", ""))
        if page is None:
            return {"success": False, "error": "SCRAPE_SITE_ERROR: upstream said 404"}
        time.sleep(page.get("seconds", 0.0))
        metadata = {
            "title": page["title"],
            "sourceURL": request["url"],
            "url": request["url"],
            "statusCode": page.get("status", 200),
        }
        return {"success": True, "data": {"markdown": page["markdown"], "metadata": metadata}}

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
