//! Looking at a mirror without making or changing anything.

use crate::mirror::FILE;
use crate::tables::SCHEMA;
use crate::values::{self, number_to_sql};
use brainstem_base::Disk;
use brainstem_inbox::{MirrorCursor, Quarantined};
use brainstem_sqlite::rusqlite::{self, Connection};
use brainstem_sqlite::{Access, SqliteError, SqliteFault, open};
use std::path::Path;

/// What a look at a mirror found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MirrorLook {
    /// How far each topic was read, with the hash that was seen there.
    pub cursors: Vec<MirrorCursor>,
    /// How many messages were set aside.
    pub quarantined_count: u64,
    /// The newest of them.
    pub quarantined: Vec<Quarantined>,
}

/// How much of the file a look reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookDepth {
    /// What is asked for.
    Rows,
    /// Every page, to find damage.
    Pages,
}

/// Looks at the mirror in a folder; `None` if there is none.
pub fn look_at_mirror(
    folder: &Path,
    disk: &dyn Disk,
    depth: LookDepth,
    quarantined_max: usize,
) -> Result<Option<MirrorLook>, SqliteError> {
    let file = folder.join(FILE);
    let connection = match open(disk, &file, &SCHEMA, Access::Read) {
        Ok(connection) => connection,
        Err(SqliteError { fault: SqliteFault::Missing, .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    if depth == LookDepth::Pages {
        let found: String = connection
            .query_row("PRAGMA quick_check(1)", (), |row| row.get(0))
            .map_err(|error| SqliteError::of(&file, error))?;
        if found != "ok" {
            return Err(SqliteError::new(&file, SqliteFault::Damaged(found)));
        }
    }
    look(&connection, quarantined_max).map(Some).map_err(|error| SqliteError::of(&file, error))
}

fn look(connection: &Connection, quarantined_max: usize) -> rusqlite::Result<MirrorLook> {
    let cursors = format!("SELECT {} FROM cursors", values::CURSOR);
    let cursors = connection.prepare(&cursors)?.query_map((), values::cursor)?.collect::<Result<_, _>>()?;
    let count: i64 = connection.query_row("SELECT count(*) FROM quarantine", (), |row| row.get(0))?;
    let newest = format!(
        "SELECT {} FROM quarantine ORDER BY at DESC, topic_id, sequence_number LIMIT ?1",
        values::QUARANTINED
    );
    let limit = (number_to_sql(quarantined_max as u64),);
    let quarantined =
        connection.prepare(&newest)?.query_map(limit, values::quarantined)?.collect::<Result<_, _>>()?;
    Ok(MirrorLook { cursors, quarantined_count: count.unsigned_abs(), quarantined })
}
