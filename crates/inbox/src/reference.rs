//! What a message is about.

use crate::limits::REF_ID_BYTES_MAX;
use brainstem_ledger::TopicId;
use std::fmt;

/// The kind of thing that a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each variant is the kind of its name")]
pub enum RefType {
    Task,
    Phase,
    Stage,
    Project,
    Agent,
}

/// Why a text is no kind of reference.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RefTypeFault(&'static str);

impl RefType {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Task, Self::Phase, Self::Stage, Self::Project, Self::Agent];
    /// The kinds of entities, which have topics of their own.
    pub const ENTITIES: [Self; 4] = [Self::Project, Self::Stage, Self::Phase, Self::Task];

    /// The kind of this name.
    pub fn parse(text: &str) -> Result<Self, RefTypeFault> {
        let found = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        found.ok_or(RefTypeFault("a reference is to a task, phase, stage, project or agent"))
    }

    /// The kind of entity of this name.
    pub fn parse_entity(text: &str) -> Result<Self, RefTypeFault> {
        let found = Self::ENTITIES.into_iter().find(|kind| kind.as_str() == text);
        found.ok_or(RefTypeFault("an entity is a project, stage, phase or task"))
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Phase => "phase",
            Self::Stage => "stage",
            Self::Project => "project",
            Self::Agent => "agent",
        }
    }
}

impl fmt::Display for RefType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The id of the thing that a message is about: of an entity, its topic, or an agent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RefId(String);

/// Why a text is no id of a reference.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an id has 1 to 64 letters, digits and . _ @ : -")]
pub struct RefIdFault;

impl RefId {
    /// Parses an id, or says which rule it breaks.
    pub fn parse(text: &str) -> Result<Self, RefIdFault> {
        let is_fit = (1..=REF_ID_BYTES_MAX).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._@:-".contains(&byte));
        is_fit.then(|| Self(text.to_owned())).ok_or(RefIdFault)
    }

    /// The id as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id of the thing that this id means in a project: `TASK-7` is `TASK-7@1a2b3c4d` there. An id that names its project, or
    /// a topic, stays as it is.
    pub fn in_project(&self, project: &ProjectMark) -> Result<Self, RefIdFault> {
        match self.project().is_some() || self.0.parse::<TopicId>().is_ok() {
            true => Ok(self.clone()),
            false => Self::parse(&format!("{self}@{project}")),
        }
    }

    /// The project that the id names; `None` for a thing of the whole home.
    pub fn project(&self) -> Option<ProjectMark> {
        self.0.rsplit_once('@').and_then(|(id, mark)| ProjectMark::parse(mark).filter(|_| !id.is_empty()))
    }

    /// The id as a reader in a project writes it: short if the thing is of that project, and otherwise whole, because the short id
    /// means another thing there.
    pub fn shown_in(&self, project: Option<&ProjectMark>) -> &str {
        match self.project() {
            Some(own) if Some(&own) == project => self.short(),
            Some(_) | None => self.as_str(),
        }
    }

    /// The id without its project, as people write it.
    pub fn short(&self) -> &str {
        match (self.project(), self.0.rsplit_once('@')) {
            (Some(_), Some((id, _))) => id,
            _ => &self.0,
        }
    }
}

/// The mark of a project in the ids of its entities: 8 hex digits of its brain's id. Two projects have their own `TASK-7`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectMark(String);

impl ProjectMark {
    /// How many digits a mark has.
    pub const LEN: usize = 8;

    /// Parses a mark; `None` if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (text.len() == Self::LEN && text.bytes().all(is_digit)).then(|| Self(text.to_owned()))
    }
}

impl fmt::Display for ProjectMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for RefId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a message is about: an id, and of which kind, where that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The id.
    pub id: RefId,
    /// The kind.
    pub kind: Option<RefType>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: INB-5a
    fn an_id_belongs_to_a_project_unless_it_names_one_or_is_a_topic() {
        let (id, mark) =
            (|text: &str| RefId::parse(text).unwrap(), |text: &str| ProjectMark::parse(text).unwrap());
        let acme = mark("1a2b3c4d");
        let task = id("TASK-7").in_project(&acme).unwrap();
        assert_eq!((task.as_str(), task.short()), ("TASK-7@1a2b3c4d", "TASK-7"));
        assert_eq!(task.in_project(&mark("00000000")), Ok(task.clone()));
        assert_eq!(task.shown_in(Some(&acme)), "TASK-7");
        for elsewhere in [None, Some(&mark("00000000"))] {
            assert_eq!(task.shown_in(elsewhere), "TASK-7@1a2b3c4d", "the short id means another thing there");
        }
        assert_eq!(id("TASK-7").shown_in(Some(&acme)), "TASK-7");
        assert_eq!(id("0.0.1007").in_project(&acme), Ok(id("0.0.1007")));
        for whole in ["TASK-7", "ana@host", "@1a2b3c4d", "x@1A2B3C4D"] {
            assert_eq!((id(whole).project(), id(whole).short()), (None, whole));
        }
        assert!(id(&"x".repeat(56)).in_project(&acme).is_err());
    }

    #[test] // spec: INB-4, INB-5a
    fn references_have_five_kinds_and_entities_four() {
        for kind in RefType::ALL {
            assert_eq!(RefType::parse(kind.as_str()), Ok(kind));
            assert_eq!(RefType::parse_entity(kind.as_str()).is_ok(), kind != RefType::Agent);
        }
        assert!(RefType::parse("Task").is_err());
        for id in ["0.0.1007", "TASK-7", "a", "human:ana"] {
            assert_eq!(RefId::parse(id).map(|id| id.to_string()), Ok(id.to_owned()));
        }
        for id in ["", "a b", "é", "a/b", &"x".repeat(65)] {
            assert_eq!(RefId::parse(id), Err(RefIdFault), "{id:?}");
        }
    }
}
