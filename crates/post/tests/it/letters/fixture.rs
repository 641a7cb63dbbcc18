//! A mailbox as it grew in real use: 53 letters in five classes, with every spelling of a project that was met.

use super::world::{HOME, SPOOL, USER, World, caller, counts, refusal};
use brainstem_base::hash;
use brainstem_letters::lines::{LetterLines, Tail};
use brainstem_post::letters::{Fate, FateCounts, Filing};
use std::collections::BTreeMap;
use std::path::Path;

const LETTERS: &[u8] = include_bytes!("../../fixtures/field-reports.jsonl");
const OLD: &str = "/home/ana/.m1nd/field-reports.jsonl";
const PROJECTS: &str = r#"
search = ["~/src"]

[aliases]
"~/almus" = "~/almus"
gitrooms = "~/reporooms"
"cherry-*" = "~/cherry"
"#;

/// The project of each spelling; none is the medulla.
const BOXES: &[(&str, Option<&str>)] = &[
    ("cherry", Some("/home/ana/cherry")),
    ("cherry (worktree fix-3)", Some("/home/ana/cherry")),
    ("cherry (worktree docs)", Some("/home/ana/cherry")),
    ("cherry-hotfix", Some("/home/ana/cherry")),
    ("cherry-site", Some("/home/ana/cherry")),
    ("~/almus", Some("/home/ana/almus")),
    ("gitrooms", Some("/home/ana/reporooms")),
    ("Cherrybubbles1", Some("/home/ana/src/Cherrybubbles1")),
    ("~/.m1nd/runtimes/claude", None),
    ("all", None),
    ("(research task, no repo)", None),
];

fn world() -> World {
    let world = World::new();
    for root in ["/home/ana/reporooms", "/home/ana/src/Cherrybubbles1"] {
        world.repository(root);
    }
    // A folder without git and without a brain, which the person names.
    world.disk.make_dirs("/home/ana/almus");
    world.disk.write_raw(format!("{HOME}/projects.toml"), PROJECTS.as_bytes());
    world.disk.write_raw(OLD, LETTERS);
    world
}

fn box_path(root: Option<&str>) -> String {
    root.map_or_else(|| format!("{HOME}/inbox.jsonl"), |root| format!("{root}/.brainstem/inbox.jsonl"))
}

#[test] // spec: LTR-4, LTR-5, LTR-6, LTR-7, MEM-42
fn every_letter_ends_in_the_one_box_where_it_belongs() {
    let world = world();
    let imported = world.post().import_letters(&[OLD.into()], Filing::Real).unwrap();
    assert_eq!((imported.found, imported.new, imported.unreadable), (53, 53, 0));
    assert_eq!(world.disk.dump()[Path::new(SPOOL)], LETTERS, "copied as they are");
    let spool = hash::sha256_hex(LETTERS, 64);

    let plan = world.plan();
    assert!(world.box_lines(&box_path(None)).is_empty(), "a plan files nothing");
    let done = world.distribute();
    assert_eq!(done.letters, plan.letters, "as planned");
    assert_eq!(counts(&done), (53, 0, 0, 0));

    let mut found: BTreeMap<String, Option<&str>> = BTreeMap::new();
    let roots = BOXES.iter().map(|(_, root)| *root).collect::<std::collections::BTreeSet<_>>();
    for root in &roots {
        for line in world.box_lines(&box_path(*root)) {
            assert!(found.insert(line, *root).is_none(), "in one box only");
        }
    }
    assert_eq!(found.len(), 53);
    let count = |root| found.values().filter(|at| **at == root).count();
    assert_eq!(
        (count(Some("/home/ana/cherry")), count(Some("/home/ana/reporooms")), count(None)),
        (38, 3, 9)
    );
    for letter in LetterLines::read(LETTERS, Tail::Waits).letters {
        let repo = letter.letter.repo.unwrap();
        let expected = BOXES.iter().find(|(spelled, _)| *spelled == repo).unwrap().1;
        // In a box that is committed without paths of this machine; in the medulla's as it is.
        let filed = expected.and_then(|_| brainstem_letters::filed_line::filed(&letter.line));
        let line = String::from_utf8(filed.unwrap_or(letter.line)).unwrap();
        assert_eq!(found[&line], expected, "line {}: {repo}", letter.number);
    }

    let before = world.files();
    let again = world.distribute();
    assert_eq!((counts(&again), again.letters.len()), ((0, 0, 0, 53), 0));
    world.post().import_letters(&[OLD.into()], Filing::Real).unwrap();
    world.sweep();
    world.post().letters_health(&caller(USER));
    assert_eq!(world.files(), before, "a second run changes nothing");
    assert_eq!(hash::sha256_hex(&world.disk.dump()[Path::new(SPOOL)], 64), spool);
}

#[test] // spec: LTR-10, LTR-11, LTR-12
fn old_references_close_what_they_resolve_and_the_rest_stays_open() {
    let world = world();
    let dry = world.post().import_letters(&[OLD.into()], Filing::DryRun).unwrap();
    assert!(!world.disk.dump().contains_key(Path::new(SPOOL)), "a dry run takes nothing");
    let done = world.post().import_letters(&[OLD.into()], Filing::Real).unwrap();
    assert_eq!(dry, done);
    world.distribute();
    let swept = world.sweep();
    assert_eq!(swept.letters.len(), 53, "spool and boxes, each letter once");
    let ids: Vec<String> =
        LetterLines::read(LETTERS, Tail::Waits).letters.iter().map(|l| l.letter.id.to_string()).collect();
    let fate = |number: usize| {
        swept.letters.iter().find(|row| row.letter.id.as_str() == ids[number - 1]).unwrap().state
    };
    for closed in [1, 4, 5, 7, 12, 13, 14, 17, 18, 20, 25, 30, 32, 38, 46, 51] {
        assert_eq!(fate(closed), Fate::FiredClay, "line {closed}");
    }
    // A line of code is no letter, and neither is the 99th.
    assert_eq!((fate(21), fate(12 - 4), fate(2)), (Fate::External, Fate::WetInk, Fate::WetInk));
    // Sixteen that are answered, and twelve of the thirteen triage letters, which answer them.
    assert_eq!(swept.counts, FateCounts { wet_ink: 24, in_flight: 0, fired_clay: 28, external: 1 });
    assert_eq!(swept.counts.open(), 24, "what is not ours to close is not counted");
    assert_eq!((swept.stuck.len(), swept.unfiled), (0, 0));
    let names: Vec<_> = swept.without_brain.iter().map(|root| root.display().to_string()).collect();
    assert_eq!(names, ["/home/ana/almus", "/home/ana/reporooms", "/home/ana/src/Cherrybubbles1"]);
}

#[test] // spec: LTR-13, LTR-6
fn a_box_shows_its_own_letters_and_no_other() {
    let world = world();
    world.post().import_letters(&[OLD.into()], Filing::Real).unwrap();
    let before = world.mailbox("/home/ana/cherry/src", None);
    assert!(before.is_ok(), "nothing is filed yet");
    world.distribute();
    let cherry = world.mailbox("/home/ana/plum", Some("/home/ana/cherry")).unwrap();
    assert_eq!((cherry.root.as_deref(), cherry.letters.len()), (Some(Path::new("/home/ana/cherry")), 38));
    assert_eq!(cherry.letters, {
        let mut rows = before.unwrap().letters;
        rows.iter_mut().for_each(|row| row.boxes = vec!["/home/ana/cherry".into()]);
        rows
    });
    let medulla = world.mailbox(USER, None).unwrap();
    assert_eq!((medulla.root, medulla.letters.len()), (None, 9), "an unbound caller sees the medulla's");
    let fault = refusal(world.mailbox(USER, Some("/home/ana/reporooms")));
    assert_eq!(fault.code.name(), "mailbox.unknown_brain", "registered roots only");
    let counts = world.post().open_counts(&caller(USER), &["/home/ana/cherry".into()]);
    assert_eq!(counts[&Some("/home/ana/cherry".into())], Ok(cherry.counts.open()));
    assert_eq!(counts[&None], Ok(medulla.counts.open()));
}
