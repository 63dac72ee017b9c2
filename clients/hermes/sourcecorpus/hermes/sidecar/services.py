"""The sidecar's channels to both services."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import grpc

from sourcecorpus.capture.v1.capture_service_pb2 import GetSessionGameRequest, SetSessionGameRequest
from sourcecorpus.capture.v1.capture_service_pb2_grpc import CaptureServiceStub
from sourcecorpus.corpus.v1.citation_service_pb2_grpc import CitationServiceStub
from sourcecorpus.corpus.v1.run_links_pb2 import LinkRunSourcesRequest, RunSourceLink, RunUse
from sourcecorpus.corpus.v1.search_service_pb2_grpc import SearchServiceStub
from sourcecorpus.corpus.v1.source_service_pb2_grpc import SourceServiceStub
from sourcecorpus.hermes.sidecar.limits import (
    GAME_CALL_SECONDS_MAX,
    LINK_CALL_SECONDS_MAX,
    SET_GAME_CALL_SECONDS_MAX,
)
from sourcecorpus.rpc.channels import Identity, open_sync_channel
from sourcecorpus.rpc.status import failure_from_rpc_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sourcecorpus.hermes.sidecar.run_links import RunLink
    from sourcecorpus.rpc.runtime_settings import RuntimeSettings

_USES: Final = {"consulted": RunUse.RUN_USE_CONSULTED, "cited": RunUse.RUN_USE_CITED}


class Services:
    """Stubs of the capture and the corpus service. Safe for several threads."""

    def __init__(self, settings: RuntimeSettings) -> None:
        """Open nothing yet; channels connect on first use.

        Raises:
            SettingsError: An address needs TLS and the settings name no roots, or a token file is unusable.
        """
        identity = Identity.from_settings(settings)
        self.capture_address = str(settings.capture_address)
        self.corpus_address = str(settings.corpus_address)
        self._capture_channel = open_sync_channel(settings.capture_address, identity)
        self._corpus_channel = open_sync_channel(settings.corpus_address, identity)
        self.captures = CaptureServiceStub(self._capture_channel)
        self.search = SearchServiceStub(self._corpus_channel)
        self.sources = SourceServiceStub(self._corpus_channel)
        self.citations = CitationServiceStub(self._corpus_channel)

    def get_session_game(self, session_id: str) -> str:
        """See ``games.GameService``."""
        request = GetSessionGameRequest(session_id=session_id)
        try:
            answer = self.captures.GetSessionGame(request, timeout=GAME_CALL_SECONDS_MAX)
        except grpc.RpcError as error:
            raise failure_from_rpc_error(error) from None
        return answer.game_id

    def set_session_game(self, session_id: str, game_id: str) -> str:
        """See ``games.GameService``."""
        request = SetSessionGameRequest(session_id=session_id, game_id=game_id)
        try:
            answer = self.captures.SetSessionGame(request, timeout=SET_GAME_CALL_SECONDS_MAX)
        except grpc.RpcError as error:
            raise failure_from_rpc_error(error) from None
        return answer.game_id

    def link_run(self, links: Sequence[RunLink]) -> Sequence[str]:
        """See ``linking.Linker``."""
        request = LinkRunSourcesRequest(
            game_id=links[0].game_id,
            run_id=links[0].run_id,
            links=[RunSourceLink(ref=link.ref, use=_USES[link.use]) for link in links],
        )
        try:
            answer = self.citations.LinkRunSources(request, timeout=LINK_CALL_SECONDS_MAX)
        except grpc.RpcError as error:
            raise failure_from_rpc_error(error) from None
        return [result.failure_reason for result in answer.results]

    def close(self) -> None:
        """Close both channels; calls under way end."""
        self._capture_channel.close()
        self._corpus_channel.close()
