//! What a reader has to know of a row beside its text: where it comes from, how far it can be trusted, and what
//! speaks against it. One list for every form in which rows are shown, so that no form leaves a warning out.
//!
//! A fact is one line of words. Every value in it that another agent wrote is one plain word or has quotes around it
//! ([`value`]), so that no value can be taken for another fact.

use crate::reading::row::{Row, Why};
use brainstem_claims::evidence::Evidence;
use brainstem_claims::fence::value;
use brainstem_claims::promotion::on;
use brainstem_claims::{Lifecycle, State, age};

/// One thing to know of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What it is about.
    pub kind: FactKind,
    /// It in words.
    pub words: String,
}

/// What a fact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactKind {
    /// `project` or `medulla`.
    Tier,
    /// The brain it was written in.
    Brain,
    /// Nothing on record explains how it came into the medulla.
    UnknownOrigin,
    /// What the header of a file of unknown origin says: author, age, state.
    Header,
    /// Every project sees it.
    Shared,
    /// Its state.
    State,
    /// How sure its author was.
    Confidence,
    /// Its author.
    Author,
    /// How old it is.
    Age,
    /// What verdicts made of it.
    Trust,
    /// Only its file names its author, or says that it was verified.
    Unrecorded,
    /// Its birth is in the future.
    BornAhead,
    /// An agent that used it calls it wrong, and the dispute is not decided.
    Disputed,
    /// It came back after it was superseded, taken back or forgotten here.
    CameBack,
    /// It is one of several versions that wait for a decision.
    Undecided,
    /// It is not in this checkout.
    Missing,
    /// Another agent than its author brought it in.
    Brought,
    /// It is older than thirty days.
    Stale,
    /// It is here because nothing is about the task.
    StandsIn,
    /// Its tags.
    Tags,
    /// Where it can be checked.
    Evidence,
    /// Evidence that changed, is gone or was not found.
    EvidenceBroken,
    /// The agent that promoted it, and why.
    Promoted,
}

impl FactKind {
    /// Whether a reader should think twice because of it. Warnings are in every form.
    pub fn is_warning(self) -> bool {
        match self {
            Self::UnknownOrigin
            | Self::Unrecorded
            | Self::BornAhead
            | Self::Disputed
            | Self::CameBack
            | Self::Undecided
            | Self::Missing
            | Self::Brought
            | Self::Stale
            | Self::EvidenceBroken => true,
            Self::Tier
            | Self::Brain
            | Self::Header
            | Self::Shared
            | Self::State
            | Self::Confidence
            | Self::Author
            | Self::Age
            | Self::Trust
            | Self::StandsIn
            | Self::Tags
            | Self::Evidence
            | Self::Promoted => false,
        }
    }
}

impl Row {
    /// Everything to know of it beside its text, in the order in which a reader sees it.
    pub fn facts(&self) -> Vec<Fact> {
        let mut facts = Facts(Vec::new());
        facts.add(FactKind::Tier, self.tier);
        facts.maybe(
            FactKind::Brain,
            self.origin_brain.as_ref().filter(|brain| *brain != self.tier).map(brain),
        );
        if self.is_unaccounted {
            facts.add(FactKind::UnknownOrigin, "of unknown origin: no act tells how it came here");
            facts.add(FactKind::Header, format!("its header says: {}", self.header().join(", ")));
        } else {
            let is_unknown = self.lifecycle == Lifecycle::Unknown;
            facts.maybe(FactKind::UnknownOrigin, is_unknown.then_some("of unknown origin"));
            facts.maybe(FactKind::Shared, self.also_in.map(|_| "shared with every project"));
            facts.add(FactKind::State, self.state_words());
            facts.maybe(FactKind::Confidence, self.confidence_words());
            facts.add(FactKind::Author, self.author_words());
            facts.maybe(FactKind::Age, (!self.is_ahead).then(|| self.age_words()));
        }
        facts.maybe(FactKind::Unrecorded, self.unrecorded_words());
        let doctrine = "its file calls it doctrine, which no claim of a project is";
        facts.maybe(FactKind::Unrecorded, self.calls_itself_doctrine.then_some(doctrine));
        facts.maybe(
            FactKind::BornAhead,
            self.is_ahead.then(|| {
                format!("its birth lies in the future ({})", on(self.created).trim_start_matches("on "))
            }),
        );
        facts.maybe(FactKind::Trust, self.trust.map(|trust| format!("trust {:.2}", trust.value())));
        facts.maybe(FactKind::Disputed, self.disputed.clone());
        facts.maybe(
            FactKind::CameBack,
            match (self.forgotten, self.resurrected, &self.retracted_for) {
                (true, ..) => Some("came back after it was forgotten here".to_owned()),
                (false, true, _) if self.retracted_apart.is_some() => self.retracted_apart.clone(),
                (false, true, Some(reason)) => {
                    Some(format!("came back after it was retracted here: {reason}"))
                }
                (false, true, None) => Some(match &self.renamed_to {
                    Some(label) => format!("came back after its claim was renamed to {label:?}"),
                    None => "came back after it was superseded here".to_owned(),
                }),
                (false, false, _) => None,
            },
        );
        let elsewhere = "forgotten elsewhere (only the repository's log says so)";
        facts.maybe(FactKind::CameBack, self.forgotten_elsewhere.then_some(elsewhere));
        facts
            .maybe(FactKind::Undecided, self.side.map(|side| format!("undecided ({side}); resolve decides")));
        facts.maybe(FactKind::Missing, self.missing.then_some("not in this checkout"));
        facts.maybe(FactKind::Brought, self.brought.clone());
        facts.maybe(FactKind::Stale, self.stale.then_some("stale"));
        let stands_in = matches!(self.why, Why::StandsIn).then_some("not necessarily about your task");
        facts.maybe(FactKind::StandsIn, stands_in);
        if !self.tags.is_empty() {
            let tags: Vec<String> = self.tags.iter().map(|tag| format!("#{}", value(tag))).collect();
            facts.add(FactKind::Tags, tags.join(" "));
        }
        if !self.evidence.is_empty() {
            let entries: Vec<String> = self.evidence.iter().map(|entry| self.evidence_words(entry)).collect();
            facts.add(FactKind::Evidence, format!("see {}", entries.join(", ")));
        }
        if !self.evidence_changed.is_empty() {
            let places: Vec<String> = self.evidence_changed.iter().map(|place| value(place)).collect();
            facts.add(FactKind::EvidenceBroken, format!("evidence changed or gone: {}", places.join(", ")));
        }
        if !self.evidence_not_found.is_empty() {
            let places: Vec<String> = self.evidence_not_found.iter().map(|place| value(place)).collect();
            facts.add(FactKind::EvidenceBroken, format!("evidence not found: {}", places.join(", ")));
        }
        facts.maybe(FactKind::Promoted, self.promoted.clone());
        facts.0
    }

    /// A piece of evidence, with its present lines if it moved.
    fn evidence_words(&self, entry: &Evidence) -> String {
        let place = entry.place();
        let moved = self.evidence_moved.iter().find(|(before, _)| *before == place);
        let now = moved.map(|(_, now)| format!(" (now {now})")).unwrap_or_default();
        format!("{}{now}", value(&place))
    }

    /// What the header of a file says that no act bears out.
    fn header(&self) -> Vec<String> {
        let mut said = vec![self.author_words()];
        said.extend((!self.is_ahead).then(|| self.age_words()));
        said.push(self.state_words());
        said.extend(self.confidence_words());
        said
    }

    fn unrecorded_words(&self) -> Option<String> {
        unrecorded_sentence(&self.unrecorded, self.is_record_unread)
    }

    fn author_words(&self) -> String {
        format!("by {}", self.source_agent.as_deref().map_or_else(|| "unknown".to_owned(), value))
    }

    fn age_words(&self) -> String {
        self.age_ms.map_or_else(|| "age unknown".into(), age::ago)
    }

    fn state_words(&self) -> String {
        let of_past = match self.claim.state {
            // What `show --at` tells of a version that history stamped: its state before that is not kept.
            Some(State::Outdated) => "superseded since",
            Some(_) | None => "state unknown",
        };
        self.state.map_or(of_past, State::as_str).to_owned()
    }

    fn confidence_words(&self) -> Option<String> {
        self.confidence.map(|confidence| format!("confidence {confidence}"))
    }
}

/// A brain as a fact. One that is no `<name>@<8 hex>` could pass for any other word.
fn brain(origin: &String) -> String {
    match brainstem_claims::promotion::is_brain(origin) && value(origin) == *origin {
        true => origin.clone(),
        false => format!("brain {}", value(origin)),
    }
}

struct Facts(Vec<Fact>);

impl Facts {
    fn add(&mut self, kind: FactKind, words: impl Into<String>) {
        self.0.push(Fact { kind, words: words.into() });
    }

    fn maybe(&mut self, kind: FactKind, words: Option<impl Into<String>>) {
        if let Some(words) = words {
            self.add(kind, words);
        }
    }
}

/// What is said beside an act that only a repository's log has.
pub(crate) fn hearsay(is_foreign: bool) -> &'static str {
    if is_foreign { " (only the repository's log says so)" } else { "" }
}

/// Says that only the file bears these words out; `None` if there are none.
pub(crate) fn unrecorded_sentence(words: &[String], is_record_unread: bool) -> Option<String> {
    let (are, of) = if words.len() == 1 { ("is", "it") } else { ("are", "them") };
    let said = words.join(" and ");
    let record = match is_record_unread {
        true => format!("this home's record of {of} cannot be read"),
        false => format!("this home has no record of {of}"),
    };
    (!said.is_empty()).then(|| format!("{said} {are} what the file says; {record}"))
}
