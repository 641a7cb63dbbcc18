//! Whether an export carries secrets.

use super::exported_store::ExportedStore;
use super::outside_stores::FileOutsideStores;
use crate::limits::{PIECE_LEN, SECRET_LEN_MAX};
use crate::service::Transfer;
use brainstem_memory::{Floor, Gap, MemoryError, store_work};
use brainstem_vault::carried_files::CarriedFile;
use brainstem_vault::scan::read_file;
use std::path::Path;

/// The gap of an export that carries a secret.
pub const SECRET_EXPORTED: &str = "secret_exported";

impl Transfer {
    /// Says that an export holds secrets: it carries every file as it is.
    pub(super) fn secrets_exported(
        &self,
        sources: &[ExportedStore],
        beside: &[FileOutsideStores],
    ) -> Result<Option<Gap>, MemoryError> {
        let floor = self.floor();
        let mut count = beside.iter().filter(|beside| self.has_secret(&floor, &beside.from)).count();
        for ExportedStore { brain, store, .. } in sources {
            let mut look = |path: &Path| {
                let bytes = read_file(self.disk(), path).unwrap_or_default();
                count += usize::from(floor.has_secret(&String::from_utf8_lossy(&bytes)));
            };
            for dir in [&store.paths().claims, &store.paths().history] {
                self.names_in(dir)?.iter().for_each(|name| look(&dir.join(name)));
            }
            count += usize::from(self.has_secret(&floor, &store.paths().acts));
            let folder = brain.as_ref().map_or(self.home().path(), |brain| &brain.folder);
            let boot_keys = store_work::boot_file(self.memory(), folder, store);
            count += usize::from(self.has_secret(&floor, boot_keys.path()));
            for CarriedFile { bytes, .. } in store.carried()? {
                count += usize::from(floor.has_secret(&String::from_utf8_lossy(&bytes)));
            }
        }
        let (files, carry) = if count == 1 { ("file", "carries") } else { ("files", "carry") };
        let detail = format!(
            "{count} {files} of this export {carry} a secret, which is in it as it is: no export is masked"
        );
        Ok((count > 0).then(|| Gap::new(SECRET_EXPORTED, detail)))
    }

    /// Whether a file of any size carries a secret.
    fn has_secret(&self, floor: &Floor, path: &Path) -> bool {
        let mut offset = 0;
        loop {
            let piece = self.disk().read_part(path, offset, PIECE_LEN).unwrap_or_default();
            if floor.has_secret(&String::from_utf8_lossy(&piece)) {
                return true;
            }
            if (piece.len() as u64) < PIECE_LEN {
                return false;
            }
            // A secret across the end of this piece is whole in the next one.
            offset += PIECE_LEN - SECRET_LEN_MAX;
        }
    }
}
