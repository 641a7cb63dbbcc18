//! Files are opened with the same settings by all, and never taken for what they are not.

#![allow(clippy::disallowed_methods, reason = "SQLite needs real files")]

use brainstem_base::disk::RealDisk;
use brainstem_sqlite::rusqlite::{self, Connection};
use brainstem_sqlite::{Access, Schema, SqliteError, SqliteFault, open};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

const ONE: Schema = Schema { application_id: 77, steps: &["CREATE TABLE a (x INTEGER)"] };
const TWO: Schema =
    Schema { application_id: 77, steps: &["CREATE TABLE a (x INTEGER)", "ALTER TABLE a ADD COLUMN y TEXT"] };

fn file() -> (tempfile::TempDir, std::path::PathBuf) {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("some.sqlite");
    (dir, path)
}

fn to_write(path: &Path, schema: &Schema) -> Result<Connection, SqliteError> {
    open(&RealDisk, path, schema, Access::Write)
}

fn fault(result: Result<Connection, SqliteError>) -> SqliteFault {
    result.expect_err("refused").fault
}

#[test]
fn a_new_file_is_private_and_durable() {
    let (_dir, path) = file();
    assert!(matches!(fault(open(&RealDisk, &path, &ONE, Access::Read)), SqliteFault::Missing));
    assert!(!path.exists(), "a reader makes nothing");
    let connection = to_write(&path, &ONE).expect("opened");
    let setting = |name: &str| {
        connection
            .pragma_query_value(None, name, |row| row.get::<_, rusqlite::types::Value>(0))
            .expect("known")
    };
    assert_eq!(setting("journal_mode"), rusqlite::types::Value::Text("wal".to_owned()));
    assert_eq!(setting("synchronous"), rusqlite::types::Value::Integer(2));
    for name in ["some.sqlite", "some.sqlite-wal"] {
        let mode = std::fs::metadata(path.with_file_name(name)).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn an_older_file_is_brought_forward_and_keeps_its_rows() {
    let (_dir, path) = file();
    to_write(&path, &ONE).expect("opened").execute("INSERT INTO a VALUES (1)", ()).expect("written");
    let connection = to_write(&path, &TWO).expect("opened");
    let rows: i64 =
        connection.query_row("SELECT count(*) FROM a WHERE y IS NULL", (), |row| row.get(0)).expect("read");
    assert_eq!(rows, 1);
}

#[test]
fn a_newer_file_and_one_of_another_program_are_left_alone() {
    let (_dir, path) = file();
    to_write(&path, &TWO).expect("opened");
    let before = std::fs::read(&path).expect("readable");
    for access in [Access::Write, Access::Read] {
        let newer = fault(open(&RealDisk, &path, &ONE, access));
        assert!(matches!(newer, SqliteFault::Newer { found: 2, known: 1 }), "{newer:?}");
        let other = Schema { application_id: 78, ..TWO };
        assert!(matches!(fault(open(&RealDisk, &path, &other, access)), SqliteFault::Foreign));
    }
    std::fs::write(&path, b"these are words of a person, and no tables at all").expect("written");
    for access in [Access::Write, Access::Read] {
        assert!(matches!(fault(open(&RealDisk, &path, &ONE, access)), SqliteFault::Foreign));
    }
    assert_ne!(before, std::fs::read(&path).expect("readable"));
    assert_eq!(std::fs::read(&path).expect("readable"), b"these are words of a person, and no tables at all");
}

#[test]
fn a_link_is_not_followed() {
    let (dir, path) = file();
    let elsewhere = dir.path().join("elsewhere.sqlite");
    to_write(&elsewhere, &ONE).expect("opened");
    std::os::unix::fs::symlink(&elsewhere, &path).expect("linked");
    assert!(matches!(fault(to_write(&path, &ONE)), SqliteFault::Link));
    assert!(matches!(fault(open(&RealDisk, &path, &ONE, Access::Read)), SqliteFault::Link));
}

#[test]
fn a_file_whose_first_writer_ended_before_its_tables_is_missing_to_readers_and_completed_by_writers() {
    let (_dir, path) = file();
    Connection::open(&path).expect("made").pragma_update(None, "journal_mode", "WAL").expect("set");
    assert!(matches!(fault(open(&RealDisk, &path, &ONE, Access::Read)), SqliteFault::Missing));
    to_write(&path, &ONE).expect("opened").execute("INSERT INTO a VALUES (1)", ()).expect("written");
    open(&RealDisk, &path, &ONE, Access::Read).expect("opened");
}
