//! Any committer can append acts to a repository's log: what each fold costs is counted in steps, over thousands of
//! renamings in the shapes that make a walk over names long.

use super::names::{LabelsOnRecord, NamesOnRecord, tests::act};
use super::proposals::Proposed;
use super::provenance::ExplainedVersions;
use super::verdicts::VersionVerdicts;
use super::versions::VersionFates;
use super::work::steps_of;
use crate::act::{Act, Deed, Judgement, Mention, VersionRef};
use crate::{Claim, ClaimSlug, Label};
use brainstem_base::Timestamp;
use std::sync::Arc;

const RENAMINGS: usize = 10_000;
/// What one renaming may cost in one question: it is seen from both ends, and a name changes its group a few times.
const STEPS_PER_ACT: usize = 32;

fn slug(text: &str) -> ClaimSlug {
    ClaimSlug::parse(text).unwrap()
}

fn born() -> Timestamp {
    Timestamp::from_ms(5)
}

/// A renaming of the version that was born at 5, as a committer wrote it.
fn renaming(from: &str, to: &str, at: usize) -> Act {
    let upon = VersionRef::new(&slug(from), Some(born())).into();
    let (from, to_slug) = (Some(from.to_owned()), Some(slug(to)));
    let deed = Deed::Rename { upon, from, to: Some(to.to_owned()), to_slug, created: Some(born()) };
    let mut act = act(i64::try_from(at).unwrap(), deed);
    act.set_foreign();
    act
}

/// Renamings around the claim `a`, by the name of their shape.
fn shapes() -> Vec<(&'static str, Vec<Act>)> {
    let (a, name) = ("a".to_owned(), |at: usize| format!("n{at}"));
    let all = |pair: &dyn Fn(usize) -> (String, String)| -> Vec<Act> {
        (0..RENAMINGS).map(|at| (pair(at), at)).map(|((from, to), at)| renaming(&from, &to, at)).collect()
    };
    let link = |at: usize| if at == 0 { a.clone() } else { name(at) };
    vec![
        ("chain from it", all(&|at| (link(at), name(at + 1)))),
        ("chain to it", all(&|at| (name(at), if at + 1 == RENAMINGS { a.clone() } else { name(at + 1) }))),
        ("chain, last link first", all(&|at| (link(RENAMINGS - 1 - at), name(RENAMINGS - at)))),
        ("star from it", all(&|at| (a.clone(), name(at)))),
        ("star to it", all(&|at| (name(at), a.clone()))),
        (
            "to and fro",
            all(&|at| if at % 2 == 0 { (a.clone(), name(at)) } else { (name(at - 1), a.clone()) }),
        ),
        ("ring", all(&|at| (link(at), if at + 1 == RENAMINGS { a.clone() } else { name(at + 1) }))),
        ("one pair", all(&|at| if at % 2 == 0 { (a.clone(), "b".into()) } else { ("b".into(), a.clone()) })),
        ("two levels", all(&|at| (name(at % 100), name(100 + at / 100)))),
    ]
}

fn live() -> Claim {
    let text = "---\nProtocol: L1GHT/1.0\nNode: a\nState: authored\nCreated: 5\n---\n\n# a\n\nText.\n";
    Claim::parse(text.as_bytes()).unwrap()
}

#[track_caller]
fn check(shape: &str, what: &str, call: impl FnOnce()) {
    let steps = steps_of(call);
    assert!(steps <= RENAMINGS * STEPS_PER_ACT, "{shape}, {what}: {steps} steps for {RENAMINGS} acts");
}

#[test] // spec: MEM-3c
fn what_a_committer_renames_costs_each_question_no_more_than_its_acts() {
    for (shape, acts) in shapes() {
        let mut fates = VersionFates::default();
        check(shape, "read", || fates = VersionFates::of(&acts));
        check(shape, "went to", || drop(fates.went_to(&slug("a"), &live())));
        check(shape, "names since", || drop(fates.names_since(&slug("a"), &live())));
        check(shape, "names before", || drop(fates.names_before(&slug("a"))));
        check(shape, "names after", || drop(fates.names_after(&slug("a"))));
        check(shape, "labels before", || drop(fates.labels_before(&slug("a"))));
        check(shape, "renamed before", || drop(fates.renamed_before(&slug("a"), Some(born()))));
        check(shape, "taken back", || {
            let names = fates.names_since(&slug("a"), &live());
            assert!(
                !fates.has_retracted(&names, &live()) && !fates.was_retracted_before(&slug("a"), &live())
            );
        });
        check(shape, "names of the label", || {
            drop(LabelsOnRecord::of(&acts).names_of(&Label::parse("a").unwrap()))
        });
        let version = VersionRef::new(&slug("a"), Some(born()));
        check(shape, "names of the version", || drop(NamesOnRecord::of(&acts).of_version(&version)));
    }
}

#[test] // spec: MEM-3c
fn what_is_said_of_a_version_with_thousands_of_names_is_kept_once() {
    for (shape, mut acts) in shapes() {
        let upon = |at: usize| Mention::from(VersionRef::new(&slug(&format!("n{at}")), Some(born())));
        for at in 1..1_000 {
            let (said, proposed) = (upon(at), upon(at));
            let verdict = Some(Judgement::read("correct"));
            acts.push(act(at as i64, Deed::Learn { upon: said, verdict, note: None }));
            acts.push(act(at as i64, Deed::Import { upon: upon(at) }));
            acts.push(act(1, Deed::Propose { upon: proposed, label: None, reason: None, ground: None }));
        }
        let names = Arc::new(NamesOnRecord::of(&acts));
        let voices = VersionVerdicts::of(&acts, &names);
        check(shape, "verdicts", || drop(VersionVerdicts::of(&acts, &names)));
        check(shape, "origins", || drop(ExplainedVersions::of(&acts, &names)));
        check(shape, "proposals", || drop(Proposed::all(&acts, |a, b| a == b)));
        check(shape, "all verdicts", || assert!(voices.all().count() <= 2 * RENAMINGS));
    }
}

#[test] // spec: MEM-3c
fn a_label_that_this_home_recorded_is_found_behind_thousands_of_a_committer() {
    let mut acts: Vec<Act> = (0..RENAMINGS).map(|at| renaming(&format!("n{at}"), "a", at)).collect();
    // A committer names the same renaming first, among the others.
    acts.insert(0, renaming("own", "a", 0));
    let upon = VersionRef::new(&slug("own"), Some(born())).into();
    let (from, to) = (Some("own".to_owned()), Some("a".to_owned()));
    let deed = Deed::Rename { upon, from, to, to_slug: Some(slug("a")), created: Some(born()) };
    acts.push(act(1, deed));
    let labels = VersionFates::of(&acts).labels_before(&slug("a"));
    assert_eq!(labels[0].as_str(), "own");
    assert_eq!(labels.len(), 1 + crate::limits::HEARSAY_NAMES_MAX);
}
