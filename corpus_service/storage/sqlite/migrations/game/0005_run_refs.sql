-- Places that a run read or cited, beside the artifacts in run_source_links; their use only rises too.
CREATE TABLE run_refs (
    run_id TEXT NOT NULL,
    version_id TEXT NOT NULL,
    span_start INTEGER NOT NULL,
    span_end INTEGER NOT NULL,
    use INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    PRIMARY KEY (run_id, version_id, span_start, span_end)
) STRICT, WITHOUT ROWID;

CREATE INDEX run_refs_by_version ON run_refs (version_id);

CREATE VIEW readable_run_refs AS
SELECT r.run_id, r.version_id, r.span_start, r.span_end, r.use, r.sequence, v.artifact
FROM run_refs AS r
JOIN document_versions AS v ON v.id = r.version_id
WHERE v.readable = 1;

-- version_id: the newest text of exactly this content; '' where none was made.
CREATE VIEW readable_run_sources AS
SELECT
    l.run_id, l.use, l.sequence, a.row AS artifact, a.id AS artifact_id, s.id AS source_id,
    s.canonical_uri, s.original_uri, s.title, a.family, a.source_kind AS kind, a.trust,
    a.fetched_at AS fetched_time,
    coalesce((
        SELECT v.id FROM document_versions AS v
        WHERE v.artifact = a.row AND v.readable = 1
        ORDER BY v.row DESC LIMIT 1
    ), '') AS version_id
FROM run_source_links AS l
JOIN source_artifacts AS a ON a.id = l.artifact_id
JOIN sources AS s ON s.row = a.source
WHERE a.readable_sequence IS NOT NULL;
