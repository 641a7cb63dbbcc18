//! The target of a live message, as a caller names it.

use super::error::LiveError;
use crate::mail::{MailError, NamedBox};
use brainstem_base::AgentId;
use brainstem_caller::addresses::box_of_alias;
use brainstem_mail::live::LiveTarget;
use brainstem_mail::name::{MailboxName, is_everyone, may_be_everybody};
use brainstem_memory::Floor;

/// A target as a caller names it. Which sessions it reaches depends on those that are online.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedTarget {
    text: String,
    meaning: TargetMeaning,
}

/// What a text that names a target may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TargetMeaning {
    /// This target alone.
    One(LiveTarget),
    /// A session or a tag of exactly that name, even if the name is also an address of an agent.
    Exactly(LiveTarget),
    /// A session, else a tag, else an agent of that name.
    Name(MailboxName),
    /// All sessions, unless a session or a tag has this name.
    Everybody(MailboxName),
}

impl NamedTarget {
    /// Reads `session:NAME`, `tag:NAME`, an agent id, `everyone`, `worktree:PATH` or `parent`; a bare name is a session, a
    /// tag or another name of an agent.
    pub fn parse(text: &str) -> Result<Self, LiveError> {
        let name =
            |text: &str| MailboxName::parse(text).map_err(|fault| LiveError::Name { field: "target", fault });
        let meaning = match text.trim().split_once(':') {
            Some(("session", of)) => TargetMeaning::Exactly(LiveTarget::Session(name(of)?)),
            Some(("tag", of)) => TargetMeaning::Exactly(LiveTarget::Tag(name(of)?)),
            Some(("worktree", path)) if !path.is_empty() => {
                TargetMeaning::One(LiveTarget::Worktree(path.to_owned()))
            }
            // Each session of an agent reads the agent's box, as each session with a tag reads the tag's box.
            Some(_) => match AgentId::parse(text.trim()) {
                Ok(agent) => TargetMeaning::One(LiveTarget::Tag(MailboxName::of_agent(&agent))),
                Err(_) => return Err(LiveError::NoTarget { given: shown(text) }),
            },
            None => match text.trim() {
                word if is_everyone(word) => TargetMeaning::One(LiveTarget::Everyone),
                "parent" => TargetMeaning::One(LiveTarget::Parent),
                word if may_be_everybody(word) => TargetMeaning::Everybody(name(word)?),
                word => TargetMeaning::Name(name(word)?),
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

    /// The targets that it may mean; the first that is online counts. A word for all that is also the name of a session
    /// or a tag means that name.
    pub(super) fn targets(&self, is_known: &dyn Fn(&MailboxName) -> bool) -> Vec<LiveTarget> {
        let name = match &self.meaning {
            TargetMeaning::One(target) | TargetMeaning::Exactly(target) => return vec![target.clone()],
            TargetMeaning::Everybody(name) if !is_known(name) => return vec![LiveTarget::Everyone],
            TargetMeaning::Everybody(name) | TargetMeaning::Name(name) => name.clone(),
        };
        let of_agent = box_of_alias(&name).map(LiveTarget::Tag);
        [LiveTarget::Session(name.clone()), LiveTarget::Tag(name)].into_iter().chain(of_agent).collect()
    }

    /// The box for the message when no session is online at `target`. `None` if the target has no box.
    pub(super) fn mailbox(&self, floor: &Floor, target: &LiveTarget) -> Result<Option<NamedBox>, MailError> {
        let named = match target {
            LiveTarget::Session(name) | LiveTarget::Tag(name) => match &self.meaning {
                TargetMeaning::Exactly(_) => NamedBox::exactly(floor, name.clone()),
                TargetMeaning::One(_) | TargetMeaning::Name(_) | TargetMeaning::Everybody(_) => {
                    NamedBox::of_name(floor, name.clone())
                }
            },
            LiveTarget::Everyone => NamedBox::exactly(floor, MailboxName::broadcast()),
            LiveTarget::Worktree(_) | LiveTarget::Parent => return Ok(None),
        };
        named.map(Some)
    }
}

/// A target as a refusal repeats it: a long one is cut, with a mark.
fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The longest target that is repeated whole, in characters.
const SHOWN_CHARS_MAX: usize = 200;
