//! What holds for every draft that passes its checks. The fuzz target uses this file too.

use crate::properties;
use brainstem_base::{AgentId, Timestamp};
use brainstem_claims::evidence::Evidence;
use brainstem_claims::light::ClaimKind;
use brainstem_claims::{Author, Claim, ClaimDraft, Confidence, Label, State};

/// What a caller may give for a draft.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) label: String,
    pub(crate) title: Option<String>,
    pub(crate) text: String,
    pub(crate) state: u8,
    pub(crate) confidence: Option<f64>,
    pub(crate) kind: u8,
    pub(crate) evidence: Vec<String>,
    pub(crate) depends_on: Vec<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) group: Option<String>,
    pub(crate) absolute: bool,
    pub(crate) origin_brain: String,
    pub(crate) created: i64,
    pub(crate) supersedes: Option<String>,
}

/// Writes a draft and reads its file: it is a claim that says exactly the draft. `false`: it is refused before.
pub(crate) fn check(given: Given) -> bool {
    let Ok(label) = Label::parse(&given.label) else { return false };
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
        absolute: given.absolute,
    };
    let Ok(draft) = draft.normalise() else { return false };
    let agent = AgentId::parse("codex:maker").expect("an id");
    let author = Author { agent, origin_brain: given.origin_brain.clone(), recorded: None };
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
    true
}
