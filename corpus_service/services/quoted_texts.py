"""The whole texts of versions for a call about quotations, each read once and proven by its hash."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from typing import Protocol

from corpus_service.domain.sources import Version
from corpus_service.quotes import QuotedText
from corpus_service.services.limits import QUOTED_TEXTS_CODE_POINTS_MAX
from corpus_service.storage.interface import TextReader
from sourcecorpus.rpc import deadline
from sourcecorpus.rpc.failures import Failure, FailureCode


class QuotedTexts:
    """Texts of one game, kept for the length of a call within a bound; used by one thread."""

    def __init__(self, store: TextReader, game_id: str) -> None:
        self._store = store
        self._game_id = game_id
        self._kept: OrderedDict[str, QuotedText] = OrderedDict()
        self._code_points = 0

    def get(self, version: Version) -> QuotedText:
        """Returns the text of a version.

        Raises:
            Failure: DATA_LOSS STORED_HASH_MISMATCH, STORE_DAMAGED; NOT_FOUND VERSION_NOT_FOUND where
                it was deleted meanwhile; DEADLINE_EXCEEDED.
        """
        kept = self._kept.get(version.version_id)
        if kept is not None:
            self._kept.move_to_end(version.version_id)
            return kept
        deadline.require_time()
        text = read_whole_text(self._store, self._game_id, version)
        quoted = QuotedText(text)
        self._code_points += len(text)
        self._kept[version.version_id] = quoted
        while self._code_points > QUOTED_TEXTS_CODE_POINTS_MAX and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._code_points -= len(dropped.text)
        return quoted


class TextSource(Protocol):
    """What reading a whole text needs of a store."""

    def read_span(self, game_id: str, version_id: str, start: int, end: int) -> str:
        """See `TextReader.read_span`."""


def read_whole_text(store: TextSource, game_id: str, version: Version) -> str:
    """Reads the text of a version and proves it.

    Raises:
        Failure: DATA_LOSS STORED_HASH_MISMATCH with both hashes; what the store raises.
    """
    text = store.read_span(game_id, version.version_id, 0, version.text_length)
    found = "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    if found != version.text_hash:
        raise Failure(
            FailureCode.DATA_LOSS,
            "STORED_HASH_MISMATCH",
            "text_hash",
            metadata={"expected": version.text_hash, "actual": found},
        )
    return text
