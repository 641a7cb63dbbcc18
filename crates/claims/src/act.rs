//! What was done, as a value: one recorded act, by an agent, at a time.
//!
//! The vault owns the log on disk and its JSON. An act that was read from a line carries that line, so that whatever
//! this program does not know in it is still there when the act is written again.

pub mod counts;
pub mod deed;
pub mod judgement;
pub mod kind;
mod reason;
pub mod reference;
mod subject;
pub mod verb;

pub use counts::{MigrationTally, RowCounts};
pub use deed::Deed;
pub use judgement::Judgement;
pub use kind::DeedKind;
pub use reference::{BrainId, ClaimRef, Mention, MigrationRef, TombstoneRef, VersionRef, tombstone_name};
pub use verb::ActVerb;

use brainstem_base::{AgentId, Timestamp, hash};
use std::fmt;

/// One recorded act.
///
/// Invariant: if it has a line, its other fields are those of the line, apart from added marks of imports and
/// `is_foreign`. So only these two change after an act was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Act {
    id: ActId,
    at: ActTime,
    agent: String,
    deed: Deed,
    is_foreign: bool,
    imports: Vec<ImportMark>,
    line: Option<Box<str>>,
}

/// The parts of an act that is read from a line.
#[derive(Clone, Debug)]
pub struct ReadAct {
    /// Its id.
    pub id: ActId,
    /// When.
    pub at: ActTime,
    /// The agent, in whatever form the line has it.
    pub agent: String,
    /// What was done.
    pub deed: Deed,
    /// The line says that it was not recorded here.
    pub is_foreign: bool,
    /// Each import that brought it here, oldest first.
    pub imports: Vec<ImportMark>,
    /// The line, without its end.
    pub line: Box<str>,
}

impl Act {
    /// A new act of an agent. Its id follows from the deed, so that the same deed done again is recognised.
    pub fn new(deed: Deed, agent: &AgentId, at: Timestamp) -> Self {
        Self {
            id: deed.id(),
            at: at.into(),
            agent: agent.to_string(),
            deed,
            is_foreign: false,
            imports: Vec::new(),
            line: None,
        }
    }

    /// An act read from a line.
    pub fn from_line(read: ReadAct) -> Self {
        let ReadAct { id, at, agent, deed, is_foreign, imports, line } = read;
        Self { id, at, agent, deed, is_foreign, imports, line: Some(line) }
    }

    /// The same new act under another id: it is done once more, or it is the one that is on record.
    ///
    /// # Panics
    ///
    /// If the act was read from a line, which has its id.
    #[must_use]
    pub fn under(self, id: ActId) -> Self {
        assert!(self.line.is_none(), "an act that is on record keeps its id");
        Self { id, ..self }
    }

    /// The same new act, with its deed changed before it is recorded. The id stays.
    ///
    /// # Panics
    ///
    /// If the act was read from a line, which says what was done.
    #[must_use]
    pub fn with_deed(self, change: impl FnOnce(&mut Deed)) -> Self {
        assert!(self.line.is_none(), "an act that is on record stays what it is");
        let mut act = self;
        change(&mut act.deed);
        act
    }

    /// Its id.
    pub fn id(&self) -> &ActId {
        &self.id
    }

    /// When it was done, as it is written.
    pub fn at(&self) -> &ActTime {
        &self.at
    }

    /// When it was done; `None` if the text is not a time.
    pub fn time(&self) -> Option<Timestamp> {
        self.at.time()
    }

    /// The agent that did it. Other programs write logs too, so it may not be an agent id.
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// What was done.
    pub fn deed(&self) -> &Deed {
        &self.deed
    }

    /// The kind of deed; `None` for one that this program does not know.
    pub fn kind(&self) -> Option<DeedKind> {
        self.deed.kind()
    }

    /// Whether only the log of a repository has it, or had it when it was moved into the home: it was not recorded
    /// here.
    pub fn is_foreign(&self) -> bool {
        self.is_foreign
    }

    /// Marks it as one that was not recorded here.
    pub fn set_foreign(&mut self) {
        self.is_foreign = true;
    }

    /// Each import that brought it here, oldest first.
    pub fn imports(&self) -> &[ImportMark] {
        &self.imports
    }

    /// The agent of the last import that brought it here; `None` for an act of this home.
    pub fn brought_by(&self) -> Option<&str> {
        self.imports.last()?.by.as_deref()
    }

    /// The act in the form in which an import records it: with its importer and the time.
    #[must_use]
    pub fn imported(mut self, by: &AgentId, at: Timestamp) -> Self {
        self.imports.push(ImportMark { by: Some(by.to_string()), at: Some(at.to_rfc3339()) });
        self
    }

    /// Whether it counts for doctrine and promotions. An imported act counts only if its importer may write doctrine
    /// itself.
    pub fn counts(&self) -> bool {
        let may = |by: &str| AgentId::parse(by).is_ok_and(|by| by.may_write_doctrine());
        self.imports.last().is_none_or(|mark| mark.by.as_deref().is_some_and(may))
    }

    /// The line it was read from; `None` for a new act.
    pub fn line(&self) -> Option<&str> {
        self.line.as_deref()
    }
}

/// One import of an act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportMark {
    /// The importer; `None` if the mark does not name it.
    pub by: Option<String>,
    /// When, as it is written.
    pub at: Option<String>,
}

/// What identifies an act: 16 hex digits, or the text that another program wrote there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActId(String);

impl ActId {
    /// Reads any text.
    pub fn read(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The id of an act of this name upon what it is done to.
    pub fn of(name: &str, subject: &str) -> Self {
        Self(hash::sha256_hex(format!("{name}\n{subject}").as_bytes(), 16))
    }

    /// The id of the first retraction of a version.
    pub fn of_retraction(version: &VersionRef) -> Self {
        Self::of(DeedKind::Retract.as_str(), &version.to_string())
    }

    /// The id as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ActId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// When an act was done, as its line says: RFC 3339 in UTC with milliseconds, or the text that another program wrote
/// there.
///
/// Times are compared as texts: of the form that this program writes, the later one is the greater one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActTime(String);

impl ActTime {
    /// Reads any text.
    pub fn read(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The text as it is.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The time; `None` if the text is not a time.
    pub fn time(&self) -> Option<Timestamp> {
        Timestamp::parse_rfc3339(&self.0)
    }

    /// The day, if the text has one: the part before the `T`.
    pub fn day(&self) -> &str {
        self.0.split('T').next().unwrap_or(&self.0)
    }
}

impl From<Timestamp> for ActTime {
    fn from(at: Timestamp) -> Self {
        Self(at.to_rfc3339())
    }
}

impl fmt::Display for ActTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The last retraction of one of these versions. A retraction that was recorded here comes before one that only the
/// repository's log has.
pub fn last_retraction<'a>(acts: &'a [Act], versions: &[VersionRef]) -> Option<&'a Act> {
    let is_upon = |act: &&Act| match act.deed() {
        Deed::Retract { upon, .. } => versions.iter().any(|version| upon.is_just(version)),
        _ => false,
    };
    acts.iter().filter(is_upon).max_by_key(|act| !act.is_foreign())
}
