//! The mirror is made anew, and the doctor says when it should be.

use crate::world::{World, caller, person, real_post, refusal};
use brainstem_ledger::{AccountId, Append, Ledger as _};
use brainstem_memory::Trouble;
use brainstem_post::inbox::{ChangedLedger, FetchRequest, InboxPriority, InboxQuery, RowState};
use std::fs;
use std::time::Duration;

use InboxPriority::{Normal, Urgent};

fn troubles(world: &World) -> Vec<Trouble> {
    world.post.inbox_health().into_iter().map(|finding| finding.trouble).collect()
}

fn all() -> InboxQuery {
    InboxQuery { state: RowState::All, text: None, ref_id: None, limit: 100 }
}

#[test] // spec: INB-8c, INB-8
fn a_rebuild_gives_the_same_rows_keeps_leases_and_ends_the_feed_that_was() {
    let world = World::new();
    let (one, two) = (caller("codex:maker", "one"), caller("codex:maker", "two"));
    let ana = person("human:ana");
    assert_eq!(
        world.post.rebuild_inbox(ChangedLedger::Refuse).unwrap().messages,
        0,
        "there is no ledger yet"
    );
    for (n, priority) in [Normal, Urgent, Normal].into_iter().enumerate() {
        world.send(&ana, "codex", &format!("m{n}"), priority);
    }
    let fetch = FetchRequest { limit: 1, lease_s: Some(600) };
    let first = world.post.fetch_inbox(&one, &fetch).unwrap().rows[0].row.id;
    world.post.finish_inbox(&one, &[first]).unwrap();
    let held = world.post.fetch_inbox(&one, &fetch).unwrap().rows[0].row.id;
    let before = world.list(&one, RowState::All);
    let tail = world.post.inbox_events(&one, None, 100).unwrap().tail;
    world.clock.advance(1);
    let rebuilt = world.post.rebuild_inbox(ChangedLedger::Refuse).unwrap();
    assert_eq!((rebuilt.messages, rebuilt.quarantined), (4, 0), "three messages and an acknowledgement");
    assert_eq!(world.list(&one, RowState::All), before);
    assert_eq!(refusal(world.post.finish_inbox(&two, &[held])).0, "inbox.claimed", "the lease holds");
    assert_eq!(refusal(world.post.inbox_events(&one, Some(tail), 1)).0, "inbox.cursor_expired");
}

#[test] // spec: INB-8c, LED-6
fn a_mirror_that_cannot_be_used_is_named_and_replaced() {
    let world = World::new();
    let (codex, ana) = (caller("codex:maker", "one"), person("human:ana"));
    assert_eq!(troubles(&world), []);
    world.send(&codex, "human", "one", Urgent);
    world.send(&codex, "human", "two", Normal);
    assert_eq!(troubles(&world), [Trouble::InboxMirrorBehind]);
    let before = world.list(&ana, RowState::All);
    assert_eq!(troubles(&world), []);
    let file = world.folder.path().join("home/inbox/inbox.sqlite");
    type Harm = fn(&mut Vec<u8>);
    let harms: [(Trouble, Harm); 3] = [
        // The version of the schema, in the head of the file.
        (Trouble::InboxMirrorNewer, |bytes| bytes[60..64].copy_from_slice(&99_u32.to_be_bytes())),
        (Trouble::InboxMirrorUnreadable, |bytes| *bytes = b"no database at all".repeat(100)),
        (Trouble::InboxMirrorUnreadable, |bytes| bytes[4_096..].fill(0x5a)),
    ];
    for (trouble, harm) in harms {
        world.post.close_idle_files(Duration::ZERO);
        let mut bytes = fs::read(&file).unwrap();
        harm(&mut bytes);
        fs::write(&file, bytes).unwrap();
        let found = world.post.inbox_health();
        assert_eq!(found.iter().map(|found| found.trouble).collect::<Vec<_>>(), [trouble]);
        assert!(!found[0].fix.is_empty());
        // Another process: this one has nothing of the file in memory.
        assert_eq!(refusal(real_post(world.folder.path()).list_inbox(&ana, &all())).0, "inbox.unavailable");
        assert_eq!(world.post.rebuild_inbox(ChangedLedger::Refuse).unwrap().messages, 2);
        assert_eq!(world.list(&ana, RowState::All), before);
        assert_eq!(troubles(&world), []);
    }
    world.post.close_idle_files(Duration::ZERO);
    world.drop_mirror();
    assert_eq!(troubles(&world), [Trouble::InboxMirrorMissing]);
    assert!(!file.exists(), "a diagnosis makes nothing");
}

#[test] // spec: INB-8, INB-8c
fn what_was_set_aside_is_named() {
    let world = World::new();
    let (codex, ana) = (caller("codex:maker", "one"), person("human:ana"));
    let sent = world.send(&codex, "human", "one", Normal);
    let outsider = AccountId::local(77_777).unwrap();
    let append = Append { topic: sent.topic, submitter: outsider, key: None, bytes: b"{".to_vec() };
    world.post.ledger().append(&append).unwrap();
    world.list(&ana, RowState::All);
    let found = world.post.inbox_health();
    assert_eq!(found.iter().map(|found| found.trouble).collect::<Vec<_>>(), [Trouble::InboxQuarantine]);
    assert!(
        found[0].detail.contains(&format!("topic {}, message 2 (malformed", sent.topic)),
        "{}",
        found[0].detail
    );
}

#[test] // spec: INB-8c, LED-4a
fn a_rebuild_does_not_take_the_proof_away_that_the_ledger_changed() {
    let world = World::new();
    let (codex, ana) = (caller("codex:maker", ""), person("human:ana"));
    world.send(&codex, "human", "one", Normal);
    let ledger = world.folder.path().join("home/ledger/ledger.sqlite");
    world.post.close_idle_files(Duration::ZERO);
    let older = fs::read(&ledger).unwrap();
    world.send(&codex, "human", "two", Normal);
    assert_eq!(world.unread(&ana).len(), 2);
    world.post.close_idle_files(Duration::ZERO);
    fs::remove_file(&ledger).unwrap();
    fs::write(&ledger, older).unwrap();
    assert_eq!(refusal(world.post.list_inbox(&ana, &all())).0, "inbox.ledger_changed");
    assert_eq!(refusal(world.post.rebuild_inbox(ChangedLedger::Refuse)).0, "inbox.ledger_changed");
    let found = world.post.ledger_health();
    assert_eq!(found.iter().map(|found| found.trouble).collect::<Vec<_>>(), [Trouble::LedgerChanged]);
    assert_eq!(world.post.rebuild_inbox(ChangedLedger::Accept).unwrap().messages, 1);
    assert_eq!(world.unread(&ana), ["one"]);
    assert_eq!(world.post.ledger_health(), []);
}
