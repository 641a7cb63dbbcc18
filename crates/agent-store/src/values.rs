//! Between columns and the types of agents. A value that does not fit its type is damage, and is an error.

use brainstem_agents::CanonicalJson;
use brainstem_agents::entity::WriteStamp;
use brainstem_agents::stored::StoredForm;
use brainstem_base::{AgentId, Timestamp};
use brainstem_sqlite::rusqlite::types::Type;
use brainstem_sqlite::rusqlite::{Error, Result, Row};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Display;
use std::str::FromStr;

pub(crate) fn number_to_sql(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(crate) fn time_to_sql(time: Option<Timestamp>) -> Option<i64> {
    time.map(Timestamp::ms)
}

/// Reads a row by the names of its columns.
pub(crate) struct Columns<'a>(pub(crate) &'a Row<'a>);

impl Columns<'_> {
    /// A column as it is.
    pub(crate) fn plain<T: brainstem_sqlite::rusqlite::types::FromSql>(&self, name: &str) -> Result<T> {
        self.0.get(name)
    }

    /// A text that `parse` takes.
    pub(crate) fn parsed<T, E: Display>(
        &self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<T> {
        parse(self.0.get_ref(name)?.as_str()?).map_err(|error| self.damaged(name, error))
    }

    /// A text that may be missing and that `parse` takes.
    pub(crate) fn optional<T, E: Display>(
        &self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>> {
        let text = self.0.get_ref(name)?.as_str_or_null()?;
        text.map(parse).transpose().map_err(|error| self.damaged(name, error))
    }

    /// An id.
    pub(crate) fn id<T: FromStr<Err: Display>>(&self, name: &str) -> Result<T> {
        self.parsed(name, str::parse)
    }

    /// An id that may be missing.
    pub(crate) fn optional_id<T: FromStr<Err: Display>>(&self, name: &str) -> Result<Option<T>> {
        self.optional(name, str::parse)
    }

    pub(crate) fn agent(&self, name: &str) -> Result<AgentId> {
        self.parsed(name, AgentId::parse)
    }

    /// A word of one of the enums.
    pub(crate) fn word<T>(&self, name: &str, parse: impl FnOnce(&str) -> Option<T>) -> Result<T> {
        self.parsed(name, |word| parse(word).ok_or_else(|| format!("{word:?} is no such word")))
    }

    pub(crate) fn time(&self, name: &str) -> Result<Timestamp> {
        self.0.get(name).map(Timestamp::from_ms)
    }

    pub(crate) fn optional_time(&self, name: &str) -> Result<Option<Timestamp>> {
        Ok(self.0.get::<_, Option<i64>>(name)?.map(Timestamp::from_ms))
    }

    pub(crate) fn number(&self, name: &str) -> Result<u64> {
        u64::try_from(self.0.get::<_, i64>(name)?).map_err(|error| self.damaged(name, error))
    }

    pub(crate) fn json(&self, name: &str) -> Result<CanonicalJson> {
        self.parsed(name, |text| {
            let value = serde_json::from_str(text).map_err(|error| error.to_string())?;
            CanonicalJson::of(&value).map_err(|fault| fault.to_string())
        })
    }

    /// A value whose JSON needs no version: a list, a map of counters, a pointer.
    pub(crate) fn plain_json<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        self.parsed(name, |text| serde_json::from_str(text))
    }

    /// The same, if it may be missing.
    pub(crate) fn optional_plain_json<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        self.optional(name, |text| serde_json::from_str(text))
    }

    pub(crate) fn form<T: StoredForm>(&self, name: &str) -> Result<T> {
        self.parsed(name, T::from_stored)
    }

    pub(crate) fn stamp(&self) -> Result<WriteStamp> {
        Ok(WriteStamp { host: self.id("host_id")?, clock: self.plain_json("clock")? })
    }

    pub(crate) fn damaged(&self, name: &str, why: impl Display) -> Error {
        let at = self.0.as_ref().column_index(name).unwrap_or(0);
        Error::FromSqlConversionFailure(at, Type::Text, format!("{name}: {why}").into())
    }
}

/// The JSON of a value whose keys are texts and whose numbers are whole.
pub(crate) fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("texts and whole numbers have a JSON form")
}
