-- What searches ask of the version of a matching chunk, in one small row: the tables it comes from
-- are wide, and a search looks at dozens to thousands of versions. Triggers keep it in step.

-- row is that of the version, behind the number behind its last chunk. current = 1 while the version
-- is the current one of its source in the newest commit.
CREATE TABLE version_facts (
    row INTEGER PRIMARY KEY,
    behind INTEGER NOT NULL,
    artifact INTEGER NOT NULL,
    readable INTEGER NOT NULL,
    current INTEGER NOT NULL,
    trust INTEGER NOT NULL,
    fetched_time INTEGER,
    family TEXT NOT NULL,
    kind TEXT NOT NULL,
    host TEXT NOT NULL,
    language TEXT NOT NULL,
    media_type TEXT NOT NULL,
    id TEXT NOT NULL
) STRICT;

INSERT INTO version_facts
SELECT
    v.row, v.row + v.chunk_count, v.artifact, v.readable,
    EXISTS (SELECT 1 FROM currency AS c WHERE c.version = v.row AND c.until_sequence IS NULL),
    a.trust, a.fetched_at, a.family, a.source_kind, s.host, v.language, a.media_type, v.id
FROM document_versions AS v
JOIN source_artifacts AS a ON a.row = v.artifact
JOIN sources AS s ON s.row = v.source
ORDER BY v.row;

-- Filters by host mostly leave few versions, which this index has as a whole.
CREATE INDEX version_facts_by_host ON version_facts (host, row, behind, readable, current);

CREATE TRIGGER version_facts_added AFTER INSERT ON document_versions BEGIN
    INSERT INTO version_facts
    SELECT
        NEW.row, NEW.row + NEW.chunk_count, NEW.artifact, NEW.readable, 0,
        a.trust, a.fetched_at, a.family, a.source_kind, s.host, NEW.language, a.media_type, NEW.id
    FROM source_artifacts AS a, sources AS s
    WHERE a.row = NEW.artifact AND s.row = NEW.source;
END;

CREATE TRIGGER version_facts_hidden AFTER UPDATE OF readable ON document_versions BEGIN
    UPDATE version_facts SET readable = NEW.readable WHERE row = NEW.row;
END;

CREATE TRIGGER version_facts_removed AFTER DELETE ON document_versions BEGIN
    DELETE FROM version_facts WHERE row = OLD.row;
END;

CREATE TRIGGER version_facts_of_artifact AFTER UPDATE OF trust, fetched_at ON source_artifacts
WHEN OLD.trust IS NOT NEW.trust OR OLD.fetched_at IS NOT NEW.fetched_at BEGIN
    UPDATE version_facts SET trust = NEW.trust, fetched_time = NEW.fetched_at
    WHERE row IN (SELECT row FROM document_versions WHERE artifact = NEW.row);
END;

CREATE TRIGGER version_facts_current AFTER INSERT ON currency BEGIN
    UPDATE version_facts SET current = NEW.until_sequence IS NULL WHERE row = NEW.version;
END;

CREATE TRIGGER version_facts_superseded AFTER UPDATE OF until_sequence ON currency BEGIN
    UPDATE version_facts SET current = NEW.until_sequence IS NULL WHERE row = NEW.version;
END;

CREATE VIEW readable_version_facts AS
SELECT
    row, behind, artifact, current, trust, fetched_time, family, kind, host, language, media_type,
    id
FROM version_facts
WHERE readable = 1;
