//! What runs inside of one transaction. Every statement of the store goes through here.

use crate::error::AgentStoreError;
use crate::values::Columns;
use brainstem_sqlite::SqliteError;
use brainstem_sqlite::rusqlite::{self, CachedStatement, Connection, OptionalExtension as _, Params};
use std::ops::Deref;
use std::path::Path;

/// What every question and every write returns.
pub(crate) type Done<T> = Result<T, AgentStoreError>;

/// Questions to the store, all of one moment.
pub struct AgentReads<'t> {
    connection: &'t Connection,
    path: &'t Path,
}

/// Questions and writes that belong together: all of them are kept, or none.
pub struct AgentWrites<'t>(AgentReads<'t>);

impl<'t> AgentReads<'t> {
    pub(crate) fn new(connection: &'t Connection, path: &'t Path) -> Self {
        Self { connection, path }
    }

    /// The first row. `None` if there is none.
    pub(crate) fn one<T>(
        &self,
        sql: &str,
        given: impl Params,
        read: impl FnOnce(&Columns<'_>) -> rusqlite::Result<T>,
    ) -> Done<Option<T>> {
        let statement = self.prepare(sql);
        let row = statement
            .and_then(|mut statement| statement.query_row(given, |row| read(&Columns(row))).optional());
        self.done(row)
    }

    /// Every row.
    pub(crate) fn list<T>(
        &self,
        sql: &str,
        given: impl Params,
        read: impl Fn(&Columns<'_>) -> rusqlite::Result<T>,
    ) -> Done<Vec<T>> {
        let statement = self.prepare(sql);
        let rows = statement
            .and_then(|mut statement| statement.query_map(given, |row| read(&Columns(row)))?.collect());
        self.done(rows)
    }

    fn prepare(&self, sql: &str) -> rusqlite::Result<CachedStatement<'_>> {
        #[cfg(test)]
        crate::seen_statements::note(sql);
        self.connection.prepare_cached(sql)
    }

    fn done<T>(&self, done: rusqlite::Result<T>) -> Done<T> {
        done.map_err(|error| SqliteError::of(self.path, error).into())
    }
}

impl<'t> AgentWrites<'t> {
    pub(crate) fn new(reads: AgentReads<'t>) -> Self {
        Self(reads)
    }

    /// Changes rows; returns how many.
    pub(crate) fn execute(&self, sql: &str, given: impl Params) -> Done<usize> {
        let statement = self.0.prepare(sql);
        self.0.done(statement.and_then(|mut statement| statement.execute(given)))
    }
}

impl<'t> Deref for AgentWrites<'t> {
    type Target = AgentReads<'t>;

    fn deref(&self) -> &AgentReads<'t> {
        &self.0
    }
}
