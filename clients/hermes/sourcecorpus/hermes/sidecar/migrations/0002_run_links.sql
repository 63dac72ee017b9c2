-- What runs did with versions, until the corpus has taken it.
CREATE TABLE run_links (
    link_id INTEGER PRIMARY KEY,
    game_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    ref TEXT NOT NULL,
    use TEXT NOT NULL CHECK (use IN ('consulted', 'cited')),
    UNIQUE (run_id, ref, use, game_id)
) STRICT;
