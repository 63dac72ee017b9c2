-- The games of the installation. Ids and aliases share one name space: every id is a name too.
CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE games (
    game_id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    paused INTEGER NOT NULL CHECK (paused IN (0, 1)),
    created_time INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE game_names (
    name TEXT PRIMARY KEY,
    game_id TEXT NOT NULL REFERENCES games (game_id) ON DELETE CASCADE,
    position INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX game_names_by_game ON game_names (game_id, position);
