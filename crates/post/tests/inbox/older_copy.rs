//! A ledger that was restored from an older copy: every write names it, whichever topic it is to, and leaves nothing.

use crate::world::{World, caller, person, refusal, sending};
use brainstem_base::AgentId;
use brainstem_ledger::{Ledger as _, Sequence};
use brainstem_memory::Trouble;
use brainstem_post::inbox::{
    ChangedLedger, InboxPriority, InboxQuery, NoteRequest, NotedEntity, RefId, RefType, RowState,
};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use InboxPriority::{Normal, Urgent};

fn task(id: &str) -> NoteRequest {
    NoteRequest {
        entity: NotedEntity::Named { id: RefId::parse(id).unwrap(), kind: RefType::Task },
        event: None,
        note: "Begun.".to_owned(),
        notify: Vec::new(),
        subject: String::new(),
        priority: None,
        payload: None,
    }
}

/// A home in which three agents have sent; then its ledger is one that lacks the last message to the owner.
struct Restored {
    world: World,
    ledger: PathBuf,
    newer: Vec<u8>,
}

impl Restored {
    fn new(act: impl FnOnce(&World)) -> Self {
        let world = World::new();
        let (codex, claude) = (caller("codex:maker", ""), caller("claude:maker", ""));
        world.send(&codex, "claude", "to claude", Normal);
        world.send(&claude, "human", "one", Normal);
        world.post.post_note(&codex, &task("T-1")).unwrap();
        let ledger = world.folder.path().join("home/ledger/ledger.sqlite");
        world.post.close_idle_files(Duration::ZERO);
        let older = fs::read(&ledger).unwrap();
        world.send(&claude, "human", "two", Urgent);
        act(&world);
        world.post.close_idle_files(Duration::ZERO);
        let newer = fs::read(&ledger).unwrap();
        fs::remove_file(&ledger).unwrap();
        fs::write(&ledger, older).unwrap();
        Self { world, ledger, newer }
    }

    /// How many messages and topics the ledger has.
    fn size(&self) -> (u64, usize) {
        let ledger = self.world.post.ledger();
        (ledger.size().unwrap(), ledger.topics(None, 1_000).unwrap().len())
    }

    fn put_back(&self) {
        self.world.post.close_idle_files(Duration::ZERO);
        fs::remove_file(&self.ledger).unwrap();
        fs::write(&self.ledger, &self.newer).unwrap();
    }
}

/// Every write of the inbox and of the ledger, to topics that the older copy has whole and to the one that it has not.
fn check_writes(restored: &Restored, expected: &str) {
    let post = &restored.world.post;
    let (codex, ana, new) = (caller("codex:maker", ""), person("human:ana"), caller("gemini:maker", ""));
    let before = restored.size();
    let inbox = format!("inbox.{expected}");
    for (from, to) in
        [(&codex, "claude"), (&codex, "human"), (&codex, "ALL"), (&new, "claude"), (&new, "human")]
    {
        assert_eq!(refusal(post.send_inbox(from, &sending(to, "x", Normal))).0, inbox, "{to}");
    }
    for (from, id) in [(&codex, "T-1"), (&codex, "T-2"), (&new, "T-1")] {
        assert_eq!(refusal(post.post_note(from, &task(id))).0, inbox, "{id}");
    }
    assert_eq!(refusal(post.make_agent_topics(&ana, &[AgentId::parse("builder").unwrap()])).0, inbox);
    let all = InboxQuery { state: RowState::All, text: None, ref_id: None, limit: 10 };
    assert_eq!(refusal(post.list_inbox(&ana, &all)).0, inbox);
    let topic = post.ledger().topics(None, 1_000).unwrap().into_iter();
    let topic = topic.map(|topic| topic.id).find(|id| {
        let head = post.ledger().head(*id).unwrap();
        head.sequence.is_some()
            && post.ledger().topic(*id).unwrap().unwrap().memo.starts_with("hcs-10:0:3600:0:")
    });
    let redacted = post.redact_in_ledger(topic.unwrap(), &[Sequence::FIRST], "a slip", true);
    assert_eq!(refusal(redacted).0, "ledger.changed");
    assert_eq!(refusal(post.ledger_head(None)).0, "ledger.changed");
    assert_eq!(restored.size(), before, "what is refused makes nothing, also for a new sender");
    let troubles: Vec<Trouble> = post.ledger_health().into_iter().map(|finding| finding.trouble).collect();
    assert!(troubles.contains(&Trouble::LedgerChanged), "{troubles:?}");
}

#[test] // spec: LED-4a, LED-6, INB-14
fn every_write_to_an_older_copy_of_the_ledger_is_refused_and_makes_nothing() {
    let restored = Restored::new(|world| drop(world.unread(&person("human:ana"))));
    check_writes(&restored, "ledger_changed");
    // With the right ledger back, everything goes on.
    restored.put_back();
    let world = &restored.world;
    world.send(&caller("gemini:maker", ""), "human", "three", Normal);
    assert_eq!(world.unread(&person("human:ana")), ["two", "one", "three"]);
}

#[test] // spec: INB-14, LED-4a
fn the_ledger_is_checked_before_anything_is_made_for_a_sender() {
    let restored = Restored::new(|world| drop(world.unread(&person("human:ana"))));
    let (post, new, before) = (&restored.world.post, caller("gemini:maker", ""), restored.size());
    assert_eq!(refusal(post.send_inbox(&new, &sending("human", "x", Normal))).0, "inbox.ledger_changed");
    assert_eq!(refusal(post.post_note(&new, &task("T-1"))).0, "inbox.ledger_changed");
    assert_eq!(refusal(post.post_note(&new, &task("T-2"))).0, "inbox.ledger_changed");
    assert_eq!(restored.size(), before, "no topics, no definition, no entity");
}

#[test] // spec: LED-4a, INB-8c
fn a_person_can_accept_an_older_copy() {
    let restored = Restored::new(|world| drop(world.unread(&person("human:ana"))));
    let world = &restored.world;
    world.post.rebuild_inbox(ChangedLedger::Accept).unwrap();
    world.send(&caller("codex:maker", ""), "human", "after", Normal);
    assert_eq!(world.unread(&person("human:ana")), ["one", "after"]);
}

#[test] // spec: LED-4b, LED-6
fn an_older_copy_is_refused_by_the_last_head_where_no_mirror_tells() {
    let restored = Restored::new(|world| drop(world.post.ledger_head(None).unwrap()));
    restored.world.drop_mirror();
    check_writes(&restored, "ledger_changed");
    fs::remove_file(restored.ledger.with_file_name("ledger.head")).unwrap();
    restored.world.send(&caller("codex:maker", ""), "human", "after", Normal);
}
