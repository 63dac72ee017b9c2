"""Answers the questions of plugins, commands and the command line; every answer is a JSON object."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Final

import grpc

from capture_service.redaction import RedactionRefused
from sourcecorpus.hermes.sidecar.agent_tools import PageExpired
from sourcecorpus.hermes.sidecar.games import CurrentGame, GameBook
from sourcecorpus.hermes.sidecar.incoming import session_ids
from sourcecorpus.hermes.sidecar.redacting import EventRedactor
from sourcecorpus.rpc.failures import Failure
from sourcecorpus.rpc.logs import log_event
from sourcecorpus.rpc.status import failure_from_rpc_error

_LOGGER: Final = logging.getLogger(__name__)
_GAME_CHARACTERS_MAX: Final = 128
Answer = dict[str, Any]
Handler = Callable[[dict[str, Any]], Answer]


class Answers:
    """Finds who answers a question. A fault is an answer with ``error`` and, where it helps, ``field``."""

    def __init__(self, handlers: dict[str, Handler]) -> None:
        self._handlers = handlers

    def __call__(self, call: str, arguments: dict[str, Any]) -> Answer:
        """Answer one question; never raises."""
        handler = self._handlers.get(call)
        if handler is None:
            return {"error": "CALL_UNKNOWN"}
        try:
            return handler(arguments)
        except Failure as failure:
            return _fault(failure)
        except grpc.RpcError as error:
            return _fault(failure_from_rpc_error(error))
        except RedactionRefused as refusal:
            return {"error": refusal.reason}
        except PageExpired:
            return {"error": "PAGE_EXPIRED", "field": "page"}
        except Exception as error:  # noqa: BLE001 - the question fails, the sidecar goes on
            log_event(_LOGGER, logging.ERROR, "answer_failed", error=error)
            return {"error": "INTERNAL"}


class GameAnswers:
    """``game`` and ``set_game``."""

    def __init__(self, games: GameBook, redactor: Callable[[], EventRedactor]) -> None:
        self._games = games
        self._redactor = redactor

    def current(self, arguments: dict[str, Any]) -> CurrentGame:
        """The game of the sessions that a question names."""
        redactor = self._redactor()
        sessions = [redactor.text(name) for name in session_ids(arguments.get("sessions"))]
        default_game = redactor.text(str(arguments.get("default_game") or ""))
        return self._games.current(sessions, default_game)

    def game(self, arguments: dict[str, Any]) -> Answer:
        """Tell the current game."""
        current = self.current(arguments)
        return {"game": current.game_id, "confirmed": current.confirmed}

    def set_game(self, arguments: dict[str, Any]) -> Answer:
        """Set or clear the game of a session."""
        sessions = session_ids(arguments.get("sessions"))
        game = arguments.get("game")
        if not sessions:
            return {"error": "SESSION_UNKNOWN", "field": "sessions"}
        if not isinstance(game, str) or len(game) > _GAME_CHARACTERS_MAX:
            return {"error": "FIELD_INVALID", "field": "game"}
        redactor = self._redactor()
        chosen = self._games.choose(redactor.text(sessions[0]), redactor.text(game))
        return {"game": chosen.game_id, "confirmed": chosen.confirmed}


def _fault(failure: Failure) -> Answer:
    answer: Answer = {"error": failure.reason or failure.code.name, "code": failure.code.name}
    if failure.field:
        answer["field"] = failure.field
    return answer
