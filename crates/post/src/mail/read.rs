//! Reading one message.

use super::list::Row;
use crate::Post;
use brainstem_base::Fault;
use brainstem_mail::FileName;
use brainstem_memory::Caller;

/// Which message.
#[derive(Clone, Debug, Default)]
pub struct ReadRequest {
    /// Its name.
    pub file: String,
    /// Its box; the caller's own where none is named.
    pub mailbox: Option<String>,
}

/// A message, whole.
#[derive(Clone, Debug)]
pub struct Shown {
    /// What it says about itself, and where it lies.
    pub row: Row,
    /// What it says.
    pub body: String,
    /// The box belongs to somebody else.
    pub not_yours: bool,
}

impl Post {
    /// Shows a message where it lies. A broadcast counts as seen by the caller from then on (MAIL-12);
    /// nothing else changes.
    pub fn read_mail(&self, caller: &Caller, request: &ReadRequest) -> Result<Shown, Fault> {
        let desk = self.desk(caller)?;
        let file = FileName::parse(&request.file)?;
        let mailbox = desk.holding(&file, request.mailbox.as_deref())?;
        let (place, message) = mailbox.find(&file)?;
        if mailbox.name().is_broadcast() {
            mailbox.mark_seen(&file, &desk.own.me)?;
        }
        Ok(Shown {
            not_yours: !desk.is_own(mailbox.name()),
            body: message.body().to_owned(),
            row: Row {
                returned: place
                    .lease
                    .as_ref()
                    .map_or_else(|| mailbox.returned(&file), |lease| lease.returned),
                file: file.to_string(),
                mailbox: mailbox.name().clone(),
                folder: place.folder,
                path: place.path,
                lease: place.lease,
                head: message.head,
            },
        })
    }
}
