//! Where an event goes when its author names no reader.

use crate::kind::MessageType;
use crate::priority::InboxPriority;
use crate::slug::AgentSlug;
use std::collections::BTreeMap;

/// A part that an agent or a person plays, which the settings map to a slug.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InboxRole {
    /// Gives out the work.
    Orchestrator,
    /// Advances the work.
    Engine,
    /// The owner of the home.
    Owner,
}

impl InboxRole {
    /// Every role.
    pub const ALL: [Self; 3] = [Self::Orchestrator, Self::Engine, Self::Owner];

    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Orchestrator => "orchestrator",
            Self::Engine => "engine",
            Self::Owner => "owner",
        }
    }

    /// The role of this word.
    pub fn find(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }
}

/// Which slug plays each role. A role that is not mapped is the owner's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roles {
    owner: AgentSlug,
    mapped: BTreeMap<InboxRole, AgentSlug>,
}

impl Roles {
    /// The roles of a home with this owner, all of them the owner's.
    pub fn of_owner(owner: AgentSlug) -> Self {
        Self { owner, mapped: BTreeMap::new() }
    }

    /// The same roles, with one mapped. The owner's own role stays the owner's.
    pub fn with(mut self, role: InboxRole, slug: AgentSlug) -> Self {
        if role != InboxRole::Owner {
            self.mapped.insert(role, slug);
        }
        self
    }

    /// The slug that plays a role.
    pub fn slug(&self, role: InboxRole) -> &AgentSlug {
        self.mapped.get(&role).unwrap_or(&self.owner)
    }

    /// The roles that no setting maps, which the owner plays.
    pub fn unmapped(&self) -> impl Iterator<Item = InboxRole> + '_ {
        let is_unmapped = |role: &InboxRole| *role != InboxRole::Owner && !self.mapped.contains_key(role);
        InboxRole::ALL.into_iter().filter(is_unmapped)
    }
}

/// Where an event goes, and how urgent it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRoute {
    /// The readers, each once.
    pub to: Vec<AgentSlug>,
    /// How urgent.
    pub priority: InboxPriority,
}

/// The route of an event type by the default table; `None` for a type that the table does not have.
///
/// A note goes to its notify list alone, so it has no route.
pub fn default_route(kind: &MessageType, roles: &Roles) -> Option<EventRoute> {
    use InboxRole::{Engine, Orchestrator, Owner};
    let (to, priority): (&[InboxRole], InboxPriority) = match kind.as_str() {
        "task.blocked" => (&[Orchestrator, Owner], InboxPriority::Urgent),
        "task.complete" => (&[Engine], InboxPriority::Normal),
        "phase.complete" => (&[Engine, Orchestrator], InboxPriority::High),
        _ => return None,
    };
    let mut slugs: Vec<AgentSlug> = Vec::new();
    for role in to {
        let slug = roles.slug(*role);
        if !slugs.contains(slug) {
            slugs.push(slug.clone());
        }
    }
    Some(EventRoute { to: slugs, priority })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: INB-10
    fn each_row_of_the_default_table_and_an_unmapped_role_goes_to_the_owner() {
        let slug = |text: &str| AgentSlug::parse(text).unwrap();
        let roles = Roles::of_owner(slug("human"));
        let route = |roles: &Roles, kind: &str| {
            let found = default_route(&MessageType::parse(kind).unwrap(), roles)?;
            let to: Vec<String> = found.to.iter().map(ToString::to_string).collect();
            Some((to.join(","), found.priority.number()))
        };
        assert_eq!(route(&roles, "task.blocked"), Some(("human".into(), 1)));
        let unmapped: Vec<_> = roles.unmapped().collect();
        assert_eq!(unmapped, [InboxRole::Orchestrator, InboxRole::Engine]);
        let roles = roles.with(InboxRole::Orchestrator, slug("o")).with(InboxRole::Engine, slug("e"));
        assert_eq!(route(&roles, "task.blocked"), Some(("o,human".into(), 1)));
        assert_eq!(route(&roles, "task.complete"), Some(("e".into(), 3)));
        assert_eq!(route(&roles, "phase.complete"), Some(("e,o".into(), 2)));
        assert_eq!(route(&roles, "task.note"), None);
        assert_eq!(roles.unmapped().count(), 0);
    }
}
