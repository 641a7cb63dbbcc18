//! A box as a caller names it.

use super::error::MailError;
use brainstem_base::AgentId;
use brainstem_base::agent::AGENT_ID_LEN_MAX;
use brainstem_mail::name::{MailboxName, is_everyone, may_be_everybody};
use brainstem_memory::Floor;
use std::fmt;

/// A box as a caller names it. Which box that is depends on the sessions and the boxes that exist.
///
/// Invariant: the text has no secret in it, so it may be looked up and repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedBox {
    text: String,
    meaning: BoxMeaning,
}

/// What the name of a box may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BoxMeaning {
    /// The box of a session or a tag of exactly that name, or the broadcast box.
    Box(MailboxName),
    /// A name that may be an alias of an agent.
    Anybody(MailboxName),
    /// All sessions, unless a session or a tag has this name.
    Everybody(MailboxName),
}

impl NamedBox {
    /// Reads a name, an agent id, `tag:NAME`, `session:NAME`, `everyone` or another word for all. Refuses a text with a
    /// secret in it before any other check.
    pub fn parse(floor: &Floor, field: &'static str, text: &str) -> Result<Self, MailError> {
        floor.check_name(field, text)?;
        let meaning = BoxMeaning::parse(text).map_err(|error| error.of_field(field))?;
        Ok(Self { text: text.to_owned(), meaning })
    }

    /// The box of exactly that name, without aliases.
    pub(crate) fn exactly(floor: &Floor, name: MailboxName) -> Result<Self, MailError> {
        floor.check_name("to", name.as_str())?;
        Ok(Self { text: name.to_string(), meaning: BoxMeaning::Box(name) })
    }

    /// The box of a session, a tag or an agent with that name. The words of mail for all are plain names here.
    pub(crate) fn of_name(floor: &Floor, name: MailboxName) -> Result<Self, MailError> {
        if name.is_broadcast() || name.as_str() == PARENT || may_be_everybody(name.as_str()) {
            return Self::exactly(floor, name);
        }
        floor.check_name("to", name.as_str())?;
        Ok(Self { text: name.to_string(), meaning: BoxMeaning::Anybody(name) })
    }

    pub(super) fn meaning(&self) -> &BoxMeaning {
        &self.meaning
    }
}

impl fmt::Display for NamedBox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The word of the live channel for the session that started the caller's.
const PARENT: &str = "parent";

impl BoxMeaning {
    fn parse(text: &str) -> Result<Self, MailError> {
        let text = text.trim();
        match text.split_once(':') {
            Some(("tag" | "session", name)) => Ok(Self::Box(MailboxName::parse(name)?)),
            Some(("worktree", _)) => Err(MailError::HasNoBox { why: "a folder has no box" }),
            Some(_) if text.len() <= AGENT_ID_LEN_MAX => {
                Ok(Self::Anybody(MailboxName::of_agent(&AgentId::parse(text)?)))
            }
            _ if is_everyone(text) => Ok(Self::Box(MailboxName::broadcast())),
            _ if may_be_everybody(text) => Ok(Self::Everybody(MailboxName::parse(text)?)),
            _ if text == PARENT => {
                Err(MailError::HasNoBox { why: "mail does not know which session started yours" })
            }
            _ => Ok(Self::Anybody(MailboxName::parse(text)?)),
        }
    }
}

/// The recipients of a send as the caller names them, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipients(Vec<NamedBox>);

impl Recipients {
    /// Reads the texts of `to`; one text may name several, with commas between them.
    pub fn parse(floor: &Floor, texts: &[String]) -> Result<Self, MailError> {
        let words = texts.iter().flat_map(|text| text.split(',')).map(str::trim);
        let words = words.filter(|word| !word.is_empty());
        let boxes: Vec<NamedBox> =
            words.map(|word| NamedBox::parse(floor, "to", word)).collect::<Result<_, _>>()?;
        if boxes.is_empty() { Err(MailError::NoRecipient) } else { Ok(Self(boxes)) }
    }

    pub(super) fn boxes(&self) -> &[NamedBox] {
        &self.0
    }
}

impl From<NamedBox> for Recipients {
    fn from(one: NamedBox) -> Self {
        Self(vec![one])
    }
}

/// The boxes that a call looks into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Boxes {
    /// The caller's own.
    #[default]
    Own,
    /// The one that the caller names.
    One(NamedBox),
    /// Every box of the mail root.
    All,
}

impl From<Option<NamedBox>> for Boxes {
    fn from(named: Option<NamedBox>) -> Self {
        named.map_or(Self::Own, Self::One)
    }
}
