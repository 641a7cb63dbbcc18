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
    /// Messages beyond the cursors that came straight from their senders, the last of each topic.
    pub straight: Vec<MirrorCursor>,
    /// A reader whose kept count of unread rows is not that of its rows; looked for with the pages.
    pub miscounted: Option<String>,
    /// How many messages were set aside.
    pub quarantined_count: u64,
    /// The newest of them.
    pub quarantined: Vec<Quarantined>,
}

impl MirrorLook {
    /// Every message that the mirror knows by its hash. Where a topic has two, the later one comes last.
    pub fn ends(&self) -> impl Iterator<Item = &MirrorCursor> {
        self.cursors.iter().chain(&self.straight)
    }
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
    let found = look(&connection, quarantined_max).and_then(|look| {
        let miscounted = if depth == LookDepth::Pages { miscounted(&connection)? } else { None };
        Ok(MirrorLook { miscounted, ..look })
    });
    found.map(Some).map_err(|error| SqliteError::of(&file, error))
}

/// The first reader whose kept counts are not those of its rows.
fn miscounted(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let sql = "WITH counted AS (
                   SELECT to_agent, count(*) AS unread, count(*) FILTER (WHERE priority = 1) AS urgent
                   FROM inbox WHERE processed = 0 GROUP BY to_agent)
               SELECT coalesce(counted.to_agent, kept.to_agent) FROM counted
               FULL JOIN unread AS kept ON kept.to_agent = counted.to_agent
               WHERE coalesce(counted.unread, 0) <> coalesce(kept.unread, 0)
                   OR coalesce(counted.urgent, 0) <> coalesce(kept.urgent, 0) LIMIT 1";
    match connection.query_row(sql, (), |row| row.get(0)) {
        Ok(name) => Ok(Some(name)),
        Err(rusqlite::Error::QueryReturnedNoRows) => Ok(None),
        // A file of an earlier program keeps no counts.
        Err(rusqlite::Error::SqliteFailure(_, Some(why))) if why.contains("no such table") => Ok(None),
        Err(error) => Err(error),
    }
}

fn look(connection: &Connection, quarantined_max: usize) -> rusqlite::Result<MirrorLook> {
    let cursors = format!("SELECT {} FROM cursors", values::CURSOR);
    let cursors = connection.prepare(&cursors)?.query_map((), values::cursor)?.collect::<Result<_, _>>()?;
    // A file of an earlier program has no such table until the next writer opens it.
    let has_straight = "SELECT count(*) FROM sqlite_schema WHERE name = 'straight'";
    let straight = match connection.query_row(has_straight, (), |row| row.get::<_, i64>(0))? {
        0 => Vec::new(),
        _ => {
            let straight = format!("SELECT {} FROM straight", values::CURSOR);
            connection.prepare(&straight)?.query_map((), values::cursor)?.collect::<Result<_, _>>()?
        }
    };
    let count: i64 = connection.query_row("SELECT count(*) FROM quarantine", (), |row| row.get(0))?;
    let newest = format!(
        "SELECT {} FROM quarantine ORDER BY at DESC, topic_id, sequence_number LIMIT ?1",
        values::QUARANTINED
    );
    let limit = (number_to_sql(quarantined_max as u64),);
    let quarantined =
        connection.prepare(&newest)?.query_map(limit, values::quarantined)?.collect::<Result<_, _>>()?;
    Ok(MirrorLook {
        cursors,
        straight,
        miscounted: None,
        quarantined_count: count.unsigned_abs(),
        quarantined,
    })
}
