//! Filing: once, in the right box, whatever happens to the disk or to the projects.

use super::world::{CHERRY, HOME, PLUM, SPOOL, USER, World, caller, counts, draft, refusal};
use brainstem_base::disk::{Disk as _, UnsyncedFate};
use brainstem_memory::{InitRequest, Trouble};
use brainstem_post::letters::{Filing, LetterDraft, LetterEnd};
use std::path::Path;

const CHERRY_BOX: &str = "/home/ana/cherry/.brainstem/inbox.jsonl";
const PLUM_BOX: &str = "/home/ana/plum/.brainstem/inbox.jsonl";
const MEDULLA_BOX: &str = "/home/ana/.brainstem/inbox.jsonl";

#[test] // spec: LTR-5, LTR-6, LTR-7
fn letters_of_projects_and_of_none_end_in_their_boxes_and_a_second_run_changes_nothing() {
    let world = World::new();
    world.repository("/srv/pear");
    for from in [CHERRY, PLUM, "/srv/pear", USER] {
        world.write(from, draft("friction", from)).unwrap();
    }
    let done = world.distribute();
    assert_eq!(counts(&done), (4, 0, 0, 0), "{done:?}");
    for (path, from) in [
        (CHERRY_BOX, CHERRY),
        (PLUM_BOX, PLUM),
        ("/srv/pear/.brainstem/inbox.jsonl", "/srv/pear"),
        (MEDULLA_BOX, USER),
    ] {
        let lines = world.box_lines(path);
        assert_eq!(lines.len(), 1, "{path}");
        assert!(lines[0].contains(&format!("\"what\":\"{from}\"")), "{lines:?}");
        // No path of this machine besides what the writer said itself.
        assert_eq!(lines[0].matches("/home/").count(), usize::from(from.starts_with("/home")), "{lines:?}");
    }
    let before = world.files();
    assert_eq!(counts(&world.distribute()), (0, 0, 0, 4));
    assert_eq!(world.files(), before);
}

#[test] // spec: LTR-6, LTR-7
fn a_letter_for_an_absent_project_waits_is_named_and_is_filed_when_it_appears() {
    let world = World::new();
    world.raw(r#"{"class":"bug","repo":"~/pear","what":"a"}"#);
    world.raw(r#"{"class":"bug","repo":"nowhere-else","brain":"medulla","what":"b"}"#);
    world.raw(r#"{"class":"bug","brain":"quince@0011aabb","what":"c"}"#);
    let done = world.distribute();
    assert_eq!(counts(&done), (0, 3, 0, 0), "{done:?}");
    assert!(world.box_lines(MEDULLA_BOX).is_empty(), "never the medulla's");
    let named: Vec<_> = done
        .letters
        .iter()
        .map(|letter| match &letter.end {
            LetterEnd::Pending { spelled, .. } => spelled.as_str(),
            _ => "",
        })
        .collect();
    assert_eq!(named, ["~/pear", "nowhere-else", "quince@0011aabb"]);
    assert_eq!(world.sweep().stuck.len(), 3);
    world.repository("/home/ana/pear");
    world.disk.write_raw(format!("{HOME}/projects.toml"), b"[aliases]\nnowhere-else = \"~/plum\"\n");
    assert_eq!(counts(&world.distribute()), (2, 1, 0, 0));
    assert_eq!(world.box_lines("/home/ana/pear/.brainstem/inbox.jsonl").len(), 1);
    assert_eq!(world.box_lines(PLUM_BOX).len(), 1);
}

#[test] // spec: LTR-2, LTR-6, MEM-22
fn a_letter_of_a_project_without_a_brain_waits_for_that_very_folder() {
    const OTHER_BOX: &str = "/srv/globex/api/.brainstem/inbox.jsonl";
    let world = World::new();
    let rename = |from: &str, to: &str| world.disk.rename(Path::new(from), Path::new(to)).unwrap();
    for root in ["/srv/acme/api", "/srv/globex/plain"] {
        world.repository(root);
    }
    world.write("/srv/acme/api", draft("friction", "keys of acme")).unwrap();
    let path = LetterDraft { repo: Some("/srv/acme/api".into()), ..draft("friction", "acme by its path") };
    world.write(USER, path).unwrap();
    let path = LetterDraft { brain: Some("/srv/acme/api".into()), ..draft("friction", "acme as a brain") };
    world.write(USER, path).unwrap();
    let spool = String::from_utf8(world.disk.dump()[Path::new(SPOOL)].clone()).unwrap();
    assert!(!spool.contains("/srv"), "no path of this machine: {spool}");

    // The folder is away, and another client's project has its name.
    rename("/srv/acme", "/srv/away");
    world.repository("/srv/globex/api");
    world.bootstrap("/srv/globex/api");
    assert_eq!(world.mailbox("/srv/globex/api", None).unwrap().letters.len(), 0, "shown to no other project");
    assert_eq!(counts(&world.distribute()), (0, 3, 0, 0));
    assert!(world.box_lines(OTHER_BOX).is_empty());

    // Another project is put at its very path.
    world.repository("/srv/acme/api");
    assert_eq!(world.mailbox("/srv/acme/api", None).unwrap().letters.len(), 0);
    assert_eq!(counts(&world.distribute()), (0, 3, 0, 0));
    rename("/srv/acme", "/srv/new");

    // The folder is back.
    rename("/srv/away", "/srv/acme");
    assert_eq!(world.mailbox("/srv/acme/api", None).unwrap().letters.len(), 3);
    assert_eq!(counts(&world.distribute()), (3, 0, 0, 0));
    assert_eq!(world.box_lines("/srv/acme/api/.brainstem/inbox.jsonl").len(), 3);

    // Under another name it is the same folder, and what lies in its box is filed wherever the box goes.
    rename("/srv/acme/api", "/srv/acme/backend");
    world.write("/srv/acme/backend", draft("win", "renamed")).unwrap();
    assert_eq!(counts(&world.distribute()), (1, 0, 0, 3));
    let lines = world.box_lines("/srv/acme/backend/.brainstem/inbox.jsonl").join("\n") + "\n";
    rename("/srv/acme/backend", "/srv/acme/gone");
    world.repository("/srv/acme/backend");
    world.disk.write_raw("/srv/acme/backend/.brainstem/inbox.jsonl", lines.as_bytes());
    assert_eq!(counts(&world.distribute()), (0, 0, 0, 4), "a new clone brought its box along");
}

#[test] // spec: LTR-2
fn a_letter_that_another_home_marked_goes_by_its_name() {
    let world = World::new();
    world.raw(r#"{"class":"bug","repo":"plum","what":"a","exact":{"repo":"folder","at":"00000000-0123456789abcdef"}}"#);
    world.write(PLUM, draft("bug", "b")).unwrap();
    assert_eq!(counts(&world.distribute()), (2, 0, 0, 0));
}

#[test] // spec: LTR-5
fn a_name_that_several_projects_share_waits_until_somebody_says_which() {
    let world = World::new();
    for root in ["/a/kiwi", "/b/kiwi"] {
        world.repository(root);
        world.bootstrap(root);
    }
    world.raw(r#"{"repo":"kiwi","what":"x"}"#);
    let done = world.distribute();
    assert!(
        matches!(&done.letters[0].end, LetterEnd::Pending { several, .. } if several.len() == 2),
        "{:?}",
        done.letters
    );
    // Written from there it says which.
    let id = world.write("/b/kiwi", LetterDraft { brain: None, ..draft("win", "y") }).unwrap();
    world.distribute();
    assert!(world.box_lines("/b/kiwi/.brainstem/inbox.jsonl")[0].contains("\"y\""), "{id}");
    assert!(world.box_lines("/a/kiwi/.brainstem/inbox.jsonl").is_empty());
}

#[test] // spec: LTR-5, LTR-7, MEM-43
fn letters_that_a_clone_brought_along_wait_for_nothing_and_new_ones_say_what_to_write() {
    let world = World::new();
    world.repository("/a/kiwi");
    world.bootstrap("/a/kiwi");
    world.raw(r#"{"repo":"kiwi","what":"x"}"#);
    assert_eq!(counts(&world.distribute()), (1, 0, 0, 0));
    world.repository("/b/kiwi");
    world.bootstrap("/b/kiwi");
    let brought = world.box_lines("/a/kiwi/.brainstem/inbox.jsonl").remove(0);
    world.disk.write_raw("/b/kiwi/.brainstem/inbox.jsonl", format!("{}\n", brought.trim_end()).as_bytes());
    assert_eq!(counts(&world.distribute()), (0, 0, 0, 1), "it lies in both boxes");
    let pending = || {
        let found = world.post().letters_health(&caller(USER)).findings.into_iter();
        found.filter(|finding| finding.trouble == Trouble::LetterPending).map(|finding| finding.fix)
    };
    assert_eq!(pending().count(), 0);
    world.raw(r#"{"repo":"kiwi","what":"new"}"#);
    let fix = pending().next().expect("it waits");
    let line = r#""kiwi" = "/a/kiwi""#;
    let expected =
        format!("write {line} under [aliases] in `{HOME}/projects.toml`, with the folder that is meant");
    assert!(fix.to_string().starts_with(&expected), "{fix}");
    // As the fix says.
    world.disk.write_raw(format!("{HOME}/projects.toml"), format!("[aliases]\n{line}\n").as_bytes());
    assert_eq!(counts(&world.distribute()), (1, 0, 0, 1));
}

#[test] // spec: LTR-1, LTR-5
fn a_clone_under_another_name_takes_no_name_from_its_original() {
    let world = World::new();
    world.repository("/a/kiwi");
    world.bootstrap("/a/kiwi");
    world.memory().init(&caller("/a/kiwi"), &InitRequest::default()).unwrap();
    let manifest = world.disk.dump().remove(Path::new("/a/kiwi/.brainstem/brain.json")).expect("a manifest");
    world.repository("/a/kiwi2");
    world.disk.write_raw("/a/kiwi2/.brainstem/brain.json", &manifest);
    world.bootstrap("/a/kiwi2");
    world.write("/a/kiwi2", draft("win", "of the clone")).unwrap();
    let written = world.post().write_letter(&caller("/a/kiwi"), draft("win", "of the original")).unwrap();
    assert_eq!(written.repo.as_deref(), Some("kiwi"), "as a person calls it");
    assert_eq!(counts(&world.distribute()), (2, 0, 0, 0));
    for (path, what) in [("/a/kiwi", "of the original"), ("/a/kiwi2", "of the clone")] {
        let lines = world.box_lines(&format!("{path}/.brainstem/inbox.jsonl"));
        assert!(lines.len() == 1 && lines[0].contains(what), "{path}: {lines:?}");
    }
}

#[test] // spec: LTR-5
fn a_worktree_stands_for_its_repository_by_path_and_by_name() {
    let world = World::new();
    let git = "/home/ana/cherry/.git/worktrees/fix";
    world.disk.write_raw(format!("{git}/commondir"), b"../..\n");
    world.disk.write_raw(format!("{git}/gitdir"), b"/tmp/wt/cherry-fix/.git\n");
    world.disk.write_raw("/tmp/wt/cherry-fix/.git", format!("gitdir: {git}\n").as_bytes());
    world.raw(r#"{"repo":"/tmp/wt/cherry-fix/src (worktree fix)","what":"a"}"#);
    world.raw(r#"{"repo":"cherry-fix","what":"b"}"#);
    world.disk.make_dirs("/tmp/wt/cherry-fix/src");
    world.write("/tmp/wt/cherry-fix", draft("win", "c")).unwrap();
    assert_eq!(counts(&world.distribute()), (3, 0, 0, 0));
    assert_eq!(world.box_lines(CHERRY_BOX).len(), 3);
}

#[test] // spec: LTR-1, LTR-7
fn each_letter_is_in_its_box_once_wherever_power_fails() {
    for steps in 0.. {
        let world = World::new();
        world.raw(r#"{"repo":"cherry","what":"a"}"#);
        world.raw(r#"{"repo":"all","what":"b"}"#);
        world.raw(r#"{"repo":"~/plum","what":"c"}"#);
        let spool = world.disk.dump()[Path::new(SPOOL)].clone();
        let post = world.post();
        world.disk.lose_power_after(steps);
        let done = post.distribute(&caller(USER), Filing::Real, &|_, _| ());
        for fate in UnsyncedFate::all(steps) {
            let after = world.on(world.disk.reboot(fate));
            assert_eq!(after.disk.dump()[Path::new(SPOOL)], spool, "the spool is never changed");
            if let Ok(done) = &done
                && counts(done).0 == 3
            {
                assert_eq!(counts(&after.plan()), (0, 0, 0, 3), "answered, so it must survive");
            }
            after.distribute();
            assert_eq!(counts(&after.distribute()), (0, 0, 0, 3), "{fate:?}");
            for path in [CHERRY_BOX, MEDULLA_BOX, PLUM_BOX] {
                let whole = after.box_lines(path).iter().filter(|line| line.ends_with('}')).count();
                assert_eq!(whole, 1, "{fate:?} {path}: {:?}", after.box_lines(path));
            }
        }
        if !world.disk.lost_power() {
            break;
        }
    }
}

#[test] // spec: LTR-7, LTR-12
fn a_box_that_came_by_git_keeps_its_letters_and_one_that_cannot_be_written_stops_no_other() {
    let world = World::new();
    world.disk.write_raw(CHERRY_BOX, b"{\"what\":\"from another machine\"}");
    world.disk.make_dirs("/elsewhere");
    world.disk.make_link("/elsewhere", "/home/ana/plum/.brainstem");
    world.raw(r#"{"repo":"cherry","what":"a"}"#);
    world.raw(r#"{"repo":"~/plum","what":"b"}"#);
    assert_eq!(
        world.plan().count(|end| matches!(end, LetterEnd::Failed(_))),
        1,
        "a plan promises no more than it can"
    );
    let done = world.distribute();
    assert_eq!(counts(&done), (1, 0, 0, 0));
    assert!(
        matches!(&done.letters[1].end, LetterEnd::Failed(path) if path == Path::new(PLUM_BOX)),
        "{done:?}"
    );
    assert_eq!(done.unreachable.len(), 1);
    let lines = world.box_lines(CHERRY_BOX);
    assert_eq!(lines, ["{\"what\":\"from another machine\"}", "{\"repo\":\"cherry\",\"what\":\"a\"}"]);
    let swept = world.sweep();
    assert_eq!(swept.letters.len(), 3, "the union, each once");
    assert!(world.disk.dump().keys().all(|path| !path.starts_with("/elsewhere")));
}

#[test] // spec: LTR-1
fn further_spools_are_read_in_place_and_a_missing_one_is_named() {
    let world = World::new();
    world
        .disk
        .write_raw("/srv/old/reports.jsonl", b"{\"repo\":\"cherry\",\"what\":\"old\"}\n{\"repo\":\"cherry\"");
    let projects = b"spools = [\"/srv/old/reports.jsonl\", \"~/gone.jsonl\"]\n";
    world.disk.write_raw(format!("{HOME}/projects.toml"), projects);
    let before = world.disk.dump()[Path::new("/srv/old/reports.jsonl")].clone();
    let done = world.distribute();
    assert_eq!((counts(&done), done.waiting), ((1, 0, 0, 0), 1));
    assert_eq!(done.unreachable[0].path, Path::new("/home/ana/gone.jsonl"));
    assert_eq!(world.disk.dump()[Path::new("/srv/old/reports.jsonl")], before);
}

#[test] // spec: LTR-5
fn names_that_cannot_be_read_stop_the_filing_and_are_told_with_their_line() {
    for bad in ["aliases = 3\n", "x = 1\n", "\nsearch = [\"relative\"]\n", "[aliases]\na = \"\"\n", "= ="] {
        let world = World::new();
        world.raw(r#"{"repo":"cherry","what":"a"}"#);
        world.disk.write_raw(format!("{HOME}/projects.toml"), bad.as_bytes());
        let fault = refusal(world.post().distribute(&caller(USER), Filing::Real, &|_, _| ()));
        assert_eq!(fault.code.name(), "projects.broken", "{bad}");
        assert!(fault.message.contains("line"), "{bad}: {}", fault.message);
        assert!(world.box_lines(CHERRY_BOX).is_empty());
        // The spool is open in any case, and says so.
        let written = world.post().write_letter(&caller(CHERRY), draft("bug", "x")).unwrap();
        assert!(written.notes[0].contains("projects.toml"), "{:?}", written.notes);
    }
}

#[test] // spec: LTR-5, LTR-6
fn a_letter_makes_no_box_in_a_folder_that_is_no_project() {
    let world = World::new();
    let folders = ["/home/ana/.ssh", "/home/ana/Documents", "/root", "/home/ana/notes/deep"];
    for folder in folders {
        world.disk.make_dirs(folder);
        world.raw(&format!(r#"{{"class":"bug","repo":"{folder}","what":"{folder}"}}"#));
    }
    let before = world.files();
    for _ in 0..2 {
        let done = world.distribute();
        assert_eq!(counts(&done), (0, 4, 0, 0), "{done:?}");
        for (letter, folder) in done.letters.iter().zip(folders) {
            let LetterEnd::Pending { plain, several, .. } = &letter.end else { panic!("{letter:?}") };
            assert_eq!((plain.as_deref(), several.len()), (Some(Path::new(folder)), 0));
        }
        assert_eq!(world.files(), before, "nothing is made there");
    }
    assert!(world.box_lines(MEDULLA_BOX).is_empty(), "never the medulla's");
    let finding = world.post().letters_health(&caller(USER)).findings.remove(0);
    assert!(finding.detail.contains("in no repository and has no brain"), "{finding:?}");
    assert!(finding.fix.contains("brainstem bootstrap"), "{finding:?}");
    // What the person says is a project is one: by a name, as a folder of projects, by a brain, by git.
    let projects = "search = [\"~/notes\"]\n[aliases]\nletters = \"~/Documents\"\n";
    world.disk.write_raw(format!("{HOME}/projects.toml"), projects.as_bytes());
    world.bootstrap("/home/ana/.ssh");
    assert_eq!(counts(&world.distribute()), (3, 1, 0, 0));
    for folder in ["/home/ana/.ssh", "/home/ana/Documents", "/home/ana/notes/deep"] {
        assert_eq!(world.box_lines(&format!("{folder}/.brainstem/inbox.jsonl")).len(), 1, "{folder}");
    }
    // A box that is there stays one, whoever made it.
    world.disk.write_raw(format!("{HOME}/projects.toml"), b"");
    assert_eq!(counts(&world.distribute()), (0, 1, 0, 3));
}

#[test] // spec: LTR-9
fn a_box_that_git_sees_is_told_when_it_is_made() {
    let world = World::new();
    world.raw(r#"{"class":"bug","repo":"/home/ana/plum","what":"a"}"#);
    world.raw(r#"{"class":"bug","repo":"all","what":"b"}"#);
    assert_eq!(world.distribute().exposed, [Path::new(PLUM_BOX)]);
    world.raw(r#"{"class":"bug","repo":"/home/ana/plum","what":"c"}"#);
    assert!(world.distribute().exposed.is_empty(), "it was there before");
}
