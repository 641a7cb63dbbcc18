//! Claim files as this version writes them and as other tools do, each with the reading expected of
//! it in a JSON file beside it. A later version must read them to the same.

#![allow(clippy::disallowed_methods, reason = "golden files are real files")]

mod drafts;
mod mutations;
mod properties;

use brainstem_claims::evidence::EvidenceHash;
use brainstem_claims::lifecycle::{FilePlace, Lifecycle};
use brainstem_claims::{Claim, ClaimSlug, Label};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/formats/v1");

#[test] // spec: MEM-3a, MEM-5, MEM-6, MEM-7, MEM-9
fn every_golden_file_reads_as_written_beside_it() {
    check_all(Path::new(FOLDER), |bytes| reading(&Claim::parse(bytes).expect("a claim")));
}

#[test] // spec: MEM-6
fn every_broken_file_is_named_for_what_is_wrong() {
    check_all(&Path::new(FOLDER).join("broken"), |bytes| {
        let fault = Claim::parse(bytes).expect_err("not a claim");
        json!({ "fault": format!("{fault:?}"), "says": fault.to_string() })
    });
}

#[test] // spec: MEM-6
fn every_golden_file_keeps_its_bytes() {
    for path in files(Path::new(FOLDER)) {
        assert!(properties::check(&bytes_of(&path)), "{}", path.display());
    }
}

#[test] // spec: MEM-5
fn the_sample_of_the_format_page_is_a_golden_file() {
    let page = include_str!("../../../../docs/formats/claim.md");
    let (_, rest) = page.split_once("```text\n---\n").expect("a fenced sample");
    let (sample, _) = rest.split_once("```").expect("the end of the sample");
    assert_eq!(format!("---\n{sample}"), include_str!("v1/full.light.md"));
}

#[test] // spec: MEM-5
fn the_format_page_names_every_key_in_order() {
    let page = include_str!("../../../../docs/formats/claim.md");
    let named: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` |"))
        .map(|(key, _)| key)
        .collect();
    let keys = brainstem_claims::light::keys::ORDER;
    assert_eq!(named.iter().filter(|name| keys.contains(name)).copied().collect::<Vec<_>>(), keys);
}

/// What a claim says, as the JSON beside it has it.
fn reading(claim: &Claim) -> Value {
    let slug = Label::parse(&claim.label).map(|label| ClaimSlug::of(&label).to_string());
    let hash = |hash: &EvidenceHash| match hash {
        EvidenceHash::File(sha256) => sha256.clone(),
        EvidenceHash::Range(range) => format!("{} bytes of lines {}", range.len, range.sha256),
    };
    let mut reading = json!({
        "label": claim.label,
        "slug": slug.expect("a readable label"),
        "state": claim.state.map(|state| state.as_str()),
        "created": claim.created.map(|created| created.ms()),
        "source_agent": claim.source_agent,
        "origin_brain": claim.origin_brain,
        "tags": claim.tags,
        "group": claim.group,
        "absolute": claim.absolute,
        "supersedes": claim.supersedes,
        "promoted_to": claim.promoted_to,
        "origin_claim": claim.origin_claim,
        "in_the_medulla": Lifecycle::of(FilePlace::Medulla, claim).as_str(),
        "title": claim.title,
        "text": claim.text,
        "kind": claim.kind.map(|kind| kind.as_str()),
        "confidence": claim.confidence.map(|confidence| confidence.value()),
        "evidence": claim.evidence.iter().map(|entry| json!([entry.path, entry.anchor, entry.hash.as_ref().map(hash)])).collect::<Vec<_>>(),
        "depends_on": claim.depends_on,
        "unknown_lines": claim.file.unknown_lines().collect::<Vec<_>>(),
    });
    // Files from before this key do not have it.
    if let Some(by) = &claim.recorded_by {
        reading["recorded"] = json!([by, claim.recorded_at.map(|at| at.ms())]);
    }
    reading
}

fn check_all(folder: &Path, read: impl Fn(&[u8]) -> Value) {
    let files = files(folder);
    assert!(files.len() > 10, "the golden files are there");
    for path in files {
        let found = read(&bytes_of(&path));
        let beside = path.with_extension("").with_extension("json");
        // A new golden file gets its reading this way, to be looked at; an old one is never changed.
        if std::env::var_os("BRAINSTEM_BLESS").is_some() && !beside.exists() {
            std::fs::write(&beside, format!("{found:#}\n")).expect("the folder can be written");
        }
        let expected: Value = serde_json::from_slice(&bytes_of(&beside)).expect("JSON");
        assert_eq!(found, expected, "{}", path.display());
    }
}

/// The claim files of a folder, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the golden files");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.to_str().is_some_and(|path| path.ends_with(".light.md")));
    files.sort();
    files
}

fn bytes_of(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
