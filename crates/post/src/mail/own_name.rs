//! Which names a caller may use: none of another agent's live session, and none of a person.

use super::caller_mail::CallerMail;
use super::error::MailError;
use super::name_taken::NameTaken;
use super::whose::{BoxOfAnother, box_of_another};
use crate::Post;
use brainstem_base::AgentId;
use brainstem_caller::addresses::{
    is_address_of_another, is_by_login_alone, is_name_of, is_of_another_person, is_of_caller,
};
use brainstem_mail::limits::NAME_LEN_MAX;
use brainstem_mail::name::{MailboxName, NameFault};
use brainstem_memory::Caller;
use brainstem_memory::identity::IdentitySource;
use brainstem_vault::mail::{SessionRecord, SessionsCounted, UnreadableSession};

/// The name that this program signs as.
pub(super) const SYSTEM: &str = "system";

/// A name that a caller uses, and the argument that gives it.
#[derive(Clone, Copy)]
pub(super) enum OwnName<'a> {
    /// The name of its session.
    Session(&'a MailboxName),
    /// A tag of its session.
    Tag(&'a MailboxName),
}

impl CallerMail<'_> {
    /// Refuses a caller that uses a name which is not its own.
    pub(super) fn check_own_name(&self) -> Result<(), MailError> {
        let mail = &self.caller().principal.mail;
        self.check_speaks_for_itself(&self.own.me, "session")?;
        mail.connection.as_ref().map_or(Ok(()), |name| self.check_connection(name))?;
        if let Some(name) = &mail.session {
            // A command in an agent's shell gets the session's name from a variable, and its id from the person that is logged
            // in.
            let is_its = |agent: &str| self.is_its(agent, false);
            self.check_free(OwnName::Session(name), &is_its).map_err(|error| error.of_field("session"))?;
        }
        let is_its = |agent: &str| is_of_caller(self.caller(), agent);
        // Without a session of its own, a caller speaks under its agent's name.
        let taken = || self.sessions.live_of_another(&self.own.me, &is_its, self.now);
        if let Some(record) = mail.session.is_none().then(taken).flatten() {
            return Err(MailError::from(self.name_taken(&self.own.me, &record)).of_field("session"));
        }
        mail.tags.iter().try_for_each(|tag| {
            self.check_free(OwnName::Tag(tag), &is_its).map_err(|error| error.of_field("tag"))
        })
    }

    /// Refuses a name that belongs to another agent or a person, or that differs only by case from one on record.
    pub(super) fn check_free(
        &self,
        own: OwnName<'_>,
        is_its: &dyn Fn(&str) -> bool,
    ) -> Result<(), MailError> {
        let (sessions, now) = (&self.sessions, self.now);
        let name = match own {
            OwnName::Session(name) => {
                self.check_speaks_for_itself(name, "session")?;
                if let Some(record) = sessions.live_of_another(name, is_its, now) {
                    return Err(self.name_taken(name, &record).into());
                }
                if let Some(unreadable) =
                    sessions.unreadable_record(name).filter(|_| !is_name_of(self.caller(), name))
                {
                    return Err(record_unreadable(name, unreadable));
                }
                if self.is_of_another_agent(name, is_its) {
                    return Err(NameTaken::OfAgent { name: name.clone() }.into());
                }
                // A live session keeps its name, even if a session with a tag of that name comes back.
                let is_here = sessions.find(name).is_some_and(|record| record.is_live(now));
                if let Some(record) = sessions.live_tag_of_another(name, is_its, now).filter(|_| !is_here) {
                    let (session, agent) = (record.name.clone(), agent_of(&record));
                    return Err(NameTaken::AsTag { name: name.clone(), session, agent }.into());
                }
                let may_be_anothers = !is_here && !is_name_of(self.caller(), name);
                if let Some(unreadable) = sessions.unreadable_reader_of(name).filter(|_| may_be_anothers) {
                    return Err(record_unreadable(name, unreadable));
                }
                name
            }
            OwnName::Tag(tag) => {
                self.check_speaks_for_itself(tag, "tag")?;
                match box_of_another(self.caller(), sessions, tag, now) {
                    Some(BoxOfAnother::Session(record)) => return Err(self.name_taken(tag, &record).into()),
                    Some(BoxOfAnother::Unreadable(unreadable)) => {
                        return Err(record_unreadable(tag, unreadable));
                    }
                    Some(BoxOfAnother::Agent | BoxOfAnother::Person) => {
                        return Err(NameTaken::OfAgent { name: tag.clone() }.into());
                    }
                    None => tag,
                }
            }
        };
        match sessions.other_spelling(name, SessionsCounted::Live, now) {
            Some(known) => Err(NameFault::on_record_in_another_spelling(name, &known).into()),
            None => Ok(()),
        }
    }

    /// Whether a name is the box or another address of an agent other than the caller's. A shell may share such a name with the
    /// live session that has it.
    fn is_of_another_agent(&self, name: &MailboxName, is_its: &dyn Fn(&str) -> bool) -> bool {
        let (caller, now) = (self.caller(), self.now);
        let shared = self.sessions.find(name).filter(|record| record.is_live(now));
        if shared.and_then(|record| record.agent).is_some_and(|agent| is_its(&agent)) {
            return false;
        }
        let is_certain = |agent: &str| is_of_caller(caller, agent);
        is_address_of_another(caller, name)
            || self.sessions.agent_box_of_another(name, &is_certain, now).is_some()
    }

    /// Whether a session of this agent may be the caller's. A caller that registers a name must be that agent.
    pub(super) fn is_its(&self, agent: &str, is_renamed: bool) -> bool {
        let caller = self.caller();
        is_of_caller(caller, agent) || (is_by_login_alone(caller) && !is_renamed)
    }

    /// Refuses a connection's name that no connection of the caller's agent was given. A process that asks the daemon for its
    /// caller sends it along, and mail under it counts as the caller's own.
    fn check_connection(&self, name: &MailboxName) -> Result<(), MailError> {
        let agent = MailboxName::of_agent(&self.caller().principal.agent);
        // If an agent's id is too long, its name was cut to make room for the rest.
        let is_cut = |base: &str| name.as_str().len() == NAME_LEN_MAX && agent.as_str().starts_with(base);
        let base = name.as_str().rsplit_once('-').map(|(base, _)| base);
        if base.is_some_and(|base| base == agent.as_str() || is_cut(base)) {
            return Ok(());
        }
        let agent = self.caller().principal.agent.clone();
        Err(NameTaken::NoConnection { name: name.clone(), agent }.into())
    }

    /// The refusal of a name that a live session of another agent has.
    fn name_taken(&self, name: &MailboxName, record: &SessionRecord) -> NameTaken {
        let caller_is_known = !matches!(self.caller().principal.source, IdentitySource::Nobody);
        NameTaken::BySession { name: name.clone(), agent: agent_of(record), caller_is_known }
    }

    /// Refuses the box of a person to every other caller.
    pub(super) fn check_speaks_for_itself(
        &self,
        name: &MailboxName,
        field: &'static str,
    ) -> Result<(), MailError> {
        if name.as_str().eq_ignore_ascii_case(SYSTEM) && !is_name_of(self.caller(), name) {
            return Err(MailError::from(NameTaken::OfProgram { name: name.clone() }).of_field(field));
        }
        if !is_of_another_person(self.caller(), name) {
            return Ok(());
        }
        let agent = self.caller().principal.agent.clone();
        Err(MailError::from(NameTaken::OfPerson { name: name.clone(), agent }).of_field(field))
    }
}

impl Post {
    /// The agent of the session that the caller names, if it is known here.
    pub fn agent_of_session(&self, caller: &Caller) -> Option<AgentId> {
        let mail = &caller.principal.mail;
        let registered = || {
            let name = mail.session.as_ref().filter(|_| is_by_login_alone(caller))?;
            let sessions = self.mail_sessions(&self.mail_root(caller)?);
            let record = sessions.find(name).filter(|record| record.is_live(self.clock().now()))?;
            AgentId::parse(record.agent.as_deref()?).ok()
        };
        mail.named_by.clone().or_else(registered)
    }
}

/// The refusal of a name while a record that may say whose it is cannot be read.
fn record_unreadable(name: &MailboxName, unreadable: UnreadableSession) -> MailError {
    NameTaken::Uncertain { name: name.clone(), unreadable }.into()
}

/// The agent of a session, as a refusal names it.
fn agent_of(record: &SessionRecord) -> String {
    record.agent.as_deref().unwrap_or("another agent").to_owned()
}
