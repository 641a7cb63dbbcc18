//! Which stores a reader asks.

use crate::error::MemoryError;

/// Which stores are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// The caller's project alone.
    Project,
    /// The medulla alone.
    Medulla,
    /// The caller's project and the medulla: the default.
    Both,
    /// Every brain of the home and the medulla; never a default.
    AllBrains,
}

impl Tier {
    /// Parses the word; absent means both.
    pub fn parse(text: Option<&str>) -> Result<Self, MemoryError> {
        Self::parse_or(text, "project, medulla, all-brains, or nothing for project and medulla")
    }

    /// The same for a verb that is about one project. All brains are refused by the verb itself, with what to do instead, and
    /// are no choice for another word.
    pub fn parse_of_project(text: Option<&str>) -> Result<Self, MemoryError> {
        Self::parse_or(text, "project, medulla, or nothing for both")
    }

    fn parse_or(text: Option<&str>, takes: &'static str) -> Result<Self, MemoryError> {
        match text {
            None => Ok(Self::Both),
            Some("project") => Ok(Self::Project),
            Some("medulla") => Ok(Self::Medulla),
            Some("all-brains") => Ok(Self::AllBrains),
            Some(other) => Err(MemoryError::BadValue {
                field: "tier",
                value: other.chars().take(40).collect(),
                what: "tier",
                takes: takes.into(),
                rule: "MEM-20",
            }),
        }
    }
}
