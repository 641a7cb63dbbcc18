//! Opening a box of a mail root.

use super::fault::MailFault;
use super::folder::MailFolder;
use super::mailbox::{Mailbox, Spelling};
use super::root::{MailRoot, is_folder};
use crate::error::StoreError;
use brainstem_mail::name::{MailboxName, NameFault};

impl MailRoot {
    /// A box, which may not exist yet. A name that differs only by case from an existing box is refused, unless
    /// everything in that box came with the repository.
    pub fn mailbox(&self, name: &MailboxName) -> Result<Mailbox<'_>, MailFault> {
        let boxes = self.boxes()?;
        if !boxes.contains(name) {
            let mut others = boxes.iter().filter(|other| name.differs_only_by_case(other.as_str()));
            if let Some(other) = others.find(|other| !self.came_with_the_repository(other)) {
                return Err(NameFault::differs_by_case(name, other.as_str()).into());
            }
        }
        Ok(Mailbox { spelling: Spelling::Written, ..self.listed(name)? })
    }

    /// A box whose name is known: [`MailRoot::boxes`] has just named it, or it belongs to a session, a tag or an agent.
    /// Boxes that differ by case do not count.
    pub fn listed(&self, name: &MailboxName) -> Result<Mailbox<'_>, StoreError> {
        let dir = self.path().join(name.as_str());
        is_folder(&*self.disk, &dir)?;
        Ok(Mailbox { root: self, name: name.clone(), dir, spelling: Spelling::Known })
    }

    /// Whether git brought a box, and it has no message of this machine.
    fn came_with_the_repository(&self, name: &MailboxName) -> bool {
        let tracked = self.tracked();
        let Some(mailbox) = self.listed(name).ok().filter(|_| tracked.may_have_brought(name)) else {
            return false;
        };
        MailFolder::ALL.iter().all(|folder| {
            mailbox.candidates(*folder).is_ok_and(|candidates| {
                let mut files = candidates.iter().filter_map(|it| Some((it.file.as_ref().ok()?, &it.path)));
                files.all(|(file, path)| tracked.has(name, file, path))
            })
        })
    }
}
