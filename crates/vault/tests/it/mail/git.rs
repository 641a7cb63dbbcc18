//! Mail and git: private by default, and what a person wrote stays.

use super::{ROOT, draft, name, world};
use brainstem_base::Coded as _;
use brainstem_base::disk::Disk;
use brainstem_vault::mail::IgnoreRule;
use std::path::Path;

#[test] // spec: MAIL-1a
fn git_is_told_to_leave_mail_alone_unless_it_is_to_be_committed() {
    let (disk, root) = world();
    root.ensure().unwrap();
    assert!(root.is_private());
    root.set_ignore(IgnoreRule::Scaffold).unwrap();
    assert!(!root.is_private());
    root.ensure().unwrap();
    assert!(!root.is_private(), "what was chosen stays");
    let (by_hand, root_by_hand) = world();
    by_hand.make_dirs(format!("{ROOT}/w"));
    root_by_hand.mailbox(&name("w")).unwrap().deliver(&draft("ana", "w", "x")).unwrap();
    assert!(root_by_hand.is_private(), "a root that a shell made is private, too");
    for (text, private) in [
        ("*\n", true),
        ("# x\n*\n", true),
        ("*  \r\n", true),
        // Git takes these for the names of files that begin with a blank, or end with a tab or a blank.
        ("# x\n *\n", false),
        ("*\t\n", false),
        ("*\\ \n", false),
        ("*\n !w/\n", true),
        ("*\n!w/\n", false),
        ("!w/\n*\n", true),
        ("*.log\n", false),
        ("", false),
    ] {
        disk.write_raw(format!("{ROOT}/.gitignore"), text.as_bytes());
        assert_eq!(root.is_private(), private, "{text:?}");
    }
}

#[test] // spec: MAIL-1a
fn a_private_root_is_private_whatever_happens_to_its_gitignore() {
    let (disk, root) = world();
    disk.make_dirs("/home/ana/.brainstem");
    let root = root.noting_below(Path::new("/home/ana/.brainstem"));
    let path = format!("{ROOT}/.gitignore");
    let ignore = Path::new(&path);
    let send = || root.mailbox(&name("w")).unwrap().deliver(&draft("ana", "w", "x"));
    send().unwrap();
    disk.unlink(ignore).unwrap();
    send().unwrap();
    assert!(root.is_private(), "it was removed");
    disk.write_raw(ignore, b"# nothing\n\n");
    send().unwrap();
    assert_eq!(disk.dump()[ignore], b"# nothing\n\n*\n", "it had no rule");
    // Another kind of file has its name: private messages stay where they are, and no more come.
    disk.unlink(ignore).unwrap();
    disk.write_raw(ignore.join("x"), b"");
    let fault = send().unwrap_err();
    assert_eq!(fault.code().name(), "store.private_exposed");
    assert!(fault.to_string().contains("is a folder"), "{fault}");
    assert_eq!(root.ensure().unwrap_err().code().name(), "store.private_exposed");
    disk.unlink(&ignore.join("x")).unwrap();
    disk.remove_dir(ignore).unwrap();
    root.ensure().unwrap();
    assert!(root.is_private());
    // Where a person let git commit it, that is kept.
    root.set_ignore(IgnoreRule::Scaffold).unwrap();
    root.note_committed().unwrap();
    disk.unlink(ignore).unwrap();
    root.ensure().unwrap();
    assert!(!root.is_private() && disk.dump()[ignore].starts_with(b".tmp/\n"));
    root.forget_committed().unwrap();
    disk.unlink(ignore).unwrap();
    root.ensure().unwrap();
    assert!(root.is_private());
}

#[test] // spec: MAIL-1a
fn what_a_person_told_git_about_the_mail_stays() {
    let (disk, root) = world();
    let path = format!("{ROOT}/.gitignore");
    let text = || String::from_utf8(disk.dump()[Path::new(&path)].clone()).unwrap();
    root.ensure().unwrap();
    disk.write_raw(&path, b"# mine\r\nnotes/\r\n*\n!x");
    root.set_ignore(IgnoreRule::Scaffold).unwrap();
    let shared = "# mine\r\nnotes/\r\n!x\n.tmp/\n.tmp-*\n.claimed/\n.seen/\n.keys/\n.names/\n";
    assert_eq!((text().as_str(), root.is_private()), (shared, false));
    root.set_ignore(IgnoreRule::Scaffold).unwrap();
    assert_eq!(text(), shared, "once");
    root.set_ignore(IgnoreRule::Everything).unwrap();
    assert_eq!((text().as_str(), root.is_private()), ("# mine\r\nnotes/\r\n!x\n*\n", true));
}
