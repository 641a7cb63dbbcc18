//! No path of this machine gets into a box that is committed.

use super::world::{CHERRY, HOME, PLUM, USER, World, caller, counts, draft};
use brainstem_letters::LetterId;
use brainstem_post::letters::{Fate, LetterDraft};

const BOXES: [&str; 3] = [
    "/home/ana/cherry/.brainstem/inbox.jsonl",
    "/home/ana/plum/.brainstem/inbox.jsonl",
    "/srv/fig/.brainstem/inbox.jsonl",
];

fn filed(world: &World) -> String {
    BOXES.map(|path| world.box_lines(path).join("\n")).join("\n")
}

fn check_no_paths(world: &World, letters: usize) {
    let filed = filed(world);
    for path in ["/home", "/srv", "file:", "~"] {
        assert!(!filed.contains(path), "{filed}");
    }
    assert_eq!(filed.matches("\"what\"").count(), letters, "{filed}");
}

#[test] // spec: LTR-2, LTR-5
fn no_spelling_of_a_path_is_committed_with_a_letter() {
    let world = World::new();
    let about = |repo: Option<&str>, brain: Option<&str>, tool: Option<&str>| LetterDraft {
        repo: repo.map(str::to_owned),
        brain: brain.map(str::to_owned),
        tool: tool.map(str::to_owned),
        ..draft("bug", "it broke")
    };
    let letters = [
        about(Some("/home/ana/cherry (worktree x)"), None, None),
        about(Some("/home/ana/cherry/../plum (branch y)"), None, None),
        about(Some("file:///home/ana/cherry"), None, None),
        about(Some("~/plum"), None, None),
        about(None, Some("/home/ana/cherry (x)"), None),
        about(None, None, Some("/home/ana/bin/tool --of /srv/fig/x")),
    ];
    for letter in letters.clone() {
        world.clock.advance(1);
        let written = world.post().write_letter(&caller(CHERRY), letter).unwrap();
        assert_eq!(written.notes.len(), 0, "what is filed at once waits for nothing");
    }
    // Another program.
    world.raw(r#"{"repo":"/home/ana/plum (worktree z)","cwd":"/srv/x","what":"raw"}"#);
    let done = world.distribute();
    assert_eq!(
        (done.letters.len(), done.count(|end| matches!(end, brainstem_post::letters::LetterEnd::Filed(_)))),
        (7, 7)
    );
    check_no_paths(&world, 7);
    let again = world.distribute();
    assert_eq!((again.letters.len(), again.unchanged), (0, 7));
    assert_eq!(world.sweep().letters.len(), 7, "each once");
}

#[test] // spec: LTR-2, LTR-3
fn a_folder_that_becomes_a_project_later_leaves_no_path_and_its_letter_keeps_its_id() {
    let world = World::new();
    world.disk.make_dirs("/srv/fig");
    let id = world
        .write(CHERRY, LetterDraft { repo: Some("/srv/fig".into()), ..draft("bug", "it broke") })
        .unwrap();
    assert_eq!(world.distribute().letters.len(), 1);
    assert_eq!(filed(&world).trim(), "");
    world.repository("/srv/fig");
    world.distribute();
    check_no_paths(&world, 1);
    assert_eq!(world.sweep().letters[0].letter.id.as_str(), id);
    // On a machine that has the repository alone the letter has the same id.
    let line = world.box_lines(BOXES[2]).remove(0);
    assert_eq!(LetterId::of_bytes(line.as_bytes()).as_str(), id);
}

#[test] // spec: LTR-3
fn a_letter_is_found_and_answered_by_the_hash_of_its_whole_line_too() {
    let world = World::new();
    let line = r#"{"repo":"/home/ana/plum","class":"bug","what":"raw"}"#;
    world.raw(line);
    let former = LetterId::of_bytes(line.as_bytes()).to_string();
    // Another program closes it by the hash of its line, and an older program filed it as it was.
    world.raw(&format!(r#"{{"repo":"plum","class":"receipt","what":"done","answers":["{former}"]}}"#));
    world.disk.write_raw(BOXES[1], format!("{line}\n").as_bytes());
    let done = world.distribute();
    assert_eq!((done.letters.len(), done.unchanged), (1, 1));
    let swept = world.sweep();
    let row = swept.letters.iter().find(|row| row.letter.what.as_deref() == Some("raw")).unwrap();
    assert_eq!(row.state, Fate::FiredClay);
    let shown = world.post().show_letter(&caller(PLUM), &former).unwrap();
    assert_eq!(shown.0.letter.id, row.letter.id);
    // An answer names the id that every machine knows.
    let answer = LetterDraft { answers: vec![former.clone()], ..draft("receipt", "again") };
    world.write(CHERRY, answer).unwrap();
    world.distribute();
    let filed = filed(&world);
    assert!(filed.contains(&format!("\"answers\":[\"{}\"]", row.letter.id)), "{filed}");
}

#[test] // spec: LTR-3, LTR-7
fn two_letters_that_differ_in_their_path_alone_are_filed_each_in_its_box() {
    let world = World::new();
    world.repository("/srv/plum");
    world.raw(r#"{"repo":"/home/ana/plum","what":"it broke"}"#);
    world.raw(r#"{"repo":"/srv/plum","what":"it broke"}"#);
    world.distribute();
    assert_eq!(world.box_lines(BOXES[1]), [r#"{"repo":"outside://plum","what":"it broke"}"#]);
    assert_eq!(world.box_lines("/srv/plum/.brainstem/inbox.jsonl"), world.box_lines(BOXES[1]));
    let again = world.distribute();
    assert_eq!((again.letters.len(), again.unchanged), (0, 2));
}

#[test] // spec: LTR-3, LTR-7, LTR-12
fn lines_of_which_the_same_is_filed_are_one_letter() {
    let world = World::new();
    for dir in ["api", "web", "cli"] {
        let tool = format!("/home/ana/{dir}/build.rs");
        world.raw(&format!(r#"{{"class":"bug","repo":"cherry","tool":"{tool}","what":"the build stops"}}"#));
    }
    assert_eq!(counts(&world.plan()), (1, 0, 0, 0));
    assert_eq!(world.sweep().letters.len(), 1);
    assert_eq!((world.sweep().unfiled, world.sweep().counts.external), (1, 1), "each counts once");
    assert_eq!(counts(&world.distribute()), (1, 0, 0, 0), "as many as the box has lines");
    assert_eq!(world.box_lines(BOXES[0]).len(), 1);
    assert_eq!(world.mailbox(CHERRY, None).unwrap().letters.len(), 1);
    assert_eq!(counts(&world.distribute()), (0, 0, 0, 1));
}

#[test] // spec: LTR-2
fn prose_stays_as_it_was_written_and_a_note_names_the_paths_in_it() {
    let world = World::new();
    let given = draft("bug", "cannot open /home/ana/cherry/../x");
    let written = world.post().write_letter(&caller(CHERRY), given.clone()).unwrap();
    let told = written.notes.iter().map(ToString::to_string).collect::<String>();
    assert!(told.contains("`/home/ana/cherry/../x`") && told.contains("is committed"), "{told}");
    let nowhere = LetterDraft { repo: Some("all".into()), ..given };
    assert_eq!(world.post().write_letter(&caller(USER), nowhere).unwrap().notes.len(), 0);
    world.distribute();
    assert!(filed(&world).contains("cannot open /home/ana"), "{}", filed(&world));
    assert!(world.box_lines(&format!("{HOME}/inbox.jsonl")).len() == 1);
}
