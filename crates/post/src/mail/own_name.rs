//! Under which names a caller may speak: none that another agent's live session has, and none of a person.

use super::desk::Desk;
use crate::Post;
use brainstem_base::{AgentId, Fault, codes};
use brainstem_mail::name::{MailboxName, NameFault};
use brainstem_memory::identity::Source;
use brainstem_memory::{BoxOfAnother, Caller, box_of_alias, is_name_of, is_of_another_person, is_of_caller};
use brainstem_vault::mail::{Counts, SessionRecord, UnreadableSession};

/// What this program signs as.
const SYSTEM: &str = "system";

/// A name under which a caller speaks, and the argument that gives it.
#[derive(Clone, Copy)]
pub(super) enum OwnName<'a> {
    /// Of its session.
    Session(&'a MailboxName),
    /// Of a tag that its session carries.
    Tag(&'a MailboxName),
}

impl Desk<'_> {
    /// Refuses a caller that speaks under a name which is not its own.
    pub(super) fn check_own_name(&self) -> Result<(), Fault> {
        let mail = &self.caller().principal.mail;
        self.check_speaks_for_itself(&self.own.me, "session")?;
        if let Some(name) = &mail.session {
            // A command in the shell of an agent has the session's name from a variable, and the id of the person who
            // is logged in.
            let is_its = |agent: &str| self.is_its(agent, false);
            self.check_free(OwnName::Session(name), &is_its).map_err(|fault| fault.field("session"))?;
        }
        let is_its = |agent: &str| is_of_caller(self.caller(), agent);
        mail.tags.iter().try_for_each(|tag| {
            self.check_free(OwnName::Tag(tag), &is_its).map_err(|fault| fault.field("tag"))
        })
    }

    /// Refuses a name that is another agent's, a person's, or one on record in another spelling.
    pub(super) fn check_free(&self, own: OwnName<'_>, is_its: &dyn Fn(&str) -> bool) -> Result<(), Fault> {
        let (sessions, now) = (&self.sessions, self.now);
        let name = match own {
            OwnName::Session(name) => {
                self.check_speaks_for_itself(name, "session")?;
                if let Some(record) = sessions.live_of_another(name, is_its, now) {
                    return Err(name_taken(name, &record));
                }
                if let Some(unreadable) =
                    sessions.unreadable_record(name).filter(|_| !is_name_of(self.caller(), name))
                {
                    return Err(record_unreadable(name, &unreadable));
                }
                if sessions.agent_box_of_another(name, is_its, now).is_some()
                    || self.is_anothers_address(name, is_its)
                {
                    return Err(box_of_agent(name));
                }
                // A session that is here keeps its name, also where a session with a tag of that name comes back.
                let is_here = sessions.find(name).is_some_and(|record| record.is_live(now));
                if let Some(record) = sessions.live_tag_of_another(name, is_its, now).filter(|_| !is_here) {
                    return Err(carried_as_tag(name, &record));
                }
                let may_be_anothers = !is_here && !is_name_of(self.caller(), name);
                if let Some(unreadable) = sessions.unreadable_reader_of(name).filter(|_| may_be_anothers) {
                    return Err(record_unreadable(name, &unreadable));
                }
                name
            }
            OwnName::Tag(tag) => {
                self.check_speaks_for_itself(tag, "tag")?;
                match self.memory.box_of_another(self.caller(), sessions, tag) {
                    Some(BoxOfAnother::Session(record)) => return Err(name_taken(tag, &record)),
                    Some(BoxOfAnother::Unreadable(unreadable)) => {
                        return Err(record_unreadable(tag, &unreadable));
                    }
                    Some(BoxOfAnother::Agent | BoxOfAnother::Person) => return Err(box_of_agent(tag)),
                    None => tag,
                }
            }
        };
        match sessions.other_spelling(name, Counts::Live, now) {
            Some(known) => Err(NameFault::on_record_in_another_spelling(name, &known).into()),
            None => Ok(()),
        }
    }

    /// Whether a name is the address of a host's agent, which is not the caller's.
    fn is_anothers_address(&self, name: &MailboxName, is_its: &dyn Fn(&str) -> bool) -> bool {
        let Some(address) = box_of_alias(name) else { return false };
        address.as_str().eq_ignore_ascii_case(name.as_str())
            && !is_its(&address.as_str().replacen('.', ":", 1))
    }

    /// Whether a session that an agent runs may be the caller's. A caller that gives itself a name must be that agent.
    pub(super) fn is_its(&self, agent: &str, is_renamed: bool) -> bool {
        let caller = self.caller();
        is_of_caller(caller, agent) || (is_undeclared(caller) && !is_renamed)
    }

    /// Refuses the box of a person to every caller that is another one.
    pub(super) fn check_speaks_for_itself(
        &self,
        name: &MailboxName,
        field: &'static str,
    ) -> Result<(), Fault> {
        if name.as_str().eq_ignore_ascii_case(SYSTEM) && !is_name_of(self.caller(), name) {
            let message = format!("{name} is the name under which this program itself speaks");
            return Err(Fault::new(codes::MAIL_NAME_TAKEN, message)
                .fix("take another name, for example worker-feat-104")
                .field(field)
                .rule("MAIL-4"));
        }
        if !is_of_another_person(self.caller(), name) {
            return Ok(());
        }
        let message = format!("{name} is the box of a person, and you are {}", self.caller().principal.agent);
        Err(Fault::new(codes::MAIL_NAME_TAKEN, message)
            .fix("take a name that does not begin with `human.`, for example worker-feat-104")
            .field(field)
            .rule("MAIL-4"))
    }
}

impl Post {
    /// The agent that runs the session which the caller names, as far as that is known here.
    pub fn agent_of_session(&self, caller: &Caller) -> Option<AgentId> {
        let mail = &caller.principal.mail;
        let registered = || {
            let name = mail.session.as_ref().filter(|_| is_undeclared(caller))?;
            let sessions = self.memory().mail_sessions(&self.memory().mail_root(caller)?);
            let record = sessions.find(name).filter(|record| record.is_live(self.clock().now()))?;
            AgentId::parse(record.agent.as_deref()?).ok()
        };
        mail.named_by.clone().or_else(registered)
    }
}

/// Whether nothing but a login, or nothing at all, says who calls.
fn is_undeclared(caller: &Caller) -> bool {
    matches!(caller.principal.source, Source::Login | Source::Nobody)
}

/// The refusal of a name that a live session of another agent has.
pub(super) fn name_taken(name: &MailboxName, record: &SessionRecord) -> Fault {
    let agent = record.agent.as_deref().unwrap_or("another agent");
    let message = format!("{agent} has a live session called {name}, so nothing was done under that name");
    Fault::new(codes::MAIL_NAME_TAKEN, message)
        .fix(format!(
            "give your session or tag another name; {name} is free once that session has ended, or 30 minutes after its last call"
        ))
        .rule("MAIL-4")
}

/// The refusal of a name while a record cannot be read that may say whose it is.
fn record_unreadable(name: &MailboxName, unreadable: &UnreadableSession) -> Fault {
    let message =
        format!("{}, so it is not certain whose name {name} is; nothing was done", unreadable.told());
    let path = unreadable.path.display();
    Fault::new(codes::MAIL_NAME_TAKEN, message)
        .fix(format!(
            "repeat; if it stays so, make `{path}` readable for this user, or remove it once no session is called {}; \
             until then give your session another name",
            unreadable.name
        ))
        .rule("MAIL-4")
}

/// The refusal of a name that is the own box of another agent, whether or not that is here.
fn box_of_agent(name: &MailboxName) -> Fault {
    let message = format!("{name} is the box of another agent, so nothing was done under that name");
    Fault::new(codes::MAIL_NAME_TAKEN, message)
        .fix("give your session or tag a name of its own, for example worker-feat-104 or orchestrator")
        .rule("MAIL-4")
}

/// The refusal of a session's name that a live session of another agent carries as a tag: what is for the tag is for
/// several, and what is for a session is for it alone.
fn carried_as_tag(name: &MailboxName, record: &SessionRecord) -> Fault {
    let agent = record.agent.as_deref().unwrap_or("another agent");
    let message = format!(
        "{} of {agent} carries {name} as a tag, so that no session of another agent can have that name",
        record.name
    );
    Fault::new(codes::MAIL_NAME_TAKEN, message)
        .fix(format!("give your session another name; with the tag `{name}` it reads that box as well"))
        .rule("MAIL-4")
}
