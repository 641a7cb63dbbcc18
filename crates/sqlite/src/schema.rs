//! The tables of a file, as steps that are only ever added.

use crate::error::{SqliteError, SqliteFault};
use rusqlite::{Connection, TransactionBehavior};
use std::path::Path;

/// What a file is, and how its tables came to be.
#[derive(Clone, Copy, Debug)]
pub struct Schema {
    /// The number in the file's head by which its kind is known.
    pub application_id: i32,
    /// One text of SQL for each version, the oldest first. A step that was released is never changed.
    pub steps: &'static [&'static str],
}

/// What the head of a file says.
enum SchemaStanding {
    /// It has no table yet.
    Empty,
    /// It is of this kind, at this version.
    At(u32),
}

impl Schema {
    fn newest(&self) -> u32 {
        u32::try_from(self.steps.len()).expect("a few steps")
    }

    /// Refuses a file of another program and one that a newer program wrote; returns whether steps are missing.
    pub(crate) fn needs_steps(&self, path: &Path, connection: &Connection) -> Result<bool, SqliteError> {
        Ok(match self.standing(path, connection)? {
            SchemaStanding::Empty => true,
            SchemaStanding::At(version) => version < self.newest(),
        })
    }

    /// Refuses a file of another program, one that a newer program wrote, and one that has no table yet: its first writer ended
    /// before its tables were there, and the next one makes them.
    pub(crate) fn check_to_read(&self, path: &Path, connection: &Connection) -> Result<(), SqliteError> {
        match self.standing(path, connection)? {
            SchemaStanding::Empty => Err(SqliteError::new(path, SqliteFault::Missing)),
            SchemaStanding::At(_) => Ok(()),
        }
    }

    fn standing(&self, path: &Path, connection: &Connection) -> Result<SchemaStanding, SqliteError> {
        let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
        let count_tables = "SELECT count(*) FROM sqlite_schema";
        let read = || -> rusqlite::Result<(i32, i32, i64)> {
            let tables = connection.query_row(count_tables, (), |row| row.get(0))?;
            Ok((number("application_id")?, number("user_version")?, tables))
        };
        let (application_id, version, tables) = read().map_err(|error| SqliteError::of(path, error))?;
        if (application_id, version, tables) == (0, 0, 0) {
            return Ok(SchemaStanding::Empty);
        }
        let version = u32::try_from(version).ok().filter(|_| application_id == self.application_id);
        match version {
            None => Err(SqliteError::new(path, SqliteFault::Foreign)),
            Some(found) if found > self.newest() => {
                Err(SqliteError::new(path, SqliteFault::Newer { found, known: self.newest() }))
            }
            Some(found) => Ok(SchemaStanding::At(found)),
        }
    }

    /// Takes the missing steps, all or none. Another process may have taken them first.
    pub(crate) fn take_steps(&self, path: &Path, connection: &mut Connection) -> Result<(), SqliteError> {
        let failed = |error| SqliteError::of(path, error);
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let done = match self.standing(path, &transaction)? {
            SchemaStanding::Empty => 0,
            SchemaStanding::At(version) => version as usize,
        };
        for step in &self.steps[done..] {
            transaction.execute_batch(step).map_err(failed)?;
        }
        transaction.pragma_update(None, "application_id", self.application_id).map_err(failed)?;
        transaction.pragma_update(None, "user_version", self.newest()).map_err(failed)?;
        transaction.commit().map_err(failed)
    }
}
