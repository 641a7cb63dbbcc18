//! Taking a message out of a box, and giving it back when the lease has ended.
//!
//! One rename takes it, and the new name says which reader holds it until when. Of many that try, one finds the file; a
//! shell's `mv` is one of them.

use super::fault::MailFault;
use super::folder::MailFolder;
use super::listing::MessageLocation;
use super::mailbox::Mailbox;
use super::write_progress::Writing;
use crate::error::StoreError;
use brainstem_base::{DiskFault, Timestamp};
use brainstem_mail::name::MailboxName;
use brainstem_mail::{FileName, Lease, LeaseOwner};
use std::path::PathBuf;

/// A message that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenMessage {
    /// Its holder, and the end of the lease.
    pub lease: Lease,
    /// Its path meanwhile.
    pub path: PathBuf,
    /// The same owner held it already, and now holds it longer.
    pub renewed: bool,
}

/// What came back to a box.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GivenBack {
    /// The messages, as they were held.
    pub leases: Vec<Lease>,
    /// Those that could not be given back, each with the reason.
    pub stuck: Vec<(Lease, String)>,
}

impl Mailbox<'_> {
    /// Takes a message out of the box until then. A held message is refused, whichever reader holds it: two processes
    /// that work under one name must not both get it.
    pub fn take(
        &self,
        file: &FileName,
        owner: impl Into<LeaseOwner>,
        until: Timestamp,
    ) -> Result<TakenMessage, MailFault> {
        if let Some(taken) = self.take_unread(file, owner.into(), until)? {
            return Ok(taken);
        }
        match self.place_in(MailFolder::Held, file)? {
            Some(MessageLocation { lease: Some(lease), .. }) => Err(MailFault::Held(Box::new(lease))),
            Some(_) | None => Err(self.not_found(file)),
        }
    }

    /// As [`take`](Self::take). A message that the owner holds already, perhaps under an earlier name, is held longer,
    /// under its present name. A message that another agent holds under that name is refused.
    pub fn take_or_hold_longer(
        &self,
        file: &FileName,
        owner: impl Into<LeaseOwner>,
        earlier: &[MailboxName],
        until: Timestamp,
    ) -> Result<TakenMessage, MailFault> {
        let owner = owner.into();
        if let Some(taken) = self.take_unread(file, owner.clone(), until)? {
            return Ok(taken);
        }
        match self.place_in(MailFolder::Held, file)? {
            Some(MessageLocation { path, lease: Some(before), .. })
                if (before.owner == owner.name || earlier.contains(&before.owner))
                    && before.is_of_agent(owner.agent.as_ref()) =>
            {
                let until = until.max(before.until);
                self.renew(path, Lease { owner: owner.name, agent: owner.agent, until, ..before })
            }
            Some(MessageLocation { lease: Some(other), .. }) => Err(MailFault::Held(Box::new(other))),
            Some(_) | None => Err(self.not_found(file)),
        }
    }

    /// Renames a message out of the box; `None` if it is no longer there.
    fn take_unread(
        &self,
        file: &FileName,
        owner: LeaseOwner,
        until: Timestamp,
    ) -> Result<Option<TakenMessage>, MailFault> {
        if self.writing(file, &self.dir.join(file.as_str())) == Writing::Open {
            return Err(MailFault::Unfinished { file: file.to_string() });
        }
        let held = self.made(MailFolder::Held)?;
        let LeaseOwner { name, agent } = owner;
        let lease = Lease { file: file.clone(), owner: name, until, returned: self.returned(file), agent };
        let to = held.join(lease.name());
        let from = self.dir.join(file.as_str());
        self.root.note_tracked(&self.name, file, &from, file)?;
        match self.disk().rename_new(&from, &to) {
            Ok(()) => {
                self.sync(&held).and_then(|()| self.sync(&self.dir)).inspect_err(|_| {
                    // Best effort: if it stays held, it comes back when its lease ends.
                    let _ = self.disk().rename_new(&to, &from);
                })?;
                Ok(Some(TakenMessage { lease, path: to, renewed: false }))
            }
            Err(error) if matches!(error.fault(), DiskFault::NotFound | DiskFault::Exists) => Ok(None),
            Err(error) => Err(StoreError::disk("cannot take the message")(error).into()),
        }
    }

    fn not_found(&self, file: &FileName) -> MailFault {
        MailFault::NotFound { file: file.to_string(), mailbox: self.name.clone() }
    }

    fn renew(&self, from: PathBuf, lease: Lease) -> Result<TakenMessage, MailFault> {
        let held = self.folder(MailFolder::Held);
        let to = held.join(lease.name());
        match self.disk().rename_new(&from, &to) {
            Ok(()) => self.sync(&held)?,
            // The new lease has the same end.
            Err(error) if error.fault() == DiskFault::Exists => {}
            Err(error) if error.fault() == DiskFault::NotFound => return Err(self.not_found(&lease.file)),
            Err(error) => return Err(StoreError::disk("cannot hold the message longer")(error).into()),
        }
        Ok(TakenMessage { lease, path: to, renewed: true })
    }

    /// Gives back messages whose lease has ended. Every look does this; of many, one finds the file.
    pub fn give_back(&self, now: Timestamp) -> Result<GivenBack, StoreError> {
        let mut done = GivenBack::default();
        for (path, lease) in self.leases()? {
            if !lease.is_over(now) {
                continue;
            }
            match self.put(&path, MailFolder::Unread, &lease.file) {
                Ok(Some(_)) => {
                    // The count helps people; no code relies on it.
                    let _ = self.disk().count_up(&self.returned_path(&lease.file));
                    done.leases.push(Lease { returned: lease.returned + 1, ..lease });
                }
                Ok(None) => {}
                Err(error) => done.stuck.push((lease, error.to_string())),
            }
        }
        Ok(done)
    }

    /// How often a message came back to its box.
    pub fn returned(&self, file: &FileName) -> u32 {
        let stat = self.disk().stat(&self.returned_path(file));
        stat.map_or(0, |stat| u32::try_from(stat.len).unwrap_or(u32::MAX))
    }
}
