"""Carries out game commands. Every command gets an answer; none raises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import grpc
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from sourcecorpus.bridge.archive_files import write_archive
from sourcecorpus.bridge.game_commands import requests
from sourcecorpus.bridge.game_commands.checking import CommandRefused, check_command
from sourcecorpus.corpus.v1.game_service_pb2 import GetGameRequest
from sourcecorpus.corpus.v1.transfer_pb2 import ExportScope
from sourcecorpus.rpc.failures import Failure
from sourcecorpus.rpc.status import failure_from_rpc_error

if TYPE_CHECKING:
    from sourcecorpus.bridge.client import SourceCorpusClient

CALL_SECONDS_MAX: Final = 30.0

Command = Mapping[str, Any]
Answer = dict[str, Any]
Call = Callable[[Command, str], Message | Answer]


class GameCommands:
    """Maps each command of the schema to the calls of the contract."""

    def __init__(self, client: SourceCorpusClient, export_folder: Path | None = None) -> None:
        """Wire it.

        Args:
            client: Reaches the services.
            export_folder: Where ``corpus_export`` may write; None refuses exports.
        """
        self._client = client
        self._export_folder = export_folder
        self._calls: Final[Mapping[str, Call]] = {
            "corpus_save": self._save,
            "corpus_search": self._search,
            "corpus_suggest": self._suggest,
            "corpus_find": self._find,
            "corpus_read": self._read,
            "corpus_cite": self._cite,
            "corpus_verify": self._verify,
            "corpus_sources": self._sources,
            "corpus_delete": self._delete,
            "corpus_refresh": self._refresh,
            "corpus_pause": self._pause,
            "corpus_export": self._export,
        }

    def names(self) -> frozenset[str]:
        """Names of the commands that are carried out."""
        return frozenset(self._calls)

    def handle(self, document: object) -> Answer:
        """Carry out one command.

        Args:
            document: A JSON value; what is no command of the schema is answered with its reason and field.

        Returns:
            An answer as the schema's ``$defs/answer`` describes it.
        """
        asked = document if isinstance(document, dict) else {}
        answer: Answer = {}
        if isinstance(asked.get("id"), str) and 0 < len(asked["id"]) <= 128:
            answer["id"] = asked["id"]
        try:
            name = check_command(document)
            answer["command"] = name
            game_id = self._game(asked["game"])
            result = self._calls[name](asked, game_id)
        except CommandRefused as refusal:
            return answer | _fault("INVALID_ARGUMENT", refusal.reason, refusal.field)
        except grpc.RpcError as error:
            failure = failure_from_rpc_error(error)
            return answer | _fault(failure.code.name, failure.reason, failure.field)
        except Failure as failure:
            return answer | _fault(failure.code.name, failure.reason, failure.field)
        except OSError:
            return answer | _fault("FAILED_PRECONDITION", "EXPORT_FILE_UNUSABLE", "file")
        if isinstance(result, Message):
            result = MessageToDict(result, preserving_proto_field_name=True)
        return answer | {"ok": True, "result": result}

    def _game(self, name: str) -> str:
        """The canonical id of a game's id or alias."""
        found = self._client.games.GetGame(GetGameRequest(game_id=name), timeout=CALL_SECONDS_MAX)
        return found.game.game_id

    def _save(self, command: Command, game_id: str) -> Message:
        request = requests.save_request(command, game_id)
        return self._client.citations.LinkRunSources(request, timeout=CALL_SECONDS_MAX)

    def _search(self, command: Command, game_id: str) -> Message:
        request = requests.search_request(command, game_id)
        return self._client.search.Search(request, timeout=CALL_SECONDS_MAX)

    def _suggest(self, command: Command, game_id: str) -> Message:
        request = requests.suggest_request(command, game_id)
        return self._client.search.SuggestTerms(request, timeout=CALL_SECONDS_MAX)

    def _find(self, command: Command, game_id: str) -> Message:
        request = requests.find_request(command, game_id)
        return self._client.search.FindText(request, timeout=CALL_SECONDS_MAX)

    def _read(self, command: Command, game_id: str) -> Message:
        request = requests.read_request(command, game_id)
        return self._client.sources.ReadDocument(request, timeout=CALL_SECONDS_MAX)

    def _cite(self, command: Command, game_id: str) -> Message:
        request = requests.cite_request(command, game_id)
        return self._client.citations.ResolveCitations(request, timeout=CALL_SECONDS_MAX)

    def _verify(self, command: Command, game_id: str) -> Message:
        request = requests.verify_request(command, game_id)
        return self._client.citations.VerifyQuotes(request, timeout=CALL_SECONDS_MAX)

    def _delete(self, command: Command, game_id: str) -> Message:
        request = requests.delete_request(command, game_id)
        return self._client.sources.DeleteSource(request, timeout=CALL_SECONDS_MAX)

    def _refresh(self, command: Command, game_id: str) -> Message:
        request = requests.refresh_request(command, game_id)
        return self._client.sources.RequestRefresh(request, timeout=CALL_SECONDS_MAX)

    def _sources(self, command: Command, game_id: str) -> Message:
        request = requests.sources_request(command, game_id)
        return self._client.sources.ListSources(request, timeout=CALL_SECONDS_MAX)

    def _pause(self, command: Command, game_id: str) -> Message:
        request = requests.pause_request(command, game_id)
        return self._client.games.UpdateGame(request, timeout=CALL_SECONDS_MAX)

    def _export(self, command: Command, game_id: str) -> Answer:
        if self._export_folder is None:
            raise CommandRefused("EXPORT_FOLDER_NOT_SET", "file")
        scope = (
            ExportScope.EXPORT_SCOPE_EVERYTHING
            if command.get("texts", True)
            else ExportScope.EXPORT_SCOPE_CATALOGUE
        )
        # The schema allows a bare file name alone, so nothing leaves the folder.
        path = self._export_folder / command["file"]
        written = write_archive(self._client, game_id, path, scope)
        facts = MessageToDict(written.head, preserving_proto_field_name=True)
        return facts | {"content_hash": written.content_hash}


def _fault(code: str, reason: str, field: str) -> Answer:
    error = {"code": code, "reason": reason or code}
    if field:
        error["field"] = field
    return {"ok": False, "error": error}
