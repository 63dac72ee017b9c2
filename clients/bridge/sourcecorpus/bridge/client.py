"""The client of both services: one object that opens channels on first use and closes them at the end.

Installs without the servers' dependencies. All methods raise ``Failure`` of ``sourcecorpus.rpc.failures``, which
carries the canonical code, the reason and the field.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from sourcecorpus.rpc.channels import open_sync_channel

if TYPE_CHECKING:
    from types import TracebackType

    import grpc

    from sourcecorpus.capture.v1.capture_service_pb2_grpc import CaptureServiceStub
    from sourcecorpus.corpus.v1.citation_service_pb2_grpc import CitationServiceStub
    from sourcecorpus.corpus.v1.game_service_pb2_grpc import GameServiceStub
    from sourcecorpus.corpus.v1.search_service_pb2_grpc import SearchServiceStub
    from sourcecorpus.corpus.v1.source_service_pb2_grpc import SourceServiceStub

CAPTURE_ADDRESS_DEFAULT: Final = "127.0.0.1:50551"
CORPUS_ADDRESS_DEFAULT: Final = "127.0.0.1:50552"


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the services listen, each ``host:port`` or ``unix:path``."""

    capture: str = CAPTURE_ADDRESS_DEFAULT
    corpus: str = CORPUS_ADDRESS_DEFAULT

    @classmethod
    def from_environment(cls) -> Addresses:
        """Read SOURCECORPUS_CAPTURE_ADDRESS and SOURCECORPUS_CORPUS_ADDRESS."""
        return cls(
            capture=os.environ.get("SOURCECORPUS_CAPTURE_ADDRESS", CAPTURE_ADDRESS_DEFAULT),
            corpus=os.environ.get("SOURCECORPUS_CORPUS_ADDRESS", CORPUS_ADDRESS_DEFAULT),
        )


class SourceCorpusClient:
    """Stubs of every service; usable as a context manager.

    Not for sharing between processes: gRPC channels do not survive a fork.
    """

    def __init__(self, addresses: Addresses | None = None) -> None:
        self._addresses = addresses or Addresses.from_environment()
        self._channels: dict[str, grpc.Channel] = {}

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
            self._channels[address] = open_sync_channel(address)
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
