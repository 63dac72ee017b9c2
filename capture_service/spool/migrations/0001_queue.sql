-- Entries that wait for delivery, in the order in which they became durable.
CREATE TABLE queue_entries (
    entry_id INTEGER PRIMARY KEY AUTOINCREMENT,
    lane TEXT NOT NULL,
    entry_key TEXT NOT NULL,
    session TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    queued_milliseconds INTEGER NOT NULL,
    payload BLOB NOT NULL,
    UNIQUE (lane, entry_key)
) STRICT;
CREATE INDEX queue_entries_by_session ON queue_entries (session);

-- Each distinct content once, however many entries refer to it. A content of one piece stands in
-- data, a larger one in queue_content_pieces.
CREATE TABLE queue_contents (
    content_id INTEGER PRIMARY KEY,
    content_hash BLOB NOT NULL UNIQUE,
    size_bytes INTEGER NOT NULL,
    stored_bytes INTEGER NOT NULL,
    reference_count INTEGER NOT NULL,
    data BLOB
) STRICT;
CREATE TABLE queue_content_pieces (
    piece_id INTEGER PRIMARY KEY,
    content_id INTEGER NOT NULL REFERENCES queue_contents (content_id),
    piece_number INTEGER NOT NULL,
    data BLOB NOT NULL,
    UNIQUE (content_id, piece_number)
) STRICT;
CREATE TABLE queue_entry_contents (
    entry_id INTEGER NOT NULL,
    content_id INTEGER NOT NULL REFERENCES queue_contents (content_id),
    PRIMARY KEY (entry_id, content_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX queue_entry_contents_by_content ON queue_entry_contents (content_id);

-- Entries that the receiver refused for good. They keep their contents until somebody decides.
CREATE TABLE queue_dead_letters (
    entry_id INTEGER PRIMARY KEY,
    lane TEXT NOT NULL,
    entry_key TEXT NOT NULL,
    session TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    queued_milliseconds INTEGER NOT NULL,
    refused_milliseconds INTEGER NOT NULL,
    reason TEXT NOT NULL,
    field TEXT NOT NULL,
    payload BLOB NOT NULL
) STRICT;

-- Kept in the same transactions as the rows, because counting two million rows is no answer to a
-- question that every commit asks.
CREATE TABLE queue_totals (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    entries INTEGER NOT NULL,
    dead_letters INTEGER NOT NULL,
    stored_bytes INTEGER NOT NULL
) STRICT;
INSERT INTO queue_totals (only_row, entries, dead_letters, stored_bytes) VALUES (1, 0, 0, 0);
