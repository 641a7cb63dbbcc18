//! Which box a recipient means, and which boxes a reader reads.

use crate::name::MailboxName;

/// What is known under a recipient's name in a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KnownUnderName {
    /// A session has it, here or gone.
    pub is_session: bool,
    /// A session carries it as a tag.
    pub is_tag: bool,
    /// It is the box of an agent that runs a session.
    pub is_agent: bool,
}

/// By which rule a recipient was resolved (MAIL-3). The box has the recipient's name in every case; the rule says which
/// sessions will read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResolveRule {
    /// A session that exists.
    Session,
    /// A session that exists; a tag of that name does not count.
    SessionNotTag,
    /// A tag that some session carries.
    Tag,
    /// An agent that runs some session: each of them reads its box.
    Agent,
    /// The person at the terminal, under any of the person's names. The sessions on record do not say so: the caller's settings
    /// and its login do.
    Person,
    /// All sessions.
    Broadcast,
    /// None yet: a session or a tag of the future.
    Future,
}

impl ResolveRule {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::SessionNotTag => "session_not_tag",
            Self::Tag => "tag",
            Self::Agent => "agent",
            Self::Person => "person",
            Self::Broadcast => "broadcast",
            Self::Future => "future",
        }
    }
}

/// Resolves a recipient.
pub fn resolve(to: &MailboxName, known: KnownUnderName) -> ResolveRule {
    match known {
        _ if to.is_broadcast() => ResolveRule::Broadcast,
        KnownUnderName { is_session: true, is_tag: true, .. } => ResolveRule::SessionNotTag,
        KnownUnderName { is_session: true, .. } => ResolveRule::Session,
        KnownUnderName { is_tag: true, .. } => ResolveRule::Tag,
        KnownUnderName { is_agent: true, .. } => ResolveRule::Agent,
        KnownUnderName { is_session: false, is_tag: false, is_agent: false } => ResolveRule::Future,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MAIL-3
    fn recipients_resolve_in_this_order() {
        let name = MailboxName::parse("worker").unwrap();
        let known = |is_session, is_tag, is_agent| KnownUnderName { is_session, is_tag, is_agent };
        let table = [
            (known(true, false, true), ResolveRule::Session),
            (known(true, true, false), ResolveRule::SessionNotTag),
            (known(false, true, true), ResolveRule::Tag),
            (known(false, false, true), ResolveRule::Agent),
            (known(false, false, false), ResolveRule::Future),
        ];
        for (known, rule) in table {
            assert_eq!(resolve(&name, known), rule, "{known:?}");
            assert_eq!(resolve(&MailboxName::broadcast(), known), ResolveRule::Broadcast);
        }
    }
}
