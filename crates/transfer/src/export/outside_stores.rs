//! The files of a home that are in no store.

use super::exported_store::{BRAINS, ExportedStore};
use super::ledger_copy::is_beside_ledger;
use crate::service::Transfer;
use brainstem_memory::MemoryError;
use brainstem_vault::{StoreError, census};
use std::path::{Path, PathBuf};

/// A file of a home that is in no store.
pub(super) struct FileOutsideStores {
    pub(super) from: PathBuf,
    /// Its place in the export.
    pub(super) to: PathBuf,
}

impl Transfer {
    /// The ground files of the home that are in no store that is exported by itself: settings, letters, battery cases and
    /// the like, what each brain has beside its claims, and the brains that were set aside. The census has the list.
    pub(super) fn beside_the_stores(
        &self,
        sources: &[ExportedStore],
    ) -> Result<Vec<FileOutsideStores>, MemoryError> {
        let fault = || StoreError::disk("cannot list the home");
        let home = self.home().path();
        let mut all = Vec::new();
        let mut add = |base: &Path, census, enters: &dyn Fn(&Path) -> bool, to: &Path| {
            let files = census::ground_files(self.disk(), base, census, enters).map_err(fault())?;
            all.extend(
                files.into_iter().map(|file| FileOutsideStores { from: base.join(&file), to: to.join(file) }),
            );
            Ok::<(), MemoryError>(())
        };
        let brains = Path::new(BRAINS);
        let is_no_store = |below: &Path| below != Path::new("agent-memory") && below != brains;
        add(home, census::HOME, &is_no_store, Path::new(""))?;
        for brain in sources.iter().filter_map(|source| source.brain.as_ref()) {
            add(&brain.folder, census::BRAIN, &is_no_store, &brains.join(&brain.fingerprint))?;
        }
        for aside in self.home().all_set_aside() {
            if let Some(name) = aside.folder.file_name() {
                add(&aside.folder, census::BRAIN, &|_| true, &brains.join(name))?;
            }
        }
        // The logs of acts are exported with their stores, and the log of a ledger is in the copy of its file.
        all.retain(|beside| {
            beside.to.parent().is_some_and(is_of_aside) || !beside.to.ends_with("acts.jsonl")
        });
        all.retain(|beside| !is_beside_ledger(&beside.to));
        Ok(all)
    }
}

/// Whether a folder of an export is that of a brain which was set aside.
fn is_of_aside(dir: &Path) -> bool {
    dir.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}
