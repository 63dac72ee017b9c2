-- What a tombstone tells: why, and what it was. Title and address are empty where the reason does
-- not allow to keep them. A version that came again is not deleted; its old tombstone stays unseen.

ALTER TABLE tombstones ADD COLUMN title TEXT NOT NULL DEFAULT '';
ALTER TABLE tombstones ADD COLUMN content_hash TEXT NOT NULL DEFAULT '';
ALTER TABLE tombstones ADD COLUMN fetched_time INTEGER;
ALTER TABLE tombstones ADD COLUMN reason INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tombstones ADD COLUMN note TEXT NOT NULL DEFAULT '';

DROP VIEW deleted_versions;

CREATE VIEW deleted_versions AS
SELECT
    t.version_id, t.source_id, t.canonical_uri, t.title, t.content_hash, t.fetched_time,
    t.deleted_time, t.reason, t.note
FROM tombstones AS t
WHERE NOT EXISTS (SELECT 1 FROM document_versions AS v WHERE v.id = t.version_id);
