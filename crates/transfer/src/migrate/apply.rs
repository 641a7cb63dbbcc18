//! Doing a migration: each claim for itself, so that cutting it off and repeating it is safe.

use super::answer::{MigrateRequest, Migration, RowFate};
use super::inventory::{InventoryClaim, Ready, arriving_sha256};
use super::numbers;
use crate::service::Transfer;
use brainstem_base::Advice;
use brainstem_base::{Coded as _, codes};
use brainstem_caller::Caller;
use brainstem_claims::Claim;
use brainstem_claims::act::{
    Act, ActVerb, BrainId, ClaimRef, Deed, DeedKind, Mention, MigrationRef, MigrationTally, VersionRef,
};
use brainstem_claims::folds::names::NamesOnRecord;
use brainstem_claims::lifecycle::{FilePlace, MEDULLA};
use brainstem_memory::MemoryError;
use brainstem_memory::store_work::{self, ProsePaths, Target};
use brainstem_vault::acts::codec;
use brainstem_vault::store_transfer::{LeavingClaim, TransferOutcome};
use brainstem_vault::{Brain, StoreError};
use std::collections::{BTreeMap, HashMap};

impl Transfer {
    /// Does what the plan says. Repeated, it completes what was cut off, and changes nothing more.
    pub fn migrate_apply(
        &self,
        caller: &Caller,
        request: &MigrateRequest,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Migration, MemoryError> {
        caller.moved_by(|| self.apply_plan(caller, request, progress))
    }

    fn apply_plan(
        &self,
        caller: &Caller,
        request: &MigrateRequest,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Migration, MemoryError> {
        self.home().ensure()?;
        let _guard = self.migration_lock()?;
        let numbers = self.migrations()?;
        let open = numbers.open();
        let mut found = self.inventory(request, open)?;
        let total = found.items.iter().filter(|item| item.leaving.is_some()).count();
        if total == 0 && open.is_none() && !found.ghosts.iter().any(|(ghost, _)| ghost.swept) {
            // Perhaps done by a run that was killed before it was certain.
            self.certain(&found.items)?;
            let mut done = found.plan();
            done.gates = Some(self.gates(&found.items)?);
            return Ok(done);
        }
        let number = open.unwrap_or_else(|| numbers.next());
        let agent = &caller.principal.agent;
        let migration = MigrationRef(number);
        let medulla = self.home().medulla();
        let begin = Act::new(Deed::MigrateBegin { migration }, agent, self.clock().now());
        medulla.acts().record(&begin)?;
        let mut said: HashMap<String, Vec<Act>> = HashMap::new();
        let mut words: BTreeMap<String, (String, ProsePaths)> = BTreeMap::new();
        let mut done = 0;
        for item in &mut found.items {
            let Some(ready) = &item.leaving else { continue };
            if !said.contains_key(&item.source.origin) {
                let carried = [DeedKind::Learn, DeedKind::Import, DeedKind::Rename];
                let acts = item.source.store.acts().of_kinds(&carried)?;
                said.insert(item.source.origin.clone(), acts);
            }
            match self.move_one(caller, number, item, ready, &said[&item.source.origin]) {
                Ok(()) => {
                    item.row.fate = RowFate::Moved;
                    let words = words.entry(ready.to.fingerprint.clone()).or_insert_with(|| {
                        (ready.to.origin(), ProsePaths::into_store(&self.store_of(&ready.to)))
                    });
                    words.1.look_at(&Claim::from(ready.arriving.clone()));
                }
                // Nothing more can be written: the repeat goes on from here.
                Err(error)
                    if [codes::STORE_NO_SPACE, codes::STORE_READ_ONLY, codes::STORE_UNCONFIRMED]
                        .contains(&error.code()) =>
                {
                    return Err(if done > 0 { error.stopped_half_way() } else { error });
                }
                Err(error) => {
                    item.row.fate = RowFate::Flagged;
                    (item.row.to, item.row.to_root) = (None, None);
                    item.row.reason = format!("{}; but {error}", item.row.reason);
                }
            }
            done += 1;
            progress(done, total);
        }
        for (ghost, brain) in found.ghosts.iter_mut().filter(|(ghost, _)| ghost.swept) {
            if self.store_of(brain).count()? > 0 {
                ghost.swept = false;
                ghost.reason = "not all of its claims could leave it".into();
                continue;
            }
            self.sweep(caller, number, brain)?;
        }
        self.certain(&found.items)?;
        let mut told = found.plan();
        // Before the end is on record: the repeat looks again.
        let gates = self.gates(&found.items)?;
        let count = |fate: RowFate| told.rows.iter().filter(|row| row.fate == fate).count();
        let tally = MigrationTally {
            before: gates.before as u64,
            projects: gates.projects as u64,
            medulla: gates.medulla as u64,
            moved: count(RowFate::Moved) as u64,
            doctrine: count(RowFate::Doctrine) as u64,
            flagged: count(RowFate::Flagged) as u64,
        };
        if count(RowFate::Moved) > 0 {
            let target = Target {
                store: medulla.clone(),
                origin: MEDULLA.into(),
                place: FilePlace::Medulla,
                root: None,
            };
            told.notes.extend(store_work::record_breach(
                self.memory(),
                caller,
                &target,
                ActVerb::Migrate,
                Mention::read(&migration.to_string()),
            )?);
        }
        let end = Deed::MigrateEnd { migration, tally: Some(tally) };
        medulla.acts().record(&Act::new(end, agent, self.clock().now()))?;
        let notes =
            words.values().filter_map(|(origin, words)| words.note(&format!("the memory of {origin}")));
        told.notes.extend(notes.map(Advice::from));
        told.number = Some(number);
        told.gates = Some(gates);
        Ok(told)
    }

    fn move_one(
        &self,
        caller: &Caller,
        number: u64,
        item: &InventoryClaim,
        ready: &Ready,
        said: &[Act],
    ) -> Result<(), MemoryError> {
        let Ready { slug, claim, arriving, to, has_arrived, was_there } = ready;
        self.home().remember_root(to)?;
        let (from, there) = (&item.source.store, self.store_of(to));
        let (agent, now) = (&caller.principal.agent, self.clock().now());
        let row = numbers::row(slug, claim, number);
        let moved_to = ClaimRef::new(&to.origin(), slug);
        let left = Deed::Migrate {
            upon: row.clone(),
            migration: Some(number),
            reason: Some(format!("moved_to: {moved_to}")),
            moved_to: Some(moved_to),
            to: Some(to.fingerprint.clone()),
            to_brain: Some(BrainId::new(to.manifest.id)),
            sha256: Some(numbers::sha256(claim)),
            arrived: (!was_there).then(|| arriving_sha256(arriving)),
            created: claim.created,
        };
        let left = Act::new(left, agent, now);
        let moved_from = Some(ClaimRef::new(&item.source.origin, slug));
        let arrival = Deed::MigrateIn { upon: row, migration: Some(number), moved_from };
        let mut arrived = vec![Act::new(arrival, agent, now)];
        arrived.extend(carried_along(said, &VersionRef::of(slug, claim)));
        let leaving =
            LeavingClaim { slug, claim, arriving, left: &left, arrived: &arrived, has_arrived: *has_arrived };
        let why = match from.move_to(&there, &leaving)? {
            TransferOutcome::Moved { .. } => return Ok(()),
            TransferOutcome::Changed => format!("{:?} was changed by someone else meanwhile", claim.label),
            TransferOutcome::Taken => format!("{} holds another claim of that name", to.origin()),
        };
        Err(brainstem_base::Fault::new(codes::CLAIM_CHANGED, why).into())
    }

    /// Makes what was taken away certain, also by a run that was killed.
    fn certain(&self, items: &[InventoryClaim]) -> Result<(), StoreError> {
        self.home().medulla().sync()?;
        for item in items.iter().filter(|item| item.source.ghost.is_some()) {
            item.source.store.sync()?;
        }
        self.home().sync_brains()
    }

    fn sweep(&self, caller: &Caller, number: u64, brain: &Brain) -> Result<(), StoreError> {
        let aside = self.home().free_set_aside_name(brain);
        let deed = Deed::SweepRoot {
            brain: BrainId::new(brain.manifest.id),
            by: MigrationRef(number),
            migration: Some(number),
            folder: Some(brain.fingerprint.clone()),
            aside: Some(aside.clone()),
        };
        let act = Act::new(deed, &caller.principal.agent, self.clock().now());
        self.home().medulla().acts().record(&act)?;
        self.home().set_aside(&brain.fingerprint, &aside)
    }
}

/// The acts upon a version that go along with it: what was said of it stays said of it, and its importer stays its
/// importer. An act upon an earlier name of the version is one upon the name that it has now.
fn carried_along(acts: &[Act], now: &VersionRef) -> Vec<Act> {
    let names = NamesOnRecord::of(acts);
    let carried = |act: &Act| match act.deed() {
        Deed::Learn { upon, .. } | Deed::Import { upon } => {
            let is_it = names.are_one(upon.version()?, now);
            is_it.then(|| codec::upon(act, &upon.of_version(now.clone())))
        }
        _ => None,
    };
    acts.iter().filter_map(carried).collect()
}
