//! `import`: takes in what an export holds, or the claim files of a folder. Copies only: what is
//! imported from is never changed, births and authors stay, and a second import changes nothing.

mod address;
mod alike;
mod answer;
mod boot_keys;
mod folder;
mod known;
mod lines;
mod parcel;
mod sort;
mod target;
mod undecided;
mod weigh;

pub use answer::{Flagged, ImportRequest, ImportRow, Imported, NotTaken};

use crate::service::Transfer;
use brainstem_base::advice;
use brainstem_base::disk::FileKind;
use brainstem_base::next::{calls, field};
use brainstem_base::{Coded as _, Fault, codes};
use brainstem_caller::Caller;
use brainstem_claims::act::{Act, ActId, ActVerb, Deed, DeedKind, VersionRef};
use brainstem_claims::decide::Decision;
use brainstem_claims::folds::tombstones::ForgottenWhere;
use brainstem_claims::lifecycle::FilePlace;
use brainstem_claims::merge::versions_in;
use brainstem_claims::{Claim, ClaimSlug, Label, decide};
use brainstem_memory::store_work::{self, Counted, ProsePaths, Target, path_of};
use brainstem_memory::{Gap, MemoryError, TierUse, WriteTier, without_secrets};
use brainstem_vault::acts::codec;
use brainstem_vault::history::{ExitReason, parse_version_name};
use brainstem_vault::store::{ArchiveOutcome, LiveFile, WriteFault};
use brainstem_vault::{Store, Wording, checkup};
use known::{is_away, is_here, is_past};
use parcel::{At, ImportFile, Parcel, Rule, named_versions, undecided};
use std::collections::{HashSet, VecDeque};

/// For how many versions the import is recorded at once.
const RECORDED_AT_ONCE: usize = 256;
/// How many labels are named that were forgotten here.
const FORGOTTEN_NAMED_MAX: usize = 10;

impl Transfer {
    /// Imports. The label's usual rule decides between what is there and what comes.
    ///
    /// After each one `progress` gets how many are done, of how many, and answers whether to go on.
    pub fn import(
        &self,
        caller: &Caller,
        request: &ImportRequest,
        progress: &dyn Fn(usize, usize) -> bool,
    ) -> Result<Imported, MemoryError> {
        let path = path_of(caller, "path", &request.path)?;
        let mut imported = Imported::default();
        let kind = self
            .disk()
            .canonical(&path)
            .and_then(|path| self.disk().stat(&path).map(|stat| (path, stat.kind)));
        let is_file = matches!(kind, Ok((_, FileKind::File)));
        if request.sort && (is_file || request.tier.is_some()) {
            let message = "only a folder is sorted, and then each claim says itself where it belongs";
            let fix = advice![
                "leave ",
                field("sort"),
                " out for an export, and ",
                field("tier"),
                " with ",
                field("sort")
            ];
            let fault = Fault::new(codes::INPUT_BAD_VALUE, message).fix(fix);
            return Err(fault.field("sort").rule("MEM-42").into());
        }
        let parcels = match kind {
            Ok((path, FileKind::Dir)) if request.sort => {
                let shelves = self.read_folder(&path, request, &mut imported)?;
                self.sorted(caller, request, shelves, &mut imported)?
            }
            Ok((path, FileKind::Dir)) => {
                let tier = WriteTier::parse(TierUse::Import, request.tier.as_deref())?;
                let target = self.import_target(caller, tier, request.dry_run)?;
                let mut all = Parcel::default();
                for (_, parcel) in self.read_folder(&path, request, &mut imported)? {
                    all.items.extend(parcel.items);
                    all.acts.extend(parcel.acts);
                }
                vec![(target, all)]
            }
            Ok((path, FileKind::File)) if folder::holds_letters(&path) => {
                imported.letter_files.push(path);
                Vec::new()
            }
            Ok((path, FileKind::File)) => self.read_export(caller, request, &path, &mut imported)?,
            Ok(_) | Err(_) => {
                let message = format!("`{}` is no file and no folder that can be read", path.display());
                let fault = Fault::new(codes::INPUT_UNREADABLE, message);
                return Err(fault
                    .fix("name a file made by export, or a folder with *.light.md files")
                    .field("path")
                    .into());
            }
        };
        let total: usize = parcels.iter().map(|(_, parcel)| parcel.items.len()).sum();
        let mut done = 0;
        let mut weighed = weigh::Weighed::new();
        // Acts that are on record stay: from then on no failure is a refusal.
        let mut has_acts = false;
        for (target, parcel) in parcels {
            let store = &target.store;
            let (rule, is_of_clone) = (parcel.rule, parcel.is_of_clone);
            let (mut earlier, mut forgotten) = (Vec::new(), Vec::new());
            let tombstones = store_work::tombstones(self.memory(), store);
            let (mut words, mut fitted) = (ProsePaths::into_store(store), Vec::new());
            // What is live comes first: it is weighed against what is here, and not against the history that comes along,
            // which may hold younger versions and the same words. Cut off between the two, the repeat brings the history.
            let (live, mut past): (Vec<ImportFile>, Vec<ImportFile>) =
                parcel.items.into_iter().partition(|item| item.at == At::Live);
            // A version that was superseded while it was exported is in both places; here it is live.
            let outdated = |claim: &Claim| claim.outdated().render();
            let brought: Vec<Claim> =
                live.iter().flat_map(|item| versions_in(&item.bytes).unwrap_or_default()).collect();
            let still_live: HashSet<String> = brought.iter().map(outdated).collect();
            past.retain(|item| {
                Claim::parse(&item.bytes).map_or(true, |claim| !still_live.contains(&outdated(&claim)))
            });
            self.mark_stamps(store, &live, &mut past)?;
            let mut ahead: VecDeque<ImportFile> = live.into_iter().chain(past).collect();
            let mut on_record = 0;
            while let Some(item) = ahead.pop_front() {
                if on_record == 0 && !request.dry_run {
                    on_record = 1 + ahead.len().min(RECORDED_AT_ONCE - 1);
                    let next = std::iter::once(&item).chain(&ahead).take(on_record);
                    let recorded = self.record_bringing(caller, &target, next);
                    let has_begun = imported.taken() > 0 || has_acts;
                    has_acts |=
                        recorded.map_err(|error| if has_begun { error.stopped_half_way() } else { error })?;
                }
                on_record = on_record.saturating_sub(1);
                let rows_before = imported.rows.len();
                let taken_before = imported.taken();
                let live_before = imported.born + imported.superseded;
                let taken = if request.dry_run {
                    self.weigh_item(&target, &item, rule, &mut weighed, &mut imported)
                } else {
                    self.take_item(caller, &target, &item, rule, &mut imported)
                };
                if let Some(root) = target.root.as_ref().filter(|_| is_of_clone) {
                    imported.rows[rows_before..].iter_mut().for_each(|row| row.root = Some(root.clone()));
                }
                if imported.born + imported.superseded > live_before {
                    for claim in versions_in(&item.bytes).into_iter().flatten() {
                        words.look_at(&claim);
                        if store_work::fit_file(store, &claim.file) != claim.file {
                            fitted.push(claim.label);
                        }
                    }
                }
                earlier.extend(taken.as_ref().ok().cloned().flatten());
                if imported.taken() > taken_before && !tombstones.is_empty() {
                    let versions = named_versions(&item).into_iter().map(|(_, claim)| claim);
                    forgotten.extend(
                        versions
                            .filter(|claim| tombstones.forgotten(claim) == Some(ForgottenWhere::Here))
                            .map(|it| it.label),
                    );
                }
                if let Err(error) = taken {
                    // Nothing more can be taken: the repeat goes on from here.
                    if [codes::STORE_NO_SPACE, codes::STORE_READ_ONLY, codes::STORE_UNCONFIRMED]
                        .contains(&error.code())
                    {
                        let has_begun = imported.taken() > 0 || has_acts;
                        return Err(if has_begun { error.stopped_half_way() } else { error });
                    }
                    // What was refused is not in the medulla, where it would wait for its place.
                    if let Ok(claim) = Claim::parse(&item.bytes)
                        && target.place == FilePlace::Medulla
                    {
                        imported.flagged.retain(|flagged| flagged.label != claim.label);
                    }
                    imported.not_taken.push(NotTaken {
                        label: None,
                        name: item.name,
                        code: error.code(),
                        why: error.to_string(),
                        fix: error.fix(),
                    });
                }
                done += 1;
                if !progress(done, total) && done < total {
                    return Err(taken_back());
                }
            }
            imported.gaps.extend(earlier_than_live(&earlier, &target));
            imported.gaps.extend(forgotten_before(forgotten, &target));
            if request.dry_run {
                imported.acts += self.unknown_acts(store, &parcel.acts)?;
            } else {
                let acts = self.take_acts(caller, store, &parcel.acts, &mut imported, &mut words);
                acts.and_then(|()| store_work::account_for(self.memory(), caller, &target, &brought))
                    .map_err(|error| if imported.taken() > 0 { error.stopped_half_way() } else { error })?;
            }
            let boot_keys =
                self.take_boot_keys(caller, &target, &parcel.boot_keys, request.dry_run, &mut imported);
            boot_keys.map_err(|error| if imported.taken() > 0 { error.stopped_half_way() } else { error })?;
            let named = words.note(&format!("the memory of {}", target.origin));
            let notes = named.into_iter().chain(store_work::fitted_note(&fitted));
            imported.gaps.extend(notes.map(|note| Gap::new("machine_paths", note)));
        }
        Ok(imported)
    }

    /// Marks the files of histories that are no versions of their own, beside what is here and what comes along.
    fn mark_stamps(
        &self,
        store: &Store,
        live: &[ImportFile],
        past: &mut [ImportFile],
    ) -> Result<(), MemoryError> {
        let coming: Vec<Vec<(ClaimSlug, Claim)>> = past.iter().map(named_versions).collect();
        if coming.iter().all(Vec::is_empty) {
            return Ok(());
        }
        let scan = store.scan()?;
        let here = checkup::history(self.disk(), &store.paths().history)?;
        let live: Vec<(ClaimSlug, Claim)> = live.iter().flat_map(named_versions).collect();
        let mut counted = Counted::of_live(&scan);
        live.iter().for_each(|(slug, claim)| counted.add(slug.as_str(), claim));
        let exit = |item: &ImportFile| match item.at {
            At::Past(exit) => exit,
            At::Live => ExitReason::Superseded,
        };
        let past_here: Vec<(&str, ExitReason, &Claim)> = here
            .versions
            .iter()
            .map(|(slug, version)| (slug.as_str(), version.exit, &version.claim))
            .collect();
        counted.stamps_among(&past_here);
        let exits: Vec<ExitReason> = past.iter().map(exit).collect();
        let files = coming.iter().zip(exits).enumerate();
        let (at, versions): (Vec<usize>, Vec<(&str, ExitReason, &Claim)>) = files
            .flat_map(|(at, (versions, exit))| {
                versions.iter().map(move |(slug, claim)| (at, (slug.as_str(), exit, claim)))
            })
            .unzip();
        for ((at, is_stamp), (slug, exit, claim)) in
            at.into_iter().zip(counted.stamps_among(&versions)).zip(&versions)
        {
            let is_it = |(live_slug, live): &(ClaimSlug, Claim)| {
                live_slug.as_str() == *slug && live.is_version_kept(claim)
            };
            past[at].is_stamp = is_stamp || (*exit == ExitReason::Superseded && live.iter().any(is_it));
        }
        Ok(())
    }

    /// Records the import of versions that are not here, before they are taken: a run that is cut off leaves no version
    /// without its importer, and the repeat adds nothing. Returns whether there was anything to record.
    fn record_bringing<'a>(
        &self,
        caller: &Caller,
        target: &Target,
        items: impl Iterator<Item = &'a ImportFile>,
    ) -> Result<bool, MemoryError> {
        let mut acts = Vec::new();
        for item in items {
            for (slug, claim) in named_versions(item) {
                if !is_here(&target.store, &slug, &claim) {
                    acts.extend(self.bringing(caller, target, &slug, &claim));
                }
            }
        }
        if !acts.is_empty() {
            target.store.prepare()?;
            target.store.acts().record_all(&acts)?;
        }
        Ok(!acts.is_empty())
    }

    /// The acts of bringing one version in.
    fn bringing(&self, caller: &Caller, target: &Target, slug: &ClaimSlug, claim: &Claim) -> Vec<Act> {
        let (agent, now) = (&caller.principal.agent, self.clock().now());
        let version = VersionRef::of(slug, claim);
        let breach = (target.place == FilePlace::Medulla && !agent.may_write_doctrine()).then(|| {
            let deed = Deed::violation(ActVerb::Import, version.clone(), "MEM-10");
            Act::new(deed, agent, now)
        });
        let brought = Act::new(Deed::Import { upon: version.clone().into() }, agent, now);
        breach.into_iter().chain([brought]).collect()
    }

    /// Takes one file in. Answers the label of a claim that went into history because a later version is live here.
    fn take_item(
        &self,
        caller: &Caller,
        target: &Target,
        item: &ImportFile,
        rule: Rule,
        imported: &mut Imported,
    ) -> Result<Option<String>, MemoryError> {
        if let Some((slug, versions)) = undecided(item) {
            return self.take_undecided(target, &slug, &versions, imported).map(|()| None);
        }
        let store = &target.store;
        let claim = Claim::parse(&item.bytes).map_err(|fault| {
            Fault::new(codes::CLAIM_UNREADABLE, format!("it is no readable claim: {fault}")).rule("MEM-6")
        })?;
        self.floor().check_claim(&claim)?;
        match item.at {
            At::Past(exit) => {
                let slug = parse_version_name(&item.name).map(|(slug, _)| slug);
                let slug = slug.map_or_else(|| Label::parse(&claim.label).map(|l| ClaimSlug::of(&l)), Ok)?;
                if is_here(store, &slug, &claim) {
                    return Ok(None);
                }
                store.note_past(std::slice::from_ref(&claim), store.source_of_brought_past(&claim)?)?;
                match store.archive_from_elsewhere(&slug, &claim, exit)? {
                    ArchiveOutcome::New => imported.versions += usize::from(!item.is_stamp),
                    ArchiveOutcome::Known | ArchiveOutcome::IsLive => {}
                }
                Ok(None)
            }
            At::Live => self.take_live(caller, target, &claim, rule, imported),
        }
    }

    fn take_live(
        &self,
        caller: &Caller,
        target: &Target,
        claim: &Claim,
        rule: Rule,
        imported: &mut Imported,
    ) -> Result<Option<String>, MemoryError> {
        let store = &target.store;
        let slug = ClaimSlug::of(&Label::parse(&claim.label)?);
        let as_exported = claim;
        let source = store.source_of_brought(claim)?;
        let claim = &Claim::from(store_work::fit_file(store, &claim.file));
        if is_past(store, &slug, claim)? || is_away(store, &slug, as_exported)? {
            imported.unchanged += 1;
            return Ok(None);
        }
        self.floor().check_adopted(self.disk(), store, &slug)?;
        let mut is_earlier = false;
        let written = store.write_as(Wording::Of(source), &slug, |live| {
            if live.is_some_and(|live| rule.keeps(live, claim)) {
                is_earlier = true;
                return Ok(Decision::Unchanged);
            }
            let decision = decide::take_in(live, claim, &slug)?;
            // One that is not younger than what it follows gets a birth behind it, and is another version by that.
            if let Decision::Supersede { new, .. } = &decision {
                let new = Claim::from(new.clone());
                if new.created != claim.created {
                    store.acts().record_all(&self.bringing(caller, target, &slug, &new))?;
                }
            }
            Ok::<Decision, MemoryError>(decision)
        });
        match written {
            Ok(_) if is_earlier => {
                if !is_here(store, &slug, as_exported) {
                    let source = store.source_of_brought_past(as_exported)?;
                    store.note_past(std::slice::from_ref(as_exported), source)?;
                }
                match store.archive_from_elsewhere(&slug, as_exported, ExitReason::Superseded)? {
                    ArchiveOutcome::New => imported.versions += 1,
                    ArchiveOutcome::Known | ArchiveOutcome::IsLive => imported.unchanged += 1,
                }
                return Ok(Some(claim.label.clone()));
            }
            Ok(written) if written.unchanged => imported.leave(Some(&written.claim), claim),
            Ok(written) if written.history.is_some() => imported.superseded += 1,
            Ok(_) => imported.born += 1,
            Err(WriteFault::Refused(refusal)) => return Err(refusal),
            Err(WriteFault::Unreadable(bad)) => return Err(MemoryError::Unreadable(bad)),
            Err(WriteFault::Store(error)) => return Err(error.into()),
        }
        Ok(None)
    }

    /// Records the acts that are not on record, each with its importer; an act that would take back what is live here
    /// is left out.
    fn take_acts(
        &self,
        caller: &Caller,
        store: &Store,
        acts: &[Act],
        imported: &mut Imported,
        words: &mut ProsePaths,
    ) -> Result<(), MemoryError> {
        if acts.is_empty() {
            return Ok(());
        }
        let is_live = |act: &&Act| match act.deed() {
            Deed::Retract { upon, .. } => {
                upon.version().is_some_and(|version| match store.live(&version.slug) {
                    LiveFile::Claim(live) => version.created.is_some() && live.created == version.created,
                    LiveFile::Absent | LiveFile::Unreadable(_) => false,
                })
            }
            _ => false,
        };
        let read = store.acts().read()?.acts;
        let mut known: HashSet<ActId> = read.iter().map(|act| act.id().clone()).collect();
        let mut new: Vec<Act> = Vec::new();
        for act in acts.iter().filter(|act| !is_live(act) && known.insert(act.id().clone())) {
            // What others wrote into a record is looked at like what they wrote into a claim.
            match self.floor().check_text("act", &codec::line(act)) {
                Ok(()) => {
                    let mut act = act.clone().imported(&caller.principal.agent, self.clock().now());
                    // Nothing was forgotten through this home by reading a file.
                    if act.kind() == Some(DeedKind::Forget) {
                        act.set_foreign();
                    }
                    new.push(act);
                }
                Err(error) => {
                    let fault = Fault::from(error);
                    let name = without_secrets(&format!(
                        "act `{}` upon {}",
                        act.deed().name(),
                        act.deed().subject()
                    ));
                    let (code, why, fix) = (fault.code, fault.message, fault.fix);
                    imported.not_taken.push(NotTaken { name, label: None, code, why, fix });
                }
            }
        }
        if !new.is_empty() {
            store.prepare()?;
            store.acts().record_all(&new)?;
        }
        new.iter().for_each(|act| words.look_at_act(act));
        imported.acts += new.len();
        Ok(())
    }
}

/// The refusal after the caller took the call back: each claim that was taken until then stays.
fn taken_back() -> MemoryError {
    let fault =
        Fault::new(codes::INPUT_CANCELLED, "the call was taken back; what was done until then stays done");
    fault.fix("repeat it, and it goes on where it ended").rule("IF-7").into()
}

/// Names the claims that were forgotten here and are in what is imported.
fn forgotten_before(mut labels: Vec<String>, target: &Target) -> Option<Gap> {
    labels.sort();
    labels.dedup();
    let first = labels.first()?;
    let named: Vec<String> =
        labels.iter().take(FORGOTTEN_NAMED_MAX).map(|label| format!("{label:?}")).collect();
    let more = match labels.len().saturating_sub(named.len()) {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    let tier = (target.place == FilePlace::Medulla).then_some("medulla");
    let (place, named) = (target.name(), named.join(", "));
    let detail = advice![
        "forgotten in {place} before, and in this import: {named}{more}; ",
        calls::forget_for_good(first, tier),
        " deletes it again"
    ];
    Some(Gap::new("forgotten_before", detail))
}

/// Names the claims that are younger here than in what is imported.
fn earlier_than_live(labels: &[String], target: &Target) -> Option<Gap> {
    let first = labels.first()?;
    let more = match labels.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let at = target.root.as_ref().map(|root| format!(" in `{}`", root.display())).unwrap_or_default();
    let detail = format!(
        "the live version of {first:?}{more}{at} is younger than the one that is imported: it stays, and the other one belongs into its history"
    );
    Some(Gap::new("earlier_version", detail))
}
