//! The box that each recipient of a message means.

use super::caller_mail::CallerMail;
use super::error::{MailError, RECIPIENTS_MAX};
use super::named_box::{BoxMeaning, NamedBox, Recipients};
use super::own_name::SYSTEM;
use brainstem_caller::addresses::box_of_alias;
use brainstem_caller::person::is_owner_word;
use brainstem_mail::name::{MailboxName, NameFault};
use brainstem_mail::resolve::KnownUnderName;

impl CallerMail<'_> {
    /// The boxes that recipients mean, each once, in the order in which they are named.
    pub(crate) fn boxes_of(&self, recipients: &Recipients) -> Result<Vec<MailboxName>, MailError> {
        let mut boxes: Vec<MailboxName> = Vec::new();
        for recipient in recipients.boxes() {
            let name = self.addressed(recipient);
            check_reads_mail(&name)?;
            if boxes.contains(&name) {
                continue;
            }
            // Neither box may be there yet, so that no box says which spelling is right.
            let is_known = |name| self.readers_of(name).known != KnownUnderName::default();
            let alike = boxes.iter().find(|other| other.differs_only_by_case(name.as_str()));
            if let Some(other) = alike.filter(|other| !is_known(&name) || !is_known(other)) {
                return Err(MailError::from(NameFault::named_in_two_spellings(&name, other)).of_field("to"));
            }
            boxes.push(name);
        }
        match boxes.len() {
            count if count > RECIPIENTS_MAX => Err(MailError::TooManyRecipients { count }),
            _ => Ok(boxes),
        }
    }

    /// The box that a recipient means.
    fn addressed(&self, recipient: &NamedBox) -> MailboxName {
        match recipient.meaning() {
            BoxMeaning::Box(name) => name.clone(),
            BoxMeaning::Anybody(name) => self.box_of(name.clone()),
            BoxMeaning::Everybody(name) if self.is_session_or_tag(name) => name.clone(),
            BoxMeaning::Everybody(_) => MailboxName::broadcast(),
        }
    }

    /// Whether a session or a tag on record has a name.
    pub(crate) fn is_session_or_tag(&self, name: &MailboxName) -> bool {
        let known = self.readers_of(name).known;
        known.is_session || known.is_tag
    }

    /// The box in which the sender of a message reads its answers. The sender's name is taken as it is: the words that `to`
    /// knows, such as `everyone`, have no meaning in it.
    pub(super) fn answered_at(&self, sender: MailboxName) -> Result<MailboxName, MailError> {
        self.floor.check_name("to", sender.as_str())?;
        check_reads_mail(&sender)?;
        Ok(self.box_of(sender))
    }

    /// The boxes in which a sender may have got a reply: a reply to an alias of an agent is in the agent's own box, and one to a
    /// name of the person at the terminal in any of that person's.
    pub(super) fn boxes_of_sender(&self, sender: MailboxName) -> Vec<MailboxName> {
        if self.is_persons(&sender) {
            return self.person().boxes();
        }
        let of_agent = box_of_alias(&sender).filter(|of_agent| *of_agent != sender);
        std::iter::once(sender).chain(of_agent).collect()
    }

    /// The box of a name. If the name is an alias of a host's agent, the agent's own box; no other agent has such a name. If it
    /// is a name of the person at the terminal, and no session or tag has it, the box in which that person's mail arrives.
    fn box_of(&self, name: MailboxName) -> MailboxName {
        if let Some(of_agent) = box_of_alias(&name) {
            return of_agent;
        }
        let is_persons = match self.is_persons(&name) {
            // An earlier program may have given a session or a tag the word `owner`.
            true => !is_owner_word(&name) || !self.is_known_alone(&name),
            false => self.person().bare_names().contains(&name) && !self.is_known_alone(&name),
        };
        if is_persons { self.person().mailbox() } else { name }
    }

    /// Whether a session, a tag or an agent on record has exactly this name.
    fn is_known_alone(&self, name: &MailboxName) -> bool {
        let known = self.sessions.readers_of_name(std::slice::from_ref(name), self.now).known;
        known != KnownUnderName::default()
    }

    /// The box that a caller names to look into: the box of exactly that name if it exists, else the agent's.
    pub(crate) fn box_to_look_into(&self, named: &NamedBox) -> MailboxName {
        let is_there = |name| self.root.boxes().is_ok_and(|boxes| boxes.contains(name));
        match named.meaning() {
            BoxMeaning::Box(name) => name.clone(),
            BoxMeaning::Anybody(name) if is_there(name) => name.clone(),
            BoxMeaning::Anybody(name) => self.box_of(name.clone()),
            BoxMeaning::Everybody(name) if is_there(name) || self.is_session_or_tag(name) => name.clone(),
            BoxMeaning::Everybody(_) => MailboxName::broadcast(),
        }
    }
}

/// Refuses the name under which this program signs: no session can have it.
fn check_reads_mail(name: &MailboxName) -> Result<(), MailError> {
    if name.as_str().eq_ignore_ascii_case(SYSTEM) {
        return Err(MailError::HasNoBox { why: "`system` is this program itself, which reads no mail" });
    }
    Ok(())
}
