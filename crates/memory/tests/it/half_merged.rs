//! A claim that git merged line by line, because the merge driver was not there: no version is made of lines of both.

use crate::place::Place;
use crate::world::{Short as _, caller, claim, code, how_sure};
use brainstem_memory::{DoctorRequest, MemorizeRequest, ResolveRequest, Tier, Trouble};
use brainstem_transfer::mixed_medulla;
use std::process::Command;

const OURS: &str = "src/ours";
const THEIRS: &str = "src/theirs";
const EVE: &str = "human:eve";
const CODEX: &str = "codex:maker";

fn deploy(start: &str, drop: &str) -> String {
    let same = "Step two is the same.\n\nStep three is the same.\n\nStep four is the same.";
    format!("Deploys start at {start}.\n\n{same}\n\nDrop the database: {drop}.")
}

/// A clone with a merge that waits: eve changed the first line of a claim, another agent its last one, its confidence and its tags.
fn merged_by_lines() -> Place {
    let place = Place::new();
    place.repository(THEIRS);
    place.begin(THEIRS);
    place.init(THEIRS);
    place.tell(THEIRS, "Deploy", &deploy("noon", "never"));
    place.commit_all(THEIRS);
    place.git("src", &["clone", "-q", "theirs", "ours"]);
    let memory = place.memory();
    memory.memorize(&caller(EVE, place.at(OURS)), &claim("Deploy", &deploy("ten", "never"))).unwrap();
    place.commit_all(OURS);
    let theirs = MemorizeRequest {
        confidence: how_sure("high"),
        tags: vec!["risky".into()],
        ..claim("Deploy", &deploy("noon", "always"))
    };
    memory.memorize(&caller(CODEX, place.at(THEIRS)), &theirs).unwrap();
    place.commit_all(THEIRS);
    place.git(OURS, &["fetch", "-q", "origin"]);
    let merge = ["-c", "user.name=eve", "-c", "user.email=e@example.org", "merge", "-q", "origin/main"];
    let merged = Command::new("git").args(merge).current_dir(place.at(OURS)).output().unwrap();
    assert!(!merged.status.success(), "git cannot merge it");
    place
}

fn shown(place: &Place) -> Vec<(Option<&'static str>, Option<String>, String, bool)> {
    let rows = place.memory().find(&place.in_(OURS), "deploys start", Tier::Project).rows;
    let mut rows: Vec<_> =
        rows.into_iter().map(|row| (row.side, row.source_agent, row.text, !row.tags.is_empty())).collect();
    rows.sort_by_key(|(side, ..)| *side);
    rows
}

#[test] // spec: MEM-49, MEM-5a
fn both_versions_are_those_that_their_authors_wrote() {
    let place = merged_by_lines();
    let expected = [
        (Some("ours"), Some(EVE.to_owned()), deploy("ten", "never"), false),
        (Some("theirs"), Some(CODEX.to_owned()), deploy("noon", "always"), true),
    ];
    assert_eq!(shown(&place), expected);
    let gaps = place.memory().find(&place.in_(OURS), "deploys start", Tier::Project).gaps;
    assert_eq!(gaps.iter().map(|gap| gap.name).collect::<Vec<_>>(), ["undecided"], "{gaps:?}");
    // Git packs what it has, and keeps one version as a change of another.
    place.git(OURS, &["gc", "-q"]);
    assert_eq!(shown(&place), expected);
    let take = ResolveRequest {
        label: Some("Deploy".into()),
        take: Some("ours".into()),
        ..ResolveRequest::default()
    };
    let decided = place.memory().resolve(&caller(EVE, place.at(OURS)), &take).unwrap().claim.unwrap();
    assert_eq!((decided.text, decided.tags), (deploy("ten", "never"), Vec::new()));
    let history = place.memory().look_at(&place.in_(OURS), "Deploy", Tier::Project).unwrap().history;
    assert!(history.iter().any(|version| version.text == deploy("noon", "always")));
    assert!(!history.iter().any(|version| version.missing), "{history:?}");
}

#[test] // spec: MEM-49, MEM-6
fn of_markers_that_were_committed_no_version_is_shown() {
    let place = merged_by_lines();
    place.commit_all(OURS);
    let (memory, there) = (place.memory(), place.in_(OURS));
    let sought = memory.find(&there, "deploys start", Tier::Project);
    assert!(sought.rows.is_empty(), "{:?}", sought.rows);
    let gap = sought.gaps.iter().find(|gap| gap.name == "unreadable_claim").unwrap();
    assert!(gap.detail.contains("checkout --merge") && gap.detail.contains("--pretty=%P"), "{}", gap.detail);
    let take = ResolveRequest {
        label: Some("Deploy".into()),
        take: Some("ours".into()),
        ..ResolveRequest::default()
    };
    assert_eq!(code(memory.resolve(&there, &take)), "claim.unreadable");
    let found = memory.doctor(&there, &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap().findings;
    let finding = found.iter().find(|finding| finding.trouble == Trouble::ClaimUnreadable).unwrap();
    assert!(finding.fix.contains("checkout --merge"), "{}", finding.fix);
}
