//! The slug of an agent or a person: its address.

use brainstem_base::AgentId;
use brainstem_base::hash::sha256_hex;
use brainstem_mail::name::{MailboxName, NameFault};
use std::fmt;

/// The word that means every agent, as a recipient.
pub const ALL: &str = "ALL";
/// The slug of the owner of a home whose settings name none.
pub const OWNER: &str = "human";
/// The words that mean the owner in every field.
pub const OWNER_ALIASES: [&str; 2] = [OWNER, "owner"];
/// The sender of what the program itself notifies of.
pub const SYSTEM: &str = "system";

/// How many hex digits tell the slug of an agent id from the plain slug, which another id has.
const APART_DIGITS: usize = 8;
/// The longest plain slug that these digits can follow: a mailbox name has at most 64 bytes.
const BEFORE_DIGITS_MAX: usize = 64 - 1 - APART_DIGITS;

/// The slug of an agent or a person.
///
/// Invariant: it is also a mailbox name, so that mail and inbox of one agent are one address; it is none of the words that
/// mean every agent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AgentSlug(MailboxName);

/// Why a text is no slug.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SlugFault {
    /// No mailbox has this name.
    #[error(transparent)]
    Name(#[from] NameFault),
    /// It means every agent, or this program.
    #[error("{0:?} is a word of the program and names no agent")]
    Reserved(String),
}

impl AgentSlug {
    /// Parses a slug, or says which rule it breaks.
    pub fn parse(text: &str) -> Result<Self, SlugFault> {
        let name = MailboxName::parse(text)?;
        let is_word = is_all(text) || name.is_broadcast() || text.eq_ignore_ascii_case(SYSTEM);
        (!is_word).then_some(Self(name)).ok_or_else(|| SlugFault::Reserved(text.to_owned()))
    }

    /// The slug of an agent id: its mailbox name. An id that spells a word of the program, or `owner`, which means a person,
    /// gets `_` before it.
    pub fn of_agent(agent: &AgentId) -> Self {
        let name = MailboxName::of_agent(agent);
        let is_alias = name.as_str().eq_ignore_ascii_case(OWNER_ALIASES[1]);
        let parsed = if is_alias { None } else { Self::parse(name.as_str()).ok() };
        parsed.unwrap_or_else(|| {
            let spared = MailboxName::parse(&format!("_{name}")).expect("a short word with a line before it");
            Self(spared)
        })
    }

    /// The slugs of an agent id whose plain slug is another id's (INB-1): the plain one, cut to fit, with digits of the id's SHA-256
    /// behind it. The first is the one to take, unless a third id has that.
    pub fn apart(agent: &AgentId) -> impl Iterator<Item = Self> {
        let mut plain = Self::of_agent(agent).to_string();
        plain.truncate(BEFORE_DIGITS_MAX);
        (0_u32..).filter_map(move |again| {
            let hashed = if again == 0 { agent.to_string() } else { format!("{agent}#{again}") };
            Self::parse(&format!("{plain}-{}", sha256_hex(hashed.as_bytes(), APART_DIGITS))).ok()
        })
    }

    /// The slug as written.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Whether another text is this slug in another spelling.
    pub fn differs_only_by_case(&self, other: &str) -> bool {
        self.0.differs_only_by_case(other)
    }
}

/// Whether a recipient means every agent.
pub fn is_all(text: &str) -> bool {
    text.eq_ignore_ascii_case(ALL)
}

impl fmt::Display for AgentSlug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: IF-25, INB-2
    fn a_slug_is_the_mailbox_name_of_its_agent() {
        let slug = |id: &str| AgentSlug::of_agent(&AgentId::parse(id).unwrap()).to_string();
        assert_eq!(slug("codex:maker"), "codex.maker");
        assert_eq!(slug("human:ana"), "human.ana");
        assert_eq!(slug("human"), "human");
        assert_eq!(slug("all"), "_all");
        assert_eq!(slug("owner"), "_owner", "others would take it for the person");
        for word in ["ALL", "all", "system", "System", "__broadcast", "", "a/b", "read"] {
            assert!(AgentSlug::parse(word).is_err(), "{word:?}");
        }
    }
}
