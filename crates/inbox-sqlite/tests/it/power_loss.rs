//! Power loss: the mirror is not synced with every commit, and what is lost of it is folded again.

use crate::world::World;
use brainstem_testkit::{Chance, cases};
use std::path::Path;

/// Lays a file and as much of its log as a power loss left into the folder of a mirror.
fn lay(folder: &Path, file: &[u8], log: &[u8]) {
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join("inbox.sqlite"), file).unwrap();
    std::fs::write(folder.join("inbox.sqlite-wal"), log).unwrap();
}

#[test] // spec: INB-8
fn a_mirror_that_lost_its_last_commits_has_the_same_rows_after_a_look() {
    let mut chance = Chance::new(7_733, 8);
    let mut world = World::new();
    let task = world.entity("T-1");
    let (ana, ben) = (world.agent("ana"), world.agent("ben"));
    // It stays open, so that its log is not folded in.
    let mut reader = world.reader("x");
    for n in 0..12 {
        let said = world.send(&ana, &ben, &format!("m{n}"));
        if n % 3 == 0 {
            world.note(task, &ben, "task.blocked", &["ana"]);
            world.ack(&ben, said.topic, said.sequence, "s");
        }
        reader.catch_up(&world).unwrap();
    }
    let expected = reader.all(&["ana", "ben"], &[task]);
    let read = |name: &str| std::fs::read(world.folder.path().join("x").join(name)).unwrap();
    let (file, log) = (read("inbox.sqlite"), read("inbox.sqlite-wal"));
    for n in 0..cases(30) {
        let cut = chance.below(log.len() as u64 + 1) as usize;
        let mut left = log[..cut].to_vec();
        match n % 3 {
            0 => {}
            1 => left.resize(log.len(), 0),
            _ => left.resize_with(log.len(), || chance.draw() as u8),
        }
        let name = format!("lost-{n}");
        lay(&world.folder.path().join(&name), &file, &left);
        let mut after = world.reader(&name);
        after.catch_up(&world).unwrap();
        assert_eq!(after.all(&["ana", "ben"], &[task]), expected, "cut at {cut} of {}", log.len());
    }
}
