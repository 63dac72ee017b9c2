"""The bundled sample game: real tool results of a real Hermes, about a game that was made up for it."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Final

from sourcecorpus.bridge.capture_stream import stream_envelopes
from sourcecorpus.bridge.envelope_files import read_envelopes

if TYPE_CHECKING:
    from sourcecorpus.bridge.client import SourceCorpusClient
    from sourcecorpus.capture.v1.outcome_pb2 import EnvelopeOutcome

SAMPLE_GAME: Final = "emberfall"
SAMPLE_TITLE: Final = "Emberfall (sample)"
SAMPLE_SESSION: Final = "sample-emberfall-1"


def load_sample_on_first_start(client: SourceCorpusClient) -> list[EnvelopeOutcome]:
    """Load the sample where no game exists yet.

    Returns:
        The outcomes; empty where there was a game already.
    """
    from sourcecorpus.corpus.v1.game_service_pb2 import ListGamesRequest

    if client.games.ListGames(ListGamesRequest(page_size=1)).games:
        return []
    return load_sample(client)


def load_sample(client: SourceCorpusClient) -> list[EnvelopeOutcome]:
    """Make the sample game where it is missing and send its captures; sending them again is harmless."""
    import grpc

    from sourcecorpus.corpus.v1.game_pb2 import Game
    from sourcecorpus.corpus.v1.game_service_pb2 import CreateGameRequest

    game = Game(game_id=SAMPLE_GAME, title=SAMPLE_TITLE)
    try:
        client.games.CreateGame(CreateGameRequest(game=game))
    except grpc.RpcError as error:
        if error.code() is not grpc.StatusCode.ALREADY_EXISTS:
            raise
    file = resources.files(__name__) / "emberfall.jsonl"
    with resources.as_file(file) as path:
        envelopes = list(read_envelopes(path))
    for envelope in envelopes:
        envelope.head.game_id = SAMPLE_GAME
    return list(stream_envelopes(client.captures, envelopes, capture_session_id=SAMPLE_SESSION))
