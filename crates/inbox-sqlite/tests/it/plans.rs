//! The questions of every day are answered by an index.

use crate::world::World;
use brainstem_sqlite::rusqlite::Connection;

#[test] // spec: INB-7
fn the_table_has_its_columns_and_each_question_has_its_index() {
    let mut world = World::new();
    let (ana, ben) = (world.agent("ana"), world.agent("ben"));
    world.send(&ana, &ben, "one");
    world.reader("x").catch_up(&world).unwrap();
    let file = Connection::open(world.folder.path().join("x/inbox.sqlite")).unwrap();
    let texts = |sql: &str, at: usize| -> Vec<String> {
        let mut statement = file.prepare(sql).unwrap();
        let rows = statement.query_map((), |row| row.get(at)).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    };
    let columns = texts("PRAGMA table_info(inbox)", 1);
    assert_eq!(
        columns[..14],
        [
            "id",
            "to_agent",
            "from_agent",
            "message_type",
            "subject",
            "payload",
            "context",
            "ref_id",
            "ref_type",
            "priority",
            "processed",
            "processed_at",
            "processed_by_session",
            "created_at"
        ]
    );
    let plan = |sql: &str| texts(&format!("EXPLAIN QUERY PLAN {sql}"), 3).join("; ");
    for (sql, index) in [
        (
            "SELECT * FROM inbox WHERE to_agent = 'a' AND processed = 0 ORDER BY priority, created_at LIMIT 50",
            "inbox_unread",
        ),
        ("SELECT unread, urgent FROM unread WHERE to_agent = 'a'", "sqlite_autoindex_unread"),
        (
            "SELECT * FROM inbox WHERE to_agent = 'a' AND processed = 1 ORDER BY created_at DESC LIMIT 50",
            "inbox_to_agent_processed_created_at",
        ),
        ("SELECT * FROM inbox WHERE ref_id = 'T'", "inbox_ref_id"),
        (
            "SELECT * FROM inbox WHERE from_agent = 'a' ORDER BY created_at DESC LIMIT 50",
            "inbox_from_agent_created_at",
        ),
        (
            "SELECT * FROM inbox WHERE topic_id = 't' AND sequence_number = 1 AND to_agent = 'a'",
            "sqlite_autoindex_inbox",
        ),
        (
            "SELECT * FROM events WHERE to_agent = 'a' AND position > 7 ORDER BY position LIMIT 5",
            "events_to_agent_position",
        ),
    ] {
        let plan = plan(sql);
        assert!(plan.contains(index), "{sql}: {plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{sql} sorts: {plan}");
    }
}
