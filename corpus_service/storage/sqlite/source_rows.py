"""Rows of sources: one for each canonical URI, with its current content."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Final

from corpus_service.domain.currency import NO_CLAIM, Claim
from corpus_service.domain.records import CapturedSource, CaptureRecord
from corpus_service.storage.sqlite.artifact_rows import ArtifactRow
from corpus_service.storage.sqlite.observation_rows import fetched_time_of
from corpus_service.storage.sqlite.values import host_of
from corpus_service.storage.sqlite.version_rows import VersionRow
from corpus_service.storage.sqlite.writing import Transaction
from corpus_service.trust import trust_of
from sourcecorpus.identity.identifiers import source_id

_STATE: Final = (
    "row, id, canonical_uri, original_uri, family, kind, title, trust, license_hint,"
    " current_version, current_artifact, current_grade, current_fetched_known, current_fetched,"
    " version_count, observation_count, fetched_time, first_observed_time, last_observed_time,"
    " first_sequence, listed_sequence"
)
_CHANGED: Final = _STATE.split(", ")[3:]
_UPDATE: Final = (
    f"UPDATE sources SET {', '.join(f'{name} = ?' for name in _CHANGED)}"  # noqa: S608 - constants
    " WHERE row = ?"
)
_INSERT: Final = (
    "INSERT INTO sources (id, canonical_uri, host, original_uri, family, kind, title, trust,"
    " license_hint, current_grade, current_fetched_known, current_fetched, version_count,"
    " observation_count) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0)"
)


@dataclass(slots=True)
class SourceRow:
    """A row of ``sources``; the fields stand in the order of the columns above."""

    row: int
    id: str
    canonical_uri: str
    original_uri: str
    family: str
    kind: str
    title: str
    trust: int
    license_hint: str
    current_version: int | None = None
    current_artifact: int | None = None
    current_grade: int = NO_CLAIM.grade
    current_fetched_known: int = 0
    current_fetched: int = NO_CLAIM.time
    version_count: int = 0
    observation_count: int = 0
    fetched_time: int | None = None
    first_observed_time: int | None = None
    last_observed_time: int | None = None
    first_sequence: int | None = None
    listed_sequence: int | None = None


class SourceTable:
    """The table ``sources`` within the transaction of one record."""

    def __init__(self, transaction: Transaction, game_id: str) -> None:
        self._transaction = transaction
        self._connection = transaction.connection
        self._game_id = game_id
        # A record may name a source more than once; both times mean the same row.
        self._loaded: dict[str, SourceRow] = {}

    def load_or_make(self, source: CapturedSource) -> tuple[SourceRow, bool]:
        """Return the source of an observation, and whether it was made."""
        name = source_id(self._game_id, source.canonical_uri)
        loaded = self._loaded.get(name)
        if loaded is not None:
            return loaded, False
        found = self._connection.execute(
            f"SELECT {_STATE} FROM sources WHERE id = ?",  # noqa: S608 - constants alone
            (name,),
        ).fetchone()
        row = SourceRow(*found) if found is not None else self._make(name, source)
        self._loaded[name] = row
        return row, found is None

    def observe(
        self,
        row: SourceRow,
        source: CapturedSource,
        record: CaptureRecord,
        artifact: ArtifactRow,
        version: VersionRow | None,
    ) -> None:
        """Note one readable observation of a content of this source."""
        observed = record.finished_time
        fetched = fetched_time_of(source, record)
        sequence = self._transaction.sequence
        row.observation_count += 1
        if row.first_sequence is None:
            row.first_sequence = sequence
        row.first_observed_time = min(observed, row.first_observed_time or observed)
        if row.last_observed_time is None or observed > row.last_observed_time:
            row.last_observed_time = observed
            row.listed_sequence = sequence
        if fetched is not None:
            row.fetched_time = max(fetched, row.fetched_time or fetched)
        if version is not None and version.made:
            row.version_count += 1
        claim = Claim(artifact.grade, fetched is not None, observed if fetched is None else fetched)
        if not source.never_current and self._displaces(row, claim, version):
            self._make_current(row, claim, source, artifact, version)
        elif not row.title or not row.current_artifact:
            row.title = source.title or row.title
        self._connection.execute(_UPDATE, (*astuple(row)[3:], row.row))

    def _make(self, name: str, source: CapturedSource) -> SourceRow:
        trust = trust_of(
            role=source.role, canonical_uri=source.canonical_uri, synthetic=source.synthetic
        )
        row = SourceRow(
            0,
            name,
            source.canonical_uri,
            _original_uri(source),
            source.family,
            source.kind,
            source.title,
            trust,
            source.license_hint,
        )
        self._connection.execute(
            _INSERT,
            (
                name,
                source.canonical_uri,
                host_of(source.canonical_uri),
                row.original_uri,
                source.family,
                source.kind,
                source.title,
                trust,
                source.license_hint,
            ),
        )
        row.row = self._connection.last_insert_rowid()
        return row

    @staticmethod
    def _displaces(row: SourceRow, claim: Claim, version: VersionRow | None) -> bool:
        if version is None and row.current_version is not None:
            # Bytes without text do not hide the text that readers have.
            return False
        if version is not None and row.current_version is None:
            return claim.grade > NO_CLAIM.grade
        held = Claim(row.current_grade, bool(row.current_fetched_known), row.current_fetched)
        return claim.grade > NO_CLAIM.grade and claim >= held

    def _make_current(
        self,
        row: SourceRow,
        claim: Claim,
        source: CapturedSource,
        artifact: ArtifactRow,
        version: VersionRow | None,
    ) -> None:
        row.current_grade = claim.grade
        row.current_fetched_known = int(claim.time_known)
        row.current_fetched = claim.time
        row.current_artifact = artifact.row
        row.original_uri = _original_uri(source)
        row.family, row.kind, row.trust = source.family, source.kind, artifact.trust
        row.license_hint = source.license_hint or row.license_hint
        row.title = (version.title if version else "") or source.title or row.title
        if version is None or row.current_version == version.row:
            return
        sequence = self._transaction.sequence
        if row.current_version is not None:
            self._connection.execute(
                "UPDATE currency SET until_sequence = ?"
                " WHERE version = ? AND until_sequence IS NULL",
                (sequence, row.current_version),
            )
        self._connection.execute(
            "INSERT INTO currency (version, from_sequence, until_sequence) VALUES (?, ?, NULL)",
            (version.row, sequence),
        )
        row.current_version = version.row


def _original_uri(source: CapturedSource) -> str:
    return source.final_uri or source.requested_uri or source.canonical_uri
