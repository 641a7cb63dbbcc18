//! `boot`: small key-values that ride every beat.

use crate::caller::follow::follow_store;
use crate::error::MemoryError;
use crate::gap::Gap;
use crate::limits::{BOOT_KEY_LEN_MAX, BOOT_KEYS_MAX, BOOT_VALUE_LEN_MAX};
use crate::reading::tier::Tier;
use crate::service::Memory;
use crate::writing::error::WriteError;
use crate::writing::target::WriteTier;
use brainstem_base::{Coded as _, Timestamp};
use brainstem_caller::Caller;
use brainstem_caller::route::Route;
use brainstem_claims::act::{Act, Deed};
use brainstem_claims::age::{self, STALE_AFTER_MS};
use brainstem_vault::boot::{BootFile, BootValue};
use brainstem_vault::{Brain, Store, StoreError};
use std::collections::BTreeMap;

/// One key of one tier.
#[derive(Clone, Debug)]
pub struct BootRow {
    /// The key.
    pub key: String,
    /// Its value.
    pub value: String,
    /// `project` or `medulla`.
    pub tier: &'static str,
    /// The brain it is of.
    pub origin_brain: String,
    /// The agent that set it.
    pub source_agent: Option<String>,
    /// The agent whose import brought it here, if that is not the one that set it.
    pub imported_by: Option<String>,
    /// How long ago.
    pub age_ms: Option<i64>,
    /// Older than thirty days.
    pub stale: bool,
}

/// What was found or changed.
#[derive(Clone, Debug, Default)]
pub struct Booted {
    /// The rows, the project's first.
    pub rows: Vec<BootRow>,
    /// Whether a key was set or deleted.
    pub changed: bool,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// What becomes of a key that is imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BootArrival {
    /// It was not here.
    New,
    /// It is here with this value.
    Known,
    /// It is here with another value, which stays.
    Differs,
}

/// One store's keys, with the store whose log records them.
struct StoreBootKeys {
    file: BootFile,
    store: Store,
    tier: &'static str,
    origin: String,
}

impl Memory {
    /// Every key of the tiers that are asked, or the one that is named.
    pub fn boot_list(&self, caller: &Caller, key: Option<&str>, tier: Tier) -> Result<Booted, MemoryError> {
        let mut booted = Booted::default();
        if tier == Tier::Both {
            match &*self.route(caller) {
                Route::Broken { folder, .. } => {
                    let error = StoreError::from(folder.clone());
                    let detail = format!("the boot keys of the project: {error} [{}]", error.code().name());
                    booted.gaps.push(Gap::new("boot_unreadable", detail));
                }
                Route::Replaced { root, before, .. } => {
                    booted.gaps.push(self.replacement(root, before).gap());
                }
                Route::Bound { .. } | Route::Brainless { .. } | Route::Unbound { .. } => {}
            }
        }
        if tier == Tier::AllBrains {
            booted.gaps.extend(self.roster_with_gaps().1);
        }
        for shelf in self.boot_shelves(caller, tier)? {
            match shelf.store.check_real_folders().and_then(|()| shelf.file.read()) {
                Ok(values) => {
                    let wanted = values.into_iter().filter(|(name, _)| key.is_none_or(|key| key == name));
                    booted.rows.extend(wanted.map(|(key, value)| self.boot_row(&shelf, key, value)));
                }
                Err(error) => booted.gaps.push(Gap::new(
                    "boot_unreadable",
                    format!("the boot keys of the {}: {error} [{}]", shelf.tier, error.code().name()),
                )),
            }
        }
        let has_own = booted.rows.iter().any(|row| row.tier == "project");
        if !has_own && matches!(tier, Tier::Both | Tier::Project) {
            let route = self.route(caller);
            booted.gaps.extend(route.brain().and_then(|brain| self.kept_by_deleted_clones(brain)));
        }
        Ok(booted)
    }

    /// Sets a key of the caller's project, or of the medulla.
    pub fn boot_set(
        &self,
        caller: &Caller,
        key: &str,
        value: &str,
        tier: Option<WriteTier>,
    ) -> Result<Booted, MemoryError> {
        self.check_boot_value(key, value)?;
        let key = checked_key(key)?;
        follow_store(caller, || {
            let shelf = self.boot_target(caller, tier)?;
            let now = self.clock.now();
            let agent = &caller.principal.agent;
            let new = BootValue {
                value: value.to_owned(),
                source_agent: Some(agent.to_string()),
                updated: Some(now.ms()),
                imported_by: None,
            };
            if shelf.file.read()?.len() >= BOOT_KEYS_MAX && !shelf.file.read()?.contains_key(key) {
                return Err(no_room_for(key));
            }
            let act = Act::new(Deed::BootSet { key: key.to_owned(), set_ms: now.ms() }, agent, now);
            let changed = shelf.file.change(
                |values| {
                    // The same value from an import is set again: from then on an act of this home names its agent.
                    let is_same = |old: &BootValue| old.value == new.value && old.imported_by.is_none();
                    let same = values.get(key).is_some_and(is_same);
                    if !same {
                        values.insert(key.to_owned(), new.clone());
                    }
                    !same
                },
                |_| act,
            )?;
            // It is set: a file that cannot be read afterwards does not make that a refusal.
            let kept = shelf.file.read().ok().and_then(|mut values| values.remove(key)).unwrap_or(new);
            Ok(Booted { rows: vec![self.boot_row(&shelf, key.to_owned(), kept)], changed, gaps: Vec::new() })
        })
    }

    /// Takes a key in that was exported: its value, its agent and its time stay. A key that is here stays as it is. In a dry
    /// run nothing is changed.
    pub(crate) fn take_in_boot_key(
        &self,
        caller: &Caller,
        file: &BootFile,
        (key, brought): (&str, &BootValue),
        dry_run: bool,
    ) -> Result<BootArrival, MemoryError> {
        self.check_boot_value(key, &brought.value)?;
        self.floor().check_text("source_agent", brought.source_agent.as_deref().unwrap_or_default())?;
        let key = checked_key(key)?;
        let arrival = |values: &BTreeMap<String, BootValue>| match values.get(key) {
            Some(here) if here.value == brought.value => BootArrival::Known,
            Some(_) => BootArrival::Differs,
            None => BootArrival::New,
        };
        let values = file.read()?;
        if arrival(&values) == BootArrival::New && values.len() >= BOOT_KEYS_MAX {
            return Err(no_room_for(key));
        }
        if dry_run {
            return Ok(arrival(&values));
        }
        let now = self.clock.now();
        let agent = &caller.principal.agent;
        let act = Act::new(Deed::BootSet { key: key.to_owned(), set_ms: now.ms() }, agent, now);
        let importer = agent.to_string();
        let is_of_another = brought.source_agent.as_ref() != Some(&importer);
        let brought = BootValue { imported_by: is_of_another.then_some(importer), ..brought.clone() };
        let taken = file.change(
            |values| {
                let arrival = arrival(values);
                if arrival == BootArrival::New {
                    values.insert(key.to_owned(), brought.clone());
                }
                arrival
            },
            |_| act,
        );
        Ok(taken?)
    }

    fn check_boot_value(&self, key: &str, value: &str) -> Result<(), MemoryError> {
        self.floor().check_text("key", key)?;
        self.floor().check_text("value", value)?;
        self.floor().check_named("value", key, value)?;
        if value.len() > BOOT_VALUE_LEN_MAX {
            return Err(MemoryError::BadValue {
                field: "value",
                value: format!("{} bytes", value.len()),
                what: "value of a boot key, which has at most 4096 bytes",
                takes: "a shorter value, or memorize it as a claim".into(),
                rule: "MEM-30",
            });
        }
        Ok(())
    }

    /// Deletes a key of the caller's project, or of the medulla.
    pub fn boot_delete(
        &self,
        caller: &Caller,
        key: &str,
        tier: Option<WriteTier>,
    ) -> Result<Booted, MemoryError> {
        let key = checked_key(key)?;
        follow_store(caller, || {
            let shelf = self.boot_target(caller, tier)?;
            let now = self.clock.now();
            let act = |removed: &Option<BootValue>| {
                // Named by the value that goes, so that a repeat of what was cut off is the same act.
                let set_ms = removed.as_ref().and_then(|value| value.updated).unwrap_or(0);
                Act::new(Deed::BootDelete { key: key.to_owned(), set_ms }, &caller.principal.agent, now)
            };
            let removed = shelf.file.change(|values| values.remove(key), act)?;
            let Some(removed) = removed else {
                let other = if shelf.tier == "medulla" { "project" } else { "medulla" };
                let is_there = self
                    .boot_list(caller, Some(key), Tier::Both)
                    .is_ok_and(|found| found.rows.iter().any(|row| row.tier == other));
                let (key, elsewhere) = (key.to_owned(), is_there.then_some(other));
                return Err(WriteError::NoBootKey { tier: shelf.tier, key, elsewhere }.into());
            };
            Ok(Booted {
                rows: vec![self.boot_row(&shelf, key.to_owned(), removed)],
                changed: true,
                gaps: Vec::new(),
            })
        })
    }

    fn boot_row(&self, shelf: &StoreBootKeys, key: String, value: BootValue) -> BootRow {
        let shown = self.floor().mask_named(&key, &value.value);
        let now = self.clock.now();
        // A time in the future says nothing about its age.
        let updated = value.updated_at().filter(|at| !age::is_ahead(*at, now));
        let age_ms = updated.map(|at: Timestamp| now.ms_since(at));
        BootRow {
            key,
            value: shown,
            tier: shelf.tier,
            origin_brain: shelf.origin.clone(),
            source_agent: value.source_agent,
            imported_by: value.imported_by,
            age_ms,
            stale: age_ms.is_some_and(|ms| ms > STALE_AFTER_MS),
        }
    }

    fn boot_shelves(&self, caller: &Caller, tier: Tier) -> Result<Vec<StoreBootKeys>, MemoryError> {
        let mut shelves = Vec::new();
        match tier {
            Tier::Project => shelves.push(self.project_boot(&self.bound(caller)?)),
            Tier::Both => shelves.extend(self.route(caller).brain().map(|brain| self.project_boot(brain))),
            Tier::Medulla => {}
            Tier::AllBrains => {
                let brains = self.roster_with_gaps().0.brains;
                shelves.extend(brains.iter().map(|brain| self.project_boot(brain)));
            }
        }
        if matches!(tier, Tier::Both | Tier::Medulla | Tier::AllBrains) {
            shelves.push(self.medulla_boot());
        }
        Ok(shelves)
    }

    fn boot_target(&self, caller: &Caller, tier: Option<WriteTier>) -> Result<StoreBootKeys, MemoryError> {
        match tier.unwrap_or_default() {
            WriteTier::Project => {
                let brain = self.bound(caller)?;
                self.home.check_writable()?;
                self.home.remember_root(&brain)?;
                let shelf = self.project_boot(&brain);
                shelf.store.check_not_exposed()?;
                shelf.store.prepare_absent()?;
                Ok(shelf)
            }
            WriteTier::Medulla => {
                self.home.ensure()?;
                Ok(self.medulla_boot())
            }
        }
    }

    fn project_boot(&self, brain: &Brain) -> StoreBootKeys {
        let store = self.store_of(brain);
        let file = self.boot_file(brain.folder.join("boot_memory_state.json"), &store);
        StoreBootKeys { file, store, tier: "project", origin: brain.origin() }
    }

    fn medulla_boot(&self) -> StoreBootKeys {
        let store = self.home.medulla();
        let file = self.boot_file(self.home.path().join("boot_memory_state.json"), &store);
        StoreBootKeys { file, store, tier: "medulla", origin: "medulla".into() }
    }

    pub(crate) fn boot_file(&self, path: std::path::PathBuf, store: &Store) -> BootFile {
        BootFile::new(store.clone(), path)
    }
}

fn no_room_for(key: &str) -> MemoryError {
    MemoryError::BadValue {
        field: "key",
        value: key.to_owned(),
        what: "key that still fits: a store has at most 100",
        takes: "a key that is there already, or delete one first".into(),
        rule: "MEM-30",
    }
}

fn checked_key(key: &str) -> Result<&str, MemoryError> {
    let key = key.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if key.is_empty() || key.len() > BOOT_KEY_LEN_MAX || !key.chars().all(plain) {
        return Err(MemoryError::BadValue {
            field: "key",
            value: key.chars().take(40).collect(),
            what: "boot key",
            takes: "1 to 64 ASCII letters, digits and . _ -".into(),
            rule: "MEM-30",
        });
    }
    Ok(key)
}
