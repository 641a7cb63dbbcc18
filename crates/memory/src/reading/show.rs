//! `show`: one claim whole, with every version before it.

use crate::error::MemoryError;
use crate::gap::Gap;
use crate::limits::RETRIES;
use crate::promotion::sharing::Sharing;
use crate::promotion::stamps::is_one_version;
use crate::reading::evidence::EvidenceRoots;
use crate::reading::missing_from_checkout::{OWNER_SIDE, missing_gaps};
use crate::reading::row::{Row, Why};
use crate::reading::tier::Tier;
use crate::reading::withheld::unnamed;
use crate::record::verdicts::Verdicts;
use crate::service::Memory;
use crate::writing::retract::{is_id, local};
use brainstem_base::next::calls;
use brainstem_base::{Advice, advice};
use brainstem_base::{Coded as _, Timestamp, codes, hash};
use brainstem_caller::Caller;
use brainstem_caller::identity::is_same_agent;
use brainstem_claims::act::{Act, ActTime, Deed, VersionRef, last_retraction};
use brainstem_claims::age::{STALE_AFTER_MS, is_ahead};
use brainstem_claims::delegation::DelegationId;
use brainstem_claims::fence::value;
use brainstem_claims::folds::names::{Relabelling, names_of};
use brainstem_claims::folds::proposals::{Proposal, Proposed};
use brainstem_claims::folds::timeline::{self, TimelineStep};
use brainstem_claims::lifecycle::FilePlace;
use brainstem_claims::trust::Voice;
use brainstem_claims::{Claim, ClaimSlug, Label, Lifecycle, State, Trust};
use brainstem_vault::history::{ExitReason, PastVersion};
use brainstem_vault::one_claim::OneClaim;
use brainstem_vault::scan::{CLAIM_SUFFIX, StoredClaim, UnreadableClaim};
use brainstem_vault::store::LiveFile;
use brainstem_vault::{HeaderSource, Store, StorePlace, WrittenHere};
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// What to show.
#[derive(Clone, Debug)]
pub struct ShowRequest {
    /// The label, or the id of a row.
    pub label: String,
    /// Which store; both by default, the project's first.
    pub tier: Tier,
    /// The version that was live then; absent means now.
    pub at: Option<Timestamp>,
}

/// One claim and its past.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The live claim; `None` when only its history is left, or several versions wait for a decision.
    pub claim: Option<Row>,
    /// The versions that wait for a decision, those in the checkout.
    pub sides: Vec<Row>,
    /// Its slug.
    pub slug: ClaimSlug,
    /// `project` or `medulla`.
    pub tier: &'static str,
    /// What was said of the live claim, oldest first.
    pub verdicts: Vec<Voice>,
    /// On a witness: what became of its copy in the medulla.
    pub sharing: Option<Sharing>,
    /// The proposals to promote this version, oldest first.
    pub proposals: Vec<Proposal>,
    /// What was done to it, in its project and in the medulla, oldest first.
    pub life: Vec<TimelineStep>,
    /// The delegation it was found in.
    pub found_in: Option<FoundIn>,
    /// The versions before, youngest first.
    pub history: Vec<ShownVersion>,
    /// Whether the other tier has a live claim of this label too.
    pub also_in: Option<&'static str>,
    /// Earlier claims of this label, which have another since.
    pub(crate) renamed_away: Vec<RenamedAway>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// The delegation that a finding came of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundIn {
    /// Its id.
    pub id: String,
    /// The agent that gave it.
    pub by: Option<String>,
    /// The task, if this home still has it.
    pub task: Option<String>,
    /// How it ended.
    pub outcome: Option<&'static str>,
}

impl FoundIn {
    /// For people.
    pub fn sentence(&self) -> String {
        let by = self.by.as_ref().map(|by| format!(", given by {by}")).unwrap_or_default();
        let task = self.task.as_ref().map(|task| format!(": {task}")).unwrap_or_default();
        format!("found in {}{by}{task}", self.id)
    }
}

impl Shown {
    /// What to say of a claim of the project that is not live, if the medulla's is shown instead.
    fn not_shown(&mut self) -> Vec<Gap> {
        let mut gaps = std::mem::take(&mut self.gaps);
        let retracted = self.history.first().filter(|last| last.lifecycle == Lifecycle::Retracted);
        if let Some(last) = retracted {
            let by = last.retracted.as_ref().map(|act| {
                let reason = act.deed().reason().map(|reason| format!(": {reason}")).unwrap_or_default();
                let at = act.at().as_str();
                format!(" by {} on {}{reason}", act.agent(), at.get(..10).unwrap_or(at))
            });
            let (label, by) = (&last.label, by.unwrap_or_default());
            let detail = advice![
                "the project's own claim {label:?} was retracted{by}; what is shown is the medulla's, and ",
                calls::show_in(label, "project"),
                " shows the project's versions"
            ];
            gaps.push(Gap::new("retracted_in_project", detail));
        }
        gaps
    }

    /// Whether a file has its live name.
    fn is_live(&self) -> bool {
        self.claim.is_some() || !self.sides.is_empty()
    }
}

/// One version that is no longer live.
#[derive(Clone, Debug)]
pub struct ShownVersion {
    /// Its label, as it was then.
    pub label: String,
    /// When it was born.
    pub created: Option<Timestamp>,
    /// Its author.
    pub source_agent: Option<String>,
    /// Its state, as history keeps it.
    pub state: Option<State>,
    /// Its title.
    pub title: Option<String>,
    /// Its text.
    pub text: String,
    /// Superseded, retracted, moved or missing.
    pub lifecycle: Lifecycle,
    /// For a retraction or a move: its agent, its time and its reason, from the acts.
    pub retracted: Option<Act>,
    /// What was said of it, oldest first.
    pub verdicts: Vec<Voice>,
    /// The agent that imported it, and the day; `None` if it was not imported.
    pub brought: Option<String>,
    /// Only its file says that the person it names wrote it: this home has no record of it.
    pub is_unrecorded: bool,
    /// It was written here and is not in this checkout, and the version there was not written over it.
    pub missing: bool,
    /// Its file.
    pub path: PathBuf,
}

/// An earlier claim of a label, which it left to another when it was renamed.
#[derive(Clone, Debug)]
pub(crate) struct RenamedAway {
    /// The renaming.
    act: Act,
    /// When the version was born that was live then.
    born: Option<Timestamp>,
    /// The label that it has now.
    now: Label,
}

impl RenamedAway {
    /// Those that had this label and are not the claim with versions of these births.
    fn of(label: &Label, births: &HashSet<Timestamp>, acts: &[Act]) -> Vec<Self> {
        let renames: Vec<Relabelling<'_>> = acts.iter().filter_map(Relabelling::by).collect();
        let mut away = Vec::new();
        for (at, Relabelling { act, from, to, born, .. }) in renames.iter().enumerate() {
            let is_own = born.is_some_and(|born| births.contains(&born));
            let Some(mut now) = to.clone().filter(|_| from.as_ref() == Some(label) && !is_own) else {
                continue;
            };
            // Each step looks at later acts alone, so that names which went round in a ring come to an end.
            for later in &renames[at + 1..] {
                if later.from.as_ref() == Some(&now) {
                    now = later.to.clone().unwrap_or(now);
                }
            }
            away.push(Self { act: (*act).clone(), born: *born, now });
        }
        away
    }

    /// Whether it had the label at a time.
    fn had_it(&self, at: Timestamp) -> bool {
        self.born.is_some_and(|born| born <= at) && self.act.time().is_some_and(|renamed| at < renamed)
    }

    /// For people.
    fn sentence(&self) -> String {
        let hearsay = if self.act.is_foreign() { ", as only the repository's log says" } else { "" };
        format!(
            "renamed to {:?} by {} at {}{hearsay}",
            self.now.as_str(),
            value(self.act.agent()),
            time_words(self.act.at())
        )
    }
}

/// A store that is looked into.
struct StoreToShow {
    store: Store,
    place: FilePlace,
    /// The brain, or the medulla.
    name: String,
    /// The project's root; the medulla has none.
    root: Option<PathBuf>,
}

impl Memory {
    /// Shows one claim with its history.
    pub fn show(&self, caller: &Caller, request: &ShowRequest) -> Result<Shown, MemoryError> {
        let label = self.floor().label("label", &request.label)?;
        self.read_whole(
            |shown: &mut Shown| &mut shown.gaps,
            |memory| {
                for _ in 1..RETRIES {
                    match memory.show_once(caller, request, &label) {
                        Err(error)
                            if error.code() == codes::CLAIM_NOT_FOUND && memory.is_there(caller, &label) =>
                        {
                            caller.look_again();
                        }
                        answer => return answer,
                    }
                }
                memory.show_once(caller, request, &label)
            },
        )
    }

    /// Whether the caller's project has a claim of this label by now, in one of the two places or as a copy of what git took
    /// away: `init`, `eject` or git may have moved it while it was looked for. Readers take no lock.
    fn is_there(&self, caller: &Caller, label: &Label) -> bool {
        let Ok(brain) = self.bound(caller) else { return false };
        let slug = ClaimSlug::of(label);
        [StorePlace::Repo, StorePlace::Owner].into_iter().any(|place| {
            let store = self.home.store_at(&brain, place);
            let is_missing = || store.missing_of(&slug).is_ok_and(|missing| missing.is_some());
            self.disk.stat(&store.live_path(&slug)).is_ok() || is_missing()
        })
    }

    fn show_once(&self, caller: &Caller, request: &ShowRequest, label: &Label) -> Result<Shown, MemoryError> {
        let mut replaced = None;
        let project = match request.tier {
            Tier::Medulla => None,
            Tier::Project => Some(self.bound(caller)?),
            Tier::Both => match self.bound(caller) {
                Ok(brain) => Some(brain),
                Err(MemoryError::Brainless(_)) => None,
                Err(MemoryError::Replaced(kept)) => {
                    replaced = Some(kept);
                    None
                }
                // Not found is said only of what was looked at.
                Err(broken) => return Err(broken),
            },
            Tier::AllBrains => {
                return Err(MemoryError::BadValue {
                    field: "tier",
                    value: "all-brains".into(),
                    what: "tier a claim can be shown from",
                    takes: advice![
                        "project or medulla; to show another project's claim, name it with ",
                        Advice::root()
                    ],
                    rule: "MEM-22",
                });
            }
        };
        let medulla = (request.tier != Tier::Project).then(|| self.home.medulla());
        let mut places = Vec::new();
        let mut found: Option<Shown> = None;
        let project = project.map(|brain| StoreToShow {
            store: self.store_of(&brain),
            place: FilePlace::Project,
            name: brain.origin(),
            root: Some(brain.root),
        });
        let medulla = medulla.map(|store| StoreToShow {
            store,
            place: FilePlace::Medulla,
            name: "the medulla".to_owned(),
            root: None,
        });
        for shelf in project.into_iter().chain(medulla) {
            let name = &shelf.name;
            let shown = match (self.show_in(&shelf, label, request.at), &mut found) {
                // What is live in the project is shown, whatever the medulla has.
                (Err(MemoryError::Unreadable(bad)), Some(first)) if first.is_live() => {
                    let detail = format!("in {name}: `{}`: {}", bad.path.display(), bad.why);
                    first.gaps.push(Gap::new("unreadable_claim", detail));
                    None
                }
                (shown, _) => shown?,
            };
            places.push(shelf);
            match (&mut found, shown) {
                (None, shown) => found = shown,
                // A claim that is live is shown before one of which only history is left.
                // What the project did with it is said all the same.
                (Some(first), Some(mut second)) if !first.is_live() && second.is_live() => {
                    second.gaps.extend(first.not_shown());
                    *first = second;
                }
                (Some(first), Some(second)) if second.is_live() => first.also_in = Some(second.tier),
                (Some(_), _) => {}
            }
        }
        if let Some(shown) = &mut found
            && let Some(shelf) = places.first().filter(|shelf| shelf.place == FilePlace::Project)
            && shown.tier == "medulla"
        {
            shown.gaps.extend(damaged_gaps(shelf, label));
            shown.gaps.extend(self.under_home_gap(shelf, label));
        }
        if let Err(error) = self.home.check_medulla() {
            match &mut found {
                // What became of its copy is not known, and its medulla's claim is not shown.
                Some(shown) if request.tier != Tier::Project || shown.sharing.is_some() => {
                    let detail = format!("{error} [{}]", error.code().name());
                    shown.gaps.push(Gap::new("medulla_unreadable", detail));
                }
                None if request.tier != Tier::Project => return Err(error.into()),
                Some(_) | None => {}
            }
        }
        if let (Some(at), Some(shown)) = (request.at, &found)
            && !shown.is_live()
        {
            return Err(not_live_at(shown, label, at));
        }
        found.ok_or_else(|| {
            // It may be in the memory that is kept apart.
            if let Some(kept) = replaced {
                return MemoryError::Replaced(kept);
            }
            let names: Vec<&str> = places.iter().map(|shelf| shelf.name.as_str()).collect();
            let place = names.join(" or ");
            let near = places.iter().map(|shelf| self.not_found(&shelf.store, label, &place));
            near.max_by_key(|error| match error {
                MemoryError::NotFound { renamed: None, near, .. } => near.len(),
                // It is there, and elsewhere.
                _ => usize::MAX,
            })
            .expect("at least the medulla or the project was asked")
        })
    }

    fn show_in(
        &self,
        shelf: &StoreToShow,
        label: &Label,
        at: Option<Timestamp>,
    ) -> Result<Option<Shown>, MemoryError> {
        let StoreToShow { store, place, name: origin, .. } = shelf;
        let (place, asked, label) = (*place, label, &local(label, origin));
        let slug = ClaimSlug::of(label);
        let mut gaps = Vec::new();
        let (versions, unreadable) = store.history(&slug)?;
        // By the id of a row, and in other letter case, one claim is meant, and no other of its slug: the live one, or the
        // first that waits, or the youngest. A record that cannot be read is named below.
        let is_spelled_as_id = label.as_str() == slug.as_str();
        let is_id = is_id(store, asked, origin).unwrap_or(false);
        let stored = store.stored(slug.as_str());
        let meant = match stored.as_slice() {
            _ if is_id => {
                let past = versions.iter().map(|version| &version.claim);
                let all = stored.iter().map(|stored| &stored.claim).chain(past);
                let mut labels = all.filter_map(|claim| Label::parse(&claim.label).ok());
                labels.find(|label| ClaimSlug::of(label) == slug)
            }
            [only] if only.side.is_none() => store.label_of_live(label).unwrap_or_default(),
            _ => None,
        };
        let by_id = is_id && meant.is_none();
        let label = meant.as_ref().unwrap_or(label);
        let acts = store.acts().read().unwrap_or_else(|error| {
            gaps.push(Gap::new("acts_unreadable", format!("{error} [{}]", error.code().name())));
            Default::default()
        });
        let verdicts = Verdicts::of(&acts.acts);
        let names = names_of(label, &acts.acts);
        let is_read = |claim: &Claim| label.is_read_as(&claim.label);
        let past = versions.iter().map(|version| version.claim.clone());
        let beside: Vec<Claim> = stored.iter().map(|stored| stored.claim.clone()).chain(past).collect();
        let own = OneClaim::of(label, &acts.acts, &beside);
        let is_its = |claim: &Claim| by_id || is_read(claim) || own.may_have(claim);
        let others: Vec<&Claim> = beside.iter().filter(|claim| !is_its(claim)).collect();
        let waiting: Vec<&Claim> =
            stored.iter().map(|stored| &stored.claim).filter(|it| !is_its(it)).collect();
        gaps.extend(self.beside_gap(if is_spelled_as_id { &others } else { &waiting }));
        let births = beside.iter().filter(|claim| is_its(claim));
        let births = births.filter_map(|claim| claim.created).collect();
        let mut renamed_away = RenamedAway::of(label, &births, &acts.acts);
        // Another spelling of this claim's label is no other claim.
        renamed_away.retain(|away| !self.floor().has_secret(away.now.as_str()) && !names.contains(&away.now));
        gaps.extend(renamed_away.iter().filter(|_| at.is_none()).map(|away| {
            let told = away.sentence();
            let detail = advice![
                "an earlier claim of this label was {told}: ",
                calls::show(away.now.as_str()),
                " shows it"
            ];
            Gap::new("renamed_before", detail)
        }));
        let versions: Vec<PastVersion> =
            versions.into_iter().filter(|version| is_its(&version.claim)).collect();
        let written_here = store.written_here();
        gaps.extend(Gap::written_here(origin, store));
        let mut sides = Vec::new();
        let row = match store.live(&slug) {
            LiveFile::Claim(claim) if by_id || is_read(&claim) => {
                let stored = StoredClaim {
                    id: slug.to_string(),
                    path: store.live_path(&slug),
                    claim: *claim,
                    side: None,
                };
                let mut row = Row::new(&stored, place, self.clock.now(), Why::Asked);
                row.mark_returned(verdicts.renames(), store, &slug);
                row.mark_retracted_apart(verdicts.retractions(), store, &slug);
                row.mark_unrecorded_renamed(&written_here, verdicts.renames(), store);
                row.mark_forgotten(store.tombstones().forgotten(&stored.claim));
                verdicts.mark(place, &mut row);
                EvidenceRoots::of(self).mark(shelf.root.as_deref(), &mut row);
                Some(row)
            }
            LiveFile::Claim(_) | LiveFile::Absent => None,
            LiveFile::Unreadable(bad) => {
                if stored.is_empty() {
                    // What was written before it is shown all the same.
                    if versions.is_empty() {
                        return Err(MemoryError::Unreadable(bad));
                    }
                    gaps.push(Gap::unreadable(&bad));
                }
                let own: Vec<&StoredClaim> = stored.iter().filter(|stored| is_its(&stored.claim)).collect();
                if own.iter().any(|stored| by_id || is_read(&stored.claim)) {
                    let row = |stored: &&StoredClaim| {
                        let mut row = Row::new(stored, place, self.clock.now(), Why::Asked);
                        verdicts.mark(place, &mut row);
                        row.mark_returned(verdicts.renames(), store, &slug);
                        row.mark_retracted_apart(verdicts.retractions(), store, &slug);
                        row.mark_forgotten(store.tombstones().forgotten(&stored.claim));
                        row.mark_unrecorded_renamed(&written_here, verdicts.renames(), store);
                        EvidenceRoots::of(self).mark(shelf.root.as_deref(), &mut row);
                        unnamed(&self.floor(), row)
                    };
                    sides = own.iter().map(row).collect();
                }
                None
            }
        };
        if row.is_none() && sides.is_empty() && versions.is_empty() {
            return Ok(None);
        }
        match missing_gaps(store, &slug) {
            Ok(missing) => gaps.extend(missing),
            Err(error) => {
                gaps.push(Gap::new("kept_unreadable", format!("{error} [{}]", error.code().name())))
            }
        }
        let unreadable = unreadable
            .into_iter()
            .map(|bad| Gap::new("unreadable_version", format!("`{}`: {}", bad.path.display(), bad.why)));
        gaps.splice(0..0, unreadable);
        // A version that was taken back under an earlier label is on record under that one.
        let slugs: Vec<ClaimSlug> =
            std::iter::once(slug.clone()).chain(names.iter().map(ClaimSlug::of)).collect();
        let retraction = |version: &PastVersion| {
            let versions: Vec<VersionRef> =
                slugs.iter().map(|slug| VersionRef::of(slug, &version.claim)).collect();
            last_retraction(&acts.acts, &versions).cloned()
        };
        let retraction = |version: &PastVersion| match version.exit {
            ExitReason::Superseded => None,
            ExitReason::Retracted => retraction(version),
            ExitReason::Moved => {
                let sha256 = hash::sha256_hex(version.claim.file.render().as_bytes(), 64);
                let is_it = |act: &&Act| match act.deed() {
                    Deed::Migrate { sha256: of, .. } => of.as_ref() == Some(&sha256),
                    _ => false,
                };
                acts.acts.iter().rfind(is_it).cloned()
            }
        };
        let others = others.iter().filter_map(|claim| claim.created).collect();
        let life = self.life(
            place,
            origin,
            (&slugs, others),
            row.as_ref(),
            &versions,
            &acts.acts,
            &written_here,
            at,
        );
        let earlier = versions.iter().map(|version| version.claim.clone()).collect::<Vec<_>>();
        let mut versions = without_stamps(row.as_ref().map(|row| &*row.claim), versions);
        // A version that was superseded and that a decision made live again has its copy in history still.
        if let Some(row) = row.as_ref().filter(|row| !row.resurrected) {
            let is_live = |past: &PastVersion| {
                past.exit == ExitReason::Superseded && past.claim.is_version_kept(&row.claim)
            };
            versions.retain(|past| !is_live(past));
        }
        let (row, versions) = match at {
            None => (row, versions),
            // A birth in the future says nothing of when the version was written: the live file is what is live now.
            // Versions that wait for a decision are live now.
            Some(at)
                if is_now(at, self.clock.now())
                    && (!sides.is_empty() || has_ahead(&row, &versions, self.clock.now())) =>
            {
                (row, versions)
            }
            Some(at) => {
                if has_ahead(&row, &versions, self.clock.now()) {
                    gaps.push(Gap::new("time_ahead", AHEAD_OF_NOW));
                }
                let (row, versions) = live_at(&slug, row, versions, place, at, retraction);
                gaps.extend(row.as_ref().and_then(|row| recorded_later(&row.claim, at)));
                (row.map(|row| row.with_past_source(&written_here)), versions)
            }
        };
        let said = |created| -> Vec<Voice> {
            let voices = verdicts.voices(slug.as_str(), created).iter();
            voices.filter(|voice| at.is_none_or(|at| voice.at <= at)).cloned().collect()
        };
        let voices = row.as_ref().map(|row| said(row.created)).unwrap_or_default();
        let row = row.map(|row| Row { trust: Trust::of(&voices), ..row });
        let history = versions
            .into_iter()
            .map(|version| {
                let lifecycle = match version.exit {
                    ExitReason::Superseded if version.is_missing => Lifecycle::Missing,
                    exit => Lifecycle::of(exit.place(), &version.claim),
                };
                let retracted = retraction(&version);
                let is_unrecorded = written_here.source_of_past(&version.claim) == HeaderSource::File;
                ShownVersion {
                    verdicts: said(version.claim.created),
                    brought: verdicts.accounts().brought(slug.as_str(), &version.claim),
                    text: version.claim.text.clone(),
                    label: version.claim.label,
                    created: version.claim.created,
                    source_agent: version.claim.source_agent,
                    state: version.claim.state,
                    title: version.claim.title,
                    retracted,
                    lifecycle,
                    is_unrecorded,
                    missing: version.is_missing,
                    path: version.path,
                }
            })
            .collect();
        let tier = if place == FilePlace::Medulla { "medulla" } else { "project" };
        let witness = row.as_ref().filter(|_| place == FilePlace::Project && at.is_none());
        let sharing =
            witness.and_then(|row| self.sharing(&row.claim).or_else(|| self.shared_earlier(&earlier)));
        let proposals = witness
            .map(|row| Proposed::upon(&acts.acts, &VersionRef::new(&slug, row.created), is_same_agent));
        let proposals = proposals.unwrap_or_default();
        let found_in = row.as_ref().and_then(|row| self.found_in(store, row.group.as_deref()?));
        Ok(Some(Shown {
            claim: row.map(|row| unnamed(&self.floor(), row)),
            sides,
            life,
            found_in,
            slug,
            tier,
            verdicts: voices,
            sharing,
            proposals,
            history,
            also_in: None,
            renamed_away,
            gaps,
        }))
    }
}

impl Memory {
    #[expect(clippy::too_many_arguments, reason = "one step of show, cut out to be read alone")]
    fn life(
        &self,
        place: FilePlace,
        origin: &str,
        (slugs, others): (&[ClaimSlug], HashSet<Timestamp>),
        row: Option<&Row>,
        versions: &[PastVersion],
        acts: &[Act],
        written_here: &WrittenHere,
        at: Option<Timestamp>,
    ) -> Vec<TimelineStep> {
        let live = row.map(|row| &*row.claim);
        // A log that cannot be read gives no steps; the reader of the log says that it cannot be read.
        let medulla = match place {
            FilePlace::Project => self.home.medulla().acts().read().map(|read| read.acts).unwrap_or_default(),
            _ => Vec::new(),
        };
        let told = timeline::TimelineInput {
            versions: versions.iter().map(|version| &version.claim).chain(live).collect(),
            slugs,
            others,
            acts,
            is_hearsay: &|claim| written_here.source_of_past(claim) == HeaderSource::File,
            project: (place == FilePlace::Project).then_some((origin, medulla.as_slice())),
        };
        let mut steps = timeline::timeline(&told);
        steps.retain(|step| at.is_none_or(|at| step.at.is_none_or(|done| done <= at)));
        steps
    }

    /// Names the claims that have the id of the one that is shown, and are not shown with it.
    fn beside_gap(&self, others: &[&Claim]) -> Option<Gap> {
        let floor = self.floor();
        let labels = others.iter().map(|claim| claim.label.as_str()).filter(|label| !floor.has_secret(label));
        let labels: BTreeSet<&str> = labels.collect();
        let shows = labels.iter().map(|label| Advice::from(calls::show(*label)));
        let detail = advice![
            "another claim has this id too and is not shown here: ",
            Advice::joined(shows, ", "),
            " shows it"
        ];
        (!labels.is_empty()).then(|| Gap::new("same_id", detail))
    }

    /// The youngest of these versions whose copy is in the medulla still.
    fn shared_earlier(&self, versions: &[Claim]) -> Option<Sharing> {
        let shared = versions.iter().filter_map(|claim| self.sharing(claim));
        let sharing = shared.filter(Sharing::is_shared).max_by_key(|sharing| sharing.since)?;
        Some(Sharing { of_earlier: true, ..sharing })
    }

    /// The delegation that a group names.
    fn found_in(&self, store: &Store, group: &str) -> Option<FoundIn> {
        let id = DelegationId::parse(group)?;
        let known = self.delegations_in(store).unwrap_or_default().into_iter().find(|known| known.id == id);
        let outcome =
            known.as_ref().and_then(|known| known.debrief.as_ref()).map(|done| done.outcome.as_str());
        Some(FoundIn {
            by: known.map(|known| known.by),
            task: self.task_of(&id),
            outcome,
            id: id.to_string(),
        })
    }
}

/// Says what a store has of a label and cannot be read, if another store's claim is shown.
fn damaged_gaps(shelf: &StoreToShow, label: &Label) -> Vec<Gap> {
    let slug = ClaimSlug::of(&local(label, &shelf.name));
    let detail = |path: &Path, why: &str| format!("in {}: `{}`: {why}", shelf.name, path.display());
    match shelf.store.damaged(&slug) {
        Ok(damaged) => {
            let gap = |bad: UnreadableClaim| Gap::new("unreadable_version", detail(&bad.path, &bad.why));
            damaged.into_iter().map(gap).collect()
        }
        Err(error) => vec![Gap::new("kept_unreadable", format!("{error} [{}]", error.code().name()))],
    }
}

impl Memory {
    /// Says that the project has a claim of this label under the home, while its store is in the repository.
    fn under_home_gap(&self, shelf: &StoreToShow, label: &Label) -> Option<Gap> {
        // Only a store in a repository has copies; they are in the folder that holds its claims under the home.
        let under_home = shelf.store.paths().kept.as_ref()?.parent()?;
        let slug = ClaimSlug::of(&local(label, &shelf.name));
        self.disk.stat(&under_home.join(format!("{slug}{CLAIM_SUFFIX}"))).ok()?;
        let detail = advice![
            "the project's own claim of this label lies under the home, and what is shown is the medulla's: ",
            calls::init(),
            " brings it into the repository"
        ];
        Some(Gap::new(OWNER_SIDE, detail))
    }
}

/// The versions without those that differ from the next one by the stamp of a promotion alone: a stamp makes
/// no version, and history keeps the file all the same.
fn without_stamps(live: Option<&Claim>, versions: Vec<PastVersion>) -> Vec<PastVersion> {
    let mut kept: Vec<PastVersion> = Vec::new();
    for version in versions {
        let next = kept.last().map(|next| &next.claim).or(live);
        let is_stamped = next.is_some_and(|next| is_one_version(&version.claim, next));
        if version.exit != ExitReason::Superseded || !is_stamped {
            kept.push(version);
        }
    }
    kept
}

/// What to say of a time in the past if the birth of a version is still to come.
const AHEAD_OF_NOW: &str = "a version of this claim has a birth in the future, because a clock ran ahead: when it was written is \
                            not known, and it may have been live at the time you asked for";

/// Whether a time is now, as far as clocks agree.
fn is_now(at: Timestamp, now: Timestamp) -> bool {
    !is_ahead(now, at)
}

/// Whether the live version or one before it has a birth that is still to come.
fn has_ahead(live: &Option<Row>, versions: &[PastVersion], now: Timestamp) -> bool {
    let births = versions.iter().map(|version| version.claim.created);
    births.chain(live.iter().map(|row| row.created)).flatten().any(|born| born > now)
}

/// The version that was live at a time, and those before it. A version is live from its birth to the
/// birth of the next one, or until it was taken back.
fn live_at(
    slug: &ClaimSlug,
    live: Option<Row>,
    versions: Vec<PastVersion>,
    place: FilePlace,
    at: Timestamp,
    retraction: impl Fn(&PastVersion) -> Option<Act>,
) -> (Option<Row>, Vec<PastVersion>) {
    let born = |created: Option<Timestamp>| created.is_some_and(|created| created <= at);
    let mut versions: Vec<PastVersion> =
        versions.into_iter().filter(|version| born(version.claim.created)).collect();
    if let Some(row) = live.filter(|row| born(row.created)) {
        let age_ms = row.created.map(|created| at.ms_since(created));
        let stale = age_ms.is_some_and(|ms| ms > STALE_AFTER_MS);
        return (Some(Row { age_ms, stale, ..row }), versions);
    }
    let Some(youngest) = versions.first() else { return (None, versions) };
    let taken_back = retraction(youngest).and_then(|act| act.time());
    if taken_back.is_some_and(|taken_back| taken_back <= at) {
        return (None, versions);
    }
    let version = versions.remove(0);
    let stored = StoredClaim { id: slug.to_string(), path: version.path, claim: version.claim, side: None };
    let row = Row::new(&stored, place, at, Why::Asked);
    // History stamps a version outdated and keeps no word of the state it had when it was live.
    let state = row.state.filter(|state| *state != State::Outdated);
    (Some(Row { state, ..row }), versions)
}

/// Says that a version was put on record after the time that was asked for: no reader had it here then.
fn recorded_later(claim: &Claim, at: Timestamp) -> Option<Gap> {
    let recorded = claim.recorded_at.filter(|recorded| *recorded > at)?;
    let by = claim.recorded_by.as_ref().map(|by| format!(" by {}", value(by))).unwrap_or_default();
    let detail = format!(
        "this version was put on record at {}{by}, after the time you asked for; its header gives an earlier birth",
        recorded.to_words()
    );
    Some(Gap::new("recorded_later", detail))
}

fn not_live_at(shown: &Shown, label: &Label, at: Timestamp) -> MemoryError {
    let why = match (shown.renamed_away.iter().find(|away| away.had_it(at)), shown.history.first()) {
        (Some(away), _) => format!("the claim that had the label then was {}", away.sentence()),
        (None, None) => "it was not yet born".to_owned(),
        (None, Some(version)) => match &version.retracted {
            Some(act) => format!("it was taken back at {}", time_words(act.at())),
            None => "it was taken back".to_owned(),
        },
    };
    MemoryError::NotLiveAt { label: label.to_string(), at: at.to_words(), why }
}

/// A time of the record for people.
fn time_words(at: &ActTime) -> String {
    at.time().map_or_else(|| at.to_string(), Timestamp::to_words)
}
