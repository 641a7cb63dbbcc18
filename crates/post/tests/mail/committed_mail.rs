//! Mail that a person lets git commit: what git does with it, and what becomes of the word when the project moves.

use crate::world::{CHERRY, World, caller};
use brainstem_base::Disk as _;
use brainstem_memory::{Caller, Trouble};
use brainstem_post::mail::MailSharing;
use std::path::Path;

fn ana() -> Caller {
    caller("human:ana", "ana", CHERRY)
}

/// The rules that leave the mail out, as the doctor names them.
fn ignored(world: &World, caller: &Caller) -> Vec<String> {
    let found = world.post.mail_health(caller).into_iter();
    found.filter(|found| found.trouble == Trouble::MailIgnored).map(|found| found.detail).collect()
}

#[test] // spec: MAIL-1a
fn a_rule_that_leaves_committed_mail_out_of_git_is_named() {
    let places = [
        ("/src/cherry/.gitignore", ".mail/"),
        ("/src/cherry/.gitignore", "*.log\n*.md\n"),
        ("/src/cherry/.gitignore", ".*\n!.gitignore"),
        ("/src/cherry/.git/info/exclude", ".mail\n"),
        ("/src/cherry/.mail/.gitignore", "*/*.md\n"),
        ("/home/ana/.config/git/ignore", ".mail\n"),
    ];
    for (file, rules) in places {
        let world = World::new();
        world.disk.write_raw(file, rules.as_bytes());
        assert_eq!(ignored(&world, &ana()), [] as [String; 0], "private mail is meant to stay out");
        let ready = world.post.init_mail(&ana(), MailSharing::Committed).unwrap();
        assert!(!ready.committed, "{file}");
        let note = ready.notes.iter().map(ToString::to_string).collect::<String>();
        assert!(note.contains(file) && note.contains("leaves it out"), "{note}");
        assert_eq!(ignored(&world, &ana()).len(), 1, "{file}");
        // The word stays on record: without the rule git takes the mail.
        world.disk.unlink(Path::new(file)).unwrap();
        let ready = world.post.init_mail(&ana(), MailSharing::AsItIs).unwrap();
        assert!(ready.committed && ready.notes.is_empty(), "{ready:?}");
        assert_eq!(ignored(&world, &ana()), [] as [String; 0]);
    }
    let world = World::new();
    world.disk.write_raw("/home/ana/.gitconfig", b"[user]\n\tname = a\n[core]\n\texcludesFile = ~/mine\n");
    world.disk.write_raw("/home/ana/mine", b".mail\n");
    world.post.init_mail(&ana(), MailSharing::Committed).unwrap();
    assert_eq!(ignored(&world, &ana()).len(), 1);
    // A nearer rule wins.
    world.disk.write_raw("/src/cherry/.gitignore", b".*\n!.mail/\n");
    assert_eq!(ignored(&world, &ana()), [] as [String; 0]);
    assert!(world.post.init_mail(&ana(), MailSharing::AsItIs).unwrap().committed);
}

#[test] // spec: MAIL-1a
fn a_line_of_a_person_in_the_exclude_file_stays() {
    let exclude = Path::new("/src/cherry/.git/info/exclude");
    for line in ["/.mail/\n", ".mail\n", "/.mail/"] {
        let world = World::new();
        world.disk.write_raw(exclude, line.as_bytes());
        world.disk.write_raw("/src/cherry/.mail/.gitignore", b"foo\n");
        assert!(!world.send(&ana(), "w1", "private").kept_out, "it was kept out before");
        world.post.init_mail(&ana(), MailSharing::Committed).unwrap();
        assert_eq!(world.disk.dump()[exclude], line.as_bytes());
        assert_eq!(ignored(&world, &ana()).len(), 1, "{line}");
    }
    // What takes the folder in again behind the line counts.
    let world = World::new();
    world.disk.write_raw(exclude, b"/.mail/\n!.mail\n");
    world.disk.write_raw("/src/cherry/.mail/.gitignore", b"foo\n");
    assert!(world.send(&ana(), "w1", "private").kept_out);
    assert!(!world.send(&ana(), "w1", "private").kept_out);
}

#[test] // spec: MAIL-1a, MAIL-4
fn the_word_for_committed_mail_moves_with_the_project() {
    let world = World::new();
    world.post.init_mail(&ana(), MailSharing::Committed).unwrap();
    world.send(&ana(), "w1", "for everybody");
    world.disk.rename(Path::new(CHERRY), Path::new("/src/moved")).unwrap();
    let moved = caller("human:ana", "ana", "/src/moved");
    assert!(!world.send(&moved, "w1", "still for everybody").kept_out);
    assert!(world.post.init_mail(&moved, MailSharing::AsItIs).unwrap().committed);
    // Another repository at the old path is another one.
    world.disk.write_raw("/src/cherry/.git/HEAD", b"ref: refs/heads/main\n");
    world.disk.write_raw("/src/cherry/.mail/.gitignore", b"foo\n");
    assert!(world.send(&ana(), "w1", "private").kept_out);
    // Another mail root in the same folder is another one.
    let mut beside = moved.clone();
    beside.principal.mail.root = Some("/src/moved/other".into());
    world.disk.write_raw("/src/moved/other/.gitignore", b"foo\n");
    assert!(!world.post.init_mail(&beside, MailSharing::AsItIs).unwrap().committed);
    // What takes the word back holds for every place where the folder was.
    world.post.init_mail(&moved, MailSharing::Private).unwrap();
    world.disk.rename(Path::new(CHERRY), Path::new("/src/second")).unwrap();
    world.disk.rename(Path::new("/src/moved"), Path::new(CHERRY)).unwrap();
    world.disk.write_raw("/src/cherry/.mail/.gitignore", b"foo\n");
    assert!(
        !world.send(&ana(), "w1", "private").kept_out,
        "the clone excluded it with the word that took the other back"
    );
    assert!(!world.post.init_mail(&ana(), MailSharing::AsItIs).unwrap().committed);
}
