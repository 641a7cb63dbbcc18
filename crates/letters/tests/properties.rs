//! What holds for every set of letters: fates, ids, and the plan of a distribution.

use brainstem_letters::address::{Aim, LocalNames, ProjectClue};
use brainstem_letters::confusion::Confusion;
use brainstem_letters::fate::{Graph, References};
use brainstem_letters::lines::{LetterLines, LetterWithLine, Tail};
use brainstem_letters::plan::{LetterDestination, Resolution, World, plan};
use brainstem_letters::{Fate, FateCounts, Letter, LetterId};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// One letter of a random graph: class, tool, verdict, and the numbers of those it answers. Numbers past the
/// end are unknown ids, its own is a self-answer, and nothing keeps two from answering each other.
type Node = (usize, usize, usize, Vec<usize>);

const CLASSES: &[&str] = &["friction", "triage", "receipt", "memory_misdelivery", "win"];
const TOOLS: &[Option<&str>] = &[None, Some("seek"), Some("elsewhere")];
const VERDICTS: &[Option<&str>] = &[None, Some("confirmed"), Some("dismissed"), Some("duplicate"), Some("?")];

fn id(number: usize) -> LetterId {
    LetterId::parse(&format!("{number:012x}")).expect("twelve digits")
}

fn letters(nodes: &[Node]) -> Vec<Letter> {
    let letter = |(at, (class, tool, verdict, answers)): (usize, &Node)| {
        let answers: Vec<String> = answers.iter().map(|number| id(*number).to_string()).collect();
        let fields = serde_json::json!({
            "class": CLASSES[*class], "kind": "leak", "tool": TOOLS[*tool], "verdict": VERDICTS[*verdict],
            "ts": format!("2026-07-{:02}T00:00:00Z", 1 + at % 28), "answers": answers,
        });
        Letter { id: id(at), ..Letter::parse(fields.to_string().as_bytes()).expect("a letter") }
    };
    nodes.iter().enumerate().map(letter).collect()
}

fn nodes() -> impl Strategy<Value = Vec<Node>> {
    let node =
        (0..CLASSES.len(), 0..TOOLS.len(), 0..VERDICTS.len(), prop::collection::vec(0_usize..14, 0..4));
    prop::collection::vec(node, 0..12)
}

/// The slow and plain way: an answer counts when its target is known and does not lead back to it.
fn plainly(nodes: &[Node]) -> Vec<BTreeSet<usize>> {
    let reaches = |from: usize, to: usize| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(at) = next.pop() {
            if at == to {
                return true;
            }
            if at < nodes.len() && seen.insert(at) {
                next.extend(&nodes[at].3);
            }
        }
        false
    };
    let mut answered_by = vec![BTreeSet::new(); nodes.len()];
    for (from, (.., answers)) in nodes.iter().enumerate() {
        for to in answers.iter().copied().filter(|to| *to < nodes.len()) {
            if !reaches(to, from) {
                answered_by[to].insert(from);
            }
        }
    }
    answered_by
}

fn own(tool: &str) -> bool {
    tool == "seek"
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test] // spec: LTR-10
    fn every_letter_has_the_fate_that_its_answers_give_it(nodes in nodes()) {
        let letters = letters(&nodes);
        let graph = Graph::new(&letters, &References::new());
        let answered_by = plainly(&nodes);
        for (at, letter) in letters.iter().enumerate() {
            let answers = &answered_by[at];
            let got: BTreeSet<LetterId> = graph.answering(&letter.id).iter().map(|l| l.id.clone()).collect();
            prop_assert_eq!(got, answers.iter().map(|n| id(*n)).collect::<BTreeSet<_>>());
            let closes = |from: usize| ["triage", "receipt"].contains(&CLASSES[nodes[from].0]);
            let closed = answers.iter().any(|from| closes(*from));
            let expected = match letter.tool.as_deref() {
                Some("elsewhere") => Fate::External,
                _ if closed => Fate::FiredClay,
                _ if !answers.is_empty() => Fate::InFlight,
                // A letter that closes another needs no answer itself.
                _ if closes(at) && answered_by.iter().any(|by| by.contains(&at)) => Fate::FiredClay,
                _ => Fate::WetInk,
            };
            prop_assert_eq!(graph.fate(letter, &own), expected);
        }
        let counts: FateCounts = letters.iter().map(|letter| graph.fate(letter, &own)).collect();
        prop_assert_eq!(counts.open() + counts.fired_clay + counts.external, letters.len());
    }

    #[test] // spec: LTR-10, LTR-16
    fn order_repetition_and_answers_to_nothing_change_no_fate_and_no_count(
        nodes in nodes(), turn in 0_usize..12, unknown in 100_usize..200,
    ) {
        let letters = letters(&nodes);
        let told = |letters: &[Letter], references: &References| {
            let graph = Graph::new(letters, references);
            let fates: BTreeMap<LetterId, Fate> =
                letters.iter().map(|l| (l.id.clone(), graph.fate(l, &own))).collect();
            let mut confusion = Confusion::of(&graph);
            confusion.confirmed.sort();
            (fates, confusion)
        };
        let plain = told(&letters, &References::new());
        let mut turned = letters.clone();
        turned.rotate_left(turn.min(letters.len()));
        turned.extend(letters.iter().cloned());
        prop_assert_eq!(&told(&turned, &References::new()), &plain);
        let to_nothing: References =
            letters.iter().map(|l| (l.id.clone(), vec![id(unknown), l.id.clone()])).collect();
        prop_assert_eq!(&told(&letters, &to_nothing), &plain);
    }

    #[test] // spec: LTR-3
    fn an_id_follows_from_the_line_alone(lines in prop::collection::vec("[ -~]{0,40}", 0..8)) {
        let objects: Vec<String> =
            lines.iter().map(|text| serde_json::json!({ "what": text }).to_string()).collect();
        let file = objects.iter().map(|line| format!("{line}\n")).collect::<String>();
        let read = LetterLines::read(file.as_bytes(), Tail::Waits);
        let expected: BTreeSet<LetterId> = objects.iter().map(|line| LetterId::of_line(line.as_bytes())).collect();
        let got: BTreeSet<LetterId> = read.letters.iter().map(|l| l.letter.id.clone()).collect();
        prop_assert_eq!(got, expected);
        // In another file, in another order, between other lines: the same.
        let turned = objects.iter().rev().map(|line| format!("no letter\n{line}\n")).collect::<String>();
        let mut again: Vec<LetterId> =
            LetterLines::read(turned.as_bytes(), Tail::Counts).letters.into_iter().map(|l| l.letter.id).collect();
        let mut first: Vec<LetterId> = read.letters.into_iter().map(|l| l.letter.id).collect();
        again.sort();
        first.sort();
        prop_assert_eq!(again, first);
    }
}

/// A machine with two projects called plum, one cherry, and a floor that catches a word.
struct Machine {
    held: BTreeSet<(Option<PathBuf>, LetterId)>,
}

impl World for Machine {
    fn resolve(&mut self, wanted: &ProjectClue) -> Resolution {
        match wanted {
            ProjectClue::Path(path) if path == "/src/cherry" => Resolution::Here(path.into()),
            ProjectClue::Path(path) if path == "/etc" => Resolution::NoProject,
            ProjectClue::Name(name) if name == "cherry" => Resolution::Here("/src/cherry".into()),
            ProjectClue::Name(name) if name == "plum" => {
                Resolution::Several(vec!["/a/plum".into(), "/b/plum".into()])
            }
            ProjectClue::Path(_)
            | ProjectClue::Name(_)
            | ProjectClue::Folder(_)
            | ProjectClue::Marked { .. }
            | ProjectClue::Brain { .. } => Resolution::NotHere,
        }
    }

    fn holds(&mut self, root: Option<&Path>, id: &LetterId) -> bool {
        self.held.contains(&(root.map(Path::to_owned), id.clone()))
    }

    fn holder(&mut self, id: &LetterId) -> Option<PathBuf> {
        self.held.iter().find(|(_, held)| held == id).and_then(|(root, _)| root.clone())
    }

    fn refuses(&mut self, line: &[u8]) -> Option<&'static str> {
        line.windows(6).any(|word| word == b"SECRET").then_some("a_rule")
    }
}

fn spelling() -> impl Strategy<Value = Option<String>> {
    let known =
        ["cherry", "plum", "pear", "/src/cherry", "/etc", "~/pear", "all", "(no repo)", "", "medulla"];
    let known = known.map(|word| Some(word.to_owned()));
    prop_oneof![4 => prop::sample::select(known.to_vec()), 1 => Just(None), 1 => "[ -~]{0,12}".prop_map(Some)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test] // spec: LTR-5, LTR-6, LTR-7, LTR-8
    fn each_letter_ends_in_one_place_and_a_second_run_files_nothing(
        given in prop::collection::vec((spelling(), spelling(), any::<bool>()), 0..12)
    ) {
        let file: String = given
            .iter()
            .enumerate()
            .map(|(at, (repo, brain, caught))| {
                let what = if *caught { "SECRET" } else { "plain" };
                serde_json::json!({ "n": at, "repo": repo, "brain": brain, "what": what }).to_string() + "\n"
            })
            .collect();
        let letters: Vec<LetterWithLine> = LetterLines::read(file.as_bytes(), Tail::Waits).letters;
        prop_assert_eq!(letters.len(), given.len());
        let words = LocalNames { user_home: Some("/home/ana".into()), ..LocalNames::default() };
        let mut machine = Machine { held: BTreeSet::new() };
        let first = plan(&letters, &words, &mut machine);
        prop_assert_eq!(first.len(), letters.len(), "one end for each");
        for planned in &first {
            prop_assert!(!planned.held);
            let secret = planned.letter.letter.what.as_deref() == Some("SECRET");
            match &planned.destination {
                LetterDestination::Refused { rule } => prop_assert!(secret && *rule == "a_rule"),
                LetterDestination::Medulla => {
                    // No letter that names a project, and no other, lands here.
                    fn is_project(aim: &Aim) -> bool {
                        match aim {
                            Aim::Project { tries, .. } => *tries != [ProjectClue::Path("/etc".into())],
                            Aim::Written { otherwise, .. } => is_project(otherwise),
                            Aim::NoProject => false,
                        }
                    }
                    let names = |field: &Option<String>| {
                        field.as_deref().is_some_and(|text| is_project(&words.aim_at(text)))
                    };
                    let letter = &planned.letter.letter;
                    prop_assert!(!secret && !names(&letter.repo) && !names(&letter.brain), "{letter:?}");
                    machine.held.insert((None, letter.id.clone()));
                }
                LetterDestination::Project(root) => {
                    prop_assert!(!secret && root == Path::new("/src/cherry"));
                    machine.held.insert((Some(root.clone()), planned.letter.letter.id.clone()));
                }
                LetterDestination::Pending { spelled, .. } => prop_assert!(!secret && !spelled.is_empty()),
            }
        }
        let second = plan(&letters, &words, &mut machine);
        for (before, after) in first.iter().zip(&second) {
            prop_assert_eq!(&before.destination, &after.destination);
            prop_assert_eq!(after.held, after.destination.boxed().is_some());
        }
    }
}

#[test] // spec: LTR-10
fn a_box_whose_every_letter_is_answered_comes_down_to_zero() {
    let class = |name: &str| CLASSES.iter().position(|class| *class == name).expect("a class");
    let open = |nodes: &[Node]| {
        let letters = letters(nodes);
        let graph = Graph::new(&letters, &References::new());
        letters.iter().map(|letter| graph.fate(letter, &own)).collect::<FateCounts>().open()
    };
    let node = |name: &str, answers: &[usize]| (class(name), 0, 0, answers.to_vec());
    let mut nodes = vec![node("friction", &[]), node("win", &[])];
    assert_eq!(open(&nodes), 2, "a win is open too until somebody has sorted it");
    nodes.push(node("triage", &[0, 1]));
    assert_eq!(open(&nodes), 0);
    nodes.push(node("friction", &[2]));
    assert_eq!(open(&nodes), 2, "a contradiction takes the closing letter up again, and is open itself");
    nodes.push(node("receipt", &[3, 2]));
    assert_eq!(open(&nodes), 0);
    nodes.push(node("receipt", &[]));
    nodes.push(node("triage", &[77]));
    assert_eq!(open(&nodes), 2, "one that closes nothing known here is a letter like any other");
}

#[test] // spec: LTR-10
fn a_chain_of_a_hundred_thousand_answers_is_read_in_a_moment() {
    let count = 100_000;
    let nodes: Vec<Node> =
        (0..count).map(|at: usize| (at % 5, 0, 0, at.checked_sub(1).into_iter().collect())).collect();
    let letters = letters(&nodes);
    let graph = Graph::new(&letters, &References::new());
    let counts: FateCounts = letters.iter().map(|letter| graph.fate(letter, &own)).collect();
    assert_eq!(
        counts,
        FateCounts { wet_ink: 1, in_flight: count * 3 / 5 - 1, fired_clay: count * 2 / 5, external: 0 }
    );
}

#[test] // spec: LTR-5
fn of_two_clones_of_one_brain_the_one_that_repo_names_is_meant() {
    struct Clones;
    impl World for Clones {
        fn resolve(&mut self, wanted: &ProjectClue) -> Resolution {
            match wanted {
                ProjectClue::Brain { .. } => {
                    Resolution::Several(vec!["/a/cherry".into(), "/b/cherry".into()])
                }
                ProjectClue::Name(name) => Resolution::Here(format!("/{name}").into()),
                ProjectClue::Path(_) | ProjectClue::Folder(_) | ProjectClue::Marked { .. } => {
                    Resolution::NotHere
                }
            }
        }
        fn holds(&mut self, _: Option<&Path>, _: &LetterId) -> bool {
            false
        }
        fn holder(&mut self, _: &LetterId) -> Option<PathBuf> {
            None
        }
        fn refuses(&mut self, _: &[u8]) -> Option<&'static str> {
            None
        }
    }
    let end = |repo: &str| {
        let line = format!(r#"{{"brain":"cherry@0011aabb","repo":"{repo}"}}"#);
        let letters = LetterLines::read(line.as_bytes(), Tail::Counts).letters;
        plan(&letters, &LocalNames::default(), &mut Clones).remove(0).destination
    };
    assert_eq!(end("b/cherry"), LetterDestination::Project("/b/cherry".into()));
    assert!(matches!(end("plum"), LetterDestination::Pending { several, .. } if several.len() == 2));
}

#[test] // spec: LTR-5, LTR-7
fn a_letter_that_lies_in_the_box_of_every_project_of_its_name_is_filed() {
    let letters = LetterLines::read(br#"{"repo":"plum","what":"x"}"#, Tail::Counts).letters;
    let id = letters[0].letter.id.clone();
    let end = |roots: &[&str]| {
        let held = roots.iter().map(|root| (Some(PathBuf::from(root)), id.clone())).collect();
        let planned = plan(&letters, &LocalNames::default(), &mut Machine { held }).remove(0);
        (planned.held, matches!(planned.destination, LetterDestination::Pending { .. }))
    };
    assert_eq!(end(&["/a/plum", "/b/plum"]), (true, false), "whichever is meant, it lies there");
    assert_eq!(end(&["/a/plum"]), (false, true), "perhaps the other one is meant");
    assert_eq!(end(&[]), (false, true));
}
