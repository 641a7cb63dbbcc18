//! Private mail whose `.gitignore` git exchanges, by a pull, a checkout or a stash; and a word that cannot be noted.

use crate::world::{CHERRY, World, caller, code};
use brainstem_base::Disk as _;
use brainstem_memory::{Caller, Trouble};
use brainstem_post::mail::{MailListRequest, MailSharing};
use std::path::Path;

const IGNORE: &str = "/src/cherry/.mail/.gitignore";
const EXCLUDE: &str = "/src/cherry/.git/info/exclude";
const OURS: &str = "# brainstem: the mail of this clone is private\n/.mail/\n";
const SHARED: &[u8] = b".tmp/\n.tmp-*\n.claimed/\n.seen/\n.keys/\n.names/\n";

fn ana() -> Caller {
    caller("human:ana", "ana", CHERRY)
}

fn text(world: &World, path: &str) -> String {
    String::from_utf8(world.disk.dump().remove(Path::new(path)).unwrap_or_default()).unwrap()
}

/// What the doctor, the beat and the listing say about mail that git may take: each says it or none does.
fn exposed(world: &World) -> bool {
    let found = world.post.mail_health(&ana()).iter().any(|found| found.trouble == Trouble::MailExposed);
    let (_, gap) = world.post.mail_standing(&ana());
    let is_gap = gap.is_some_and(|gap| gap.detail.to_string().contains("the mail here is private, and"));
    let listed = world.list(&ana(), MailListRequest::default());
    let is_listed = listed.gaps.iter().any(|gap| gap.contains("the mail here is private, and"));
    assert_eq!((found, is_gap), (is_listed, is_listed), "each says it");
    found
}

#[test] // spec: MAIL-1a
fn the_first_private_message_is_kept_out_of_git_whatever_becomes_of_the_ignore_file() {
    let world = World::new();
    let first = world.send(&ana(), "w1", "private");
    assert!(!first.kept_out, "no rule was open, so nothing is said");
    assert_eq!((text(&world, IGNORE).as_str(), text(&world, EXCLUDE).as_str()), ("*\n", OURS));
    world.send(&ana(), "w1", "again");
    assert_eq!(text(&world, EXCLUDE), OURS, "once");
    // A pull exchanges the file, and a stash removes it.
    world.disk.write_raw(IGNORE, SHARED);
    assert!(!exposed(&world));
    world.disk.unlink(Path::new(IGNORE)).unwrap();
    assert!(!exposed(&world));
    // Without the line each door says it.
    world.disk.write_raw(EXCLUDE, b"");
    assert!(exposed(&world));
    world.disk.write_raw(IGNORE, SHARED);
    assert!(exposed(&world));
    // A rule of the repository that wins is named too.
    world.disk.write_raw(EXCLUDE, OURS.as_bytes());
    world.disk.write_raw("/src/cherry/.gitignore", b"!/.mail/\n");
    assert!(exposed(&world));
    world.disk.write_raw(IGNORE, b"*\n");
    assert!(!exposed(&world));
    world.send(&ana(), "w1", "its own file keeps it private");
}

#[test] // spec: MAIL-1a
fn mail_that_is_made_private_again_stays_so_without_its_ignore_file() {
    let world = World::new();
    world.post.init_mail(&ana(), MailSharing::Committed).unwrap();
    assert_eq!(text(&world, EXCLUDE), "");
    world.post.init_mail(&ana(), MailSharing::Private).unwrap();
    assert_eq!(text(&world, EXCLUDE), OURS);
    world.disk.unlink(Path::new(IGNORE)).unwrap();
    assert!(!exposed(&world));
    world.post.init_mail(&ana(), MailSharing::Committed).unwrap();
    assert_eq!(text(&world, EXCLUDE), "");
}

#[test] // spec: MAIL-1a, IF-4
fn a_word_that_cannot_be_noted_opens_nothing() {
    for blocking in ["/home/ana/.brainstem/local/mail-committed", "/src/cherry/.git/info/exclude/x"] {
        let world = World::new();
        world.disk.write_raw(IGNORE, b"*\n");
        world.disk.write_raw("/src/cherry/.mail/w1/note.md", b"private\n");
        world.disk.write_raw(blocking, b"");
        let before = text(&world, IGNORE);
        assert_ne!(code(world.post.init_mail(&ana(), MailSharing::Committed)), "ok", "{blocking}");
        assert_eq!(text(&world, IGNORE), before, "{blocking}");
        assert!(!world.post.init_mail(&ana(), MailSharing::AsItIs).unwrap().committed, "{blocking}");
        assert!(
            !world
                .disk
                .dump()
                .keys()
                .any(|path| path.parent() == Some(Path::new("/home/ana/.brainstem/local/mail-committed")))
        );
    }
}
