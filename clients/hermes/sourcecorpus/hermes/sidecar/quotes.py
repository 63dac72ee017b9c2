"""Proves quotations: the exact characters in the exact stored version, or not.

Only the first of the quote verdicts (EXACT) is decided here. Looser likeness is the corpus' to judge, so that all
readers judge alike; what is not exact is told as NOT_EXACT and never as a quotation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sourcecorpus.corpus.v1.source_service_pb2 import ReadDocumentRequest
from sourcecorpus.rpc.limits import READ_CODE_POINTS_MAX, READ_LINES_MAX

if TYPE_CHECKING:
    from sourcecorpus.corpus.v1.citation_pb2 import Citation
    from sourcecorpus.hermes.sidecar.services import Services

TEXT_CODE_POINTS_MAX: Final = 4_000_000
CALL_SECONDS_MAX: Final = 20.0


class QuoteReader:
    """Reads each version once for all quotes of one question."""

    def __init__(self, services: Services, game_id: str) -> None:
        self._services = services
        self._game_id = game_id
        self._texts: dict[str, str | None] = {}

    def judge(self, citation: Citation, quote: str) -> dict[str, Any]:
        """Look for the quote in the citation's span first, then in the whole version.

        Returns:
            ``verdict`` EXACT with ``quote_ref`` (and ``inside_ref`` false for another place of the version),
            NOT_EXACT, or NOT_CHECKED where the version is longer than ``TEXT_CODE_POINTS_MAX``.

        Raises:
            grpc.RpcError: The corpus refuses or is away.
        """
        text = self._text(citation.version_id)
        if text is None:
            return {"verdict": "NOT_CHECKED"}
        span = citation.span
        start = text.find(quote, span.start, span.end)
        inside = start >= 0
        if not inside:
            start = text.find(quote)
        if start < 0:
            return {"verdict": "NOT_EXACT"}
        base = citation.ref.partition("#")[0]
        found: dict[str, Any] = {
            "verdict": "EXACT",
            "quote_ref": f"{base}#{start}-{start + len(quote)}",
        }
        return found if inside else {**found, "inside_ref": False}

    def _text(self, version_id: str) -> str | None:
        if version_id not in self._texts:
            self._texts[version_id] = self._read(version_id)
        return self._texts[version_id]

    def _read(self, version_id: str) -> str | None:
        request = ReadDocumentRequest(
            game_id=self._game_id,
            version_id=version_id,
            max_lines=READ_LINES_MAX,
            max_chars=READ_CODE_POINTS_MAX,
        )
        pieces: list[str] = []
        length = 0
        while True:
            found = self._services.sources.ReadDocument(request, timeout=CALL_SECONDS_MAX)
            if found.version.text_length > TEXT_CODE_POINTS_MAX:
                return None
            for line in found.lines:
                # Offsets say where the line ends of the stored text stood.
                pieces += ["\n" * (line.offset - length), line.text]
                length = line.offset + len(line.text)
            if not found.HasField("continuation"):
                return "".join(pieces)
            request = found.continuation
