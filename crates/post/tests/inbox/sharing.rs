//! The calls of one process share their connections, and notice a home that is not the same any more.

use crate::world::{World, caller, person, real_post, sending};
use brainstem_post::inbox::{InboxPriority, RowState};
use std::fs;
use std::path::Path;
use std::time::Duration;

use InboxPriority::{Normal, Urgent};

/// How many descriptors of this process are open on a file.
fn open_on(file: &Path) -> usize {
    let descriptors = fs::read_dir("/proc/self/fd").unwrap().filter_map(|entry| entry.ok());
    descriptors.filter(|entry| fs::read_link(entry.path()).is_ok_and(|at| at == file)).count()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => drop(fs::copy(entry.path(), to.join(entry.file_name())).unwrap()),
        }
    }
}

#[test] // spec: LED-2
fn many_calls_at_once_have_one_writer_and_close_it_when_it_is_idle() {
    let world = World::new();
    let home = fs::canonicalize(world.folder.path()).unwrap().join("home");
    let (ledger, inbox) = (home.join("ledger/ledger.sqlite"), home.join("inbox/inbox.sqlite"));
    let ana = person("human:ana");
    std::thread::scope(|scope| {
        for n in 0..8 {
            let post = world.post.clone();
            scope.spawn(move || {
                let codex = caller("codex:maker", &format!("s{n}"));
                for m in 0..5 {
                    post.send_inbox(&codex, &sending("human", &format!("{n}-{m}"), Urgent)).unwrap();
                }
            });
        }
    });
    assert_eq!(world.unread(&ana).len(), 40);
    assert!((1..=2).contains(&open_on(&ledger)), "a reader and a writer: {}", open_on(&ledger));
    assert_eq!(open_on(&inbox), 1);
    world.post.close_idle_files(Duration::from_secs(3_600));
    assert_eq!(open_on(&inbox), 1, "a call took it a moment ago");
    world.post.close_idle_files(Duration::ZERO);
    assert_eq!((open_on(&ledger), open_on(&inbox)), (0, 0));
    assert!(!ledger.with_file_name("ledger.sqlite-wal").exists(), "the file alone is whole");
    assert_eq!(world.unread(&ana).len(), 40);
}

#[test] // spec: LED-4a, INB-8
fn a_home_that_is_moved_away_restored_or_replaced_is_noticed() {
    let world = World::new();
    let (codex, ana) = (caller("codex:maker", ""), person("human:ana"));
    let (home, away) = (world.folder.path().join("home"), world.folder.path().join("away"));
    world.send(&codex, "human", "one", Normal);
    assert_eq!(world.unread(&ana), ["one"]);
    // Moved away: there is nothing to read, and nothing is made.
    fs::rename(&home, &away).unwrap();
    assert_eq!(world.unread(&ana), [""; 0]);
    assert!(!home.exists());
    // Another home in its place gets what is sent, and the one that was moved does not.
    world.send(&codex, "human", "elsewhere", Normal);
    assert_eq!(world.unread(&ana), ["elsewhere"]);
    fs::remove_dir_all(&home).unwrap();
    // Back again, as it was.
    fs::rename(&away, &home).unwrap();
    assert_eq!(world.unread(&ana), ["one"]);
    // Restored from a copy, file by file, while the connections are open.
    world.post.close_idle_files(Duration::ZERO);
    copy(&home, &away);
    world.send(&codex, "human", "two", Urgent);
    assert_eq!(world.list(&ana, RowState::All).rows.len(), 2);
    fs::remove_dir_all(&home).unwrap();
    fs::rename(&away, &home).unwrap();
    assert_eq!(world.unread(&ana), ["one"], "ledger and mirror are of one moment");
    // The mirror alone is deleted while the connection is open.
    world.drop_mirror();
    assert_eq!(world.unread(&ana), ["one"]);
    world.send(&codex, "human", "three", Urgent);
    assert_eq!(
        real_post(world.folder.path()).inbox_counts(&ana).unwrap().unread,
        2,
        "another process sees it"
    );
}
