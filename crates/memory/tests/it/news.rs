//! What the newsroom sees of what others do to the stores.

use crate::world::{
    CHERRY, HOME, MAKER, PERSON, PLUM, Short, caller, clock, doctrine, service, two_repositories,
};
use brainstem_memory::{Happened, News, Newsroom};
use std::sync::Arc;

/// News in a few words, in an order of their own.
fn words(news: &[News]) -> Vec<String> {
    let mut words: Vec<String> = news
        .iter()
        .map(|item| {
            let place = item.fingerprint.as_deref().map_or("medulla", |name| name.split('-').next().unwrap());
            match &item.what {
                Happened::Written { label, .. } => format!("{place} + {}", label.as_deref().unwrap_or("?")),
                Happened::Gone { slug } => format!("{place} - {slug}"),
                Happened::Acted(act) => format!("{place} {} {}", act.deed().name(), act.agent()),
            }
        })
        .collect();
    words.sort();
    words
}

#[test] // spec: IF-13
fn whatever_changes_in_a_store_is_news_once() {
    let disk = Arc::new(two_repositories());
    let clock = clock();
    let ours = service(disk.clone(), &clock);
    let (ana, plum) = (caller(MAKER, CHERRY), caller(MAKER, PLUM));
    ours.begin(&ana).unwrap();
    ours.tell(&ana, "Old", "It was there.").unwrap();

    let watcher = service(disk.clone(), &clock);
    let mut room = Newsroom::default();
    assert_eq!(room.look(&watcher, false), [], "what was there is no news");
    assert_eq!(room.look(&watcher, true), []);

    ours.tell(&ana, "New", "It came.").unwrap();
    assert_eq!(words(&room.look(&watcher, false)), ["cherry + New"]);
    assert_eq!(room.look(&watcher, true), [], "and not twice");

    clock.advance(5);
    ours.tell(&ana, "New", "It changed.").unwrap();
    ours.take_back(&ana, "Old").unwrap();
    let expected = ["cherry + New", "cherry - old", "cherry retract codex:maker"];
    assert_eq!(words(&room.look(&watcher, false)), expected);

    // A brain that is made while it looks, and the medulla.
    ours.begin(&plum).unwrap();
    ours.tell(&plum, "Plum", "It is new.").unwrap();
    ours.memorize(&caller(PERSON, CHERRY), &doctrine("Rule", "It holds.")).unwrap();
    assert_eq!(
        words(&room.look(&watcher, true)),
        ["medulla + Rule", "medulla doctrine human:ana", "plum + Plum", "plum bootstrap codex:maker"]
    );

    // A file that is no claim is news without a label, and stops nothing.
    disk.write_raw(format!("{HOME}/agent-memory/odd.light.md"), b"<<<<<<< nothing\n");
    disk.write_raw(format!("{HOME}/agent-memory/.tmp-1"), b"x");
    assert_eq!(words(&room.look(&watcher, true)), ["medulla + ?"]);
}
