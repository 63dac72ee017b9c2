-- Facts that readers get beside a source, a version and an observation: why there is no text, what
-- extraction found, and which code run made a nested call.

-- A nested call has a task and no other id of its own; what ran it is found by task and time.
CREATE INDEX envelopes_by_task ON envelopes (task_id, finished_time) WHERE task_id <> '';

DROP VIEW readable_sources;

CREATE VIEW readable_sources AS
SELECT
    s.row, s.id, s.canonical_uri, s.original_uri, s.family, s.kind, s.title, s.trust,
    coalesce(v.id, '') AS current_version_id, s.version_count, s.observation_count,
    coalesce(a.size_bytes, 0) AS size_bytes, coalesce(v.language, '') AS language,
    coalesce(a.content_type, '') AS content_type, coalesce(a.completeness, 0) AS completeness,
    s.fetched_time, s.first_observed_time, s.last_observed_time, s.license_hint,
    s.first_sequence, s.listed_sequence,
    CASE WHEN v.id IS NULL THEN coalesce(a.extraction_failure, '') ELSE '' END
        AS extraction_failure
FROM sources AS s
LEFT JOIN document_versions AS v ON v.row = s.current_version
LEFT JOIN source_artifacts AS a ON a.row = s.current_artifact
WHERE s.first_sequence IS NOT NULL;

DROP VIEW readable_versions;

CREATE VIEW readable_versions AS
SELECT
    v.row, v.id, v.source, v.artifact, v.sequence, s.id AS source_id, v.artifact_id,
    v.canonical_uri, s.original_uri, a.content_hash, v.text_hash, v.text_length, v.line_count,
    v.chunk_count, v.title, a.family, a.source_kind AS kind, v.language, v.extractor,
    v.extractor_version, a.content_type, a.size_bytes, a.completeness,
    a.fetched_at AS fetched_time, v.created_at AS created_time,
    s.current_version IS v.row AS current, a.trust, a.observation_count, a.synthetic,
    v.repairs_json, a.media_type, s.host, v.facts_json
FROM document_versions AS v
JOIN source_artifacts AS a ON a.row = v.artifact
JOIN sources AS s ON s.row = v.source
WHERE v.readable = 1;

DROP VIEW readable_observations;

-- code_source_id: the one code run of the same task within whose time a nested call ended; '' where
-- there is none or more than one.
CREATE VIEW readable_observations AS
SELECT
    o.row, e.envelope_id, o.position, o.source, coalesce(a.id, '') AS artifact_id, o.role,
    o.observed_time, o.fetched_time, e.run_id, e.session_id, e.tool_call_id, e.tool_name,
    o.completeness, o.window_json, o.http_status, o.error, o.requested_uri, o.final_uri,
    o.claims_json, o.metadata_json, o.rank, o.derivation, coalesce(p.id, '') AS parent_source_id,
    o.upstream_masked, e.result_hash, o.sequence,
    CASE WHEN o.version IS NULL THEN coalesce(a.extraction_failure, '') ELSE '' END
        AS extraction_failure,
    e.parent_tool_call_id,
    CASE WHEN e.task_id <> '' AND e.session_id = '' AND e.tool_call_id = '' THEN (
        SELECT CASE WHEN count(*) = 1 THEN max(code.id) ELSE '' END
        FROM envelopes AS run
        JOIN observations AS r ON r.row = run.first_observation AND r.envelope = run.row
        JOIN sources AS code ON code.row = r.source
        WHERE run.task_id = e.task_id AND run.task_id <> '' AND run.tool_call_id <> ''
            AND run.finished_time >= e.finished_time AND run.started_time <= e.finished_time
            AND e.parent_tool_call_id IN ('', run.tool_call_id)
            AND r.family = 'code_run' AND r.verdict = 0
    ) ELSE '' END AS code_source_id
FROM observations AS o
JOIN envelopes AS e ON e.row = o.envelope
LEFT JOIN source_artifacts AS a ON a.row = o.artifact
LEFT JOIN sources AS p ON p.row = o.parent_source
WHERE o.verdict = 0;
