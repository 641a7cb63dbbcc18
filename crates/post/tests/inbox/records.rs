//! The records that the inbox follows from stay.

use crate::world::{World, caller, person, refusal};
use brainstem_ledger::{Ledger as _, Sequence, TopicId};
use brainstem_post::inbox::InboxPriority;

#[test] // spec: LED-5, INB-8
fn a_record_that_the_inbox_follows_from_is_not_redacted() {
    let world = World::new();
    let (codex, ana) = (caller("codex:maker", ""), person("human:ana"));
    world.send(&codex, "human", "hello", InboxPriority::Normal);
    let id = world.list(&ana, brainstem_post::inbox::RowState::Unread).rows[0].row.id;
    world.post.finish_inbox(&ana, &[id]).unwrap();
    let topics = world.post.ledger().topics(None, 100).unwrap();
    let of = |memo: &str| -> TopicId {
        topics.iter().find(|topic| topic.memo.starts_with(memo)).unwrap_or_else(|| panic!("{memo}")).id
    };
    for memo in ["brainstem:definitions", "brainstem:accounts", "brainstem:acks:human"] {
        let refused = world.post.redact_in_ledger(of(memo), &[Sequence::FIRST], "x", true);
        assert_eq!(refusal(refused), ("input.bad_value", Some("message".into())), "{memo}");
    }
    world.drop_mirror();
    assert_eq!(world.unread(&ana), [""; 0], "it is still finished");
}
