//! The stores that are exported, and the files of one.

use super::request::ExportScope;
use crate::service::Transfer;
use brainstem_base::DiskFault;
use brainstem_base::disk::FileKind;
use brainstem_caller::Caller;
use brainstem_memory::store_work::stamps_in;
use brainstem_memory::{Gap, MemoryError, store_work};
use brainstem_vault::scan::{CLAIM_SUFFIX, UnreadableClaim};
use brainstem_vault::{Brain, Store, StoreError, checkup};
use std::collections::HashMap;
use std::path::Path;

/// How the medulla is named in an export.
pub(crate) const MEDULLA: &str = "medulla";
/// The folder of the brains in a home.
pub(super) const BRAINS: &str = "project-brains";

/// One store with the name it has in the export.
pub(super) struct ExportedStore {
    pub(super) name: String,
    pub(super) brain: Option<Brain>,
    pub(super) store: Store,
}

impl Transfer {
    /// Returns the stores that an export is of, and what of the home could not be read.
    pub(super) fn sources(
        &self,
        caller: &Caller,
        scope: ExportScope,
    ) -> Result<(Vec<ExportedStore>, Vec<Gap>), MemoryError> {
        let of_brain = |brain: Brain| ExportedStore {
            name: brain.origin(),
            store: self.store_of(&brain),
            brain: Some(brain),
        };
        let medulla = || ExportedStore { name: MEDULLA.into(), brain: None, store: self.home().medulla() };
        match scope {
            ExportScope::Project => {
                Ok((vec![of_brain(store_work::bound(self.memory(), caller)?)], Vec::new()))
            }
            ExportScope::Medulla => Ok((vec![medulla()], Vec::new())),
            ExportScope::All => {
                let roster = self.home().roster()?;
                let gaps = roster.broken.iter().map(|broken| {
                    let name = broken.path.file_name().unwrap_or_default().to_string_lossy();
                    Gap::new(
                        "unreadable_brain",
                        format!("the brain in `{name}` is not in the export: {}", broken.why),
                    )
                });
                let source = |(brain, store): (Brain, Store)| ExportedStore {
                    name: brain.origin(),
                    store,
                    brain: Some(brain),
                };
                let mut sources: Vec<ExportedStore> =
                    store_work::stores_in(self.memory(), &roster).into_iter().map(source).collect();
                // A repository that came with its brain and was never written to has no folder here yet.
                if let Some(here) = self.memory().route(caller).brain()
                    && !roster.brains.iter().any(|known| known.root == here.root)
                {
                    sources.push(of_brain(here.clone()));
                }
                sources.push(medulla());
                Ok((sources, gaps.collect()))
            }
        }
    }

    /// How many files of a history are carried and are no versions: those from before the stamp of a promotion.
    pub(super) fn stamp_count(&self, store: &Store) -> Result<usize, MemoryError> {
        let history = checkup::history(self.disk(), &store.paths().history)?;
        Ok(stamps_in(&store.scan()?, &history).len())
    }

    /// The claim files of a folder, by name.
    pub(super) fn names_in(&self, dir: &Path) -> Result<Vec<String>, MemoryError> {
        let entries = match self.disk().list(dir) {
            Ok(entries) => entries,
            Err(error) if error.fault() == DiskFault::NotFound => Vec::new(),
            Err(error) => return Err(StoreError::disk("cannot list the store")(error).into()),
        };
        let mut names: Vec<String> = entries
            .into_iter()
            .filter(|entry| entry.kind != FileKind::Dir)
            .filter_map(|entry| entry.name.into_string().ok())
            .filter(|name| name.ends_with(CLAIM_SUFFIX) && !name.starts_with('.'))
            .collect();
        names.sort();
        Ok(names)
    }
}

/// The live files of a store that cannot be read as claims, each with what is wrong with it.
pub(super) fn unreadable_in(store: &Store) -> Result<HashMap<String, String>, MemoryError> {
    let named = |bad: UnreadableClaim| Some((bad.path.file_name()?.to_str()?.to_owned(), bad.why));
    Ok(store.scan()?.unreadable.into_iter().filter_map(named).collect())
}
