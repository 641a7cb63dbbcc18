//! Any draft that passes its checks: its file is a claim that says exactly the draft.

#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};

#[path = "../../crates/claims/tests/formats/drafts.rs"]
mod drafts;
#[path = "../../crates/claims/tests/formats/properties.rs"]
mod properties;

#[derive(Arbitrary, Debug)]
struct Given {
    label: String,
    title: Option<String>,
    text: String,
    state: u8,
    confidence: Option<f64>,
    kind: u8,
    evidence: Vec<String>,
    depends_on: Vec<String>,
    tags: Vec<String>,
    group: Option<String>,
    absolute: bool,
    origin_brain: String,
    created: i64,
    supersedes: Option<String>,
}

libfuzzer_sys::fuzz_target!(|given: Given| {
    drafts::check(drafts::Given {
        label: given.label,
        title: given.title,
        text: given.text,
        state: given.state,
        confidence: given.confidence,
        kind: given.kind,
        evidence: given.evidence,
        depends_on: given.depends_on,
        tags: given.tags,
        group: given.group,
        absolute: given.absolute,
        origin_brain: given.origin_brain,
        created: given.created,
        supersedes: given.supersedes,
    });
});
