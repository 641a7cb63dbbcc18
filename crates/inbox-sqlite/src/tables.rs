//! The tables of the mirror. All of them are derived from the ledger, except the leases, which are local.

use brainstem_sqlite::Schema;

/// The schema of `inbox.sqlite`. A step that was released is never changed.
pub(crate) const SCHEMA: Schema = Schema {
    // "brIn"
    application_id: 0x6272_496e,
    steps: &["
        -- Derived. One row for each message and each of its readers.
        CREATE TABLE inbox (
            id                   TEXT PRIMARY KEY,
            to_agent             TEXT NOT NULL,
            from_agent           TEXT NOT NULL,
            message_type         TEXT NOT NULL,
            subject              TEXT NOT NULL,
            payload              TEXT,
            context              TEXT,
            ref_id               TEXT,
            ref_type             TEXT,
            priority             INTEGER NOT NULL DEFAULT 3,
            processed            INTEGER NOT NULL DEFAULT 0,
            processed_at         TEXT,
            processed_by_session TEXT,
            created_at           TEXT NOT NULL,
            topic_id             TEXT NOT NULL,
            sequence_number      INTEGER NOT NULL,
            UNIQUE (topic_id, sequence_number, to_agent)
        ) STRICT;
        CREATE INDEX inbox_to_agent_processed_created_at ON inbox (to_agent, processed, created_at);
        CREATE INDEX inbox_ref_id ON inbox (ref_id);
        CREATE INDEX inbox_from_agent_created_at ON inbox (from_agent, created_at DESC);
        -- The unread rows in the order in which an agent takes them.
        CREATE INDEX inbox_unread ON inbox (to_agent, priority, created_at) WHERE processed = 0;

        -- Derived. The acknowledgements, also of rows that are not there yet.
        CREATE TABLE processed (
            id      TEXT PRIMARY KEY,
            at      TEXT NOT NULL,
            session TEXT NOT NULL
        ) STRICT;

        -- Derived. The notes of entities.
        CREATE TABLE notes (
            topic_id        TEXT NOT NULL,
            sequence_number INTEGER NOT NULL,
            at              TEXT NOT NULL,
            bytes           BLOB NOT NULL,
            PRIMARY KEY (topic_id, sequence_number)
        ) STRICT;

        -- Derived. What outsiders said before they were accepted.
        CREATE TABLE held (
            topic_id        TEXT NOT NULL,
            sequence_number INTEGER NOT NULL,
            to_agent        TEXT NOT NULL,
            account         TEXT NOT NULL,
            is_request      INTEGER NOT NULL,
            excerpt         TEXT NOT NULL,
            at              TEXT NOT NULL,
            PRIMARY KEY (topic_id, sequence_number)
        ) STRICT;
        CREATE INDEX held_to_agent_at ON held (to_agent, at);

        -- Derived. What could not become a row, and why.
        CREATE TABLE quarantine (
            topic_id        TEXT NOT NULL,
            sequence_number INTEGER NOT NULL,
            at              TEXT NOT NULL,
            reason          TEXT NOT NULL,
            detail          TEXT NOT NULL,
            PRIMARY KEY (topic_id, sequence_number)
        ) STRICT;

        -- Derived. The connections that their outsiders closed.
        CREATE TABLE closed (
            topic_id TEXT PRIMARY KEY,
            at       TEXT NOT NULL
        ) STRICT;

        -- Derived. How far each topic was read, and the hash that was seen there.
        CREATE TABLE cursors (
            topic_id        TEXT PRIMARY KEY,
            sequence_number INTEGER NOT NULL,
            running_hash    BLOB NOT NULL,
            at              TEXT NOT NULL
        ) STRICT;

        -- Local. Which session works on which row, until when in milliseconds.
        CREATE TABLE leases (
            id      TEXT PRIMARY KEY,
            session TEXT NOT NULL,
            until   INTEGER NOT NULL
        ) STRICT;

        -- Local. The feed. Its positions begin behind the time at which this file was made, so that a cursor of an
        -- earlier file is known to be old.
        CREATE TABLE events (
            position INTEGER PRIMARY KEY AUTOINCREMENT,
            to_agent TEXT NOT NULL,
            kind     TEXT NOT NULL,
            id       TEXT NOT NULL
        ) STRICT;
        CREATE INDEX events_to_agent_position ON events (to_agent, position);

        -- Local. One row: the position before the first event that is kept.
        CREATE TABLE feed (
            one    INTEGER PRIMARY KEY CHECK (one = 1),
            oldest INTEGER NOT NULL
        ) STRICT;
    ", "
        -- Local. One row while bytes of redacted messages may still be in the file, which is then written anew.
        CREATE TABLE erasures (
            one INTEGER PRIMARY KEY CHECK (one = 1)
        ) STRICT;
    ", "
        -- Derived. How many rows of each reader are unread, and how many of these are urgent: a count over the rows would take
        -- the longer the more there are.
        CREATE TABLE unread (
            to_agent TEXT PRIMARY KEY,
            unread   INTEGER NOT NULL,
            urgent   INTEGER NOT NULL
        ) STRICT;
        INSERT INTO unread SELECT to_agent, count(*), count(*) FILTER (WHERE priority = 1) FROM inbox
            WHERE processed = 0 GROUP BY to_agent;
    ", "
        -- Local. How many events are kept: their positions follow the clock, and have gaps.
        ALTER TABLE feed ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;
        UPDATE feed SET kept = (SELECT count(*) FROM events);
    ", "
        -- Derived. Of each topic the last message that came straight from its sender and that no cursor has passed, and its hash.
        CREATE TABLE straight (
            topic_id        TEXT PRIMARY KEY,
            sequence_number INTEGER NOT NULL,
            running_hash    BLOB NOT NULL,
            at              TEXT NOT NULL
        ) STRICT;
    "],
};
