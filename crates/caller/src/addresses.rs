//! Which mailbox names belong to which caller, by the names alone: an agent's boxes, the addresses of hosts' agents, a person's
//! box.
//!
//! Every service that counts, lists or refuses mail asks these rules, so they are with the caller and not with one of the
//! services. The services know what is in a box and which sessions are on record.

use crate::identity::IdentitySource;
use crate::person::may_be_persons;
use crate::place::Caller;
use brainstem_base::AgentId;
use brainstem_base::agent::AgentKind;
use brainstem_hosts::Host;
use brainstem_mail::name::MailboxName;
use brainstem_vault::mail::SessionRecord;

/// The boxes of an agent: the one that has its id, and those of its other names. `codex:maker`, `codex` and
/// `codex-mcp-client` are one agent (IF-25a).
pub fn boxes_of_agent(agent: &AgentId) -> Vec<MailboxName> {
    let host = Host::called(agent.as_str());
    let named = host.and_then(|host| AgentId::parse(host.agent()).ok());
    let aliases = host.into_iter().flat_map(|host| host.aliases()).copied();
    let aliases = aliases.filter_map(|alias| MailboxName::parse(alias).ok());
    let mut boxes = vec![MailboxName::of_agent(agent)];
    for name in named.iter().map(MailboxName::of_agent).chain(aliases) {
        if !boxes.contains(&name) {
            boxes.push(name);
        }
    }
    boxes
}

/// The box of the agent that a name means. `None` if it is not a name of a host's agent.
pub fn box_of_alias(name: &MailboxName) -> Option<MailboxName> {
    let agent = AgentId::parse(Host::called(name.as_str())?.agent()).ok()?;
    Some(MailboxName::of_agent(&agent))
}

/// Every name of every host's agent.
pub fn names_of_hosts() -> Vec<MailboxName> {
    let agents = Host::ALL.iter().filter_map(|host| AgentId::parse(host.agent()).ok());
    agents.flat_map(|agent| boxes_of_agent(&agent)).collect()
}

/// Whether a name is an address of a host's agents: a name of its agent, or the box of a role (`claude.reviewer`), whether or
/// not that agent was ever here.
pub fn is_address(name: &MailboxName) -> bool {
    let host = name.as_str().split_once('.').map(|(host, _)| host);
    Host::called(name.as_str()).is_some() || host.is_some_and(|host| Host::called(host).is_some())
}

/// Whether an address of a host's agents is this agent's: one of its names, or a name that one of its connections was given.
fn is_address_of(agent: &AgentId, address: &MailboxName) -> bool {
    let address = address.as_str().to_ascii_lowercase();
    boxes_of_agent(agent).iter().any(|own| {
        let behind = address.strip_prefix(&own.as_str().to_ascii_lowercase());
        behind.is_some_and(|behind| behind.is_empty() || behind.starts_with('-'))
    })
}

/// Whether a name is an address of another agent than the caller's: mail to it is for that agent alone.
pub fn is_address_of_another(caller: &Caller, name: &MailboxName) -> bool {
    let principal = &caller.principal;
    let mut own = [Some(&principal.agent), principal.mail.named_by.as_ref()].into_iter().flatten();
    is_address(name) && !own.any(|own| is_address_of(own, name))
}

/// Whether a session is on record under an address of another agent than its own. Earlier programs wrote such records.
pub fn has_address_of_another(record: &SessionRecord) -> bool {
    let Some(agent) = &record.agent else { return false };
    let is_its = |name: &MailboxName| AgentId::parse(agent).is_ok_and(|agent| is_address_of(&agent, name));
    MailboxName::parse(&record.name).is_ok_and(|name| is_address(&name) && !is_its(&name))
}

/// Whether only a person's login says which agent calls. A shell inside a session gets the session's name and tags from
/// variables, and shares them. A caller without any declaration shares no session.
pub fn is_by_login_alone(caller: &Caller) -> bool {
    caller.principal.source == IdentitySource::Login
}

/// Whether a name is the box of a person, and the caller is not that person.
pub fn is_of_another_person(caller: &Caller, name: &MailboxName) -> bool {
    let principal = &caller.principal;
    let is_own = principal.kind == AgentKind::Human && *name == MailboxName::of_agent(&principal.agent);
    may_be_persons(name) && !is_own
}

/// Whether a name is certainly the caller's: its agent's own box, or the name that its connection was given.
pub fn is_name_of(caller: &Caller, name: &MailboxName) -> bool {
    let principal = &caller.principal;
    boxes_of_agent(&principal.agent).contains(name) || principal.mail.connection.as_ref() == Some(name)
}

/// Whether an agent id means the caller's agent, or the agent that named the caller's session.
pub fn is_of_caller(caller: &Caller, agent: &str) -> bool {
    let principal = &caller.principal;
    let Ok(agent) = AgentId::parse(agent) else { return false };
    let agent = MailboxName::of_agent(&agent);
    let mut own = [Some(&principal.agent), principal.mail.named_by.as_ref()].into_iter().flatten();
    own.any(|own| boxes_of_agent(own).contains(&agent))
}
