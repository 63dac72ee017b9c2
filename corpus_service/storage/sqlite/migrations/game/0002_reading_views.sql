-- What readers may see, and the only names that reading statements use: observations with verdict
-- 0, and what at least one of them brought.

CREATE VIEW readable_sources AS
SELECT
    s.row, s.id, s.canonical_uri, s.original_uri, s.family, s.kind, s.title, s.trust,
    coalesce(v.id, '') AS current_version_id, s.version_count, s.observation_count,
    coalesce(a.size_bytes, 0) AS size_bytes, coalesce(v.language, '') AS language,
    coalesce(a.content_type, '') AS content_type, coalesce(a.completeness, 0) AS completeness,
    s.fetched_time, s.first_observed_time, s.last_observed_time, s.license_hint,
    s.first_sequence, s.listed_sequence
FROM sources AS s
LEFT JOIN document_versions AS v ON v.row = s.current_version
LEFT JOIN source_artifacts AS a ON a.row = s.current_artifact
WHERE s.first_sequence IS NOT NULL;

CREATE VIEW readable_artifacts AS
SELECT row, id, source, content_hash, size_bytes, content_type, readable_sequence
FROM source_artifacts
WHERE readable_sequence IS NOT NULL;

CREATE VIEW readable_versions AS
SELECT
    v.row, v.id, v.source, v.artifact, v.sequence, s.id AS source_id, v.artifact_id,
    v.canonical_uri, s.original_uri, a.content_hash, v.text_hash, v.text_length, v.line_count,
    v.chunk_count, v.title, a.family, a.source_kind AS kind, v.language, v.extractor,
    v.extractor_version, a.content_type, a.size_bytes, a.completeness,
    a.fetched_at AS fetched_time, v.created_at AS created_time,
    s.current_version IS v.row AS current, a.trust, a.observation_count, a.synthetic,
    v.repairs_json, a.media_type, s.host
FROM document_versions AS v
JOIN source_artifacts AS a ON a.row = v.artifact
JOIN sources AS s ON s.row = v.source
WHERE v.readable = 1;

-- The version of chunk n is the one with the greatest row that is not above n.
CREATE VIEW passage_versions AS
SELECT row, id, chunk_count, sequence, text_length, line_count
FROM document_versions
WHERE readable = 1;

CREATE VIEW version_currency AS
SELECT version, from_sequence, until_sequence FROM currency;

CREATE VIEW readable_chunks AS
SELECT
    c.id, c.version_id, c.ordinal, c.span_start, c.span_end, c.first_line, c.heading_path, c.text,
    c.token_count
FROM source_chunks AS c
JOIN document_versions AS v ON v.row = c.id - c.ordinal
WHERE v.readable = 1;

CREATE VIEW readable_observations AS
SELECT
    o.row, e.envelope_id, o.position, o.source, coalesce(a.id, '') AS artifact_id, o.role,
    o.observed_time, o.fetched_time, e.run_id, e.session_id, e.tool_call_id, e.tool_name,
    o.completeness, o.window_json, o.http_status, o.error, o.requested_uri, o.final_uri,
    o.claims_json, o.metadata_json, o.rank, o.derivation, coalesce(p.id, '') AS parent_source_id,
    o.upstream_masked, e.result_hash, o.sequence
FROM observations AS o
JOIN envelopes AS e ON e.row = o.envelope
LEFT JOIN source_artifacts AS a ON a.row = o.artifact
LEFT JOIN sources AS p ON p.row = o.parent_source
WHERE o.verdict = 0;

CREATE VIEW readable_representations AS
SELECT r.observation, r.position, r.name, r.media_type, r.content_hash
FROM representations AS r
JOIN observations AS o ON o.row = r.observation
WHERE o.verdict = 0;

CREATE VIEW readable_envelopes AS
SELECT row, envelope_id, result_hash, result_media_type
FROM envelopes
WHERE readable = 1;

CREATE VIEW readable_contents AS
SELECT row, hash, size_bytes, piece_count, content_type FROM blobs WHERE complete = 1 AND readable = 1;

CREATE VIEW readable_pieces AS
SELECT p.row, p.size_bytes, p.frame
FROM blob_pieces AS p
JOIN blobs AS b ON b.row = p.row >> 16
WHERE b.complete = 1 AND b.readable = 1;

CREATE VIEW readable_run_links AS
SELECT l.run_id, l.use, l.sequence, a.row AS artifact, a.source
FROM run_source_links AS l
JOIN source_artifacts AS a ON a.id = l.artifact_id
WHERE a.readable_sequence IS NOT NULL;

CREATE VIEW snapshots AS
SELECT sequence, next_chunk, indexed_chunks, indexed_tokens FROM commits;

CREATE VIEW deleted_versions AS
SELECT version_id FROM tombstones;
