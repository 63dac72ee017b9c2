-- Envelopes that are stored: what makes a second delivery of the same envelope harmless.
CREATE TABLE ledger (
    ledger_id INTEGER PRIMARY KEY,
    envelope_key TEXT NOT NULL,
    game_id TEXT NOT NULL,
    fingerprint BLOB NOT NULL,
    masked_from_memory INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    session TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    received_milliseconds INTEGER NOT NULL,
    UNIQUE (envelope_key, game_id)
) STRICT;

-- Envelopes that were refused with a reason of their own; never their content.
CREATE TABLE refusals (
    refusal_id INTEGER PRIMARY KEY,
    envelope_key TEXT NOT NULL,
    game_id TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT NOT NULL,
    field TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    session TEXT NOT NULL,
    received_milliseconds INTEGER NOT NULL
) STRICT;

CREATE TABLE capture_sessions (
    session TEXT PRIMARY KEY,
    durable_sequence INTEGER NOT NULL,
    delivered INTEGER NOT NULL,
    opened_milliseconds INTEGER NOT NULL,
    last_seen_milliseconds INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Counters of a session and, under session '', of the whole service. Kind is 'outcome',
-- 'ignored_tool', 'mask', 'drop' or 'delivery'.
CREATE TABLE counters (
    session TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    amount INTEGER NOT NULL,
    PRIMARY KEY (session, kind, name)
) STRICT, WITHOUT ROWID;

-- The dedupe index: which contents a source has had. It may be lost; the corpus then asks again.
CREATE TABLE known_sources (
    known_source_id INTEGER PRIMARY KEY,
    game_id TEXT NOT NULL,
    uri_digest BLOB NOT NULL,
    UNIQUE (game_id, uri_digest)
) STRICT;
CREATE TABLE known_contents (
    known_source_id INTEGER NOT NULL,
    content_digest BLOB NOT NULL,
    PRIMARY KEY (known_source_id, content_digest)
) STRICT, WITHOUT ROWID;

-- Contents that the corpus has said to hold.
CREATE TABLE corpus_contents (
    game_id TEXT NOT NULL,
    content_digest BLOB NOT NULL,
    PRIMARY KEY (game_id, content_digest)
) STRICT, WITHOUT ROWID;

-- The game directory as the corpus told it last, so that capture goes on without the corpus.
CREATE TABLE games (
    game_id TEXT PRIMARY KEY,
    paused INTEGER NOT NULL,
    created_milliseconds INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE game_aliases (
    alias TEXT PRIMARY KEY,
    game_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE directory_state (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    refreshed_milliseconds INTEGER NOT NULL
) STRICT;

CREATE TABLE session_games (
    session_id TEXT PRIMARY KEY,
    game_id TEXT NOT NULL,
    set_milliseconds INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
