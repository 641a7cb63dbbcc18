//! The files that a caller names: read whole, or made where nothing is.

use super::error::LedgerUseError;
use crate::Post;
use brainstem_vault::durable::{self, NewName};
use std::path::Path;

impl Post {
    /// The bytes of a file that a field names.
    pub(super) fn named_file(
        &self,
        field: &'static str,
        path: &Path,
        len_max: usize,
    ) -> Result<Vec<u8>, LedgerUseError> {
        let path = path.to_owned();
        self.disk().read(&path, len_max as u64).map_err(|source| LedgerUseError::Unreadable {
            field,
            path,
            source,
        })
    }

    /// Makes a file that did not exist, readable by its owner alone.
    pub(super) fn make_file(&self, path: &Path, text: &str) -> Result<(), LedgerUseError> {
        let path = path.to_owned();
        match durable::create_private(self.disk(), self.ids(), &path, text.as_bytes()) {
            Ok(NewName::New) => Ok(()),
            Ok(NewName::Taken) => Err(LedgerUseError::Taken { path }),
            Err(source) => Err(LedgerUseError::Unwritable { path, source }),
        }
    }
}
