//! Under which names a caller may speak: none that another agent's live session has, and none of a person.

use super::desk::Desk;
use crate::Post;
use brainstem_base::agent::AgentKind;
use brainstem_base::{AgentId, Fault, codes};
use brainstem_mail::name::MailboxName;
use brainstem_memory::identity::Source;
use brainstem_memory::{Caller, boxes_of_agent};
use brainstem_vault::mail::SessionRecord;

/// How the box of a person begins: `human:ana` has `human.ana`.
const OF_PERSON: &str = "human.";

impl Desk<'_> {
    /// Refuses a caller that speaks under a name which is not its own.
    pub(super) fn check_own_name(&self) -> Result<(), Fault> {
        let caller = self.caller();
        self.check_speaks_for_itself(&self.own.me, "session")?;
        caller.principal.mail.tags.iter().try_for_each(|tag| self.check_speaks_for_itself(tag, "tag"))?;
        let Some(name) = &caller.principal.mail.session else { return Ok(()) };
        // A command in the shell of an agent has the session's name from a variable, and the id of the person who
        // is logged in.
        let is_its = |agent: &str| self.is_its(agent, false);
        match self.sessions.held_by_another(name, &is_its, self.now) {
            Some(record) => Err(name_taken(name, &record).field("session")),
            None => Ok(()),
        }
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
        let principal = &self.caller().principal;
        let is_of_person = name.as_str().get(..OF_PERSON.len());
        let is_of_person = is_of_person.is_some_and(|start| start.eq_ignore_ascii_case(OF_PERSON));
        let is_own = principal.kind == AgentKind::Human && *name == MailboxName::of_agent(&principal.agent);
        if !is_of_person || is_own {
            return Ok(());
        }
        let message = format!("{name} is the box of a person, and you are {}", principal.agent);
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

/// Whether an agent id means the caller's agent, or the one that gave the caller's session its name.
pub(super) fn is_of_caller(caller: &Caller, agent: &str) -> bool {
    let principal = &caller.principal;
    let Ok(agent) = AgentId::parse(agent) else { return false };
    let agent = MailboxName::of_agent(&agent);
    let mut own = [Some(&principal.agent), principal.mail.named_by.as_ref()].into_iter().flatten();
    own.any(|own| boxes_of_agent(own).contains(&agent))
}

/// The refusal of a name that a live session of another agent has.
pub(super) fn name_taken(name: &MailboxName, record: &SessionRecord) -> Fault {
    let agent = record.agent.as_deref().unwrap_or("another agent");
    let message = if record.name == name.as_str() {
        format!("{agent} has a live session called {name}, so nothing was done under that name")
    } else {
        format!("{name} is the box of {agent}, which has a live session, so nothing was done under that name")
    };
    Fault::new(codes::MAIL_NAME_TAKEN, message)
        .fix(format!(
            "give your session another name; {name} is free once that session has ended, or 30 minutes after its last call"
        ))
        .rule("MAIL-4")
}
