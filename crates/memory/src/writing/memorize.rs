//! `memorize`: remembers a claim.

use crate::caller::follow::follow_store;
use crate::error::MemoryError;
use crate::promotion::warnings::fullness;
use crate::reading::facts::unrecorded_sentence;
use crate::reading::row::unrecorded_words;
use crate::service::Memory;
use crate::writing::error::WriteError;
use crate::writing::memorize_request::MemorizeRequest;
use crate::writing::target::Target;
use crate::{reading::evidence, writing::outside};
use brainstem_base::next::{calls, field};
use brainstem_base::{Advice, advice};
use brainstem_base::{AgentId, Coded as _, Fault, Timestamp, codes};
use brainstem_caller::Caller;
use brainstem_claims::act::{Act, ActVerb, Deed, Mention, VersionRef};
use brainstem_claims::decide::{self, Decision};
use brainstem_claims::lifecycle::FilePlace;
use brainstem_claims::{
    Author, Claim, ClaimDraft, ClaimSlug, Label, Lifecycle, RecordedBy, age, dropped_fields,
};
use brainstem_vault::store::{LiveFile, WriteFault, WriteOutcome};
use brainstem_vault::{Store, StoreError};
use std::path::PathBuf;

/// What the acts of one memorize take, at most, in bytes.
const ACTS_ROOM: usize = 2048;

/// What remembering did.
#[derive(Clone, Debug)]
pub struct Memorized {
    /// The claim's slug.
    pub slug: ClaimSlug,
    /// Its file.
    pub path: PathBuf,
    /// `project` or `medulla`.
    pub tier: &'static str,
    /// Its lifecycle.
    pub lifecycle: Lifecycle,
    /// The claim as it is now.
    pub claim: Claim,
    /// The file of the version before, in history.
    pub history: Option<PathBuf>,
    /// Nothing was written: the live claim said the same.
    pub unchanged: bool,
    /// What the caller should know besides.
    pub notes: Vec<Advice>,
}

/// On what terms a claim is remembered, beside what it says.
#[derive(Default)]
pub(crate) struct Terms<'a> {
    /// Its birth, if it was in the past; `None` means now.
    pub(crate) born: Option<Timestamp>,
    /// Whether the line of a batch is in history already, and the live claim is a later line's.
    pub(crate) is_behind: Option<&'a dyn Fn(&Claim) -> bool>,
    /// The version that it replaces; if another one is live, another writer changed it.
    pub(crate) over: Option<&'a Claim>,
}

/// What remembering on terms did.
pub(crate) enum Remembered {
    /// As with any claim.
    Now(Box<Memorized>),
    /// History has this version already.
    Known,
}

/// Why a decision is not taken.
enum NotRemembered {
    Known,
    Refused(MemoryError),
}

impl<E: Into<MemoryError>> From<E> for NotRemembered {
    fn from(error: E) -> Self {
        Self::Refused(error.into())
    }
}

/// The answer says of a label with more characters than this that it is long.
const LABEL_CHARS_TOLD: usize = 120;

impl Memory {
    /// Remembers a claim in the caller's own brain, or as doctrine in the medulla.
    pub fn memorize(&self, caller: &Caller, request: &MemorizeRequest) -> Result<Memorized, MemoryError> {
        // A bad draft is refused before a home is made for it.
        let draft = request.draft(&self.floor())?;
        let mut spent = false;
        follow_store(caller, || {
            let target = self.target(caller, request.tier)?;
            if !std::mem::replace(&mut spent, true) {
                self.check_write_quota(&caller.principal.agent)?;
            }
            let agent = caller.principal.agent.clone();
            match self.remember(caller, &target, agent, request, draft.clone(), &Terms::default())? {
                Remembered::Now(done) => Ok(*done),
                Remembered::Known => unreachable!("only a version of the past can be known already"),
            }
        })
    }

    /// Remembers a request and its draft, on terms.
    pub(crate) fn remember(
        &self,
        caller: &Caller,
        target: &Target,
        agent: AgentId,
        request: &MemorizeRequest,
        mut draft: ClaimDraft,
        terms: &Terms<'_>,
    ) -> Result<Remembered, MemoryError> {
        let Target { store, place, root, .. } = target;
        if draft.absolute && *place != FilePlace::Medulla {
            return Err(WriteError::AbsoluteInProject.into());
        }
        // An edit keeps the names that the claim has.
        if terms.over.is_none() {
            check_names(target, request)?;
        }
        let author = Author {
            recorded: self.recorded(caller, &agent, terms),
            agent,
            origin_brain: target.origin.clone(),
        };
        let cwd = caller.hints().cwd.as_deref();
        // What the caller saw is in its own checkout.
        let named = root.as_deref().filter(|_| !request.evidence.is_empty());
        let checkout = named.map(|root| self.at(caller).checkout(root));
        let (found, told) =
            evidence::anchored(&*self.disk, &self.floor(), checkout.as_deref(), cwd, &request.evidence);
        draft.evidence = found;
        let mut notes: Vec<Advice> = told.into_iter().map(Advice::from).collect();
        outside::keep_out(target, &mut draft.evidence, &mut notes);
        let draft = draft.normalise()?;
        let slug = ClaimSlug::of(&draft.label);
        let label_chars = draft.label.as_str().chars().count();
        if label_chars > LABEL_CHARS_TOLD {
            notes.push(format!(
                "the label has {label_chars} characters: a short name is easier to find and to say; rename gives another"
            ).into());
        }
        self.floor().check_adopted(&*self.disk, store, &slug)?;
        let mut affirmed = false;
        let mut dropped = Vec::new();
        let mut room = None;
        let mut before = None;
        let written = store.write(&slug, |live| {
            before = live.cloned();
            if terms.over.is_some_and(|over| live.map(|live| &live.file) != Some(&over.file)) {
                return Err(WriteError::ChangedMeanwhile { label: draft.label.to_string() }.into());
            }
            // The time is read under the lock, so that a claim that waited for the lock is younger than the one that
            // held it.
            let now = terms.born.unwrap_or_else(|| self.clock.now());
            let same = live.filter(|live| draft.is_said_by(live));
            if same.is_none()
                && let Some(live) = live
                && terms.is_behind.is_some_and(|is_behind| is_behind(live))
            {
                return Err(NotRemembered::Known);
            }
            // History stamps a version outdated; what it said is otherwise as it was.
            let is_it = |past: &Claim| draft.is_said_by(&Claim { state: Some(draft.state), ..past.clone() });
            if terms.born.is_some() && same.is_none() && store.in_history(&slug, terms.born, is_it) {
                return Err(NotRemembered::Known);
            }
            let cut_off = match same {
                Some(live) if !age::of(live, now).stale => {
                    self.lacks_its_affirmation(store, &slug, live, &draft, &author)?
                }
                Some(_) | None => false,
            };
            let decision = if cut_off {
                Decision::Unchanged
            } else {
                decide::memorize(live, &draft, &author, now, request.reaffirm)?
            };
            let changes = decision != Decision::Unchanged;
            dropped = live
                .filter(|_| changes)
                .map(|live| dropped_fields::dropped_fields(live, &draft))
                .unwrap_or_default();
            affirmed = same.is_some() && (changes || cut_off);
            if changes && (affirmed || *place == FilePlace::Medulla) {
                room = Some(store.acts().reserve(ACTS_ROOM)?);
            }
            Ok(decision)
        });
        let written = match written {
            Err(WriteFault::Refused(NotRemembered::Known)) => return Ok(Remembered::Known),
            Err(WriteFault::Refused(NotRemembered::Refused(refusal))) => {
                let is_taken = refusal.code() == codes::CLAIM_SLUG_TAKEN;
                let misnamed =
                    is_taken.then(|| self.misnamed(store, &slug, codes::CLAIM_SLUG_TAKEN)).flatten();
                return Err(misnamed.unwrap_or_else(|| with_stronger_claim_named(store, &slug, refusal)));
            }
            Err(WriteFault::Unreadable(bad)) => return Err(MemoryError::Unreadable(bad)),
            Err(WriteFault::Store(error)) => return Err(error.into()),
            Ok(written) => written,
        };
        drop(room);
        let by = &caller.principal.agent;
        let writer = ClaimWriter { author: &author, by };
        if let Err(error) = self.record(store, &slug, &written, &writer, *place, affirmed, &mut notes) {
            // Doctrine without its act would be of unknown origin, and the answer would say that nothing was written.
            // If the act stays on record, so does the claim that it names.
            if !error.is_left_in_place() {
                store.undo(&slug, &written, before.as_ref())?;
            }
            return Err(error.into());
        }
        // A caller that repeats what the file says in its name bears the file out.
        if written.unchanged && written.claim.source_agent.as_deref() == Some(by.as_str()) {
            store.note_own_word(&written.claim)?;
        }
        notes.extend(left_behind(&dropped));
        if !written.unchanged {
            notes.extend(self.rests_on_nothing(target, &written.claim));
            let title = written.claim.title.as_deref().unwrap_or_default();
            let words = [&*written.claim.label, title, &*written.claim.text];
            notes.extend(outside::paths_note(store, words));
        }
        notes.extend(gathered_note(written.gathered));
        if !written.unchanged {
            notes.extend(self.beside_the_repository(store, root.as_deref()));
        }
        if *place == FilePlace::Project && !written.unchanged {
            notes.extend(self.said_otherwise(&target.origin, &slug, &written.claim));
        }
        if *place == FilePlace::Medulla && !written.unchanged && written.history.is_none() {
            notes.extend(store.count().ok().and_then(fullness).map(Advice::from));
        }
        Ok(Remembered::Now(Box::new(Memorized {
            tier: target.tier(),
            lifecycle: Lifecycle::of(*place, &written.claim),
            slug,
            path: written.path,
            claim: written.claim,
            history: written.history,
            unchanged: written.unchanged,
            notes,
        })))
    }

    /// The labels that a claim rests on and that neither its own store nor the medulla has, as a note.
    fn rests_on_nothing(&self, target: &Target, claim: &Claim) -> Option<Advice> {
        let medulla = self.home.medulla();
        let has = |label: &String| {
            let slug = Label::parse(label).ok().map(|label| ClaimSlug::of(&label));
            let is_in = |store: &Store, slug: &ClaimSlug| !matches!(store.live(slug), LiveFile::Absent);
            slug.is_some_and(|slug| is_in(&target.store, &slug) || is_in(&medulla, &slug))
        };
        let absent: Vec<String> =
            claim.depends_on.iter().filter(|label| !has(label)).map(|label| format!("{label:?}")).collect();
        let absent = absent.join(", ");
        (!absent.is_empty()).then(|| advice!["it rests on what no claim is called: {absent}"])
    }

    /// Records what is an act beside the file itself: doctrine, a breach of etiquette, an affirmation.
    /// An unchanged claim completes what an interrupted run left out.
    #[expect(clippy::too_many_arguments, reason = "one step of memorize, cut out to be read alone")]
    fn record(
        &self,
        store: &Store,
        slug: &ClaimSlug,
        written: &WriteOutcome,
        writer: &ClaimWriter<'_>,
        place: FilePlace,
        affirmed: bool,
        notes: &mut Vec<Advice>,
    ) -> Result<(), StoreError> {
        let ClaimWriter { author, by } = *writer;
        let upon = || Mention::from(VersionRef::of(slug, &written.claim));
        // The caller is on record for what it does, in whatever name it says it.
        let said_by = || (author.agent != *by).then(|| author.agent.to_string());
        let now = self.clock.now();
        let act = |deed: Deed| Act::new(deed, by, now);
        let mut acts = Vec::new();
        // Only the writer of this version is on record for it; a caller that repeated it is not.
        let is_own = written.claim.source_agent.as_deref() == Some(author.agent.as_str());
        if place == FilePlace::Medulla && is_own {
            acts.push(act(Deed::Doctrine { upon: upon(), said_by: said_by() }));
            acts.extend(self.unshared_by(store, slug, &written.claim, by, notes));
            if !by.may_write_doctrine() {
                acts.push(act(Deed::Violation {
                    verb: None,
                    upon: upon(),
                    rule: Some("MEM-10".into()),
                    label: None,
                    said_by: said_by(),
                }));
                notes.push(format!(
                    "etiquette: doctrine is written by orchestrators and people; {by} is on record for writing it"
                ).into());
            }
        }
        // Last: an affirmation without its act is one that was cut off, whatever else is in the log.
        if affirmed {
            acts.push(act(Deed::Affirm { upon: upon(), said_by: said_by() }));
        }
        if !acts.is_empty() {
            store.acts().record_all(&acts)?;
        }
        Ok(())
    }

    /// Doctrine that took the place of a project's copy un-shares it: the record of that. The project's
    /// own claim is not touched.
    fn unshared_by(
        &self,
        store: &Store,
        slug: &ClaimSlug,
        live: &Claim,
        by: &AgentId,
        notes: &mut Vec<Advice>,
    ) -> Option<Act> {
        let copy = store.predecessor(slug, live)?;
        let origin = copy.origin_claim.as_ref()?;
        let first = live.text.lines().next().unwrap_or_default().trim();
        // Doctrine may be just a pointer to the project of a finding.
        let reason = if first.starts_with("moved_to:") { first } else { "doctrine took its place" };
        notes.push(format!("{origin} is un-shared by this").into());
        notes.extend(self.original_words(&copy).map(Advice::from));
        let at = live.created.unwrap_or_else(|| self.clock.now());
        let deed = Deed::Demote {
            upon: VersionRef::of(slug, &copy).into(),
            reason: Some(reason.to_owned()),
            by: Some(ActVerb::Memorize),
            successor: Some(VersionRef::of(slug, live).into()),
        };
        Some(Act::new(deed, by, at))
    }

    /// The agent that puts a claim on record, if author and birth do not show it: the caller speaks for another agent,
    /// or of an earlier time.
    fn recorded(&self, caller: &Caller, agent: &AgentId, terms: &Terms<'_>) -> Option<RecordedBy> {
        let by = &caller.principal.agent;
        let at = self.clock.now();
        let is_earlier = terms.born.is_some_and(|born| at.ms_since(born) > age::CLOCKS_DIFFER_MS_MAX);
        (by != agent || is_earlier).then(|| RecordedBy { by: by.clone(), at })
    }

    /// Whether the live claim is an affirmation by this author that was cut off before its act was
    /// recorded: then the repeat completes it, and makes no second one.
    fn lacks_its_affirmation(
        &self,
        store: &Store,
        slug: &ClaimSlug,
        live: &Claim,
        draft: &ClaimDraft,
        author: &Author,
    ) -> Result<bool, MemoryError> {
        let is_own = live.source_agent.as_deref() == Some(author.agent.as_str());
        let Some(before) = store.predecessor(slug, live).filter(|_| is_own) else { return Ok(false) };
        // History stamps a version outdated; what it said is otherwise as it was.
        let affirms = draft.is_said_by(&Claim { state: live.state, ..before });
        let affirmation = Deed::Affirm { upon: VersionRef::of(slug, live).into(), said_by: None };
        Ok(affirms && !store.acts().has(&affirmation.id())?)
    }
}

/// The agent in whose name a claim is written, and the agent that writes it.
struct ClaimWriter<'a> {
    author: &'a Author,
    by: &'a AgentId,
}

/// What to tell of what the version before had and the new one has not.
fn left_behind(dropped: &[String]) -> Option<Advice> {
    let (last, first) = dropped.split_last()?;
    let had = if first.is_empty() { last.clone() } else { format!("{} and {last}", first.join(", ")) };
    Some(advice![
        "this version lacks what the one before had: {had}; give it again if it still holds (history keeps that version)"
    ])
}

/// The note about versions that the checkout did not have and that a write put into history; `None` if there were
/// none.
fn gathered_note(count: usize) -> Option<Advice> {
    let versions = if count == 1 { "1 version".to_owned() } else { format!("{count} versions") };
    (count > 0).then(|| {
        advice!["{versions} of it that this checkout did not have went into its history, under the home"]
    })
}

/// Returns the refusal. If it is because the live claim is stronger, it says what the caller has to know of that
/// claim: which words only its file bears out, or that it is not in this checkout.
fn with_stronger_claim_named(store: &Store, slug: &ClaimSlug, refusal: MemoryError) -> MemoryError {
    if refusal.code() != codes::CLAIM_WOULD_DOWNGRADE {
        return refusal;
    }
    match store.live(slug) {
        LiveFile::Claim(live) => {
            let written_here = store.written_here();
            match unrecorded_sentence(&unrecorded_words(&live, &written_here), written_here.is_unread()) {
                None => refusal,
                Some(told) => {
                    let fault = Fault::from(refusal);
                    Fault { message: format!("{} ({told})", fault.message), ..fault }.into()
                }
            }
        }
        LiveFile::Absent => match store.youngest_elsewhere(slug) {
            Ok(Some(there)) => {
                let fault = Fault::from(refusal);
                let message = format!("{} (that claim is not in this checkout)", fault.message);
                let strength = there.strength();
                let fix = advice![
                    "state it at least as strongly ({strength}), or take that claim back: ",
                    calls::show(&there.label),
                    " shows it, ",
                    calls::init(),
                    " brings what is under the home into the repository, then retract it"
                ];
                Fault { message, ..fault }.fix(fix).into()
            }
            Ok(None) | Err(_) => refusal,
        },
        LiveFile::Unreadable(_) => refusal,
    }
}

/// Refuses a group, a tag and a label that is rested on which is a path of this machine: they are names.
pub(super) fn check_names(target: &Target, request: &MemorizeRequest) -> Result<(), MemoryError> {
    let Some(root) = target.root.as_deref() else { return Ok(()) };
    let is_path = |text: &str| brainstem_claims::outside_paths::committable_text(root, text).is_some();
    let refuse = |field, value: &str, what, takes| {
        let value = value.chars().take(80).collect();
        Err(MemoryError::BadValue { field, value, what, takes, rule: "MEM-2" })
    };
    if let Some(group) = request.group.as_deref().filter(|group| is_path(group)) {
        let takes =
            "a name without the folders of this machine, because a claim's file can be committed".into();
        return refuse("group", group, "name of a group", takes);
    }
    if let Some(tag) = request.tags.iter().find(|tag| is_path(tag)) {
        let takes =
            "words without the folders of this machine, because a claim's file can be committed".into();
        return refuse("tags", tag, "tag", takes);
    }
    if let Some(label) = request.depends_on.iter().find(|label| is_path(label)) {
        let takes = advice!["labels of claims; a file that proves it goes into `", field("evidence"), "`"];
        return refuse("depends_on", label, "label of a claim", takes);
    }
    Ok(())
}
