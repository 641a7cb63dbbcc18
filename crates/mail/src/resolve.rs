//! Which box a recipient means, and who answers to which boxes.

use crate::name::MailboxName;

/// Who is known under a recipient's name in a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// A session has it, here or gone.
    pub is_session: bool,
    /// A session carries it as a tag.
    pub is_tag: bool,
    /// It is the box of an agent that runs a session.
    pub is_agent: bool,
}

/// By which rule a recipient was resolved (MAIL-3). The box has the recipient's name in every case; the
/// rule says who will read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A session that exists.
    Session,
    /// A session that exists; a tag of that name does not count.
    SessionNotTag,
    /// A tag that some session carries.
    Tag,
    /// An agent that runs some session: each of them reads its box.
    Agent,
    /// Everybody.
    Broadcast,
    /// Nobody yet: a session or a tag of the future.
    Future,
}

impl Rule {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::SessionNotTag => "session_not_tag",
            Self::Tag => "tag",
            Self::Agent => "agent",
            Self::Broadcast => "broadcast",
            Self::Future => "future",
        }
    }
}

/// Resolves a recipient.
pub fn resolve(to: &MailboxName, known: Known) -> Rule {
    match known {
        _ if to.is_broadcast() => Rule::Broadcast,
        Known { is_session: true, is_tag: true, .. } => Rule::SessionNotTag,
        Known { is_session: true, .. } => Rule::Session,
        Known { is_tag: true, .. } => Rule::Tag,
        Known { is_agent: true, .. } => Rule::Agent,
        Known { is_session: false, is_tag: false, is_agent: false } => Rule::Future,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MAIL-3
    fn recipients_resolve_in_this_order() {
        let name = MailboxName::parse("worker").unwrap();
        let known = |is_session, is_tag, is_agent| Known { is_session, is_tag, is_agent };
        let table = [
            (known(true, false, true), Rule::Session),
            (known(true, true, false), Rule::SessionNotTag),
            (known(false, true, true), Rule::Tag),
            (known(false, false, true), Rule::Agent),
            (known(false, false, false), Rule::Future),
        ];
        for (known, rule) in table {
            assert_eq!(resolve(&name, known), rule, "{known:?}");
            assert_eq!(resolve(&MailboxName::broadcast(), known), Rule::Broadcast);
        }
    }
}
