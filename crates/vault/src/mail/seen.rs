//! Who has seen which broadcast. The message stays for the others.

use super::mailbox::{Mailbox, SEEN};
use super::root::is_folder;
use crate::error::StoreError;
use brainstem_base::DiskFault;
use brainstem_mail::FileName;
use brainstem_mail::name::MailboxName;
use std::collections::HashSet;

impl Mailbox<'_> {
    /// The names of what a reader has seen here, under any of its names; of a box that is not everybody's, nothing.
    pub fn seen_by(&self, reader: &[MailboxName]) -> Result<HashSet<String>, StoreError> {
        let mut seen = HashSet::new();
        if !self.name.is_broadcast() || !is_folder(self.disk(), &self.dir.join(SEEN))? {
            return Ok(seen);
        }
        for name in reader {
            let dir = self.dir.join(SEEN).join(name.as_str());
            if is_folder(self.disk(), &dir)? {
                let entries =
                    self.disk().list(&dir).map_err(StoreError::disk("cannot list what was seen"))?;
                seen.extend(entries.into_iter().filter_map(|entry| entry.name.into_string().ok()));
            }
        }
        Ok(seen)
    }

    /// Notes that a reader has seen a message; answers whether it had not before.
    pub fn mark_seen(&self, file: &FileName, reader: &MailboxName) -> Result<bool, StoreError> {
        self.made_dir(self.dir.join(SEEN))?;
        let dir = self.made_dir(self.dir.join(SEEN).join(reader.as_str()))?;
        match self.disk().write_new(&dir.join(file.as_str()), b"") {
            Ok(()) => self.sync(&dir).map(|()| true),
            Err(error) if error.fault() == DiskFault::Exists => Ok(false),
            Err(error) => Err(StoreError::disk("cannot note what was seen")(error)),
        }
    }
}
