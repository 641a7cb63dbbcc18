//! Agent ids that are written alike as slugs have inboxes of their own.

use crate::world::{World, caller, person, refusal, sending};
use brainstem_base::AgentId;
use brainstem_post::inbox::{ChangedLedger, FetchRequest, InboxPriority, RowState};

use InboxPriority::{Normal, Urgent};

#[test] // spec: INB-1, INB-2
fn two_agent_ids_that_make_one_slug_have_inboxes_of_their_own() {
    let world = World::new();
    let ana = person("human:ana");
    let [first, second, third] = ["x:y.z", "x.y:z", "x.y.z"].map(|agent| caller(agent, ""));
    world.send(&first, "human", "from the first", Normal);
    assert_eq!(
        refusal(world.post.send_inbox(&ana, &sending("x.y:z", "too early", Normal))).0,
        "inbox.unknown_recipient",
        "the slug is another agent's"
    );
    assert_eq!(world.unread(&second), [""; 0]);
    world.send(&second, "human", "from the second", Normal);
    world.send(&third, "human", "from the third", Normal);
    let senders: Vec<String> =
        world.list(&ana, RowState::Unread).rows.into_iter().map(|row| row.row.from).collect();
    assert_eq!(senders, ["x.y.z", "x.y.z-089291eb", "x.y.z-f7304f12"], "each has an address of its own");
    for (to, subject) in [
        ("x:y.z", "by id"),
        ("x.y.z", "by slug"),
        ("x.y:z", "by id"),
        (&senders[1], "by slug"),
        (&senders[2], "third"),
    ] {
        world.send(&ana, to, subject, Urgent);
    }
    let unread = |of| world.unread(of);
    assert_eq!(unread(&first), ["by id", "by slug"]);
    assert_eq!(unread(&second), ["by id", "by slug"]);
    assert_eq!(unread(&third), ["third"]);
    let fetched = world.post.fetch_inbox(&second, &FetchRequest { limit: 9, lease_s: None }).unwrap();
    assert_eq!((fetched.me.as_str(), fetched.rows.len()), (senders[1].as_str(), 2));
    let id = fetched.rows[0].row.id;
    assert_eq!(refusal(world.post.inbox_message(&first, id)).0, "inbox.not_yours");
    assert_eq!(refusal(world.post.finish_inbox(&first, &[id])).0, "inbox.not_yours");
    world.post.rebuild_inbox(ChangedLedger::Refuse).unwrap();
    assert_eq!(unread(&first), ["by id", "by slug"]);
    // Making topics again publishes no other id for a slug.
    let named = ["x.y:z", "x:y.z", "x.y.z"].map(|agent| AgentId::parse(agent).unwrap());
    let made = world.post.make_agent_topics(&ana, &named).unwrap();
    let ids: Vec<_> =
        made.iter().filter_map(|made| made.definition.agent.as_ref()).map(AgentId::as_str).collect();
    assert_eq!(ids, ["x:y.z", "x.y:z", "x.y.z"]);
}

#[test] // spec: INB-1
fn an_agent_that_is_written_like_a_person_does_not_read_the_persons_mail() {
    let world = World::new();
    let (ana, alike) = (caller("human:ana", ""), caller("human.ana", ""));
    world.send(&ana, "human", "hello", Normal);
    world.send(&alike, "human:ana", "for the person", Normal);
    assert_eq!(world.unread(&ana), ["for the person"]);
    assert_eq!(world.unread(&alike), [""; 0]);
}
