//! Fetching, finishing, and the mirror that is made anew.

use crate::world::{World, caller, person, refusal, sending, session_id, subjects};
use brainstem_post::inbox::{FetchRequest, InboxPriority, RowState};

use InboxPriority::{Normal, Urgent};

fn fetch(limit: usize) -> FetchRequest {
    FetchRequest { limit, lease_s: Some(60) }
}

#[test] // spec: INB-11
fn two_sessions_of_one_agent_never_finish_one_message_twice() {
    let world = World::new();
    let (one, two) = (caller("codex:maker", "one"), caller("codex:maker", "two"));
    let ana = person("human:ana");
    for n in 0..3 {
        world.send(&ana, "codex", &format!("m{n}"), Normal);
    }
    let first = world.post.fetch_inbox(&one, &fetch(1)).unwrap().rows;
    let second = world.post.fetch_inbox(&two, &fetch(5)).unwrap().rows;
    assert_eq!((subjects(&first), subjects(&second)), (vec!["m0".into()], vec!["m1".into(), "m2".into()]));
    let id = first[0].row.id;
    assert_eq!(refusal(world.post.finish_inbox(&two, &[id])), ("inbox.claimed", Some("id".into())));
    assert_eq!(refusal(world.post.finish_inbox(&ana, &[id])), ("inbox.not_yours", Some("id".into())));
    // All are checked before the first is finished.
    assert_eq!(refusal(world.post.finish_inbox(&two, &[second[0].row.id, id])).0, "inbox.claimed");
    assert_eq!(world.unread(&one).len(), 3);
    let done = world.post.finish_inbox(&one, &[id]).unwrap();
    assert!(!done[0].unchanged);
    assert_eq!(done[0].row.processed.as_ref().unwrap().session, session_id(&world, &one));
    let again = world.post.finish_inbox(&two, &[id]).unwrap();
    assert!(again[0].unchanged, "the first mark stays");
    assert_eq!(again[0].row, done[0].row);
    world.clock.advance(61_000);
    assert_eq!(subjects(&world.post.fetch_inbox(&one, &fetch(5)).unwrap().rows), ["m1", "m2"]);
}

#[test] // spec: INB-7, INB-7b, INB-8, INB-8a
fn the_mirror_is_made_anew_to_the_same_rows_marks_included() {
    let world = World::new();
    let (codex, ana) = (caller("codex:maker", "s1"), person("human:ana"));
    world.send(&codex, "human", "one", Urgent);
    world.send(&codex, "ALL", "to all", Normal);
    world.send(&ana, "codex", "two", Normal);
    let first = world.list(&ana, RowState::Unread).rows[0].row.id;
    world.post.finish_inbox(&ana, &[first]).unwrap();
    let before = [world.list(&ana, RowState::All), world.list(&codex, RowState::All)];
    assert_eq!(before.iter().map(|listed| listed.rows.len()).collect::<Vec<_>>(), [2, 2]);
    world.drop_mirror();
    assert_eq!([world.list(&ana, RowState::All), world.list(&codex, RowState::All)], before);
    assert_eq!(before[0].counts.unread, 1);
}

#[test] // spec: INB-9, INB-5b
fn what_was_written_straight_into_the_mirror_is_not_there_twice() {
    let world = World::new();
    let (codex, ana) = (caller("codex:maker", ""), person("human:ana"));
    for n in 0..5 {
        world.send(&codex, "human", &format!("m{n}"), Urgent);
    }
    assert_eq!(world.unread(&ana), ["m0", "m1", "m2", "m3", "m4"]);
    assert_eq!(world.list(&ana, RowState::All).rows.len(), 5);
    let page = world.post.inbox_events(&ana, None, 100).unwrap();
    assert_eq!(page.events.len(), 5);
    let ahead = world.post.inbox_events(&ana, Some(page.tail + 1), 1);
    assert_eq!(refusal(ahead), ("inbox.cursor_ahead", Some("after".into())));
    world.drop_mirror();
    world.clock.advance(1);
    let expired = world.post.inbox_events(&ana, Some(page.tail), 1);
    assert_eq!(refusal(expired), ("inbox.cursor_expired", Some("after".into())));
}

#[test] // spec: LED-4a
fn a_ledger_that_was_restored_from_an_older_copy_is_named_and_never_silently_read() {
    let world = World::new();
    let (codex, ana) = (caller("codex:maker", ""), person("human:ana"));
    world.send(&codex, "human", "one", Normal);
    let ledger = world.folder.path().join("home/ledger");
    let copy = world.folder.path().join("copy");
    std::fs::create_dir(&copy).unwrap();
    let files = ["ledger.sqlite", "ledger.sqlite-wal"];
    let copied = |from: &std::path::Path, to: &std::path::Path| {
        for name in files {
            let _ = std::fs::remove_file(to.join(name));
            if from.join(name).exists() {
                std::fs::copy(from.join(name), to.join(name)).unwrap();
            }
        }
        let _ = std::fs::remove_file(to.join("ledger.sqlite-shm"));
    };
    copied(&ledger, &copy);
    world.send(&codex, "human", "two", Normal);
    assert_eq!(world.unread(&ana).len(), 2);
    copied(&copy, &ledger);
    let query =
        brainstem_post::inbox::InboxQuery { state: RowState::All, text: None, ref_id: None, limit: 9 };
    assert_eq!(refusal(world.post.list_inbox(&ana, &query)).0, "inbox.ledger_changed");
    world.drop_mirror();
    assert_eq!(world.unread(&ana), ["one"]);
    assert!(world.post.send_inbox(&codex, &sending("human", "three", Normal)).is_ok());
}
