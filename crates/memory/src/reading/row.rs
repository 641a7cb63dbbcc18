//! A row of recall: one claim with where it came from and why it is there.

use crate::caller::secrets::without_secrets;
use crate::promotion::dispute::short;
use brainstem_base::Timestamp;
use brainstem_claims::act::Act;
use brainstem_claims::beat::TEXT_LEN_MIN;
use brainstem_claims::evidence::Evidence;
use brainstem_claims::fence::value;
use brainstem_claims::folds::tombstones::ForgottenWhere;
use brainstem_claims::lifecycle::{FilePlace, MEDULLA};
use brainstem_claims::light::ClaimKind;
use brainstem_claims::lineage::relabelled;
use brainstem_claims::promotion;
use brainstem_claims::undecided_file::UndecidedSide;
use brainstem_claims::unproven_header::is_person;
use brainstem_claims::{Claim, ClaimSlug, Confidence, Lifecycle, State, Trust, age};
use brainstem_recall::rank;
use brainstem_vault::came_back::Renames;
use brainstem_vault::scan::StoredClaim;
use brainstem_vault::{HeaderSource, LiveFile, Store, WrittenHere};
use std::path::PathBuf;
use std::sync::Arc;

/// What sort of thing a claim is about.
pub type RowKind = ClaimKind;

/// One claim, as recall shows it. What the file does not say is `None`: shown as unknown.
#[derive(Clone, Debug)]
pub struct Row {
    /// The file's stem.
    pub id: String,
    /// The label.
    pub label: String,
    /// The title.
    pub title: Option<String>,
    /// The text.
    pub text: String,
    /// Whether the text was cut to fit a budget.
    pub cut: bool,
    /// `project` or `medulla`.
    pub tier: &'static str,
    /// Its lifecycle.
    pub lifecycle: Lifecycle,
    /// On a medulla copy, and on a witness that is shared: where it was learned, the agent that learned it, the one
    /// that promoted it, and why.
    pub chain: Option<String>,
    /// Its second half as a fact: the agent that promoted it, when and why.
    pub promoted: Option<String>,
    /// `medulla` on a project's row whose copy every project sees: it is both.
    pub also_in: Option<&'static str>,
    /// The brain it came from.
    pub origin_brain: Option<String>,
    /// Its author.
    pub source_agent: Option<String>,
    /// When this version was born.
    pub created: Option<Timestamp>,
    /// How old it is.
    pub age_ms: Option<i64>,
    /// Older than thirty days.
    pub stale: bool,
    /// Its birth is in the future, so that its age is not known.
    pub is_ahead: bool,
    /// No act explains how it came into the medulla.
    pub is_unaccounted: bool,
    /// The agents that call it wrong, as long as the dispute is not decided.
    pub disputed: Option<String>,
    /// The agent that brought it in or put it on record, if that was not its author.
    pub brought: Option<String>,
    /// Its state.
    pub state: Option<State>,
    /// How sure its author was.
    pub confidence: Option<Confidence>,
    /// What verdicts made of it; `None` while there is none.
    pub trust: Option<Trust>,
    /// What sort of thing it is about.
    pub kind: Option<ClaimKind>,
    /// Its tags.
    pub tags: Vec<String>,
    /// What it was written together with.
    pub group: Option<String>,
    /// Where it can be checked.
    pub evidence: Vec<Evidence>,
    /// Evidence that has changed or gone since, for rows whose evidence was looked at.
    pub evidence_changed: Vec<String>,
    /// Evidence that is not there, and of which the claim keeps no hash: it may never have been there.
    pub evidence_not_found: Vec<String>,
    /// Evidence that says what it said at other lines: its place as written, and its lines now.
    pub evidence_moved: Vec<(String, String)>,
    /// Some of its evidence was looked at and says what it said.
    pub evidence_holds: bool,
    /// Labels it rests on.
    pub depends_on: Vec<String>,
    /// Its file.
    pub path: PathBuf,
    /// It came back by a pull or a checkout after a later version had been written here.
    pub resurrected: bool,
    /// The reason of the retraction, if it came back after it was retracted here.
    pub retracted_for: Option<String>,
    /// The label that its claim has by now, if it came back after its claim was renamed.
    pub renamed_to: Option<String>,
    /// The retraction of the version before it, in words, if another clone made it while this one was written.
    pub retracted_apart: Option<String>,
    /// It was forgotten here, and came back by a pull, a checkout or a restored file.
    pub forgotten: bool,
    /// It was forgotten in another clone, as only the repository's log says.
    pub forgotten_elsewhere: bool,
    /// What its header says of a person or of its state that this home has no record of, each in quotes.
    pub unrecorded: Vec<String>,
    /// This home's record of what was written through it cannot be read, so that nothing bears these words out.
    pub is_record_unread: bool,
    /// Its file says that it is doctrine and is in a project, which can have none.
    pub calls_itself_doctrine: bool,
    /// Which of the versions that wait for a decision it is: ours, theirs, third, …
    pub side: Option<&'static str>,
    /// It was written here and is not in this checkout.
    pub missing: bool,
    /// Why it is here.
    pub why: Why,
    /// The claim itself, whole.
    pub(crate) claim: Arc<Claim>,
}

/// Why a row is among the answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Why {
    /// It is about the question.
    Matched {
        /// What rows are sorted by.
        score: f32,
        /// What the score is made of.
        parts: rank::ScoreBreakdown,
    },
    /// There is no task; it is among what is worth most.
    Worth,
    /// Nothing in its store is about the task; it is among what is worth most there.
    StandsIn,
    /// It was asked for, or listed.
    Asked,
}

impl Why {
    /// What rows are sorted by.
    pub fn score(self) -> f64 {
        match self {
            Self::Matched { score, .. } => f64::from(score),
            Self::Worth | Self::StandsIn | Self::Asked => 0.0,
        }
    }
}

/// Returns the reason that an act gives, as a row shows it.
pub(crate) fn reason_of(act: &Act) -> String {
    let reason = without_secrets(act.deed().reason().unwrap_or_default());
    format!("{:?}", short(&reason))
}

/// The label of the claim that has a slug, or the slug if no claim is live under it.
pub(crate) fn label_of(store: &Store, slug: &ClaimSlug) -> String {
    match store.live(slug) {
        LiveFile::Claim(claim) => claim.label,
        LiveFile::Absent | LiveFile::Unreadable(_) => slug.to_string(),
    }
}

/// No form shows a claim in fewer bytes, beside its label and its text.
pub(crate) const ROW_LEN_MIN: usize = 48;

impl Row {
    /// No form shows the row in fewer bytes. A text that is cut ends with a word, so that it may be shorter than the
    /// shortest that is worth its place.
    pub(crate) fn len_min(&self) -> usize {
        ROW_LEN_MIN + self.label.len() + self.text.len().min(TEXT_LEN_MIN / 2)
    }
}

impl Row {
    /// Marks the row of a live claim that history had already put away, and says why it was retracted, if it was.
    pub(crate) fn mark_returned(&mut self, renames: &Renames, store: &Store, slug: &ClaimSlug) {
        self.resurrected = store.came_back_from_history(slug, &self.claim);
        let act = self.resurrected.then(|| store.retraction_of(slug, &self.claim)).flatten();
        self.retracted_for = act.map(|act| reason_of(&act));
        // A store that cannot be read is named in the answer about its claims.
        let came_back = || renames.came_back(store, slug, &self.claim).ok().flatten();
        if !self.resurrected
            && let Some(back) = came_back()
        {
            self.resurrected = true;
            self.retracted_for = back.retraction.as_ref().map(reason_of);
            self.renamed_to = back.renamed_to.map(|to| without_secrets(&label_of(store, &to)));
        }
        // Which of several versions another was written over is what waits for the decision; what was taken back was so.
        if self.side.is_some() && self.retracted_for.is_none() && self.renamed_to.is_none() {
            self.resurrected = false;
        }
    }

    /// Marks what was forgotten here and came back, and what another clone forgot as only the repository's log says.
    pub(crate) fn mark_forgotten(&mut self, forgotten: Option<ForgottenWhere>) {
        self.forgotten = forgotten == Some(ForgottenWhere::Here);
        self.forgotten_elsewhere = forgotten == Some(ForgottenWhere::Elsewhere);
        self.resurrected |= self.forgotten;
    }

    /// Marks what its header says of a person or of its state, if this home has no record that it was written so.
    pub(crate) fn mark_unrecorded(&mut self, written_here: &WrittenHere) {
        let words = unrecorded_words(&self.claim, written_here);
        if !words.is_empty() {
            self.unrecorded = words;
            self.is_record_unread = written_here.is_unread();
        }
    }

    /// The same for a version that git may have put into the file of another name: it is marked as the version that this
    /// home wrote under the old name, in this clone or in another one. Of a version that waits for a decision the copies
    /// are asked too.
    pub(crate) fn mark_unrecorded_renamed(
        &mut self,
        written_here: &WrittenHere,
        renames: &Renames,
        store: &Store,
    ) {
        self.mark_unrecorded(written_here);
        let Some(slug) = ClaimSlug::parse(&self.id).filter(|_| !self.unrecorded.is_empty()) else { return };
        let labels = renames.labels_before(&slug);
        if labels.iter().any(|label| written_here.says_so(&relabelled(&self.claim, label))) {
            self.unrecorded.clear();
            return;
        }
        // If the copies cannot be read, nothing bears the version out.
        let in_copies = || store.as_written_under_an_old_name(&slug, &self.claim).ok()?;
        let written = self.side.is_some().then(in_copies).flatten();
        if let Some(written) = written {
            self.unrecorded = unrecorded_words(&written, written_here);
        }
    }

    /// The same for the row of a version that may be in history.
    pub(crate) fn with_past_source(mut self, written_here: &WrittenHere) -> Self {
        if self.unrecorded.is_empty() && written_here.source_of_past(&self.claim) == HeaderSource::File {
            self.unrecorded = weighty_words(&self.claim);
            self.is_record_unread = written_here.is_unread();
        }
        self
    }

    /// The row of a stored claim.
    pub(crate) fn new(stored: &StoredClaim, place: FilePlace, now: Timestamp, why: Why) -> Self {
        let claim = &stored.claim;
        let age = age::of(claim, now);
        Self {
            id: stored.id.clone(),
            label: claim.label.clone(),
            title: claim.title.clone(),
            text: claim.text.clone(),
            cut: false,
            tier: tier_of(place),
            lifecycle: Lifecycle::of(place, claim),
            chain: promotion::chain(claim).filter(|_| place == FilePlace::Medulla),
            promoted: promotion::promoted_fact(claim).filter(|_| place == FilePlace::Medulla),
            also_in: None,
            origin_brain: claim.origin_brain.clone(),
            source_agent: claim.source_agent.clone(),
            created: claim.created,
            age_ms: age.ms,
            stale: age.stale,
            is_ahead: age.is_ahead,
            is_unaccounted: false,
            disputed: None,
            brought: recorded(claim),
            state: claim.state,
            confidence: claim.confidence,
            trust: None,
            kind: claim.kind,
            tags: claim.tags.clone(),
            group: claim.group.clone(),
            evidence: claim.evidence.clone(),
            evidence_changed: Vec::new(),
            evidence_not_found: Vec::new(),
            evidence_moved: Vec::new(),
            evidence_holds: false,
            depends_on: claim.depends_on.clone(),
            path: stored.path.clone(),
            resurrected: false,
            retracted_for: None,
            renamed_to: None,
            retracted_apart: None,
            forgotten: false,
            forgotten_elsewhere: false,
            unrecorded: Vec::new(),
            is_record_unread: false,
            calls_itself_doctrine: place == FilePlace::Project && calls_itself_doctrine(claim),
            side: stored.side.map(UndecidedSide::as_str),
            missing: false,
            why,
            claim: Arc::new(claim.clone()),
        }
    }
}

impl Row {
    /// Whether some of its evidence changed, is gone or was not found.
    pub(crate) fn has_broken_evidence(&self) -> bool {
        !self.evidence_changed.is_empty() || !self.evidence_not_found.is_empty()
    }

    /// Nothing on record explains how it came into the medulla, so what its header says of it is hearsay.
    pub(crate) fn unaccounted(&mut self) {
        self.lifecycle = Lifecycle::of(FilePlace::Unaccounted, &self.claim);
        self.is_unaccounted = true;
        (self.chain, self.promoted) = (None, None);
    }
}

/// Whether a header says that its claim is doctrine.
pub(crate) fn calls_itself_doctrine(claim: &Claim) -> bool {
    claim.absolute || claim.origin_brain.as_deref() == Some(MEDULLA)
}

/// What the header of a live claim says of a person or of its state, if this home has no record that it was written
/// so.
pub(crate) fn unrecorded_words(claim: &Claim, written_here: &WrittenHere) -> Vec<String> {
    match written_here.source_of(claim) {
        HeaderSource::File => weighty_words(claim),
        HeaderSource::ThisHome => Vec::new(),
    }
}

/// What a header says that has weight, as a row shows it.
fn weighty_words(claim: &Claim) -> Vec<String> {
    let named = |what: &str, who: &Option<String>| {
        let who = who.as_deref().filter(|who| is_person(who))?;
        Some(format!("{:?}", format!("{what} {who}")))
    };
    let verified = (claim.state == Some(State::Verified)).then(|| format!("{:?}", State::Verified.as_str()));
    let written = [named("by", &claim.source_agent), named("recorded by", &claim.recorded_by)];
    written.into_iter().flatten().chain(verified).collect()
}

/// The agent that put a claim on record, if the header names another one than the author, or a later time than the
/// birth.
fn recorded(claim: &Claim) -> Option<String> {
    let by = claim.recorded_by.as_deref()?;
    Some(format!("recorded by {} {}", value(by), promotion::on(claim.recorded_at)))
}

pub(crate) fn tier_of(place: FilePlace) -> &'static str {
    match place {
        FilePlace::Medulla | FilePlace::Unaccounted => "medulla",
        FilePlace::Project
        | FilePlace::HistorySuperseded
        | FilePlace::HistoryRetracted
        | FilePlace::HistoryMoved => "project",
    }
}

/// The order of youth: youngest first, unknown births last, then by label.
pub(crate) fn youngest_first(a: &Claim, b: &Claim) -> std::cmp::Ordering {
    b.created.cmp(&a.created).then_with(|| a.label.cmp(&b.label))
}
