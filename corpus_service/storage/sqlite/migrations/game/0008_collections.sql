-- Documents as members of the job that fetched them, in the order in which it first listed them.

CREATE INDEX observations_by_parent ON observations (parent_source, source, row)
WHERE parent_source IS NOT NULL;

CREATE VIEW readable_documents AS
SELECT
    s.row, s.id AS source_id, v.id AS version_id, v.title, s.kind, v.line_count, a.content_hash
FROM sources AS s
JOIN document_versions AS v ON v.row = s.current_version
JOIN source_artifacts AS a ON a.row = v.artifact
WHERE s.first_sequence IS NOT NULL;

-- One row for each listing; collection and source are rows of sources, listing that of the observation.
CREATE VIEW readable_members AS
SELECT o.parent_source AS collection, p.id AS collection_id, p.title AS collection_title, o.source, o.row AS listing
FROM observations AS o
JOIN sources AS p ON p.row = o.parent_source
JOIN sources AS s ON s.row = o.source
WHERE o.verdict = 0 AND o.parent_source IS NOT NULL AND s.current_version IS NOT NULL
    AND p.family = 'crawl_job' AND p.first_sequence IS NOT NULL AND s.first_sequence IS NOT NULL;
