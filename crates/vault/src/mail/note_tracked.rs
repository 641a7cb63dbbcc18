//! Notes which messages git tracks, before they are moved on.

use super::root::MailRoot;
use super::tracked_notes::{NotedMessages, line};
use crate::durable;
use crate::error::StoreError;
use brainstem_mail::FileName;
use brainstem_mail::name::MailboxName;
use std::collections::BTreeSet;
use std::path::Path;

impl MailRoot {
    /// This mail root, with the home that keeps the notes of messages that git tracked when they were moved on.
    #[must_use]
    pub fn noting_below(mut self, home: &Path) -> Self {
        self.home = Some(home.to_owned());
        self
    }

    /// Notes that git tracks a message which is about to be moved on from a path, perhaps under another name. A commit
    /// that removes it removes only the file that git knows: the moved one keeps its mark.
    pub(super) fn note_tracked(
        &self,
        mailbox: &MailboxName,
        file: &FileName,
        from: &Path,
        name: &FileName,
    ) -> Result<(), StoreError> {
        let tracked = self.tracked();
        let noted = &tracked.noted;
        if !noted.has(mailbox, file) && !tracked.is_known_at(mailbox, file, from) {
            return Ok(());
        }
        self.add_notes(noted, BTreeSet::from([line(mailbox, name)]))
    }

    /// Notes every message that git tracks now, so that each keeps its mark when git no longer tracks it.
    pub fn note_every_tracked(&self) -> Result<(), StoreError> {
        let tracked = self.tracked();
        self.add_notes(&tracked.noted, tracked.spelled().collect())
    }

    /// Adds these lines to both files.
    fn add_notes(&self, noted: &NotedMessages, lines: BTreeSet<String>) -> Result<(), StoreError> {
        let fault = || StoreError::disk("cannot note that git tracks the message");
        for path in self.notes() {
            let there = NotedMessages::read(&*self.disk, std::slice::from_ref(&path)).map_err(fault())?;
            // Lines of the other file are noted here too, so that they move along with the project.
            let wanted: BTreeSet<String> = noted.0.union(&lines).cloned().collect();
            let missing: Vec<&String> = wanted.difference(&there.0).collect();
            if missing.is_empty() {
                continue;
            }
            let dir = path.parent().expect("a note lies in a folder");
            durable::make_dirs(&*self.disk, dir)?;
            // A line that a crash tore stays a line of its own.
            let text: String = missing.into_iter().map(|line| format!("\n{line}\n")).collect();
            self.disk.append(&path, text.as_bytes()).map_err(fault())?;
            self.disk.sync_dir(dir).map_err(fault())?;
        }
        Ok(())
    }
}
