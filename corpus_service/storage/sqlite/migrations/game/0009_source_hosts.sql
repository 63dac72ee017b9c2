-- The host of a source, by which listings are narrowed.

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
        AS extraction_failure,
    s.host
FROM sources AS s
LEFT JOIN document_versions AS v ON v.row = s.current_version
LEFT JOIN source_artifacts AS a ON a.row = s.current_artifact
WHERE s.first_sequence IS NOT NULL;
