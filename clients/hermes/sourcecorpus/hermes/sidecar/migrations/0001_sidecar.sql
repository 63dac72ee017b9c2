-- How far the events of each plugin process are taken; a resent event is known by its number.
CREATE TABLE producers (
    instance TEXT PRIMARY KEY,
    durable_sequence INTEGER NOT NULL,
    last_seen_milliseconds INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The capture session and how many of its envelopes are handled. Entry k of the queue has the
-- sequence handled + k, so that no number is ever kept that could disagree with the queue.
CREATE TABLE delivery (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    capture_session_id TEXT NOT NULL,
    handled INTEGER NOT NULL
) STRICT;

CREATE TABLE counters (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    amount INTEGER NOT NULL,
    PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

-- game_id '' means that somebody cleared the game, which outweighs a default.
CREATE TABLE session_games (
    session_id TEXT PRIMARY KEY,
    game_id TEXT NOT NULL,
    confirmed INTEGER NOT NULL,
    change_number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
