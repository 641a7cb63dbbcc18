//! Whom a live message is for, as a caller names it.

use super::error::LiveError;
use crate::mail::{MailError, NamedBox};
use brainstem_base::AgentId;
use brainstem_caller::addresses::box_of_alias;
use brainstem_mail::live::LiveTarget;
use brainstem_mail::name::{MailboxName, is_everyone, may_be_everybody};
use brainstem_memory::Floor;

/// A target as a caller names it. Whom it reaches depends on the sessions that are online.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedTarget {
    text: String,
    meaning: Meaning,
}

/// What a text that names a target may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Meaning {
    /// Just this.
    One(LiveTarget),
    /// A session or a tag by that very name, also where it is another name of an agent.
    Exactly(LiveTarget),
    /// A session, else a tag, else an agent of that name.
    Name(MailboxName),
    /// Everybody, unless a session or a tag has this name.
    Everybody(MailboxName),
}

impl NamedTarget {
    /// Reads `session:NAME`, `tag:NAME`, an agent id, `everyone`, `worktree:PATH` or `parent`; a bare name is a session, a
    /// tag or another name of an agent.
    pub fn parse(text: &str) -> Result<Self, LiveError> {
        let name =
            |text: &str| MailboxName::parse(text).map_err(|fault| LiveError::Name { field: "target", fault });
        let meaning = match text.trim().split_once(':') {
            Some(("session", of)) => Meaning::Exactly(LiveTarget::Session(name(of)?)),
            Some(("tag", of)) => Meaning::Exactly(LiveTarget::Tag(name(of)?)),
            Some(("worktree", path)) if !path.is_empty() => {
                Meaning::One(LiveTarget::Worktree(path.to_owned()))
            }
            // Each session that runs an agent reads its box, as each that carries a tag does.
            Some(_) => match AgentId::parse(text.trim()) {
                Ok(agent) => Meaning::One(LiveTarget::Tag(MailboxName::of_agent(&agent))),
                Err(_) => return Err(LiveError::NoTarget { given: shown(text) }),
            },
            None => match text.trim() {
                word if is_everyone(word) => Meaning::One(LiveTarget::Everyone),
                "parent" => Meaning::One(LiveTarget::Parent),
                word if may_be_everybody(word) => Meaning::Everybody(name(word)?),
                word => Meaning::Name(name(word)?),
            },
        };
        Ok(Self { text: text.to_owned(), meaning })
    }

    /// The text, as it was given.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The beginning of the text, for a refusal.
    pub(super) fn shown(&self) -> String {
        shown(&self.text)
    }

    /// What it may mean; the first that is online counts. A word for everybody that a session or a tag has as its name is
    /// that name.
    pub(super) fn targets(&self, is_known: &dyn Fn(&MailboxName) -> bool) -> Vec<LiveTarget> {
        let name = match &self.meaning {
            Meaning::One(target) | Meaning::Exactly(target) => return vec![target.clone()],
            Meaning::Everybody(name) if !is_known(name) => return vec![LiveTarget::Everyone],
            Meaning::Everybody(name) | Meaning::Name(name) => name.clone(),
        };
        let of_agent = box_of_alias(&name).map(LiveTarget::Tag);
        [LiveTarget::Session(name.clone()), LiveTarget::Tag(name)].into_iter().chain(of_agent).collect()
    }

    /// The box that the message goes to when nobody is online at `target`, which is what this means. `None` where that has
    /// no box.
    pub(super) fn mailbox(&self, floor: &Floor, target: &LiveTarget) -> Result<Option<NamedBox>, MailError> {
        let named = match target {
            LiveTarget::Session(name) | LiveTarget::Tag(name) => match &self.meaning {
                Meaning::Exactly(_) => NamedBox::exactly(floor, name.clone()),
                Meaning::One(_) | Meaning::Name(_) | Meaning::Everybody(_) => {
                    NamedBox::of_name(floor, name.clone())
                }
            },
            LiveTarget::Everyone => NamedBox::exactly(floor, MailboxName::broadcast()),
            LiveTarget::Worktree(_) | LiveTarget::Parent => return Ok(None),
        };
        named.map(Some)
    }
}

fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}
