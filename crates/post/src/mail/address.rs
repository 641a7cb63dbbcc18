//! Whom a message is for: the box that each recipient means.

use super::desk::Desk;
use super::error::{MailError, RECIPIENTS_MAX};
use super::named_box::{Meaning, NamedBox, Recipients};
use brainstem_caller::addresses::box_of_alias;
use brainstem_mail::name::MailboxName;

impl Desk<'_> {
    /// The boxes that recipients mean, each once, in the order they are named.
    pub(crate) fn boxes_of(&self, recipients: &Recipients) -> Result<Vec<MailboxName>, MailError> {
        let mut boxes: Vec<MailboxName> = Vec::new();
        for recipient in recipients.boxes() {
            let name = self.addressed(recipient);
            if !boxes.contains(&name) {
                boxes.push(name);
            }
        }
        match boxes.len() {
            count if count > RECIPIENTS_MAX => Err(MailError::TooManyRecipients { count }),
            _ => Ok(boxes),
        }
    }

    /// The box that a recipient means.
    fn addressed(&self, recipient: &NamedBox) -> MailboxName {
        match recipient.meaning() {
            Meaning::Box(name) => name.clone(),
            Meaning::Anybody(name) => self.box_of(name.clone()),
            Meaning::Everybody(name) if self.is_session_or_tag(name) => name.clone(),
            Meaning::Everybody(_) => MailboxName::broadcast(),
        }
    }

    /// Whether a session or a tag on record has a name.
    pub(crate) fn is_session_or_tag(&self, name: &MailboxName) -> bool {
        let known = self.standing(name).known;
        known.is_session || known.is_tag
    }

    /// The box where the sender of a message reads its answers. A sender's name is a name: none of the words that `to` knows,
    /// such as `everyone`, is read in it.
    pub(super) fn answered_at(&self, sender: MailboxName) -> Result<MailboxName, MailError> {
        self.floor.check_name("to", sender.as_str())?;
        Ok(self.box_of(sender))
    }

    /// The box of a name: where that is another name of a host's agent, the agent's own. No other agent has such a name.
    fn box_of(&self, name: MailboxName) -> MailboxName {
        box_of_alias(&name).unwrap_or(name)
    }

    /// The box that a caller names to look into: the one of that very name where there is one, else its agent's.
    pub(crate) fn looked_into(&self, named: &NamedBox) -> MailboxName {
        let is_there = |name| self.root.boxes().is_ok_and(|boxes| boxes.contains(name));
        match named.meaning() {
            Meaning::Box(name) => name.clone(),
            Meaning::Anybody(name) if is_there(name) => name.clone(),
            Meaning::Anybody(name) => self.box_of(name.clone()),
            Meaning::Everybody(name) if is_there(name) || self.is_session_or_tag(name) => name.clone(),
            Meaning::Everybody(_) => MailboxName::broadcast(),
        }
    }
}
