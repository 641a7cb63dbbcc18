//! What one store has of a label: the live claim, or the versions that wait, and the past.

use super::at_a_time::{AHEAD_OF_NOW, has_ahead, is_now, live_at, recorded_later};
use super::renamed_away::RenamedAway;
use super::shown::{FoundIn, Shown, ShownVersion};
use crate::error::MemoryError;
use crate::gap::Gap;
use crate::promotion::sharing::Sharing;
use crate::promotion::stamps::is_one_version;
use crate::reading::evidence::EvidenceRoots;
use crate::reading::missing_from_checkout::missing_gaps;
use crate::reading::row::{Row, Why};
use crate::reading::withheld::unnamed;
use crate::record::verdicts::Verdicts;
use crate::service::Memory;
use crate::writing::retract::{is_id, local};
use brainstem_base::next::calls;
use brainstem_base::{Advice, advice};
use brainstem_base::{Coded as _, Timestamp, hash};
use brainstem_caller::identity::is_same_agent;
use brainstem_claims::act::{Act, Deed, VersionRef, last_retraction};
use brainstem_claims::delegation::DelegationId;
use brainstem_claims::folds::names::names_of;
use brainstem_claims::folds::proposals::Proposed;
use brainstem_claims::folds::timeline::{self, TimelineStep};
use brainstem_claims::lifecycle::FilePlace;
use brainstem_claims::lineage::relabelled;
use brainstem_claims::trust::Voice;
use brainstem_claims::{Claim, ClaimSlug, Label, Lifecycle, Trust};
use brainstem_vault::came_back::Renames;
use brainstem_vault::history::{ExitReason, PastVersion};
use brainstem_vault::one_claim::OneClaim;
use brainstem_vault::scan::StoredClaim;
use brainstem_vault::store::LiveFile;
use brainstem_vault::{HeaderSource, Store, WrittenHere};
use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

/// A store that is looked into.
pub(super) struct StoreToShow {
    pub(super) store: Store,
    pub(super) place: FilePlace,
    /// The brain, or the medulla.
    pub(super) name: String,
    /// The project's root; the medulla has none.
    pub(super) root: Option<PathBuf>,
}

impl Memory {
    /// Returns what a store has of a label; `None` if it never had a claim of it.
    pub(super) fn show_in(
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
                row.mark_forgotten(verdicts.renames().forgotten(&store.tombstones(), &slug, &stored.claim));
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
                        row.mark_forgotten(verdicts.renames().forgotten(
                            &store.tombstones(),
                            &slug,
                            &stored.claim,
                        ));
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
        // Git may have put what this home wrote under another label into the file of this one.
        let labels = slugs.first().map(|slug| Renames::of(acts).labels_before(slug)).unwrap_or_default();
        let is_hearsay = |claim: &Claim| {
            let is_recorded = |label| written_here.says_so_of_past(&relabelled(claim, label));
            written_here.source_of_past(claim) == HeaderSource::File && !labels.iter().any(is_recorded)
        };
        let told = timeline::TimelineInput {
            versions: versions.iter().map(|version| &version.claim).chain(live).collect(),
            slugs,
            others,
            acts,
            is_hearsay: &is_hearsay,
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
