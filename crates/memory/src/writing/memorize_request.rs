//! What to remember, as a type: the words of a call that are no free text are read once, at the edge.

use crate::caller::secrets::Floor;
use crate::error::MemoryError;
use crate::writing::target::WriteTier;
use brainstem_base::next::field;
use brainstem_base::{Advice, advice};
use brainstem_claims::decide::Reaffirm;
use brainstem_claims::light::ClaimKind;
use brainstem_claims::{ClaimDraft, Confidence, Label, State};

/// What to remember.
#[derive(Clone, Debug, Default)]
pub struct MemorizeRequest {
    /// The label.
    pub label: String,
    /// The title.
    pub title: Option<String>,
    /// The text.
    pub text: String,
    /// How sure the author is; absent means that it does not say.
    pub confidence: Option<Confidence>,
    /// How far it was checked; absent means authored.
    pub state: Option<State>,
    /// What sort of thing it is about; absent means an entity.
    pub kind: Option<ClaimKind>,
    /// Where it can be checked.
    pub evidence: Vec<String>,
    /// Labels it rests on.
    pub depends_on: Vec<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// What it is written together with.
    pub group: Option<String>,
    /// The medulla for doctrine; absent means the caller's brain.
    pub tier: Option<WriteTier>,
    /// How much it weighs against a repository's own rules.
    pub doctrine: DoctrineWeight,
    /// Whether an identical claim is superseded, with a fresh stamp.
    pub reaffirm: Reaffirm,
}

/// How much a claim weighs against a repository's own rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DoctrineWeight {
    /// A repository's own rule outweighs it.
    #[default]
    Ordinary,
    /// No repository's own rule outweighs it; only doctrine of the medulla can be that.
    Absolute,
}

/// The words of a call that are no free text, as the caller gave them.
#[derive(Clone, Debug, Default)]
pub struct MemorizeWords {
    /// 0..1 or high, medium, low.
    pub confidence: Option<String>,
    /// authored, verified or outdated.
    pub state: Option<String>,
    /// entity, state or event.
    pub kind: Option<String>,
    /// absolute.
    pub doctrine: Option<String>,
}

impl MemorizeRequest {
    /// Returns the request with what these words mean. A word that means nothing is refused, and so is one that carries a
    /// secret.
    pub fn with_words(self, floor: &Floor, words: &MemorizeWords) -> Result<Self, MemoryError> {
        match words.read(floor) {
            Ok((kind, state, confidence, doctrine)) => Ok(Self { kind, state, confidence, doctrine, ..self }),
            Err(refusal) => {
                self.check_before_words(floor, words)?;
                Err(refusal)
            }
        }
    }

    /// Refuses what is to be said before a word that means nothing: a secret in any field, then the kind, then the label.
    fn check_before_words(&self, floor: &Floor, words: &MemorizeWords) -> Result<(), MemoryError> {
        self.check(floor, words)?;
        words.kind()?;
        Label::parse(&self.label)?;
        Ok(())
    }

    /// The draft of the claim, without its evidence. A request that carries a secret is refused.
    pub(crate) fn draft(&self, floor: &Floor) -> Result<ClaimDraft, MemoryError> {
        self.check(floor, &MemorizeWords::default())?;
        let draft = ClaimDraft {
            label: Label::parse(&self.label)?,
            title: self.title.clone(),
            text: self.text.clone(),
            state: self.state.unwrap_or(State::Authored),
            confidence: self.confidence,
            kind: self.kind.unwrap_or(ClaimKind::Entity),
            evidence: Vec::new(),
            depends_on: self
                .depends_on
                .iter()
                .map(|label| label.trim().to_owned())
                .filter(|label| !label.is_empty())
                .collect(),
            tags: self.tags.clone(),
            group: self.group.clone(),
            absolute: self.doctrine == DoctrineWeight::Absolute,
        };
        // A claim that says nothing would take the place of one that does.
        if is_blank(Some(&self.text)) && is_blank(self.title.as_deref()) {
            return Err(MemoryError::Missing {
                field: "text",
                give: advice!["what you learned as `", field("text"), "`", Advice::or_text_from_elsewhere()],
                rule: "MEM-5",
            });
        }
        Ok(draft)
    }

    /// Refuses a request that carries what must not be kept, naming the field and the rule.
    fn check(&self, floor: &Floor, words: &MemorizeWords) -> Result<(), MemoryError> {
        floor.check("label", &self.label)?;
        floor.check_name("label", &self.label)?;
        self.depends_on.iter().try_for_each(|label| floor.check_name("depends_on", label))?;
        floor.check("text", &self.text)?;
        floor.check("title", self.title.as_deref().unwrap_or_default())?;
        words.check(floor)?;
        floor.check("group", self.group.as_deref().unwrap_or_default())?;
        let lists = [("evidence", &self.evidence), ("depends_on", &self.depends_on), ("tags", &self.tags)];
        for (field, values) in lists {
            for value in values {
                floor.check(field, value)?;
            }
        }
        Ok(())
    }
}

type ReadWords = (Option<ClaimKind>, Option<State>, Option<Confidence>, DoctrineWeight);

impl MemorizeWords {
    fn read(&self, floor: &Floor) -> Result<ReadWords, MemoryError> {
        self.check(floor)?;
        let kind = self.kind()?;
        let state = self.state.as_deref().map(State::parse).transpose()?;
        let confidence = self.confidence.as_deref().map(Confidence::parse).transpose()?;
        Ok((kind, state, confidence, self.doctrine()?))
    }

    fn check(&self, floor: &Floor) -> Result<(), MemoryError> {
        let words = [("confidence", &self.confidence), ("state", &self.state), ("kind", &self.kind)];
        for (field, word) in words {
            floor.check(field, word.as_deref().unwrap_or_default())?;
        }
        Ok(())
    }

    fn kind(&self) -> Result<Option<ClaimKind>, MemoryError> {
        let parse = |text: &str| {
            ClaimKind::parse(text).ok_or_else(|| MemoryError::BadValue {
                field: "kind",
                value: text.chars().take(40).collect(),
                what: "kind of claim",
                takes: "entity, state or event".into(),
                rule: "MEM-5",
            })
        };
        self.kind.as_deref().map(parse).transpose()
    }

    fn doctrine(&self) -> Result<DoctrineWeight, MemoryError> {
        match self.doctrine.as_deref() {
            None => Ok(DoctrineWeight::Ordinary),
            Some("absolute") => Ok(DoctrineWeight::Absolute),
            Some(other) => Err(MemoryError::BadValue {
                field: "doctrine",
                value: other.chars().take(40).collect(),
                what: "sort of doctrine",
                takes: "absolute, or nothing".into(),
                rule: "MEM-29",
            }),
        }
    }
}

fn is_blank(text: Option<&str>) -> bool {
    text.is_none_or(|text| text.trim().is_empty())
}
