-- Wishes to capture sources again, in the order in which they came.
CREATE TABLE refresh_requests (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    source_id TEXT NOT NULL,
    canonical_uri TEXT NOT NULL,
    uri TEXT NOT NULL,
    family TEXT NOT NULL,
    reason TEXT NOT NULL,
    requested_time INTEGER NOT NULL,
    state INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    lease_end_time INTEGER,
    finished_time INTEGER,
    envelope_id TEXT NOT NULL,
    refusal INTEGER NOT NULL
) STRICT;
