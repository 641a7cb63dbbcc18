//! `rename`: another label for a claim.

use crate::error::MemoryError;
use crate::promotion::stamps::stamps_in;
use crate::service::Memory;
use crate::writing::error::WriteError;
use crate::writing::outside;
use crate::writing::retract::{is_id, meant};
use crate::writing::target::WriteTier;
use brainstem_base::next::calls;
use brainstem_base::{Advice, advice};
use brainstem_base::{Fault, codes};
use brainstem_caller::Caller;
use brainstem_claims::act::{Act, ActVerb, Deed, Mention, VersionRef};
use brainstem_claims::decide::{DecisionRefusal, is_label_of};
use brainstem_claims::lifecycle::FilePlace;
use brainstem_claims::{Claim, ClaimSlug, Label};
use brainstem_vault::rename::{ClaimRename, RenameFault};
use brainstem_vault::{Store, checkup};
use std::path::PathBuf;

/// What to rename.
#[derive(Clone, Debug)]
pub struct RenameRequest {
    /// The label it has, or the id of a row.
    pub label: String,
    /// The label it gets.
    pub to: String,
    /// `medulla`, or the caller's own brain.
    pub tier: Option<WriteTier>,
}

/// A claim under its new label.
#[derive(Clone, Debug)]
pub struct Relabelled {
    /// Its slug now.
    pub slug: ClaimSlug,
    /// Its label now.
    pub label: String,
    /// `project` or `medulla`.
    pub tier: &'static str,
    /// Its file.
    pub path: PathBuf,
    /// How many versions came along.
    pub versions: usize,
    /// It was called so before.
    pub unchanged: bool,
    /// What the caller should know besides.
    pub notes: Vec<Advice>,
}

impl Memory {
    /// Gives the live claim another label, as a recorded act; its history follows.
    pub fn rename(&self, caller: &Caller, request: &RenameRequest) -> Result<Relabelled, MemoryError> {
        self.floor().check_text("label", &request.label)?;
        self.floor().check_text("to", &request.to)?;
        let (from, to) =
            (self.floor().label("label", &request.label)?, self.floor().label("to", &request.to)?);
        let target = self.target(caller, request.tier)?;
        self.check_write_quota(&caller.principal.agent)?;
        let by_id = is_id(&target.store, &from, &target.name())?;
        let from = meant(&target.store, &from, &target.name())?;
        let (from_slug, to_slug) = (ClaimSlug::of(&from), ClaimSlug::of(&to));
        if let Some(misnamed) = self.misnamed(&target.store, &from_slug, codes::CLAIM_NOT_FOUND) {
            return Err(misnamed);
        }
        let (agent, now) = (&caller.principal.agent, self.clock.now());
        let is_medulla = target.place == FilePlace::Medulla;
        let _names = is_medulla.then(|| self.medulla_names_lock()).transpose()?;
        let renamed = target.store.rename(&ClaimRename {
            from: &from_slug,
            is_it: &|claim: &Claim| by_id || is_label_of(&from, claim),
            to: &to,
            act: &|claim: &Claim, returns: usize| {
                let deed = Deed::Rename {
                    upon: Mention::returned(VersionRef::of(&from_slug, claim), returns),
                    from: Some(claim.label.clone()),
                    to: Some(to.to_string()),
                    to_slug: Some(to_slug.clone()),
                    created: claim.created,
                };
                Act::new(deed, agent, now)
            },
            is_done_by: &|act: &Act| {
                let is_from = |label: Label| label == from || by_id && ClaimSlug::of(&label) == from_slug;
                let Deed::Rename { from: Some(old), to: Some(new), .. } = act.deed() else { return false };
                *new == to.as_str() && Label::parse(old).is_ok_and(is_from)
            },
        });
        let renamed = renamed.map_err(|fault| match fault {
            RenameFault::Absent => self.not_found(&target.store, &from, &target.name()),
            RenameFault::Taken { holder } => {
                let (slug, label) = (to_slug.clone(), to.to_string());
                let taken = DecisionRefusal::SlugTaken { label, slug: slug.clone(), holder: holder.clone() };
                WriteError::LabelTaken { taken, holder, slug }.into()
            }
            RenameFault::Unreadable(bad) => MemoryError::Unreadable(bad),
            RenameFault::Store(error) => error.into(),
        })?;
        let mut notes = Vec::new();
        let breach = self.breach(caller, &target, ActVerb::Rename, VersionRef::of(&to_slug, &renamed.claim));
        // It is renamed: a record that fails afterwards does not make that a refusal.
        notes.extend(breach.unwrap_or_else(|error| {
            let fault = Fault::from(error);
            Some(advice![
                "etiquette: doctrine is changed by orchestrators and people; this could not be put on record: {fault}"
            ])
        }));
        if !renamed.unchanged {
            notes.extend(outside::paths_note(&target.store, [to.as_str()]));
            let rests = |claim: &Claim| claim.depends_on.iter().any(|on| *on == from.as_str());
            let scan = target.store.scan().unwrap_or_default();
            let resting: Vec<_> = scan.claims.iter().filter(|stored| rests(&stored.claim)).collect();
            if !resting.is_empty() {
                let labels: Vec<_> =
                    resting.iter().take(5).map(|stored| format!("{:?}", stored.claim.label)).collect();
                notes.push(
                    format!("still resting on the old label ({}): {}", resting.len(), labels.join(", "))
                        .into(),
                );
            }
        }
        if renamed.left > 0 {
            let names =
                if renamed.left == 1 { "1 version".to_owned() } else { format!("{} versions", renamed.left) };
            notes.push(advice![
                "{names} of its history could not be removed under the old name and lie there besides: ",
                calls::doctor_sweep(),
                " removes them"
            ]);
        }
        let stamps = self.stamp_count_of(&target.store, &to_slug);
        Ok(Relabelled {
            slug: to_slug,
            label: renamed.claim.label,
            tier: target.tier(),
            path: renamed.path,
            versions: renamed.versions.saturating_sub(stamps),
            unchanged: renamed.unchanged,
            notes,
        })
    }
}

impl Memory {
    /// How many files in the history of a slug are stamps and no versions of their own; 0 if the store cannot be read.
    fn stamp_count_of(&self, store: &Store, slug: &ClaimSlug) -> usize {
        let history = checkup::history(&*self.disk, &store.paths().history);
        let (Ok(scan), Ok(history)) = (store.scan(), history) else { return 0 };
        let stamps = stamps_in(&scan, &history);
        let own = history.versions.iter().filter(|(named, _)| named.as_str() == slug.as_str());
        own.filter(|(_, version)| stamps.contains(version.path.as_path())).count()
    }
}
