//! The mail of the projects that an export is of. It is in each project's `.mail`, and no export has it.

use super::exported_store::ExportedStore;
use super::request::MailLeftOut;
use crate::service::Transfer;
use brainstem_memory::Gap;
use brainstem_vault::mail::MailRoot;
use std::path::PathBuf;

impl Transfer {
    /// Returns the projects of an export that have mail, with how much there is, and what could not be counted.
    pub(super) fn mail_left_out(&self, sources: &[ExportedStore]) -> (Vec<MailLeftOut>, Vec<Gap>) {
        let (mut left, mut gaps): (Vec<MailLeftOut>, Vec<Gap>) = (Vec::new(), Vec::new());
        let mut seen: Vec<PathBuf> = Vec::new();
        for brain in sources.iter().filter_map(|source| source.brain.as_ref()) {
            if seen.contains(&brain.root) {
                continue;
            }
            seen.push(brain.root.clone());
            let memory = self.memory();
            let (disk, ids, clock) = (memory.disk().clone(), memory.ids().clone(), memory.clock().clone());
            let root = MailRoot::of_project(disk, ids, clock, &brain.root);
            let counted = root.exists().and_then(|is_there| match is_there {
                true => root.count_messages().map(Some),
                false => Ok(None),
            });
            match counted {
                Ok(None) => {}
                Ok(Some(messages)) if messages.all() == 0 => {}
                Ok(Some(messages)) => {
                    left.push(MailLeftOut { brain: brain.origin(), path: root.path().to_owned(), messages })
                }
                Err(error) => gaps.push(Gap::new(
                    "mail",
                    format!(
                        "the mail of {} is not in the export and cannot be counted: {error}",
                        brain.origin()
                    ),
                )),
            }
        }
        (left, gaps)
    }
}
