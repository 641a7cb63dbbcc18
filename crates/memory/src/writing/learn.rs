//! `learn`: says whether a claim held when it was used.

use crate::caller::secrets::Floor;
use crate::error::MemoryError;
use crate::limits::NOTE_LEN_MAX;
use crate::promotion::dispute;
use crate::record::verdicts::Verdicts;
use crate::service::Memory;
use crate::writing::error::WriteError;
use crate::writing::outside;
use crate::writing::retract::retraction;
use crate::writing::target::{Target, WriteTier};
use brainstem_base::next::field;
use brainstem_base::{Advice, advice};
use brainstem_base::{AgentId, DiskFault, Fault, Timestamp};
use brainstem_caller::Caller;
use brainstem_caller::identity::is_same_agent;
use brainstem_claims::act::{Act, ActVerb, Deed, DeedKind, Judgement, Mention, VersionRef, last_retraction};
use brainstem_claims::decide::is_label_of;
use brainstem_claims::lifecycle::FilePlace;
use brainstem_claims::promotion::on;
use brainstem_claims::{Claim, ClaimSlug, Label, Trust, Verdict};
use brainstem_vault::history::ExitReason;
use brainstem_vault::store::{LiveFile, Retracted, WriteFault};
use brainstem_vault::{Store, StoreError};
use std::cell::Cell;
use std::path::PathBuf;

/// What was learned about a claim.
#[derive(Clone, Debug)]
pub struct LearnRequest {
    /// The label, or the id of a row.
    pub label: String,
    /// Whether it held.
    pub verdict: Verdict,
    /// Why.
    pub note: Option<String>,
    /// `medulla`, or the caller's own brain.
    pub tier: Option<WriteTier>,
}

impl LearnRequest {
    /// Returns the verdict that this word names. For any other word, a secret in one of the three texts is refused first,
    /// and then the word.
    pub fn parse_verdict(
        floor: &Floor,
        label: &str,
        word: &str,
        note: Option<&str>,
    ) -> Result<Verdict, MemoryError> {
        if let Some(verdict) = Verdict::parse(word) {
            return Ok(verdict);
        }
        floor.check_text("label", label)?;
        floor.check_text("verdict", word)?;
        floor.check_text("note", note.unwrap_or_default())?;
        Err(MemoryError::BadValue {
            field: "verdict",
            value: word.chars().take(40).collect(),
            what: "verdict",
            takes: match Verdict::parse(label) {
                Some(_) => "correct, wrong or partial, after the label: the two are the other way round here",
                None => "correct, wrong or partial",
            }
            .into(),
            rule: "MEM-33",
        })
    }
}

/// What a verdict did.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The claim's slug.
    pub slug: ClaimSlug,
    /// Its label.
    pub label: String,
    /// `project` or `medulla`.
    pub tier: &'static str,
    /// The verdict.
    pub verdict: Verdict,
    /// What all verdicts make of this version now.
    pub trust: Option<Trust>,
    /// How many verdicts are on record for it.
    pub verdicts: usize,
    /// The agent had said exactly this before.
    pub unchanged: bool,
    /// The verdict marks a claim of the medulla as disputed, which stays until others decide.
    pub disputed: bool,
    /// The claim's file in history, if the verdict took it out of the medulla.
    pub history: Option<PathBuf>,
    /// What the caller should know besides.
    pub notes: Vec<Advice>,
}

/// What is put on record.
struct VerdictToRecord<'a> {
    agent: &'a AgentId,
    verdict: Verdict,
    note: Option<&'a str>,
    now: Timestamp,
}

impl VerdictToRecord<'_> {
    /// Returns the act upon a version; `None` if the agent's last verdict on it was this one. An agent's verdicts on a
    /// version have ascending times, whatever its clock does.
    fn act(&self, verdicts: &Verdicts, slug: &ClaimSlug, claim: &Claim) -> Option<Act> {
        let voices = verdicts.voices(slug.as_str(), claim.created);
        let last = voices.iter().rfind(|voice| is_same_agent(&voice.agent, self.agent.as_str()));
        // A verdict that only the repository's log has in the agent's name does not count as its own.
        if last.is_some_and(|last| {
            !last.is_foreign && last.verdict == self.verdict && last.note.as_deref() == self.note
        }) {
            return None;
        }
        let at = last.map_or(self.now, |last| self.now.max(last.at.next()));
        let deed = Deed::Learn {
            upon: Mention::said(VersionRef::of(slug, claim), self.agent, at),
            verdict: Some(Judgement::Known(self.verdict)),
            note: self.note.map(str::to_owned),
        };
        Some(Act::new(deed, self.agent, at))
    }
}

/// The deed of taking a claim out of the medulla by a verdict.
fn taken_out(slug: &ClaimSlug, claim: &Claim, reason: &str) -> Deed {
    Deed::Retract {
        upon: VersionRef::of(slug, claim).into(),
        reason: Some(reason.to_owned()),
        by: Some(ActVerb::Learn),
        kind: None,
        successor: None,
        covers: None,
    }
}

impl Memory {
    /// Records a verdict upon the live version. `wrong` takes a claim out of the medulla if an orchestrator, a person
    /// or a second agent says so: it goes to history, and the project it came from keeps its own. From one maker
    /// alone, the word marks the claim as disputed.
    pub fn learn(&self, caller: &Caller, request: &LearnRequest) -> Result<Learned, MemoryError> {
        self.floor().check_text("label", &request.label)?;
        let note = request.note.as_deref().map(str::trim).filter(|note| !note.is_empty());
        self.floor().check_text("note", note.unwrap_or_default())?;
        let verdict = request.verdict;
        if note.is_some_and(|note| note.len() > NOTE_LEN_MAX) {
            return Err(MemoryError::BadValue {
                field: "note",
                value: format!("{}…", note.unwrap_or_default().chars().take(20).collect::<String>()),
                what: "note of at most 4096 bytes",
                takes: "a shorter note, or memorize what you found".into(),
                rule: "MEM-33",
            });
        }
        let label = self.floor().label("label", &request.label)?;
        let target = self.target_there(caller, request.tier)?;
        self.check_write_quota(&caller.principal.agent)?;
        let said = VerdictToRecord { agent: &caller.principal.agent, verdict, note, now: self.clock.now() };
        let demotes = target.place == FilePlace::Medulla && verdict == Verdict::Wrong;
        let slug = match self.slug_named(&target.store, &label, &target.name()) {
            Err(absent @ MemoryError::NotFound { .. }) if demotes => {
                return self.demoted_before(&target, &label, &said)?.ok_or(absent);
            }
            named => named.map_err(|error| self.with_medulla_named(error, &target, &label))?,
        };
        if demotes && said.agent.may_write_doctrine() {
            return self.demote(&target, slug, &label, &said);
        }
        if demotes {
            return self.dispute(&target, slug, &label, &said);
        }
        let unchanged = Cell::new(false);
        let remarked = target.store.record_on_live(&slug, |claim| {
            let act = said.act(&*self.verdicts(&target.store)?, &slug, claim);
            unchanged.set(act.is_none());
            Ok(act.into_iter().collect())
        })?;
        let Some(claim) = remarked else {
            return Err(self.not_found(&target.store, &label, &target.name()));
        };
        let mut notes = self.also_in_the_medulla(&target, &slug, &claim, verdict);
        notes.extend(outside::paths_note(&target.store, said.note));
        let mut learned = self.learned(&target, slug, &claim, &said, unchanged.get());
        learned.notes.extend(notes);
        Ok(learned)
    }

    /// What to know about a project's claim that was judged while the medulla has one of its label.
    fn also_in_the_medulla(
        &self,
        target: &Target,
        slug: &ClaimSlug,
        claim: &Claim,
        verdict: Verdict,
    ) -> Vec<Advice> {
        if target.place != FilePlace::Project {
            return Vec::new();
        }
        let shared = self.still_shared(claim).filter(|_| verdict == Verdict::Wrong);
        let has = || matches!(self.home.medulla().live(slug), LiveFile::Claim(_));
        let told = || {
            advice![
                "this judged the project's claim; the medulla has one of this label too: the same with ",
                field("tier").is("medulla"),
                " judges that one"
            ]
        };
        shared.or_else(|| has().then(told)).into_iter().collect()
    }

    /// Marks a claim of the medulla as disputed; if another agent calls it wrong too, it is taken out. The verdict
    /// goes on record first: of two agents that give it at once, the second finds the first one's.
    fn dispute(
        &self,
        target: &Target,
        slug: ClaimSlug,
        label: &Label,
        said: &VerdictToRecord<'_>,
    ) -> Result<Learned, MemoryError> {
        let store = &target.store;
        let unchanged = Cell::new(false);
        let remarked = store.record_on_live(&slug, |claim| {
            let act = said.act(&*self.verdicts(store)?, &slug, claim);
            unchanged.set(act.is_none());
            Ok(act.into_iter().collect())
        })?;
        let absent = || self.not_found(store, label, &target.name());
        let Some(claim) = remarked else {
            return self.demoted_before(target, label, said)?.ok_or_else(absent);
        };
        // The verdict is on record: a note names what fails from here on, and the repeat goes on from there.
        let stays = |slug: ClaimSlug, claim: &Claim, note: String| {
            let mut learned = self.learned(target, slug, claim, said, unchanged.get());
            learned.disputed = true;
            learned.notes.push(note.into());
            learned
        };
        let not_taken_out = |error: MemoryError| {
            let fault = Fault::from(error);
            format!("whether it goes out of the medulla is not decided, repeat the call for that: {fault}")
        };
        let verdicts = match self.verdicts(store) {
            Ok(verdicts) => verdicts,
            Err(error) if is_power_lost(&error) => return Err(error.into()),
            Err(error) => return Ok(stays(slug, &claim, not_taken_out(error.into()))),
        };
        let is_shared = |claim: &Claim| {
            let dispute = dispute::upon(verdicts.voices(slug.as_str(), claim.created));
            dispute.is_some_and(|dispute| dispute.is_shared_by_another_than(said.agent))
        };
        let reason = said.note.unwrap_or("judged wrong by two agents");
        let done = store.retract_if(&slug, is_shared, |claim| {
            let deed = taken_out(&slug, claim, reason);
            vec![retraction(store, (&slug, claim), said.agent, said.now, deed)]
        });
        match done {
            Err(WriteFault::Store(error)) if is_power_lost(&error) => Err(error.into()),
            Err(fault) => Ok(stays(slug, &claim, not_taken_out(fault.into()))),
            Ok(Retracted::Done { history, claim }) => {
                let mut learned = self.learned(target, slug, &claim, said, false);
                learned.history = Some(history);
                learned.notes.push("another agent calls it wrong too, so it is out of the medulla".into());
                learned.notes.extend(self.original_words(&claim).map(Advice::from));
                Ok(learned)
            }
            Ok(Retracted::Absent) => {
                let note = "it stays in the medulla and is shown as disputed: an orchestrator or a person takes it out by calling \
                     it wrong, too, or upholds it by calling it correct; a second agent that calls it wrong takes it out as well";
                Ok(stays(slug, &claim, note.into()))
            }
        }
    }

    /// Takes a claim out of the medulla, for an orchestrator or a person.
    fn demote(
        &self,
        target: &Target,
        slug: ClaimSlug,
        label: &Label,
        said: &VerdictToRecord<'_>,
    ) -> Result<Learned, MemoryError> {
        let verdicts = self.verdicts(&target.store)?;
        let done = target.store.retract(&slug, |claim| {
            let reason = said.note.unwrap_or("judged wrong");
            let deed = taken_out(&slug, claim, reason);
            let retraction = retraction(&target.store, (&slug, claim), said.agent, said.now, deed);
            said.act(&verdicts, &slug, claim).into_iter().chain([retraction]).collect()
        })?;
        let Retracted::Done { history, claim } = done else {
            let absent = || self.not_found(&target.store, label, &target.name());
            return self.demoted_before(target, label, said)?.ok_or_else(absent);
        };
        let mut learned = self.learned(target, slug, &claim, said, false);
        learned.history = Some(history);
        learned.notes.extend(self.original_words(&claim).map(Advice::from));
        Ok(learned)
    }

    /// Returns what was taken out of the medulla before, and how. The same verdict again changes nothing, and another
    /// verdict is put on record beside the first.
    fn demoted_before(
        &self,
        target: &Target,
        label: &Label,
        said: &VerdictToRecord<'_>,
    ) -> Result<Option<Learned>, MemoryError> {
        let store = &target.store;
        // A run that was killed may have taken it out without a sync.
        store.sync()?;
        let slug = ClaimSlug::of(label);
        let by_id = store.is_id(label)?;
        let last = store.history(&slug)?.0.into_iter().find(|past| by_id || is_label_of(label, &past.claim));
        let Some(past) = last.filter(|past| past.exit == ExitReason::Retracted) else { return Ok(None) };
        let acts = store.acts().of_kinds(&[DeedKind::Retract])?;
        let version = VersionRef::of(&slug, &past.claim);
        let Some(act) = last_retraction(&acts, &[version]) else { return Ok(None) };
        let reason = act.deed().reason().map(|reason| format!(": {reason}")).unwrap_or_default();
        let since = on(act.time());
        let told =
            format!("it is out of the medulla since {}, taken out by {}{reason}", &since[3..], act.agent());
        let word = said.act(&*self.verdicts(store)?, &slug, &past.claim);
        let unchanged = word.is_none();
        store.acts().record_all(word.as_slice())?;
        let mut learned = self.learned(target, slug, &past.claim, said, unchanged);
        learned.history = Some(past.path);
        learned.notes.push(told.into());
        Ok(Some(learned))
    }

    /// The answer about a word that is on record. Verdicts that cannot be read afterwards do not make that a refusal.
    fn learned(
        &self,
        target: &Target,
        slug: ClaimSlug,
        claim: &Claim,
        said: &VerdictToRecord<'_>,
        unchanged: bool,
    ) -> Learned {
        let mut learned = Learned {
            label: claim.label.clone(),
            tier: target.tier(),
            verdict: said.verdict,
            trust: None,
            verdicts: 0,
            unchanged,
            disputed: false,
            history: None,
            notes: Vec::new(),
            slug,
        };
        match self.verdicts(&target.store) {
            Ok(verdicts) => {
                learned.trust = verdicts.trust(learned.slug.as_str(), claim.created);
                learned.verdicts = verdicts.voices(learned.slug.as_str(), claim.created).len();
            }
            Err(error) => {
                let told = Fault::from(error);
                learned
                    .notes
                    .push(advice!["the verdict is on record; all verdicts could not be read: {told}"]);
            }
        }
        learned
    }

    /// Returns the refusal, which says so if only the medulla has the label.
    fn with_medulla_named(&self, error: MemoryError, target: &Target, label: &Label) -> MemoryError {
        let has = |store: Store| matches!(store.live(&ClaimSlug::of(label)), LiveFile::Claim(_));
        // What was renamed here is no other claim of the medulla that has its old name.
        let is_absent = matches!(error, MemoryError::NotFound { renamed: None, .. });
        if !is_absent || target.place == FilePlace::Medulla || !has(self.home.medulla()) {
            return error;
        }
        WriteError::InMedullaAlone { not_found: error.to_string() }.into()
    }
}

fn is_power_lost(error: &StoreError) -> bool {
    error.disk_fault() == Some(DiskFault::PowerLost)
}
