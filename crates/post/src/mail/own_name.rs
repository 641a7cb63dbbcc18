//! Under which names a caller may speak: none that another agent's live session has, and none of a person.

use super::desk::Desk;
use crate::Post;
use brainstem_base::{AgentId, Fault, codes};
use brainstem_mail::limits::NAME_LEN_MAX;
use brainstem_mail::name::{MailboxName, NameFault};
use brainstem_memory::identity::Source;
use brainstem_memory::{
    BoxOfAnother, Caller, is_address_of_another, is_by_login_alone, is_name_of, is_of_another_person,
    is_of_caller,
};
use brainstem_vault::mail::{SessionRecord, SessionsCounted, UnreadableSession};

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
        mail.connection.as_ref().map_or(Ok(()), |name| self.check_connection(name))?;
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
                    return Err(self.name_taken(name, &record));
                }
                if let Some(unreadable) =
                    sessions.unreadable_record(name).filter(|_| !is_name_of(self.caller(), name))
                {
                    return Err(record_unreadable(name, &unreadable));
                }
                if self.is_of_another_agent(name, is_its) {
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
                    Some(BoxOfAnother::Session(record)) => return Err(self.name_taken(tag, &record)),
                    Some(BoxOfAnother::Unreadable(unreadable)) => {
                        return Err(record_unreadable(tag, &unreadable));
                    }
                    Some(BoxOfAnother::Agent | BoxOfAnother::Person) => return Err(box_of_agent(tag)),
                    None => tag,
                }
            }
        };
        match sessions.other_spelling(name, SessionsCounted::Live, now) {
            Some(known) => Err(NameFault::on_record_in_another_spelling(name, &known).into()),
            None => Ok(()),
        }
    }

    /// Whether a name is the own box or another address of an agent that is not the caller's. A shell shares such a name
    /// with the live session that has it.
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

    /// Whether a session that an agent runs may be the caller's. A caller that gives itself a name must be that agent.
    pub(super) fn is_its(&self, agent: &str, is_renamed: bool) -> bool {
        let caller = self.caller();
        is_of_caller(caller, agent) || (is_by_login_alone(caller) && !is_renamed)
    }

    /// Refuses a connection's name that was given to no connection of the caller's agent. A process that asks the daemon
    /// on its caller's behalf sends it along, and what is under it is read as the caller's own.
    fn check_connection(&self, name: &MailboxName) -> Result<(), Fault> {
        let agent = MailboxName::of_agent(&self.caller().principal.agent);
        // The name of an agent whose own is too long was cut to make room for the rest.
        let is_cut = |base: &str| name.as_str().len() == NAME_LEN_MAX && agent.as_str().starts_with(base);
        let base = name.as_str().rsplit_once('-').map(|(base, _)| base);
        if base.is_some_and(|base| base == agent.as_str() || is_cut(base)) {
            return Ok(());
        }
        let message = format!("{name} is the name of no connection of {}", self.caller().principal.agent);
        Err(Fault::new(codes::MAIL_NAME_TAKEN, message)
            .fix("leave the header Brainstem-Connection out; Brainstem-Session gives your session a name")
            .field("connection")
            .rule("MAIL-4"))
    }

    /// The refusal of a name that a live session of another agent has.
    fn name_taken(&self, name: &MailboxName, record: &SessionRecord) -> Fault {
        let agent = record.agent.as_deref().unwrap_or("another agent");
        let message =
            format!("{agent} has a live session called {name}, so nothing was done under that name");
        let other = format!(
            "give your session or tag another name; {name} is free once that session has ended, or 30 minutes after its last call"
        );
        let fix = match self.caller().principal.source {
            Source::Nobody => format!(
                "if the session is yours, say which agent you are (`agent_id`, or over HTTP the header Brainstem-Agent); else {other}"
            ),
            _ => other,
        };
        Fault::new(codes::MAIL_NAME_TAKEN, message).fix(fix).rule("MAIL-4")
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
            let name = mail.session.as_ref().filter(|_| is_by_login_alone(caller))?;
            let sessions = self.memory().mail_sessions(&self.memory().mail_root(caller)?);
            let record = sessions.find(name).filter(|record| record.is_live(self.clock().now()))?;
            AgentId::parse(record.agent.as_deref()?).ok()
        };
        mail.named_by.clone().or_else(registered)
    }
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

/// The refusal of a name that is an address of another agent, whether or not that is here.
fn box_of_agent(name: &MailboxName) -> Fault {
    let message = format!("{name} is an address of another agent, so nothing was done under that name");
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
