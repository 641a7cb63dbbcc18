//! The doctor's finding about roles that no setting maps.

use crate::Post;
use brainstem_base::advice;
use brainstem_base::next::calls;
use brainstem_caller::config::FILE;
use brainstem_inbox::memo::is_entity;
use brainstem_inbox::routing::InboxRole;
use brainstem_ledger::Ledger as _;
use brainstem_memory::{Caller, Finding, Trouble};

/// How many topics one look reads.
const PAGE: usize = 500;

impl Post {
    /// Names the roles that no setting maps: what goes to them goes to the owner (INB-10). Events are about entities, so a home
    /// without entities has nothing to map.
    pub fn inbox_role_health(&self, caller: &Caller) -> Vec<Finding> {
        let config = self.memory().config(caller.place());
        let unmapped: Vec<&str> = InboxRole::MAPPED
            .into_iter()
            .filter(|role| config.inbox_role(*role).is_none())
            .map(InboxRole::as_str)
            .collect();
        let [first, ..] = unmapped[..] else { return Vec::new() };
        if !self.has_entities() {
            return Vec::new();
        }
        let roles = unmapped.join(" and ");
        let owner = self.inbox_owner(&self.inbox_directory().unwrap_or_default(), caller);
        let example = calls::config_set(format!("inbox.{first}"), format!("codex:{first}"));
        vec![Finding {
            trouble: Trouble::InboxRoleUnmapped,
            place: self.memory().home_path().join(FILE),
            detail: format!("no setting says which agent is {roles}; what goes there goes to `{owner}`"),
            fix: advice!["name the agent if there is one, as in ", example],
        }]
    }

    /// Whether the ledger has the topic of an entity. A ledger that cannot be read is a finding of its own.
    fn has_entities(&self) -> bool {
        let ledger = self.ledger();
        let mut after = None;
        while let Ok(topics) = ledger.topics(after, PAGE) {
            let Some(last) = topics.last() else { return false };
            if topics.iter().any(|topic| is_entity(&topic.memo)) {
                return true;
            }
            after = Some(last.id);
        }
        false
    }
}
