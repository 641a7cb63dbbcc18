//! Which box a recipient means, and who answers to which boxes.

use crate::name::MailboxName;
use std::collections::BTreeSet;

/// Who is known in a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Sessions, here or gone.
    pub sessions: BTreeSet<MailboxName>,
    /// Tags that any of them carries.
    pub tags: BTreeSet<MailboxName>,
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
            Self::Broadcast => "broadcast",
            Self::Future => "future",
        }
    }
}

/// Resolves a recipient.
pub fn resolve(to: &MailboxName, known: &Known) -> Rule {
    match (known.sessions.contains(to), known.tags.contains(to)) {
        _ if to.is_broadcast() => Rule::Broadcast,
        (true, false) => Rule::Session,
        (true, true) => Rule::SessionNotTag,
        (false, true) => Rule::Tag,
        (false, false) => Rule::Future,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MAIL-3
    fn recipients_resolve_in_this_order() {
        let name = |text: &str| MailboxName::parse(text).unwrap();
        let known = Known {
            sessions: ["worker-1", "both"].map(name).into(),
            tags: ["worker", "both"].map(name).into(),
        };
        let table = [
            ("worker-1", Rule::Session),
            ("both", Rule::SessionNotTag),
            ("worker", Rule::Tag),
            ("__broadcast", Rule::Broadcast),
            ("later", Rule::Future),
        ];
        for (to, rule) in table {
            assert_eq!(resolve(&name(to), &known), rule, "{to}");
        }
    }
}
