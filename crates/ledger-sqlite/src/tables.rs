//! The tables of a ledger file.

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

        -- Ground. The messages of all topics in the order of their times, numbered 1, 2, 3 without gaps. A time is found by
        -- halving, because times increase with positions and, in a topic, with sequence numbers: an index of times would
        -- cost every append. `redacted` is the hash of bytes that were erased, NULL for a message that is whole.
        CREATE TABLE messages (
            position     INTEGER PRIMARY KEY,
            topic        INTEGER NOT NULL REFERENCES topics (num),
            sequence     INTEGER NOT NULL,
            seconds      INTEGER NOT NULL,
            nanos        INTEGER NOT NULL,
            submitter    TEXT NOT NULL,
            key          TEXT,
            bytes        BLOB NOT NULL,
            redacted     BLOB,
            running_hash BLOB NOT NULL,
            UNIQUE (topic, sequence)
        ) STRICT;
        CREATE UNIQUE INDEX message_keys ON messages (topic, key) WHERE key IS NOT NULL;

        -- Ground. The end of each topic that has messages, kept apart from them: a topic whose last messages were
        -- removed ends before its head.
        CREATE TABLE heads (
            topic        INTEGER PRIMARY KEY REFERENCES topics (num),
            sequence     INTEGER NOT NULL,
            running_hash BLOB NOT NULL,
            seconds      INTEGER NOT NULL,
            nanos        INTEGER NOT NULL
        ) STRICT;

        -- Derived. Full tiles of the tree over all messages: tile `n` of `level` has the 256 hashes of the complete
        -- subtrees over 256^level leaves from the (256 n)th on, 32 bytes each. Filled when a head is made, and dropped where
        -- it does not fit the messages.
        CREATE TABLE tree_tiles (
            level  INTEGER NOT NULL,
            tile   INTEGER NOT NULL,
            hashes BLOB NOT NULL,
            PRIMARY KEY (level, tile)
        ) STRICT, WITHOUT ROWID;
    "],
};
