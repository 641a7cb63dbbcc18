//! Claims and the feed of events.

use crate::world::{Reader, World, in_ms, slug, subjects};
use brainstem_base::Clock as _;
use brainstem_inbox::Mirror as _;
use brainstem_inbox::limits::EVENTS_KEPT;
use brainstem_inbox::mirror::{EventPage, FeedError, FeedEventKind, RowTaker};
use brainstem_sqlite::rusqlite::Connection;
use std::sync::Barrier;

fn events(reader: &Reader, after: Option<u64>, count_max: usize) -> Result<EventPage, FeedError> {
    reader.mirror.events(&[slug("ben")], after, count_max)
}

fn named(session: &str) -> RowTaker {
    RowTaker { session: session.to_owned(), is_named: true }
}

#[test] // spec: INB-11
fn two_sessions_that_ask_for_the_next_at_once_never_get_one_message() {
    let mut world = World::new();
    let (ana, ben) = (world.agent("ana"), world.agent("ben"));
    for n in 0..40 {
        world.send(&ana, &ben, &format!("m{n}"));
    }
    world.reader("x").catch_up(&world).unwrap();
    let barrier = Barrier::new(4);
    let (now, until) = (world.clock.now(), in_ms(&world, 60_000));
    let mut taken: Vec<String> = std::thread::scope(|scope| {
        let take = |session: usize| {
            let (reader, barrier) = (world.reader("x"), &barrier);
            scope.spawn(move || {
                barrier.wait();
                let session = format!("s{session}");
                let next = |_| reader.mirror.claim(&[slug("ben")], &named(&session), now, until, 1).unwrap();
                // A session is handed what it holds already, so each takes one.
                (0..1).flat_map(next).map(|row| row.row.content.subject).collect::<Vec<_>>()
            })
        };
        let all: Vec<_> = (0..4).map(take).collect();
        all.into_iter().flat_map(|one| one.join().unwrap()).collect()
    });
    taken.sort();
    taken.dedup();
    assert_eq!(taken.len(), 4, "{taken:?}");
}

#[test] // spec: INB-11
fn a_lease_holds_a_row_until_it_is_over_and_urgent_rows_come_first() {
    let mut world = World::new();
    let (ana, ben) = (world.agent("ana"), world.agent("ben"));
    let first = world.send(&ana, &ben, "first");
    world.send_all(&ana, "urgent");
    let mut reader = world.reader("x");
    reader.catch_up(&world).unwrap();
    let to = [slug("ben")];
    let (now, until) = (world.clock.now(), in_ms(&world, 1_000));
    let claim =
        |session: &str, now, count| reader.mirror.claim(&to, &named(session), now, until, count).unwrap();
    assert_eq!(subjects(&claim("one", now, 1)), ["urgent"]);
    assert_eq!(subjects(&claim("two", now, 5)), ["first"]);
    assert_eq!(subjects(&claim("three", now, 5)), [""; 0]);
    let id = brainstem_inbox::RowId::of(first.topic, first.sequence, &slug("ben"));
    let held = reader.mirror.claim_row(id, "one", now, until).unwrap();
    assert_eq!(held.unwrap_err().session, "two");
    assert_eq!(reader.mirror.claim_row(id, "two", now, until).unwrap(), Ok(()));
    let later = in_ms(&world, 1_000);
    assert_eq!(subjects(&claim("three", later, 5)), ["urgent", "first"], "the leases are over");
}

#[test] // spec: INB-11a
fn the_feed_goes_on_behind_its_cursor_and_says_when_a_cursor_is_old_or_ahead() {
    let mut world = World::new();
    let (ana, ben) = (world.agent("ana"), world.agent("ben"));
    let message = world.send(&ana, &ben, "one");
    world.send(&ana, &ben, "two");
    let mut reader = world.reader("x");
    reader.catch_up(&world).unwrap();
    let page = events(&reader, None, 1).unwrap();
    assert!(page.has_more && page.events.len() == 1);
    let rest = events(&reader, Some(page.next_cursor), 10).unwrap();
    assert!(!rest.has_more && rest.events.len() == 1 && rest.next_cursor == rest.tail);
    world.ack(&ben, message.topic, message.sequence, "s");
    reader.catch_up(&world).unwrap();
    let more = events(&reader, Some(rest.next_cursor), 10).unwrap();
    assert_eq!(more.events.iter().map(|event| event.kind).collect::<Vec<_>>(), [FeedEventKind::Processed]);
    let (tail, oldest) = (more.tail, more.oldest);
    assert_eq!(events(&reader, Some(tail + 1), 1), Err(FeedError::Ahead { cursor: tail + 1, tail }));
    let before = oldest - 1;
    assert_eq!(events(&reader, Some(before), 1), Err(FeedError::Expired { cursor: before, oldest }));
    // A cursor of a file that was deleted is old, whatever its number was.
    drop(reader);
    std::fs::remove_dir_all(world.folder.path().join("x")).unwrap();
    world.clock.advance(1);
    let mut reader = world.reader("x");
    reader.catch_up(&world).unwrap();
    assert!(matches!(events(&reader, Some(tail), 10), Err(FeedError::Expired { .. })));
    assert_eq!(events(&reader, None, 10).unwrap().events.len(), 3);
}

#[test] // spec: INB-11a
fn a_cursor_of_a_mirror_that_was_restored_from_an_older_copy_is_refused_and_skips_nothing() {
    let mut world = World::new();
    let (ana, ben) = (world.agent("ana"), world.agent("ben"));
    world.send(&ana, &ben, "zero");
    let mut reader = world.reader("x");
    reader.catch_up(&world).unwrap();
    let early = events(&reader, None, 10).unwrap().next_cursor;
    drop(reader);
    let file = world.folder.path().join("x/inbox.sqlite");
    let older = std::fs::read(&file).unwrap();
    let mut reader = world.reader("x");
    world.clock.advance(1_000);
    let one = world.send(&ana, &ben, "one");
    world.ack(&ben, one.topic, one.sequence, "s");
    reader.catch_up(&world).unwrap();
    let cursor = events(&reader, None, 10).unwrap().next_cursor;
    drop(reader);
    world.clock.advance(1_000);
    world.send(&ana, &ben, "two");
    std::fs::write(&file, older).unwrap();
    let mut reader = world.reader("x");
    assert_eq!(events(&reader, Some(cursor), 10), Err(FeedError::Ahead { cursor, tail: early }));
    // The events come again in another order: behind the same number are others.
    reader.catch_up(&world).unwrap();
    assert!(matches!(events(&reader, Some(cursor), 10), Err(FeedError::Expired { .. })));
    assert_eq!(events(&reader, Some(early), 10).unwrap().events.len(), 3, "what the older copy gave goes on");
}

#[test] // spec: INB-11a
fn the_feed_keeps_its_last_events_and_expires_cursors_before_them() {
    let mut world = World::new();
    let (ana, ben) = (world.agent("ana"), world.agent("ben"));
    world.send(&ana, &ben, "one");
    let mut reader = world.reader("x");
    reader.catch_up(&world).unwrap();
    let first = events(&reader, None, 10).unwrap();
    let file = Connection::open(world.folder.path().join("x/inbox.sqlite")).unwrap();
    // As many as are kept, with gaps between them.
    let fill = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
        INSERT INTO events (position, to_agent, kind, id) SELECT ?2 + i * 7, 'ben', 'message', ?3 FROM n";
    let kept = i64::try_from(EVENTS_KEPT).unwrap();
    let (tail, id) = (i64::try_from(first.tail).unwrap(), first.events[0].row.to_string());
    file.execute(fill, (kept + kept / 16 - 1, tail, id)).unwrap();
    file.execute("UPDATE feed SET kept = (SELECT count(*) FROM events)", ()).unwrap();
    world.send(&ana, &ben, "two");
    reader.catch_up(&world).unwrap();
    let count: i64 = file.query_row("SELECT count(*) FROM events", (), |row| row.get(0)).unwrap();
    assert_eq!(count, kept);
    let now = events(&reader, None, 10).unwrap();
    assert_eq!(now.events.len(), 10);
    assert!(matches!(events(&reader, Some(first.next_cursor), 1), Err(FeedError::Expired { .. })));
    assert!(
        events(&reader, Some(now.next_cursor), 1).is_ok() && events(&reader, Some(now.oldest), 1).is_ok()
    );
}
