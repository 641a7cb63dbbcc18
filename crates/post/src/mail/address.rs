//! Whom a message is for: the words that name a recipient, and the box each means.

use super::desk::Desk;
use brainstem_base::advice;
use brainstem_base::agent::AGENT_ID_LEN_MAX;
use brainstem_base::next::VerbId;
use brainstem_base::{AgentId, Fault, codes};
use brainstem_mail::name::{MailboxName, is_everyone, may_be_everybody};
use brainstem_memory::box_of_alias;

/// How many recipients one send may have.
const RECIPIENTS_MAX: usize = 64;

/// A recipient as somebody wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Named {
    /// A session or a tag by that very name, or everybody.
    Box(MailboxName),
    /// A name that may be one of several of an agent.
    Anybody(MailboxName),
    /// Everybody, unless a session or a tag has this name.
    Everybody(MailboxName),
}

impl Desk<'_> {
    /// The boxes that are meant by the words of `to`, each once; several may stand in one text between commas.
    pub(crate) fn recipients(&self, texts: &[String]) -> Result<Vec<MailboxName>, Fault> {
        let words =
            texts.iter().flat_map(|text| text.split(',')).map(str::trim).filter(|word| !word.is_empty());
        let mut boxes: Vec<MailboxName> = Vec::new();
        for word in words {
            let name = self.addressed(word)?;
            if !boxes.contains(&name) {
                boxes.push(name);
            }
        }
        match boxes.len() {
            0 => Err(Fault::new(codes::MAIL_BAD_NAME, "`to` names nobody")
                .fix("give a session, a tag, an agent id or __broadcast")
                .field("to")
                .rule("MAIL-3")),
            count if count > RECIPIENTS_MAX => {
                let told =
                    format!("`to` names {count} recipients, and one send has at most {RECIPIENTS_MAX}");
                Err(Fault::new(codes::INPUT_BAD_VALUE, told)
                    .fix("send to a tag, or to __broadcast")
                    .field("to")
                    .rule("MAIL-3"))
            }
            _ => Ok(boxes),
        }
    }

    /// The box that one word of a caller means.
    pub(super) fn addressed(&self, word: &str) -> Result<MailboxName, Fault> {
        self.floor.check_name("to", word)?;
        match named(word)? {
            Named::Box(name) => Ok(name),
            Named::Anybody(name) => Ok(self.box_of(name)),
            Named::Everybody(name) if self.is_session_or_tag(&name) => Ok(name),
            Named::Everybody(_) => Ok(MailboxName::broadcast()),
        }
    }

    /// Whether a session or a tag on record has a name.
    pub(crate) fn is_session_or_tag(&self, name: &MailboxName) -> bool {
        let known = self.standing(name).known;
        known.is_session || known.is_tag
    }

    /// The box where the sender of a message reads its answers. A sender's name is a name: none of the words that `to` knows,
    /// such as `everyone`, is read in it.
    pub(super) fn answered_at(&self, sender: MailboxName) -> Result<MailboxName, Fault> {
        self.floor.check_name("to", sender.as_str())?;
        Ok(self.box_of(sender))
    }

    /// The box of a name: where that is another name of a host's agent, the agent's own. No other agent has such a name.
    fn box_of(&self, name: MailboxName) -> MailboxName {
        box_of_alias(&name).unwrap_or(name)
    }

    /// The box that a caller names to look into: the one of that very name where there is one, else its agent's.
    /// A name that is a secret is refused before anything is looked up.
    pub(crate) fn looked_into(&self, field: &'static str, text: &str) -> Result<MailboxName, Fault> {
        self.floor.check_name(field, text)?;
        let is_there = |name| self.root.boxes().is_ok_and(|boxes| boxes.contains(name));
        Ok(match named(text).map_err(|fault| fault.field(field))? {
            Named::Box(name) => name,
            Named::Anybody(name) if is_there(&name) => name,
            Named::Anybody(name) => self.box_of(name),
            Named::Everybody(name) if is_there(&name) || self.is_session_or_tag(&name) => name,
            Named::Everybody(_) => MailboxName::broadcast(),
        })
    }
}

/// Reads a recipient: a name, an agent id, `tag:NAME`, `session:NAME`, `everyone` or another word for everybody.
fn named(text: &str) -> Result<Named, Fault> {
    let text = text.trim();
    let parse = |text: &str| MailboxName::parse(text).map_err(|fault| Fault::from(fault).field("to"));
    match text.split_once(':') {
        Some(("tag" | "session", name)) => parse(name).map(Named::Box),
        Some(("worktree", _)) => Err(no_box("a folder has no box")),
        Some(_) if text.len() <= AGENT_ID_LEN_MAX => {
            let agent = AgentId::parse(text).map_err(|fault| Fault::from(fault).field("to"))?;
            Ok(Named::Anybody(MailboxName::of_agent(&agent)))
        }
        _ if is_everyone(text) => Ok(Named::Box(MailboxName::broadcast())),
        _ if may_be_everybody(text) => parse(text).map(Named::Everybody),
        _ if text == "parent" => Err(no_box("mail does not know which session started yours")),
        _ => parse(text).map(Named::Anybody),
    }
}

fn no_box(why: &str) -> Fault {
    Fault::new(codes::MAIL_BAD_NAME, why)
        .fix(advice![
            "name the session, a tag or an agent; ",
            VerbId::LiveSend,
            " takes worktree:PATH and parent, and session:NAME is that very name"
        ])
        .field("to")
        .rule("MAIL-3")
}
