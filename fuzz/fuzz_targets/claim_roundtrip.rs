//! Any draft that passes its checks: its file is a claim that says exactly the draft.

#![no_main]

use brainstem_base::{AgentId, Timestamp};
use brainstem_claims::evidence::Evidence;
use brainstem_claims::light::ClaimKind;
use brainstem_claims::{Author, Claim, ClaimDraft, Confidence, Label, State};
use libfuzzer_sys::arbitrary::{self, Arbitrary};

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
    origin_brain: String,
    created: i64,
    supersedes: Option<String>,
}

libfuzzer_sys::fuzz_target!(|given: Given| {
    let Ok(label) = Label::parse(&given.label) else { return };
    let draft = ClaimDraft {
        label,
        title: given.title,
        text: given.text,
        state: State::ALL[usize::from(given.state) % State::ALL.len()],
        confidence: given.confidence.and_then(|value| Confidence::new(value).ok()),
        kind: ClaimKind::ALL[usize::from(given.kind) % ClaimKind::ALL.len()],
        evidence: given.evidence.iter().map(|entry| Evidence::parse(entry)).collect(),
        depends_on: given.depends_on,
        tags: given.tags,
        group: given.group,
    };
    let Ok(draft) = draft.normalise() else { return };
    let agent = AgentId::parse("codex:maker").expect("an id");
    let author = Author { agent, origin_brain: given.origin_brain.clone() };
    let created = Timestamp::from_ms(given.created);
    let file = draft.file(&author, created, given.supersedes.clone());

    let bytes = file.render();
    assert!(properties::check(bytes.as_bytes()), "what we write, we read");
    let claim = Claim::parse(bytes.as_bytes()).expect("what we write, we read");
    assert!(draft.is_said_by(&claim), "{claim:?}");
    assert_eq!(claim.label, draft.label.as_str());
    assert_eq!(claim.created, Some(created));
    assert_eq!(claim.source_agent.as_deref(), Some("codex:maker"));
    assert_eq!(claim.origin_brain.unwrap_or_default(), given.origin_brain);
    assert_eq!(claim.supersedes, given.supersedes);
    assert_eq!(claim.file.unknown_lines().count(), 0, "no value forges a line");
});
