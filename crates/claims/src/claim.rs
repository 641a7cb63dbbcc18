//! A claim as it is read from its file.

use crate::evidence::Evidence;
use crate::light::{BodyMarker, ClaimKind, LightFile, ParseFault, keys};
use crate::{Confidence, State, Strength};
use brainstem_base::Timestamp;

/// What a claim file says. A key that is missing or cannot be read is `None`: shown as unknown,
/// never filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The file itself, for stamping and for showing it whole.
    pub file: LightFile,
    /// The label.
    pub label: String,
    /// The state.
    pub state: Option<State>,
    /// When this version was born.
    pub created: Option<Timestamp>,
    /// The agent that wrote it.
    pub source_agent: Option<String>,
    /// The agent that put it on record, if that is not plainly its author at its birth.
    pub recorded_by: Option<String>,
    /// When that was.
    pub recorded_at: Option<Timestamp>,
    /// The brain it was written in.
    pub origin_brain: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// What it was written together with.
    pub group: Option<String>,
    /// Whether it is doctrine that outweighs a repository's own rule.
    pub absolute: bool,
    /// The version before, as `<slug>@<ms>`.
    pub supersedes: Option<String>,
    /// On a witness: its medulla copy.
    pub promoted_to: Option<String>,
    /// On a medulla copy: the claim it came from.
    pub origin_claim: Option<String>,
    /// The title.
    pub title: Option<String>,
    /// The prose.
    pub text: String,
    /// What sort of thing it is about.
    pub kind: Option<ClaimKind>,
    /// How sure its author was.
    pub confidence: Option<Confidence>,
    /// Where it can be checked.
    pub evidence: Vec<Evidence>,
    /// Labels it depends on.
    pub depends_on: Vec<String>,
}

impl Claim {
    /// Reads the bytes of a file.
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseFault> {
        LightFile::parse(bytes).map(Self::from)
    }

    /// Its strength; a missing state counts as authored, a missing confidence as medium.
    pub fn strength(&self) -> Strength {
        Strength {
            state: self.state.unwrap_or(State::Authored),
            confidence: self.confidence.unwrap_or(Confidence::UNSTATED),
        }
    }

    /// The file of this version as history keeps it: `State: outdated`, every other byte the same.
    pub fn outdated(&self) -> LightFile {
        let mut file = self.file.clone();
        file.set(keys::STATE, State::Outdated.as_str());
        file
    }
}

impl From<LightFile> for Claim {
    fn from(file: LightFile) -> Self {
        let body = file.body();
        let mut claim = Self {
            label: file.get(keys::NODE).expect("a LightFile has a Node"),
            state: file.get(keys::STATE).and_then(|text| State::parse(&text).ok()),
            created: file.get(keys::CREATED).and_then(|text| parse_ms(&text)),
            source_agent: file.get(keys::SOURCE_AGENT).filter(|text| !text.is_empty()),
            recorded_by: file.get(keys::RECORDED_BY).filter(|text| !text.is_empty()),
            recorded_at: file.get(keys::RECORDED_AT).and_then(|text| parse_ms(&text)),
            origin_brain: file.get(keys::ORIGIN_BRAIN).filter(|text| !text.is_empty()),
            tags: file.get(keys::TAGS).map(|text| split_tags(&text)).unwrap_or_default(),
            group: file.get(keys::GROUP),
            absolute: file.get(keys::DOCTRINE).as_deref() == Some("absolute"),
            supersedes: file.get(keys::SUPERSEDES),
            promoted_to: file.get(keys::PROMOTED_TO),
            origin_claim: file.get(keys::ORIGIN_CLAIM),
            title: body.title,
            text: body.text,
            kind: None,
            confidence: None,
            evidence: Vec::new(),
            depends_on: Vec::new(),
            file,
        };
        for marker in body.markers {
            match marker {
                BodyMarker::Kind(kind, _) => claim.kind = claim.kind.or(Some(kind)),
                // A value outside 0..1 counts as missing: it must not block an honest correction.
                BodyMarker::Confidence(text) => {
                    claim.confidence = claim.confidence.or(Confidence::parse(&text).ok())
                }
                BodyMarker::Evidence(text) => claim.evidence.push(Evidence::parse(&text)),
                BodyMarker::DependsOn(label) => claim.depends_on.push(label),
                BodyMarker::Ambiguity(_) => {}
            }
        }
        claim
    }
}

fn parse_ms(text: &str) -> Option<Timestamp> {
    let ms: i64 = text.parse().ok()?;
    (Timestamp::MIN.ms()..=Timestamp::MAX.ms()).contains(&ms).then(|| Timestamp::from_ms(ms))
}

fn split_tags(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
}
