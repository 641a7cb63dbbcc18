//! Which live copies in the medulla are of one claim of a project, whatever either side was renamed to since.
//!
//! A promotion finds its own copy by this and not by its label: one claim has one copy.

use crate::error::MemoryError;
use crate::service::Memory;
use brainstem_base::Advice;
use brainstem_base::disk::LockGuard;
use brainstem_base::{AgentId, Timestamp};
use brainstem_claims::act::{Act, ActVerb, Deed, DeedKind, VersionRef};
use brainstem_claims::decide::Decision;
use brainstem_claims::folds::names::NamesOnRecord;
use brainstem_claims::promotion::{self, CopyNames, Provenance};
use brainstem_claims::{Claim, ClaimSlug};
use brainstem_vault::scan::StoredClaim;
use brainstem_vault::store::{LOCK_WAIT, WriteFault};
use brainstem_vault::{Store, StoreError, durable};
use std::collections::HashSet;

/// The copies of one claim.
pub(crate) struct CopiesOfWitness {
    /// Where its copy belongs.
    pub(crate) shelf: CopyNames,
    /// Live copies under other names, which give way to that one.
    pub(crate) others: Vec<(ClaimSlug, Claim)>,
}

impl Memory {
    /// Looks for the copies of a witness. One that was renamed in the medulla keeps the name it was given there;
    /// one that has an old name of its witness follows it to the new one.
    pub(crate) fn lineage(
        &self,
        project: &Store,
        medulla: &Store,
        slug: &ClaimSlug,
        witness: &Claim,
        origin: &str,
    ) -> Result<CopiesOfWitness, MemoryError> {
        let renames = project.acts().of_kinds(&[DeedKind::Rename])?;
        let renamed = NamesOnRecord::of(&renames);
        let mut versions: HashSet<Option<Timestamp>> =
            project.history(slug)?.0.iter().map(|version| version.claim.created).collect();
        versions.insert(witness.created);
        let named = |created: &Option<Timestamp>| renamed.of_version(&VersionRef::new(slug, *created));
        let names: HashSet<ClaimSlug> = versions.iter().flat_map(named).collect();
        let verdicts = self.verdicts(medulla)?;
        // The act comes last: a promotion that was cut off has made a copy which follows one that is on record.
        let is_on_record = |stored: &StoredClaim| {
            let Some(slug) = ClaimSlug::parse(&stored.id) else { return false };
            let before = stored.claim.supersedes.as_deref().and_then(VersionRef::parse);
            let follows =
                before.is_some_and(|before| before.slug == slug && verdicts.accounts().has_copy(&before));
            follows || verdicts.accounts().has_copy(&VersionRef::of(&slug, &stored.claim))
        };
        // A version of this claim under one of its names; another claim that has an old name by now is born
        // at another time. What only says so of itself is for people.
        let is_copy = |stored: &StoredClaim| {
            let Some(provenance) = Provenance::of(&stored.claim) else { return false };
            let Some((brain, witness)) = provenance.witness() else { return false };
            brain == origin
                && names.contains(&witness)
                && versions.contains(&provenance.origin_created)
                && is_on_record(stored)
        };
        let live = medulla.scan()?.claims.into_iter().filter(|stored| stored.side.is_none());
        let copies =
            live.filter(is_copy).filter_map(|stored| Some((ClaimSlug::parse(&stored.id)?, stored.claim)));
        let mut others: Vec<(ClaimSlug, Claim)> = copies.collect();
        others.sort_by_key(|(_, copy)| std::cmp::Reverse(copy.created));
        let stays = others
            .iter()
            .position(|(copy, _)| copy == slug)
            .or_else(|| others.iter().position(|(copy, _)| !names.contains(copy)));
        let shelf = match stays.map(|at| others.remove(at)) {
            Some((copy, claim)) if copy != *slug => {
                CopyNames { witness: slug.clone(), copy, label: claim.label }
            }
            Some(_) | None => CopyNames::of(witness, slug),
        };
        Ok(CopiesOfWitness { shelf, others })
    }

    /// Stamps the witness with its copy, unless it names it already, perhaps by a name it had before.
    pub(crate) fn stamp(
        &self,
        medulla: &Store,
        witness: &Claim,
        shelf: &CopyNames,
        copy: &Claim,
    ) -> Result<Decision, StoreError> {
        if let Some((named, created)) = promotion::copy_named(witness)
            && named != shelf.copy
            && Some(created) == copy.created
        {
            let renames = medulla.acts().of_kinds(&[DeedKind::Rename])?;
            let named = VersionRef::new(&named, Some(created));
            if NamesOnRecord::of(&renames).of_version(&named).contains(&shelf.copy) {
                return Ok(Decision::Unchanged);
            }
        }
        Ok(promotion::stamp(witness, &shelf.copy, copy.created))
    }

    /// Takes out the copies under other names, once the one that stays is there. `notes` gets a line for each that is out.
    pub(crate) fn give_way(
        &self,
        medulla: &Store,
        lineage: &CopiesOfWitness,
        stays: &Claim,
        agent: &AgentId,
        notes: &mut Vec<Advice>,
    ) -> Result<(), MemoryError> {
        let at = stays.created.unwrap_or_else(|| self.clock.now());
        for (slug, copy) in &lineage.others {
            let acts = |claim: &Claim| {
                let deed = Deed::Retract {
                    upon: VersionRef::of(slug, claim).into(),
                    reason: Some(format!("it was promoted again as {:?}", stays.label)),
                    by: Some(ActVerb::Promote),
                    kind: None,
                    successor: Some(VersionRef::of(&lineage.shelf.copy, stays).into()),
                    covers: None,
                };
                vec![Act::new(deed, agent, at)]
            };
            let retracted = medulla.retract_if(slug, |claim| claim.file == copy.file, acts);
            retracted.map_err(|fault| match fault {
                WriteFault::Store(error) => WriteFault::Store(unless_given_way(error, notes)),
                other => other,
            })?;
            notes.push(format!("its copy {:?} gives way to it, and is kept in history", copy.label).into());
        }
        Ok(())
    }

    /// While it is held no other call promotes, and nothing in the medulla gets another name.
    pub(crate) fn medulla_names_lock(&self) -> Result<Box<dyn LockGuard>, StoreError> {
        let lock = self.home.medulla().paths().locks.join("names");
        durable::lock(&*self.disk, &lock, LOCK_WAIT)
            .map_err(StoreError::disk("cannot lock the names of the medulla"))
    }
}

/// The error of a promotion. If copies have given way already, the promotion stays in place, because nothing takes
/// that back.
pub(crate) fn unless_given_way(error: StoreError, gave_way: &[Advice]) -> StoreError {
    if gave_way.is_empty() { error } else { error.left_in_place() }
}
