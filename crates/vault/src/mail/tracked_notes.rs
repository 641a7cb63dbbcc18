//! Which messages git tracked when they were moved on here. Git may stop tracking them later; the notes are in the home
//! and stay, because no pull reaches it (MAIL-21).
//!
//! There are two files of the same lines: one by the path of the mail root, as it always was, and one by the folder
//! itself, which is still found when the project is moved.

use brainstem_base::{Disk, DiskError, DiskFault};
use brainstem_mail::FileName;
use brainstem_mail::name::MailboxName;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The longest file of notes that is read.
const NOTES_LEN_MAX: u64 = 64 * 1024 * 1024;

/// The messages that are noted, by box and name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NotedMessages(pub(super) BTreeSet<String>);

impl NotedMessages {
    /// Whether a message is noted.
    pub(super) fn has(&self, mailbox: &MailboxName, file: &FileName) -> bool {
        !self.0.is_empty() && self.0.contains(&line(mailbox, file))
    }

    /// Reads the lines of these files together. A missing file has none.
    pub(super) fn read(disk: &dyn Disk, paths: &[PathBuf]) -> Result<Self, DiskError> {
        let mut lines = BTreeSet::new();
        for path in paths {
            match disk.read(path, NOTES_LEN_MAX) {
                Ok(bytes) => {
                    let text = String::from_utf8_lossy(&bytes);
                    lines.extend(text.lines().filter(|line| line.contains('/')).map(str::to_owned));
                }
                Err(error) if error.fault() == DiskFault::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Self(lines))
    }
}

/// The line that notes a message.
pub(super) fn line(mailbox: &MailboxName, file: &FileName) -> String {
    format!("{mailbox}/{file}")
}
