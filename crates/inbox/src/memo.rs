//! The topics that the inbox makes: what their memos say, which accounts may append, and the keys that make them once.

use crate::reference::{RefId, RefType};
use crate::slug::AgentSlug;
use brainstem_ledger::{AccountId, NewTopic, Sequence, SubmitPolicy, Topic, TopicId};

/// How long readers may keep what they read of an HCS-10 topic, in seconds.
const TTL_S: u32 = 3600;

/// The account under which the program itself keeps the records of a home. Hedera keeps the numbers up to 1,000 for
/// the network itself, so no account that the registry allots has it.
pub fn system_account() -> AccountId {
    AccountId::local(1_000).expect("in range")
}

/// Accounts are numbered from here on, far from the numbers of topics.
const FIRST_ACCOUNT: u64 = 1_000_000_000;

/// The account that an entry of the registry of accounts allots.
pub fn account_of_entry(entry: Sequence) -> AccountId {
    AccountId::local(FIRST_ACCOUNT.saturating_add(entry.number())).expect("fewer accounts than numbers")
}

/// The topic of this memo that the program alone appends to. Its memo is also its key.
fn of_home(memo: &str) -> NewTopic {
    let policy = SubmitPolicy::Only(system_account());
    NewTopic { memo: memo.to_owned(), policy, key: memo.to_owned() }
}

/// The registry in which each account has one entry.
pub fn accounts() -> NewTopic {
    of_home("brainstem:accounts")
}

/// The topic that defines the home's topics, agents and entities.
pub fn definitions() -> NewTopic {
    of_home("brainstem:definitions")
}

/// The private topic of decisions about outsiders.
pub fn connections() -> NewTopic {
    of_home("brainstem:connections")
}

/// The topic of messages to every agent.
pub fn broadcast() -> NewTopic {
    NewTopic { policy: SubmitPolicy::Everyone, ..of_home("brainstem:broadcast") }
}

/// How the memo of every topic of acknowledgements begins.
const ACKS: &str = "brainstem:acks:";

/// The private topic on which an agent acknowledges what it processed (INB-8a).
pub fn acks(slug: &AgentSlug, account: AccountId) -> NewTopic {
    let memo = format!("{ACKS}{slug}");
    NewTopic { policy: SubmitPolicy::Only(account), key: memo.clone(), memo }
}

/// Whether what readers see follows from every message of this topic: the records of a home, and acknowledgements. One of
/// them that lost its bytes would change what other messages gave.
pub fn keeps_records(topic: &Topic) -> bool {
    topic.policy == SubmitPolicy::Only(system_account()) || topic.memo.starts_with(ACKS)
}

/// The topic on which an agent gets messages.
pub fn inbound(slug: &AgentSlug, account: AccountId) -> NewTopic {
    let memo = format!("hcs-10:0:{TTL_S}:0:{account}");
    NewTopic { memo, policy: SubmitPolicy::Everyone, key: format!("brainstem:inbound:{slug}") }
}

/// The topic on which an agent speaks in public.
pub fn outbound(slug: &AgentSlug, account: AccountId) -> NewTopic {
    let key = format!("brainstem:outbound:{slug}");
    NewTopic { memo: format!("hcs-10:0:{TTL_S}:1"), policy: SubmitPolicy::Only(account), key }
}

/// How the memo of an entity's topic begins.
const ENTITY: &str = "brainstem:entity:";

/// Whether a memo is that of an entity's topic.
pub fn is_entity(memo: &str) -> bool {
    memo.starts_with(ENTITY)
}

/// The topic of an entity.
pub fn entity(kind: RefType, id: &RefId) -> NewTopic {
    let memo = format!("{ENTITY}{kind}:{id}");
    NewTopic { policy: SubmitPolicy::Everyone, key: memo.clone(), memo }
}

/// The topic of a connection that an agent accepted: the request is that message of its inbound topic.
pub fn connection(inbound: TopicId, request: Sequence) -> NewTopic {
    let memo = format!("hcs-10:1:{TTL_S}:2:{inbound}:{request}");
    NewTopic { policy: SubmitPolicy::Everyone, key: memo.clone(), memo }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: INB-1, INB-5a, INB-6, INB-8a
    fn memos_are_those_of_the_standard_and_of_the_home() {
        let slug = AgentSlug::parse("codex.maker").unwrap();
        let account = account_of_entry(Sequence::FIRST);
        let topic = TopicId::local(1_007).unwrap();
        let id = RefId::parse("T-7").unwrap();
        assert_eq!(account.to_string(), "0.0.1000000001");
        assert_eq!(inbound(&slug, account).memo, "hcs-10:0:3600:0:0.0.1000000001");
        assert_eq!(outbound(&slug, account).memo, "hcs-10:0:3600:1");
        assert_eq!(acks(&slug, account).memo, "brainstem:acks:codex.maker");
        assert_eq!(entity(RefType::Task, &id).memo, "brainstem:entity:task:T-7");
        assert!(is_entity(&entity(RefType::Task, &id).memo) && !is_entity(&acks(&slug, account).memo));
        assert_eq!(connection(topic, Sequence::FIRST).memo, "hcs-10:1:3600:2:0.0.1007:1");
        let longest = AgentSlug::parse(&"x".repeat(64)).unwrap();
        let long_id = RefId::parse(&"x".repeat(64)).unwrap();
        for topic in [acks(&longest, account), entity(RefType::Project, &long_id)] {
            assert_eq!(topic.check(), Ok(()));
        }
    }
}
