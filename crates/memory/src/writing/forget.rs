//! `forget`: true deletion.

use crate::caller::follow::follow_store;
use crate::caller::secrets::Floor;
use crate::error::MemoryError;
use crate::limits::CASE_WAIT;
use crate::promotion::copies_left::ClaimToForget;
use crate::promotion::stamps::stamps_in;
use crate::service::Memory;
use crate::writing::error::{ELSEWHERE, WriteError};
use crate::writing::renamed_spans::{later_of, spans_of};
use crate::writing::retract::{local, meant};
use crate::writing::target::{WriteTier, breach_note};
use brainstem_base::next::{NextCall, calls};
use brainstem_base::{Advice, advice};
use brainstem_base::{Fault, codes};
use brainstem_caller::Caller;
use brainstem_claims::act::{Act, ActVerb, Deed, DeedKind, Mention, tombstone_name};
use brainstem_claims::folds::names::{LabelsOnRecord, names_of};
use brainstem_claims::lifecycle::FilePlace;
use brainstem_claims::{Claim, ClaimSlug, Label};
use brainstem_vault::forget_in_clones::InClone;
use brainstem_vault::one_claim::OneClaim;
use brainstem_vault::store::LiveFile;
use brainstem_vault::traces::{Forgetting, SlugSpan, Traces};
use brainstem_vault::version_owner::VersionOwner;
use brainstem_vault::{Store, checkup};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;

/// What to forget.
#[derive(Clone, Debug)]
pub struct ForgetRequest {
    /// The label, or the id of a row.
    pub label: String,
    /// `medulla`, or the caller's own brain.
    pub tier: Option<WriteTier>,
    /// Whether the caller confirms it.
    pub confirmation: Confirmation,
}

/// Whether a caller confirms that a claim goes for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirmation {
    /// It does not: the refusal names what would go.
    Missing,
    /// It does.
    Given,
}

impl Confirmation {
    /// Returns what the flag `confirm` means.
    pub fn of_flag(confirm: bool) -> Self {
        if confirm { Self::Given } else { Self::Missing }
    }
}

/// What is gone.
#[derive(Clone, Debug)]
pub struct Forgotten {
    /// How the acts name it from now on.
    pub tombstone: String,
    /// `project` or `medulla`.
    pub tier: &'static str,
    /// Whether it was live.
    pub live: bool,
    /// How many versions of its history are gone.
    pub versions: usize,
    /// How many recorded acts lost what they said about it.
    pub acts: usize,
    /// The sha256 of each file that is gone, aside from those that held a secret.
    pub sha256: Vec<String>,
    /// What the caller should know besides.
    pub notes: Vec<Advice>,
}

/// The note about files whose hash is left out of the answer.
const UNHASHED: &str =
    "what held a secret is on record by its birth alone: a hash of it would let a reader try guesses";

impl Memory {
    /// Deletes a claim for good: live, history, what the acts say about it, and leftovers of
    /// interrupted writes. A tombstone with its hashes stays.
    pub fn forget(&self, caller: &Caller, request: &ForgetRequest) -> Result<Forgotten, MemoryError> {
        let mut counted = false;
        follow_store(caller, || self.forget_once(caller, request, &mut counted))
    }

    fn forget_once(
        &self,
        caller: &Caller,
        request: &ForgetRequest,
        counted: &mut bool,
    ) -> Result<Forgotten, MemoryError> {
        let label = self.floor().label("label", &request.label)?;
        let target = self.target(caller, request.tier)?;
        let (store, place) = (&target.store, target.name());
        let is_qualified = local(&label, &place) != label;
        let label = meant(store, &label, &place)?;
        let slug = ClaimSlug::of(&label);
        if let Some(misnamed) = self.misnamed(store, &slug, codes::CLAIM_NOT_FOUND) {
            return Err(misnamed);
        }
        let acts = store.acts().read()?.acts;
        let beside = versions_beside(store, &slug)?;
        let mut same_id = Vec::new();
        let (label, own) = match self.named_by_id(&label, is_qualified, &beside, &acts)? {
            ById::Label(meant) if meant == label => {
                // The exact label of a claim means that claim, and not another one that has the text as its id.
                same_id = self.others_of_id(&label, &beside, &acts);
                (label.clone(), Some(OneClaim::of(&label, &acts, &beside.all())))
            }
            ById::Label(label) => (label.clone(), Some(OneClaim::of(&label, &acts, &beside.all()))),
            // An id means everything of that name, whatever labels it had.
            ById::Everything => (label, None),
        };
        let mut names: Vec<Label> = own.iter().flat_map(OneClaim::all_names).cloned().collect();
        if own.is_none() {
            let labels = LabelsOnRecord::of(&acts);
            let mut known: HashSet<String> = HashSet::new();
            let mut add = |label: &Label| {
                // The names of a label that is known are known.
                let others = if known.contains(&label.nfc()) { Vec::new() } else { labels.names_of(label) };
                names.extend(others.into_iter().filter(|name| known.insert(name.nfc())));
            };
            add(&label);
            let past = beside.past.iter().map(|claim| claim.label.clone());
            let renamed = acts.iter().filter_map(|act| match act.deed() {
                Deed::Rename { to, to_slug, .. } if to_slug.as_ref() == Some(&slug) => to.clone(),
                _ => None,
            });
            past.chain(renamed).filter_map(|text| Label::parse(&text).ok()).for_each(|label| add(&label));
        }
        let is_it = |claim: &Claim| own.as_ref().is_none_or(|own| own.has(claim));
        let spans = spans_of(&slug, &names, &acts);
        let later = later_of(&names, &acts);
        let own: Vec<Act> = acts.iter().filter(|act| !act.is_foreign()).cloned().collect();
        let on_record = LabelsOnRecord::of(&own);
        // The acts of this home are few for each name, however many names a committer adds.
        let earlier = names.iter().flat_map(|name| on_record.names_of(name).split_off(1));
        let earlier: Vec<Label> = earlier.collect();
        let renames: Vec<Act> =
            acts.iter().filter(|act| act.kind() == Some(DeedKind::Rename)).cloned().collect();
        let floor = self.floor();
        let holds_secret = |bytes: &[u8]| floor.has_secret(&String::from_utf8_lossy(bytes));
        let forgetting = Forgetting {
            slug: &slug,
            is_it: &is_it,
            names: &names,
            spans: &spans,
            later: &later,
            earlier: &earlier,
            renames: &renames,
            holds_secret: &holds_secret,
        };
        let traces = store.traces(&forgetting)?.map_err(MemoryError::Unreadable)?;
        // What an interrupted renaming left under this name belongs to the claim, which has another name now.
        let is_renamed_away = spans.first().is_some_and(|span| span.after.is_some());
        if is_renamed_away && traces.is_leftovers_alone() {
            return Err(self.not_found(store, &label, &place));
        }
        if request.confirmation == Confirmation::Missing {
            if traces.is_empty() {
                return Err(self.not_found(store, &label, &place));
            }
            let mut left = self.left_of(store, &traces);
            left.extend(self.rest_of(&traces));
            left.extend(beside_others(&traces));
            left.extend(same_id);
            let versions = self.versions_among(store, &traces);
            return Err(unconfirmed(&label, &place, &traces, versions, left).into());
        }
        if !*counted {
            self.check_write_quota(&caller.principal.agent)?;
            *counted = true;
        }
        let mut notes = vec![ELSEWHERE.into()];
        let (agent, now) = (&caller.principal.agent, self.clock.now());
        let breach = self.breach_act(caller, &target, ActVerb::Forget, Mention::read(&tombstone_name(&slug)));
        let is_breach = breach.is_some();
        let (mut shared, mut stamps, mut twins) = (Vec::new(), 0, Vec::new());
        let slugs: Vec<ClaimSlug> = names.iter().map(ClaimSlug::of).chain([slug.clone()]).collect();
        // Called with the locks held, before anything goes: the notes say what is so at that time.
        let tombstone = |deed: Deed| {
            let versions: Vec<Claim> = beside.all().into_iter().filter(|claim| is_it(claim)).collect();
            shared = if target.place == FilePlace::Medulla {
                self.other_copies(&slugs, &versions)
            } else {
                let (names, versions) = (&slugs, &versions);
                let claim = ClaimToForget { origin: &target.origin, names, versions, acts: &acts };
                self.copies_left(&claim)
            };
            if let Ok(Ok(before)) = store.traces(&forgetting) {
                stamps = before.versions() - self.versions_among(store, &before);
            }
            twins = twins_of(store, &slug);
            breach.into_iter().chain([Act::new(deed, agent, now)]).collect()
        };
        // Before, so that a run that is cut off leaves no word in the index; and after, because a reader may have
        // written it again in the meantime.
        self.purge_index(store)?;
        let traces = store.forget(&forgetting, tombstone)?.map_err(MemoryError::Unreadable)?;
        let purged = self.purge_index(store);
        let clones = store.forget_in_clones(&traces, &names);
        if traces.is_empty() && clones.iter().all(|clone| clone.gone == 0) {
            purged?;
            return Err(self.not_found(store, &label, &place));
        }
        notes.extend(shared);
        // The claim is forgotten: a failure from here on becomes a note.
        notes.extend(purged.err().map(|error| {
            let fault = Fault::from(error);
            advice![
                "words of it may still be in the search index ({fault}): ",
                calls::index(),
                " makes it anew"
            ]
        }));
        // A copy that the battery made before the claim went is gone after this.
        notes.extend(self.clear_copies());
        notes.extend(is_breach.then(|| breach_note(agent)));
        notes.extend(moved(&spans, &acts).into_iter().map(Advice::from));
        notes.extend((!traces.secret.is_empty()).then(|| UNHASHED.into()));
        notes.extend(strays_of(&traces).map(|strays| advice!["{strays} went too"]));
        notes.extend(self.left_of(store, &traces).into_iter().map(Advice::from));
        notes.extend(self.rest_of(&traces).into_iter().map(Advice::from));
        notes.extend(beside_others(&traces).into_iter().map(Advice::from));
        notes.extend(same_id.into_iter().map(Advice::from));
        notes.extend(self.left_twins(store, &twins));
        let aside = self.home.all_set_aside();
        notes.extend(clones.iter().flat_map(|clone| {
            let aside = aside.iter().find(|brain| brain.root == clone.root);
            clone_notes(clone, aside.map(|brain| self.call_back(brain)), &label, &floor)
        }));
        Ok(Forgotten {
            tombstone: tombstone_name(&slug),
            tier: target.tier(),
            live: traces.live.is_some(),
            versions: traces.versions().saturating_sub(stamps),
            acts: traces.acts,
            sha256: traces.sha256.into_iter().collect(),
            notes,
        })
    }
}

impl Memory {
    /// Removes the copies of claims that runs of the battery have made; returns what a person must know if some stay.
    fn clear_copies(&self) -> Option<Advice> {
        let worlds = self.home.worlds();
        if worlds.found().is_ok_and(|found| found.is_empty()) {
            return None;
        }
        let stayed = worlds.hold(CASE_WAIT).and_then(|held| held.clear());
        let why = match stayed {
            Ok(stayed) if stayed.is_empty() => return None,
            Ok(_) => "something in it cannot be removed".to_owned(),
            Err(error) => error.to_string(),
        };
        let dir = worlds.dir().display();
        Some(advice![
            "a copy that a run of the battery made may still lie in `{dir}` ({why}): ",
            calls::doctor_sweep(),
            " removes it"
        ])
    }
}

/// The versions that have a slug.
struct VersionsUnderSlug {
    live: Vec<Claim>,
    past: Vec<Claim>,
}

impl VersionsUnderSlug {
    fn all(&self) -> Vec<Claim> {
        self.live.iter().chain(&self.past).cloned().collect()
    }
}

fn versions_beside(store: &Store, slug: &ClaimSlug) -> Result<VersionsUnderSlug, MemoryError> {
    let live = store.stored(slug.as_str()).into_iter().map(|stored| stored.claim).collect();
    let past = store.history(slug)?.0.into_iter().map(|version| version.claim).collect();
    Ok(VersionsUnderSlug { live, past })
}

/// What a label means, which may be the id of a row.
enum ById {
    /// The claim of this label.
    Label(Label),
    /// All that has the id: nothing there has a label of its own.
    Everything,
}

impl Memory {
    /// Names the claims that have a label as their id, and another label: they stay.
    fn others_of_id(&self, label: &Label, beside: &VersionsUnderSlug, acts: &[Act]) -> Vec<String> {
        let slug = ClaimSlug::of(label);
        if label.as_str() != slug.as_str() {
            return Vec::new();
        }
        let names = names_of(label, acts);
        let labels = beside.live.iter().chain(&beside.past).filter_map(|it| Label::parse(&it.label).ok());
        let labels = labels.filter(|other| ClaimSlug::of(other) == slug && !names.contains(other));
        let labels: BTreeSet<String> = labels.map(|label| label.to_string()).collect();
        let floor = self.floor();
        let named = |label: &String| match floor.has_secret(label) {
            true => "another claim has this id too and stays".to_owned(),
            false => format!("{label:?} has this id too and stays"),
        };
        labels.iter().map(named).collect()
    }

    /// The claim that a caller means: by its label, or by an id that one claim alone has. `is_qualified` says that the caller
    /// gave the id of a row with the name of its brain, which is no label.
    fn named_by_id(
        &self,
        label: &Label,
        is_qualified: bool,
        beside: &VersionsUnderSlug,
        acts: &[Act],
    ) -> Result<ById, MemoryError> {
        let slug = ClaimSlug::of(label);
        if label.as_str() != slug.as_str() {
            return Ok(ById::Label(label.clone()));
        }
        let labels = |claims: &[Claim]| {
            let labels = claims.iter().filter_map(|claim| Label::parse(&claim.label).ok());
            labels.filter(|label| ClaimSlug::of(label) == slug).collect::<Vec<Label>>()
        };
        let (live, past) = (labels(&beside.live), labels(&beside.past));
        // A caller that says the very label of one claim means that one; by the id with the name of its brain, the other
        // may be meant, which is live.
        let exact = past.iter().find(|past| *past == label).cloned();
        let candidates = if live.is_empty() { past } else { live.into_iter().chain(exact).collect() };
        // Another spelling of a claim's label is no other claim.
        let labels = LabelsOnRecord::of(acts);
        let mut known: HashSet<String> = HashSet::new();
        let mut meant: Vec<&Label> = Vec::new();
        for label in &candidates {
            if !known.contains(&label.nfc()) {
                known.extend(labels.names_of(label).iter().map(Label::nfc));
                meant.push(label);
            }
        }
        match meant.as_slice() {
            [] => Ok(ById::Everything),
            [only] => Ok(ById::Label((*only).clone())),
            several if several.contains(&label) && !is_qualified => Ok(ById::Label(label.clone())),
            several => {
                let floor = self.floor();
                let named = |label: &&Label| match floor.has_secret(label.as_str()) {
                    true => "one whose label carries a secret".to_owned(),
                    false => format!("{:?}", label.as_str()),
                };
                let labels = several.iter().map(named).collect();
                Err(WriteError::SeveralOfId { id: label.to_string(), labels }.into())
            }
        }
    }
}

/// The places in which a migration has left the same words: deleting here does not delete there.
fn moved(spans: &[SlugSpan], acts: &[Act]) -> Vec<String> {
    let is_its = |upon: &Mention| {
        let is_back = |act: &Act| matches!(act.deed(), Deed::MigrateBack { upon: back, .. } if back == upon);
        upon.slug().is_some_and(|slug| spans.iter().any(|span| span.slug == *slug))
            && !acts.iter().any(is_back)
    };
    let note = |act: &Act| match act.deed() {
        Deed::MigrateIn { upon, moved_from: Some(from), .. } if is_its(upon) => Some(format!(
            "a migration brought it: its original stays in history as {from} until it is forgotten there too"
        )),
        Deed::Migrate { upon, moved_to: Some(to), .. } if is_its(upon) => {
            Some(format!("a migration moved it: it stays live as {to} until it is forgotten there too"))
        }
        _ => None,
    };
    acts.iter().filter_map(note).collect()
}

impl Memory {
    /// How many versions go with these traces: one from before the stamp of a promotion is none of its own. If the
    /// store cannot be read, each file counts.
    fn versions_among(&self, store: &Store, traces: &Traces) -> usize {
        let history = checkup::history(&*self.disk, &store.paths().history);
        let (Ok(scan), Ok(history)) = (store.scan(), history) else { return traces.versions() };
        let stamps = stamps_in(&scan, &history);
        traces.versions() - traces.history.iter().filter(|path| stamps.contains(path.as_path())).count()
    }
}

impl Memory {
    /// The versions that stay because another claim has them or may have them, one sentence a claim.
    fn left_of(&self, store: &Store, traces: &Traces) -> Vec<String> {
        let mut counts: BTreeMap<(&ClaimSlug, bool), usize> = BTreeMap::new();
        for other in &traces.left {
            *counts.entry((&other.slug, other.belongs == VersionOwner::InDoubt)).or_default() += 1;
        }
        let told = |((slug, is_in_doubt), count): ((&ClaimSlug, bool), usize)| {
            let label = match store.live(slug) {
                LiveFile::Claim(claim) => claim.label,
                LiveFile::Absent | LiveFile::Unreadable(_) => slug.to_string(),
            };
            let named = if self.floor().has_secret(&label) {
                "another claim".to_owned()
            } else {
                format!("{label:?}")
            };
            let (versions, stay) = if count == 1 { ("version", "stays") } else { ("versions", "stay") };
            match is_in_doubt {
                false => format!(
                    "{count} {versions} under this name {stay}: another clone renamed that claim, and {named} has it now"
                ),
                true => format!(
                    "{count} {versions} {stay}: nothing but the repository's log tells whether this claim or {named} has it; forget deletes it once only one of the two is left"
                ),
            }
        };
        counts.into_iter().map(told).collect()
    }
}

impl Memory {
    /// Names the claims that wait in the same file and stay.
    fn rest_of(&self, traces: &Traces) -> Option<String> {
        let floor = self.floor();
        let named = |label: &&str| match floor.has_secret(label) {
            true => "another claim".to_owned(),
            false => format!("{label:?}"),
        };
        let labels: Vec<String> = traces.rest.as_ref()?.labels().iter().map(named).collect();
        let stay = if labels.len() == 1 { "stays" } else { "stay" };
        Some(format!("{} in the same file {stay}", labels.join(", ")))
    }
}

/// Names the files under the home in which a version of the claim stays beside a claim of another label.
fn beside_others(traces: &Traces) -> Vec<String> {
    let named = |path: &PathBuf| {
        let path = path.display();
        format!("a version of it stays in `{path}`, where a claim of another label waits in the same file")
    };
    traces.beside_others.iter().map(named).collect()
}

/// The slugs under which the live claim of a slug has the same words too: it lives under both, or it was renamed to that slug
/// and git or a backup brought the old name back.
fn twins_of(store: &Store, slug: &ClaimSlug) -> Vec<ClaimSlug> {
    let pairs = store.cut_off_renames().unwrap_or_default().into_iter();
    let pairs = pairs.filter(|pair| [&pair.from, &pair.to].contains(&slug));
    let mut twins: Vec<ClaimSlug> =
        pairs.map(|pair| if pair.from == *slug { pair.to } else { pair.from }).collect();
    let later = store.later_names(slug).unwrap_or_default().into_iter();
    twins.extend(later.filter(|to| !twins.contains(to)).collect::<Vec<_>>());
    twins
}

impl Memory {
    /// Names the claims that say the same under another name and stay.
    fn left_twins(&self, store: &Store, twins: &[ClaimSlug]) -> Vec<Advice> {
        let told = |slug: &ClaimSlug| {
            let label = match store.live(slug) {
                LiveFile::Claim(claim) => claim.label,
                LiveFile::Absent | LiveFile::Unreadable(_) => {
                    store.history(slug).ok()?.0.into_iter().next()?.claim.label
                }
            };
            Some(match self.floor().has_secret(&label) {
                true => "another claim says the same under another name and stays".into(),
                false => advice![
                    "{label:?} says the same under another name and stays: ",
                    calls::forget(&label),
                    " deletes that one too"
                ],
            })
        };
        twins.iter().filter_map(told).collect()
    }
}

/// Returns notes that say what became of the claim in another clone of the project.
fn clone_notes(
    InClone { root, gone, stay, is_live, renamed, unreached }: &InClone,
    set_aside: Option<NextCall>,
    label: &Label,
    floor: &Floor,
) -> Vec<Advice> {
    let root = root.display().to_string();
    let count = |count: usize, one: &str, many: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    };
    let went = (*gone > 0).then(|| {
        let files = count(*gone, "file", "files");
        advice!["{files} with it that the clone in `{root}` kept under the home went too"]
    });
    let has = [
        is_live.then(|| "a live claim of that label".to_owned()),
        (*stay > 0)
            .then(|| count(*stay, "version that is not known here", "versions that are not known here")),
        unreached.as_ref().map(|why| format!("what could not be reached ({why})")),
    ];
    let named = |name: &String| match floor.has_secret(name) {
        true => "it under a name that carries a secret".to_owned(),
        false => format!("it under the name {name:?}, which it got there"),
    };
    let has: Vec<String> = has.into_iter().flatten().chain(renamed.iter().map(named)).collect();
    let has_label = *is_live || *stay > 0 || unreached.is_some();
    let names = has_label.then_some(label.as_str()).into_iter().chain(renamed.iter().map(String::as_str));
    let call = |name: &str| match floor.has_secret(name) {
        true => calls::forget(calls::LABEL).at(root.clone()),
        false => calls::forget(name).at(root.clone()),
    };
    let calls: Vec<Advice> = names.map(|name| Advice::from(call(name))).collect();
    let stays = (!has.is_empty()).then(|| {
        let has = has.join(", ");
        let first = set_aside.map_or_else(Advice::default, |back| {
            advice!["its brain was set aside, and ", back, " brings it back; then "]
        });
        advice![
            "the clone in `{root}` has {has}: ",
            first,
            Advice::joined(calls, " and "),
            " there says what would go"
        ]
    });
    went.into_iter().chain(stays).collect()
}

/// How many files hold the claim under other names, in words.
fn strays_of(traces: &Traces) -> Option<String> {
    match traces.strays.len() {
        0 => None,
        1 => Some("1 file with it under another name".to_owned()),
        count => Some(format!("{count} files with it under other names")),
    }
}

fn unconfirmed(
    label: &Label,
    place: &str,
    traces: &Traces,
    versions: usize,
    left: Vec<String>,
) -> WriteError {
    let strays = strays_of(traces).map(|strays| format!("so would go {strays}"));
    WriteError::ForgetUnconfirmed {
        label: label.to_string(),
        place: place.to_owned(),
        is_live: traces.live.is_some(),
        version_count: versions,
        also: strays.into_iter().chain(left).collect(),
    }
}
