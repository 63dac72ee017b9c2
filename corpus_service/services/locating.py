"""From a locator to exactly one version, or to a refusal that says what else it fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from corpus_service.domain.documents import Document, Found
from corpus_service.domain.sources import Source, Version
from corpus_service.search.exact_view import fold_title
from corpus_service.services.failures import invalid, not_found, precondition
from corpus_service.services.limits import LOCATOR_CANDIDATES_MAX
from corpus_service.services.refs import read_ref
from corpus_service.storage.document_interface import DocumentFinder
from corpus_service.storage.interface import SourceReader, TextReader
from sourcecorpus.identity import canonicalise
from sourcecorpus.rpc import deadline
from sourcecorpus.rpc.failures import Failure, FailureCode
from sourcecorpus.rpc.limits import FILTER_VALUE_CODE_POINTS_MAX, URI_BYTES_MAX

SOURCE_ID_PREFIX = "src-"


class ReadingStore(SourceReader, TextReader, DocumentFinder, Protocol):
    """What reading needs of a store."""


@dataclass(frozen=True, slots=True)
class SourceLocator:
    """Names a source: exactly one of an id and an address in any spelling."""

    source_id: str = ""
    uri: str = ""


@dataclass(frozen=True, slots=True)
class DocumentLocator:
    """Names a version: exactly one of the fields is set."""

    version_id: str = ""
    source_id: str = ""
    canonical_uri: str = ""
    citation: str = ""
    title: str = ""
    collection: str = ""


@dataclass(frozen=True, slots=True)
class Located:
    """A version with what else its locator said.

    Attributes:
        version: The version.
        span_start: First code point that the locator names in it.
        collection_id: Collection that the locator names, "" for none.
    """

    version: Version
    span_start: int = 0
    collection_id: str = ""


class Locating:
    """Finds what locators name. Safe from any thread."""

    def __init__(self, store: ReadingStore) -> None:
        self._store = store

    def version(self, game_id: str, version_id: str, field: str = "version_id") -> Version:
        """Returns exactly this version.

        Raises:
            Failure: INVALID_ARGUMENT FIELD_REQUIRED; NOT_FOUND VERSION_NOT_FOUND;
                FAILED_PRECONDITION VERSION_DELETED.
        """
        if not version_id:
            raise invalid("FIELD_REQUIRED", field)
        version = self._store.get_versions(game_id, (version_id,)).get(version_id)
        if version is not None:
            return version
        if self._store.deleted_versions(game_id, (version_id,)):
            raise precondition("VERSION_DELETED", field)
        raise not_found("VERSION_NOT_FOUND", field)

    def source(self, game_id: str, locator: SourceLocator, *, uri_field: str = "uri") -> Source:
        """Returns the source.

        Raises:
            Failure: INVALID_ARGUMENT LOCATOR_REQUIRED, FIELD_TOO_LARGE; NOT_FOUND SOURCE_NOT_FOUND.
        """
        source_id, field = locator.source_id, "source_id"
        if not source_id:
            if not locator.uri:
                raise invalid("LOCATOR_REQUIRED", "locator")
            field = uri_field
            if len(locator.uri.encode("utf-8", "replace")) > URI_BYTES_MAX:
                raise invalid("FIELD_TOO_LARGE", field, limit_bytes=URI_BYTES_MAX)
            source_id = self._store.find_source(game_id, canonicalise(locator.uri).value)
        source = self._store.get_source(game_id, source_id) if source_id else None
        if source is None:
            raise not_found("SOURCE_NOT_FOUND", field)
        return source

    def document(self, game_id: str, locator: DocumentLocator) -> Located:
        """Returns the version that a locator names, with its place in it.

        Raises:
            Failure: INVALID_ARGUMENT LOCATOR_REQUIRED, INVALID_REF, REF_CHECK_FAILED,
                SPAN_OUT_OF_RANGE, FIELD_TOO_LARGE; NOT_FOUND SOURCE_NOT_FOUND, VERSION_NOT_FOUND,
                COLLECTION_NOT_FOUND; FAILED_PRECONDITION VERSION_DELETED, AMBIGUOUS_LOCATOR.
        """
        if locator.version_id:
            return Located(self.version(game_id, locator.version_id))
        if locator.citation:
            return self._cited(game_id, locator.citation)
        if locator.title:
            return self._titled(game_id, locator.title)
        if locator.collection:
            return self._first_of_collection(game_id, locator.collection)
        by_uri = SourceLocator(locator.source_id, locator.canonical_uri)
        field = "source_id" if locator.source_id else "canonical_uri"
        source = self.source(game_id, by_uri, uri_field="canonical_uri")
        if not source.current_version_id:
            # Seen, but no text was extracted from it: there is nothing to read lines of.
            raise not_found("VERSION_NOT_FOUND", field)
        return Located(self.version(game_id, source.current_version_id, field))

    def _cited(self, game_id: str, citation: str) -> Located:
        ref = read_ref(citation)
        if isinstance(ref, str):
            raise invalid(ref, "citation")
        version = self.version(game_id, ref.version_id, "citation")
        start, end = ref.span or (0, 0)
        if not start <= end <= version.text_length:
            raise invalid("SPAN_OUT_OF_RANGE", "citation", text_length=version.text_length)
        return Located(version, start)

    def _titled(self, game_id: str, title: str) -> Located:
        found = self._store.find_titled(
            game_id,
            _folded(title, "title"),
            limit=LOCATOR_CANDIDATES_MAX,
            deadline_seconds=deadline.remaining(),
        )
        if not found.total:
            raise not_found("SOURCE_NOT_FOUND", "title")
        if found.total > 1:
            raise _ambiguous_title(found)
        return Located(self.version(game_id, found.documents[0].version_id, "title"))

    def _first_of_collection(self, game_id: str, collection: str) -> Located:
        collection_id = collection
        if not collection.startswith(SOURCE_ID_PREFIX):
            found = self._store.find_collections(
                game_id,
                _folded(collection, "collection"),
                limit=LOCATOR_CANDIDATES_MAX,
                deadline_seconds=deadline.remaining(),
            )
            if found.total > 1:
                raise _ambiguous_collection(found)
            collection_id = found.collections[0].collection_id if found.total else ""
        first = self._store.first_document(game_id, collection_id) if collection_id else None
        if first is None:
            raise not_found("COLLECTION_NOT_FOUND", "collection")
        version = self.version(game_id, first.version_id, "collection")
        return Located(version, collection_id=collection_id)


def _folded(name: str, field: str) -> str:
    if len(name) > FILTER_VALUE_CODE_POINTS_MAX:
        raise invalid("FIELD_TOO_LARGE", field, limit=FILTER_VALUE_CODE_POINTS_MAX)
    folded = fold_title(name)
    if not folded:
        raise invalid("FIELD_VALUE_EMPTY", field)
    return folded


def _ambiguous_title(found: Found) -> Failure:
    documents = found.documents
    facts = {
        "versions": [document.version_id for document in documents],
        "line_counts": [str(document.line_count) for document in documents],
        "same_content": _of_same_content(documents),
    }
    return _ambiguous("title", found.total, [entry.source_id for entry in documents], facts)


def _ambiguous_collection(found: Found) -> Failure:
    facts = {"document_counts": [str(entry.document_count) for entry in found.collections]}
    names = [entry.collection_id for entry in found.collections]
    return _ambiguous("collection", found.total, names, facts)


def _ambiguous(
    field: str, total: int, candidates: Sequence[str], facts: dict[str, list[str]]
) -> Failure:
    # Ids and numbers alone: a failure carries no text that was captured.
    metadata = {"count": str(total), "candidates": " ".join(candidates)}
    metadata |= {name: " ".join(values) for name, values in facts.items() if values}
    return Failure(FailureCode.FAILED_PRECONDITION, "AMBIGUOUS_LOCATOR", field, metadata=metadata)


def _of_same_content(documents: Sequence[Document]) -> list[str]:
    hashes = [document.content_hash for document in documents]
    return [document.source_id for document in documents if hashes.count(document.content_hash) > 1]
