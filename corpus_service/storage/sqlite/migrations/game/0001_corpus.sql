-- One game. Times are nanoseconds since 1970 UTC, spans count code points, lines count from 1.
-- Columns named "row" number the rows of a table; columns of other tables that refer to them carry
-- the table's name in the singular. Public ids are text. Readers use the views of the next file.

CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One row for each write transaction: what a page token's snapshot refers to. The counts are those
-- of the full-text index after the commit, so that scores of an earlier snapshot can be repeated;
-- FTS5 knows them when the commit is done, so the next transaction writes them down.
CREATE TABLE commits (
    sequence INTEGER PRIMARY KEY,
    committed_time INTEGER NOT NULL,
    next_chunk INTEGER NOT NULL,
    indexed_chunks INTEGER,
    indexed_tokens INTEGER
) STRICT;

-- Bytes, once for each distinct content. complete = 0 while an upload runs; referenced = 0 until a
-- record refers to them; readable = 1 once a readable observation does; damaged = 1 once a reader
-- found that they differ from their hash, until they come again.
CREATE TABLE blobs (
    row INTEGER PRIMARY KEY,
    hash TEXT NOT NULL,
    codec TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    piece_count INTEGER NOT NULL,
    complete INTEGER NOT NULL,
    referenced INTEGER NOT NULL,
    readable INTEGER NOT NULL,
    damaged INTEGER NOT NULL DEFAULT 0,
    begun_time INTEGER NOT NULL,
    content_type TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX blobs_by_hash ON blobs (hash) WHERE complete = 1;
CREATE INDEX blobs_pending ON blobs (begun_time) WHERE referenced = 0;

-- row = blob * 65536 + ordinal: the pieces of a blob are neighbours and need no second index.
CREATE TABLE blob_pieces (
    row INTEGER PRIMARY KEY,
    size_bytes INTEGER NOT NULL,
    frame BLOB NOT NULL
) STRICT;

-- The ingest ledger. Observations of an envelope are numbered from first_observation on.
CREATE TABLE envelopes (
    row INTEGER PRIMARY KEY,
    envelope_id TEXT NOT NULL UNIQUE,
    fingerprint TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    committed_time INTEGER NOT NULL,
    outcome INTEGER NOT NULL,
    probe INTEGER NOT NULL,
    readable INTEGER NOT NULL,
    first_observation INTEGER NOT NULL,
    source_count INTEGER NOT NULL,
    tool_name TEXT NOT NULL,
    capture_session_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    parent_session_id TEXT NOT NULL,
    task_id TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    tool_call_id TEXT NOT NULL,
    parent_tool_call_id TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    arguments BLOB NOT NULL,
    result_hash TEXT NOT NULL,
    result_media_type TEXT NOT NULL,
    status INTEGER NOT NULL,
    error TEXT NOT NULL,
    started_time INTEGER,
    finished_time INTEGER NOT NULL,
    received_time INTEGER NOT NULL,
    rule_set_version TEXT NOT NULL,
    redaction_key_id TEXT NOT NULL,
    masks_json TEXT NOT NULL,
    authenticated INTEGER NOT NULL,
    paywalled INTEGER NOT NULL,
    robots TEXT NOT NULL,
    client_name TEXT NOT NULL,
    client_version TEXT NOT NULL,
    traceparent TEXT NOT NULL
) STRICT;

-- One row for each canonical URI. Facts of the reading paths count readable observations alone.
-- current_grade and current_fetched say why the current version is current; known = 0
-- means that its time is an upper bound.
CREATE TABLE sources (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    canonical_uri TEXT NOT NULL UNIQUE,
    host TEXT NOT NULL,
    original_uri TEXT NOT NULL,
    family TEXT NOT NULL,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    trust INTEGER NOT NULL,
    license_hint TEXT NOT NULL,
    current_version INTEGER,
    current_artifact INTEGER,
    current_grade INTEGER NOT NULL,
    current_fetched_known INTEGER NOT NULL,
    current_fetched INTEGER NOT NULL,
    version_count INTEGER NOT NULL,
    observation_count INTEGER NOT NULL,
    fetched_time INTEGER,
    first_observed_time INTEGER,
    last_observed_time INTEGER,
    first_sequence INTEGER,
    listed_sequence INTEGER
) STRICT;

CREATE INDEX sources_by_time ON sources (last_observed_time DESC, row DESC)
WHERE first_sequence IS NOT NULL;
CREATE INDEX sources_by_listing ON sources (listed_sequence);

-- One content under one canonical URI. raw_blob_id is the hash of the stored bytes, NULL once they
-- were purged. status is the eligibility verdict in words; readable_sequence is the commit from
-- which on a readable observation has this content.
CREATE TABLE source_artifacts (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    game_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    tool_call_id TEXT NOT NULL,
    source_uri TEXT NOT NULL,
    source_kind TEXT NOT NULL,
    title TEXT NOT NULL,
    fetched_at INTEGER,
    status TEXT NOT NULL,
    content_type TEXT NOT NULL,
    raw_blob_id TEXT,
    content_hash TEXT NOT NULL,
    parent_id TEXT NOT NULL,
    license_hint TEXT NOT NULL,
    trust INTEGER NOT NULL,
    metadata_json TEXT NOT NULL,
    source INTEGER NOT NULL REFERENCES sources (row),
    family TEXT NOT NULL,
    media_type TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    completeness INTEGER NOT NULL,
    grade INTEGER NOT NULL,
    synthetic INTEGER NOT NULL,
    observation_count INTEGER NOT NULL,
    readable_sequence INTEGER,
    extraction_failure TEXT NOT NULL,
    failed_extractor TEXT NOT NULL,
    failed_extractor_version TEXT NOT NULL
) STRICT;

CREATE INDEX source_artifacts_by_source ON source_artifacts (source);

-- One text. row is the number of its first chunk, so that the version of a chunk is found without
-- touching the chunk. normalized_text is NULL: the text is the concatenation of its chunks' text.
CREATE TABLE document_versions (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    artifact_id TEXT NOT NULL,
    canonical_uri TEXT NOT NULL,
    normalized_text TEXT,
    extractor TEXT NOT NULL,
    extractor_version TEXT NOT NULL,
    language TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    source INTEGER NOT NULL REFERENCES sources (row),
    artifact INTEGER NOT NULL REFERENCES source_artifacts (row),
    sequence INTEGER NOT NULL,
    readable INTEGER NOT NULL,
    chunk_count INTEGER NOT NULL,
    text_hash TEXT NOT NULL,
    text_length INTEGER NOT NULL,
    line_count INTEGER NOT NULL,
    title TEXT NOT NULL,
    repairs_json TEXT NOT NULL,
    facts_json TEXT NOT NULL
) STRICT;

CREATE INDEX document_versions_by_source ON document_versions (source, row);
CREATE INDEX document_versions_by_artifact ON document_versions (artifact);

-- When a version was the current one of its source, in commits: [from_sequence, until_sequence).
CREATE TABLE currency (
    row INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    from_sequence INTEGER NOT NULL,
    until_sequence INTEGER
) STRICT;

CREATE INDEX currency_by_version ON currency (version);

-- Spans that cover the text of a version; id is the version's row + ordinal.
CREATE TABLE source_chunks (
    id INTEGER PRIMARY KEY,
    version_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    span_start INTEGER NOT NULL,
    span_end INTEGER NOT NULL,
    first_line INTEGER NOT NULL,
    token_count INTEGER NOT NULL,
    heading_path TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;

-- Prepared text: its tokens are runs of letters, digits and private characters, folded before.
CREATE VIRTUAL TABLE passage_index USING fts5 (
    heading,
    body,
    content = '',
    contentless_delete = 1,
    tokenize = 'unicode61 remove_diacritics 0'
);

INSERT INTO passage_index (passage_index, rank) VALUES ('secure-delete', 1);

-- One time that a tool returned a source; verdict 0 is readable. The public id comes from the
-- envelope id and the position.
CREATE TABLE observations (
    row INTEGER PRIMARY KEY,
    envelope INTEGER NOT NULL REFERENCES envelopes (row),
    position INTEGER NOT NULL,
    source INTEGER NOT NULL REFERENCES sources (row),
    artifact INTEGER REFERENCES source_artifacts (row),
    version INTEGER,
    sequence INTEGER NOT NULL,
    verdict INTEGER NOT NULL,
    outcome INTEGER NOT NULL,
    role INTEGER NOT NULL,
    completeness INTEGER NOT NULL,
    derivation INTEGER NOT NULL,
    observed_time INTEGER NOT NULL,
    fetched_time INTEGER,
    fetch_time_unknown INTEGER NOT NULL,
    family TEXT NOT NULL,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    content_type TEXT NOT NULL,
    requested_uri TEXT NOT NULL,
    final_uri TEXT NOT NULL,
    canonicalised INTEGER NOT NULL,
    locator TEXT NOT NULL,
    window_json TEXT,
    http_status INTEGER NOT NULL,
    headers_json TEXT,
    error TEXT NOT NULL,
    error_code TEXT NOT NULL,
    parent_source INTEGER,
    rank INTEGER NOT NULL,
    list_group TEXT NOT NULL,
    list_order INTEGER NOT NULL,
    claims_json TEXT,
    metadata_json TEXT NOT NULL,
    license_hint TEXT NOT NULL,
    language TEXT NOT NULL,
    synthetic INTEGER NOT NULL,
    shape_unknown INTEGER NOT NULL,
    snippet TEXT NOT NULL,
    never_current INTEGER NOT NULL,
    also_stub INTEGER NOT NULL,
    upstream_masked INTEGER NOT NULL,
    job_id TEXT NOT NULL,
    repeats_earlier_content INTEGER NOT NULL
) STRICT;

CREATE INDEX observations_by_source ON observations (source, observed_time, row);

-- Contents beside the main one, such as rawHtml.
CREATE TABLE representations (
    observation INTEGER NOT NULL REFERENCES observations (row),
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    media_type TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    PRIMARY KEY (observation, position)
) STRICT, WITHOUT ROWID;

-- What a run did with an artifact: 1 discovered, 2 consulted, 3 cited; it only rises.
CREATE TABLE run_source_links (
    run_id TEXT NOT NULL,
    artifact_id TEXT NOT NULL,
    use INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    PRIMARY KEY (run_id, artifact_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX run_source_links_by_artifact ON run_source_links (artifact_id);

-- Versions that were deleted: a citation of one says so.
CREATE TABLE tombstones (
    version_id TEXT PRIMARY KEY,
    source_id TEXT NOT NULL,
    canonical_uri TEXT NOT NULL,
    deleted_time INTEGER NOT NULL,
    epoch INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
