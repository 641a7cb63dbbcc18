//! The tables of a ledger file. All of them are ground: nothing here can be made anew from elsewhere.

use brainstem_sqlite::Schema;

/// The schema of `ledger.sqlite`. A step that was released is never changed.
pub(crate) const SCHEMA: Schema = Schema {
    // "brLg"
    application_id: 0x6272_4c67,
    steps: &["
        -- Ground. The topics; `submitter` is the only account that may append, NULL where every account may.
        CREATE TABLE topics (
            num        INTEGER PRIMARY KEY,
            key        TEXT NOT NULL UNIQUE,
            memo       TEXT NOT NULL,
            submitter  TEXT,
            seconds    INTEGER NOT NULL,
            nanos      INTEGER NOT NULL
        ) STRICT;

        -- Ground. The messages.
        CREATE TABLE messages (
            topic        INTEGER NOT NULL REFERENCES topics (num),
            sequence     INTEGER NOT NULL,
            seconds      INTEGER NOT NULL,
            nanos        INTEGER NOT NULL,
            submitter    TEXT NOT NULL,
            key          TEXT,
            bytes        BLOB NOT NULL,
            running_hash BLOB NOT NULL,
            UNIQUE (topic, sequence)
        ) STRICT;
        CREATE UNIQUE INDEX message_keys ON messages (topic, key) WHERE key IS NOT NULL;
        CREATE INDEX message_times ON messages (topic, seconds, nanos);

        -- Ground. The end of each topic that has messages, kept apart from them: a topic whose last messages were
        -- removed ends before its head.
        CREATE TABLE heads (
            topic        INTEGER PRIMARY KEY REFERENCES topics (num),
            sequence     INTEGER NOT NULL,
            running_hash BLOB NOT NULL,
            seconds      INTEGER NOT NULL,
            nanos        INTEGER NOT NULL
        ) STRICT;

        -- Ground. One row: the last time that was given to a topic or a message.
        CREATE TABLE last_time (
            id      INTEGER PRIMARY KEY CHECK (id = 1),
            seconds INTEGER NOT NULL,
            nanos   INTEGER NOT NULL
        ) STRICT;
    "],
};
