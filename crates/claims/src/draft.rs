//! What a caller asks to be remembered, checked, before it has a birth stamp.

use crate::evidence::Evidence;
use crate::light::{self, BodyMarker, ClaimBody, ClaimKind, LightFile, keys};
use crate::limits::{ITEM_LEN_MAX, LIST_LEN_MAX, TAG_LEN_MAX, TITLE_LEN_MAX};
use crate::{Claim, Confidence, Label, State, Strength};
use brainstem_base::{Advice, AgentId, Coded, ErrorCode, Timestamp, codes};
use brainstem_base::{advice, next};

/// The content of a claim to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimDraft {
    /// Its label.
    pub label: Label,
    /// Its title.
    pub title: Option<String>,
    /// Its prose.
    pub text: String,
    /// Its state.
    pub state: State,
    /// How sure the author is; `None` counts as medium.
    pub confidence: Option<Confidence>,
    /// What sort of thing it is about.
    pub kind: ClaimKind,
    /// Where it can be checked.
    pub evidence: Vec<Evidence>,
    /// Labels it depends on.
    pub depends_on: Vec<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// What it is written together with.
    pub group: Option<String>,
    /// Doctrine that outweighs a repository's own rule.
    pub absolute: bool,
}

/// The author of a claim, and where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    /// The agent.
    pub agent: AgentId,
    /// `<name>@<8 hex>` of the brain, or `medulla`.
    pub origin_brain: String,
    /// The agent that puts it on record, if that is not the author, or not at the time of its birth.
    pub recorded: Option<RecordedBy>,
}

/// The agent that put a claim on record, and when, if the author and the birth were given by the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedBy {
    /// The caller.
    pub by: AgentId,
    /// The time of the call.
    pub at: Timestamp,
}

/// Why a draft is refused before any file is read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClaimDraftFault {
    /// One field is over its limit.
    #[error("`{field}` has {len} {unit}; at most {max} are allowed")]
    TooLarge {
        /// The field.
        field: &'static str,
        /// Its size.
        len: usize,
        /// Its limit.
        max: usize,
        /// What is counted.
        unit: &'static str,
    },
    /// A tag with a comma or a control character, or an empty one.
    #[error("{0:?} is not a tag")]
    BadTag(String),
    /// Neither a text nor a title: it would take the place of a claim that says something.
    #[error("the claim says nothing: its text and its title are blank")]
    SaysNothing,
    /// An unfinished merge.
    #[error("`{0}` carries git conflict markers")]
    ConflictMarkers(&'static str),
}

impl Coded for ClaimDraftFault {
    fn code(&self) -> ErrorCode {
        match self {
            Self::TooLarge { .. } => codes::INPUT_TOO_LARGE,
            Self::BadTag(_) => codes::INPUT_BAD_VALUE,
            Self::SaysNothing => codes::INPUT_MISSING,
            Self::ConflictMarkers(_) => codes::CLAIM_CONFLICT_MARKERS,
        }
    }
    fn fix(&self) -> Option<Advice> {
        Some(match self {
            Self::TooLarge { field, .. } => {
                advice!["shorten `", next::field(field), "`, or write several claims"]
            }
            Self::BadTag(_) => "a tag is 1 to 64 bytes without commas or control characters".into(),
            Self::SaysNothing => advice!["give what is to be remembered as `", next::field("text"), "`"],
            Self::ConflictMarkers(_) => "finish the merge, then memorize the result".into(),
        })
    }
    fn field(&self) -> Option<String> {
        Some(match self {
            Self::TooLarge { field, .. } | Self::ConflictMarkers(field) => (*field).into(),
            Self::BadTag(_) => "tags".into(),
            Self::SaysNothing => "text".into(),
        })
    }
    fn rule(&self) -> Option<&'static str> {
        Some(match self {
            Self::ConflictMarkers(_) => "MEM-14",
            Self::TooLarge { .. } | Self::BadTag(_) | Self::SaysNothing => "MEM-5",
        })
    }
}

impl ClaimDraft {
    /// Checks every limit and normalises the draft to the form that a file gives back: no blank lines around the text,
    /// no white space around a title or a tag, no `#` before a tag, empty ones left out.
    pub fn normalise(mut self) -> Result<Self, ClaimDraftFault> {
        self.text = light::trim_blank_lines(&self.text).to_owned();
        self.title = self.title.map(|title| title.trim().to_owned()).filter(|title| !title.is_empty());
        self.group = self.group.map(|group| group.trim().to_owned()).filter(|group| !group.is_empty());
        self.tags =
            self.tags.iter().map(|tag| tag.trim().trim_start_matches('#').trim().to_owned()).collect();
        self.tags.sort();
        self.tags.dedup();
        let bad_tag = |tag: &&String| tag.is_empty() || tag.contains(|c: char| c == ',' || c.is_control());
        if let Some(tag) = self.tags.iter().find(bad_tag) {
            return Err(ClaimDraftFault::BadTag(tag.chars().take(40).collect()));
        }
        self.check_limits()?;
        if light::has_conflict_markers(&self.text) {
            return Err(ClaimDraftFault::ConflictMarkers("text"));
        }
        if self.title.is_none() && self.text.trim().is_empty() {
            return Err(ClaimDraftFault::SaysNothing);
        }
        Ok(self)
    }

    fn check_limits(&self) -> Result<(), ClaimDraftFault> {
        let check = |field, len, max, unit| {
            if len > max { Err(ClaimDraftFault::TooLarge { field, len, max, unit }) } else { Ok(()) }
        };
        check("title", self.title.as_ref().map_or(0, String::len), TITLE_LEN_MAX, "bytes")?;
        check("group", self.group.as_ref().map_or(0, String::len), ITEM_LEN_MAX, "bytes")?;
        check("tags", self.tags.len(), LIST_LEN_MAX, "entries")?;
        check("evidence", self.evidence.len(), LIST_LEN_MAX, "entries")?;
        check("depends_on", self.depends_on.len(), LIST_LEN_MAX, "entries")?;
        for tag in &self.tags {
            check("tags", tag.len(), TAG_LEN_MAX, "bytes")?;
        }
        for entry in &self.evidence {
            check("evidence", entry.to_string().len(), ITEM_LEN_MAX, "bytes")?;
        }
        for label in &self.depends_on {
            check("depends_on", label.len(), ITEM_LEN_MAX, "bytes")?;
        }
        Ok(())
    }

    /// The file of a claim born from this draft.
    pub fn file(&self, author: &Author, created: Timestamp, supersedes: Option<String>) -> LightFile {
        let mut markers = vec![BodyMarker::Kind(self.kind, self.label.to_string())];
        markers.extend(self.confidence.map(|confidence| BodyMarker::Confidence(confidence.to_string())));
        markers.extend(self.evidence.iter().map(|entry| BodyMarker::Evidence(entry.to_string())));
        markers.extend(self.depends_on.iter().map(|label| BodyMarker::DependsOn(label.clone())));
        let body = ClaimBody { title: self.title.clone(), text: self.text.clone(), markers };
        let values = [
            (keys::PROTOCOL, Some(light::PROTOCOL.to_owned())),
            (keys::NODE, Some(self.label.to_string())),
            (keys::STATE, Some(self.state.as_str().to_owned())),
            (keys::CREATED, Some(created.ms().to_string())),
            (keys::SOURCE_AGENT, Some(author.agent.to_string())),
            (keys::RECORDED_BY, author.recorded.as_ref().map(|recorded| recorded.by.to_string())),
            (keys::RECORDED_AT, author.recorded.as_ref().map(|recorded| recorded.at.ms().to_string())),
            (keys::ORIGIN_BRAIN, Some(author.origin_brain.clone())),
            (keys::TAGS, (!self.tags.is_empty()).then(|| self.tags.join(", "))),
            (keys::GROUP, self.group.clone()),
            (keys::DOCTRINE, self.absolute.then(|| "absolute".to_owned())),
            (keys::SUPERSEDES, supersedes),
        ];
        LightFile::new(&values, self.label.as_str(), &body)
    }

    /// Its strength; an absent confidence counts as medium.
    pub fn strength(&self) -> Strength {
        Strength { state: self.state, confidence: self.confidence.unwrap_or(Confidence::UNSTATED) }
    }

    /// Whether a live claim already says exactly this.
    pub fn is_said_by(&self, claim: &Claim) -> bool {
        claim.title == self.title
            && claim.text == self.text
            && claim.state == Some(self.state)
            && claim.confidence == self.confidence
            && claim.kind == Some(self.kind)
            && claim.evidence == self.evidence
            && claim.depends_on == self.depends_on
            && claim.tags == self.tags
            && claim.group == self.group
            && claim.absolute == self.absolute
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) fn draft(label: &str, text: &str) -> ClaimDraft {
        ClaimDraft {
            label: Label::parse(label).expect("valid"),
            title: None,
            text: text.into(),
            state: State::Authored,
            confidence: None,
            kind: ClaimKind::Entity,
            evidence: Vec::new(),
            depends_on: Vec::new(),
            tags: Vec::new(),
            group: None,
            absolute: false,
        }
    }

    pub(crate) fn author() -> Author {
        Author {
            agent: AgentId::parse("codex:maker").expect("valid"),
            origin_brain: "cherry@0a1b2c3d".into(),
            recorded: None,
        }
    }

    #[test] // spec: MEM-5
    fn the_file_has_its_keys_in_order() {
        let mut draft = draft("Retry policy", "Three times, then give up.\n");
        draft.title = Some("How often we retry".into());
        draft.confidence = Some(Confidence::parse("high").expect("a word"));
        draft.evidence = vec![Evidence::parse("src/retry.rs#L3-L9")];
        draft.depends_on = vec!["Timeouts".into()];
        draft.tags = vec!["net".into(), "http".into()];
        draft.group = Some("session-7".into());
        let draft = draft.normalise().expect("within limits");
        let file =
            draft.file(&author(), Timestamp::from_ms(1_783_209_431_408), Some("retry-policy@5".into()));
        assert_eq!(file.render(), include_str!("../tests/formats/v1/full.light.md"));
    }

    #[test] // spec: MEM-5, MEM-14
    fn a_draft_over_its_limits_is_refused_by_field() {
        let code = |draft: ClaimDraft| draft.normalise().expect_err("refused").code().name();
        assert_eq!(code(ClaimDraft { title: Some("x".repeat(1025)), ..draft("a", "") }), "input.too_large");
        assert_eq!(code(ClaimDraft { tags: vec!["a,b".into()], ..draft("a", "") }), "input.bad_value");
        assert_eq!(
            code(ClaimDraft {
                tags: vec!["x".into(); 65]
                    .iter()
                    .enumerate()
                    .map(|(n, t): (usize, &String)| format!("{t}{n}"))
                    .collect(),
                ..draft("a", "")
            }),
            "input.too_large"
        );
        assert_eq!(code(draft("a", "<<<<<<< HEAD\n=======\n>>>>>>> b\n")), "claim.conflict_markers");
    }

    fn any_draft() -> impl Strategy<Value = ClaimDraft> {
        let words = proptest::collection::vec(any::<String>(), 0..3);
        (
            any::<String>(),
            proptest::option::of(any::<String>()),
            any::<String>(),
            0.0..=1.0f64,
            words.clone(),
            words,
        )
            .prop_filter_map("a label", |(label, title, text, confidence, evidence, depends_on)| {
                let mut made = draft("x", &text);
                made.label = Label::parse(&label).ok()?;
                made.title = title;
                made.confidence = Confidence::new(confidence).ok();
                made.evidence = evidence.iter().map(|entry| Evidence::parse(entry)).collect();
                made.depends_on = depends_on;
                made.normalise().ok()
            })
    }

    proptest! {
        #[test] // spec: MEM-5, MEM-7
        fn every_draft_reads_back_as_it_was_given(draft in any_draft()) {
            let file = draft.file(&author(), Timestamp::from_ms(7), None);
            let claim = Claim::parse(file.render().as_bytes()).expect("what we write, we read");
            prop_assert!(draft.is_said_by(&claim), "{claim:?}");
            prop_assert_eq!(claim.label.as_str(), draft.label.as_str());
            prop_assert_eq!(claim.source_agent.as_deref(), Some("codex:maker"));
            prop_assert_eq!(claim.created, Some(Timestamp::from_ms(7)));
            prop_assert_eq!(claim.file.unknown_lines().count(), 0);
        }
    }
}
