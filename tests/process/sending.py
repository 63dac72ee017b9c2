"""Sends envelopes in a thread, while the test does something to the services."""

import threading
from collections import Counter
from collections.abc import Iterable

import grpc

from sourcecorpus.bridge.capture_stream import stream_envelopes
from sourcecorpus.capture.v1.envelope_pb2 import Envelope
from tests.process.conftest import Services

JOIN_SECONDS_MAX = 120.0


class Sender:
    """Keeps what it was told; joining raises what went wrong."""

    def __init__(self, services: Services, envelopes: Iterable[Envelope], session: str) -> None:
        self.outcomes: Counter[str] = Counter()
        self.acknowledged: dict[str, int] = {}
        self.some = threading.Event()
        self._services, self._envelopes, self._session = services, envelopes, session
        self._fault: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> "Sender":
        self._thread.start()
        return self

    def join(self) -> dict[str, int]:
        self._thread.join(JOIN_SECONDS_MAX)
        assert not self._thread.is_alive(), "the sender does not come to an end"
        if self._fault is not None:
            raise self._fault
        return self.acknowledged

    def _run(self) -> None:
        try:
            with self._services.client() as client:
                for outcome in stream_envelopes(
                    client.captures, self._envelopes, capture_session_id=self._session
                ):
                    assert outcome.envelope_id not in self.acknowledged
                    self.acknowledged[outcome.envelope_id] = outcome.outcome
                    self.some.set()
        except (grpc.RpcError, AssertionError) as fault:
            self._fault = fault
        finally:
            self.some.set()
