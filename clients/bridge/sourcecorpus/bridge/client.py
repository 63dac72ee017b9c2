"""The client of both services: one object that opens channels on first use and closes them at the end.

Installs without the servers' dependencies. All methods raise ``Failure`` of ``sourcecorpus.rpc.failures``, which
carries the canonical code, the reason and the field.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from sourcecorpus.rpc.channels import ANONYMOUS, Identity, open_sync_channel
from sourcecorpus.rpc.runtime_settings import RuntimeSettings
from sourcecorpus.rpc.settings import load

if TYPE_CHECKING:
    from types import TracebackType

    import grpc

    from sourcecorpus.capture.v1.capture_service_pb2_grpc import CaptureServiceStub
    from sourcecorpus.corpus.v1.citation_service_pb2_grpc import CitationServiceStub
    from sourcecorpus.corpus.v1.discovery_service_pb2_grpc import DiscoveryServiceStub
    from sourcecorpus.corpus.v1.game_service_pb2_grpc import GameServiceStub
    from sourcecorpus.corpus.v1.search_service_pb2_grpc import SearchServiceStub
    from sourcecorpus.corpus.v1.source_service_pb2_grpc import SourceServiceStub


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the services listen, each ``host:port`` or ``unix:path``."""

    capture: str
    corpus: str

    @classmethod
    def from_settings(cls, settings: RuntimeSettings) -> Addresses:
        """Take the addresses that the services take from the same settings."""
        return cls(capture=str(settings.capture_address), corpus=str(settings.corpus_address))


class SourceCorpusClient:
    """Stubs of every service; usable as a context manager.

    Not for sharing between processes: gRPC channels do not survive a fork.
    """

    def __init__(self, addresses: Addresses, identity: Identity = ANONYMOUS) -> None:
        self._addresses = addresses
        self._identity = identity
        self._channels: dict[str, grpc.Channel] = {}

    @classmethod
    def from_settings(cls, settings: RuntimeSettings | None = None) -> Self:
        """A client of the services that the settings describe.

        Args:
            settings: Shared settings; None reads the configuration file and the environment.

        Raises:
            SettingsError: A setting cannot be used.
        """
        settings = settings or load(RuntimeSettings)
        return cls(Addresses.from_settings(settings), Identity.from_settings(settings))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the channels; closing twice is harmless."""
        while self._channels:
            self._channels.popitem()[1].close()

    def channel(self, address: str) -> grpc.Channel:
        """The channel of an address, opened on first use."""
        if address not in self._channels:
            self._channels[address] = open_sync_channel(address, self._identity)
        return self._channels[address]

    @property
    def addresses(self) -> Addresses:
        """Where the services listen."""
        return self._addresses

    @property
    def captures(self) -> CaptureServiceStub:
        """CaptureService."""
        from sourcecorpus.capture.v1.capture_service_pb2_grpc import CaptureServiceStub

        return CaptureServiceStub(self.channel(self._addresses.capture))

    @property
    def games(self) -> GameServiceStub:
        """GameService."""
        from sourcecorpus.corpus.v1.game_service_pb2_grpc import GameServiceStub

        return GameServiceStub(self.channel(self._addresses.corpus))

    @property
    def search(self) -> SearchServiceStub:
        """SearchService."""
        from sourcecorpus.corpus.v1.search_service_pb2_grpc import SearchServiceStub

        return SearchServiceStub(self.channel(self._addresses.corpus))

    @property
    def sources(self) -> SourceServiceStub:
        """SourceService."""
        from sourcecorpus.corpus.v1.source_service_pb2_grpc import SourceServiceStub

        return SourceServiceStub(self.channel(self._addresses.corpus))

    @property
    def citations(self) -> CitationServiceStub:
        """CitationService."""
        from sourcecorpus.corpus.v1.citation_service_pb2_grpc import CitationServiceStub

        return CitationServiceStub(self.channel(self._addresses.corpus))

    @property
    def discoveries(self) -> DiscoveryServiceStub:
        """DiscoveryService."""
        from sourcecorpus.corpus.v1.discovery_service_pb2_grpc import DiscoveryServiceStub

        return DiscoveryServiceStub(self.channel(self._addresses.corpus))
