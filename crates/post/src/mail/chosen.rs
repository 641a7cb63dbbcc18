//! The boxes that a call is about.

use super::desk::Desk;
use super::error::MailError;
use super::named_box::{Boxes, NamedBox};
use brainstem_mail::name::MailboxName;
use brainstem_vault::mail::Mailbox;
use std::collections::BTreeSet;

impl Desk<'_> {
    /// A box by the name a caller gave in this field.
    pub(crate) fn named(&self, field: &'static str, named: &NamedBox) -> Result<Mailbox<'_>, MailError> {
        let name = self.looked_into(named);
        // A box that is there may be looked into, whatever else has that name in another spelling.
        if self.root.boxes()?.contains(&name) {
            return Ok(self.root.listed(&name)?);
        }
        self.open_box(&name).map_err(|error| error.of_field(field))
    }

    /// The boxes that a call is about, with what is wrong with those that cannot be opened. One that was named is an error
    /// then; of several, the others still count.
    pub(crate) fn boxes(&self, wanted: &Boxes) -> Result<(Vec<Mailbox<'_>>, Vec<MailError>), MailError> {
        let all = match wanted {
            Boxes::One(named) => return Ok((vec![self.named("box", named)?], Vec::new())),
            Boxes::Own => false,
            Boxes::All => true,
        };
        // Nothing lies behind a root that is none.
        self.root.exists()?;
        let everybodys = if all { self.root.boxes()? } else { Vec::new() };
        let names = if all { &everybodys } else { &self.own.boxes };
        let (mut boxes, mut broken) = (Vec::new(), Vec::new());
        if let Some(missing) = self.own.told_missing().filter(|_| !all) {
            broken.push(MailError::BoxesMissing(missing));
        }
        for name in names {
            match self.root.listed(name) {
                Ok(mailbox) => boxes.push(mailbox),
                Err(error) => broken.push(error.into()),
            }
        }
        if all {
            // What has the name of a box and is no folder is in no list of boxes.
            let known = self.own.boxes.iter().cloned().chain(self.sessions.names(self.now));
            let unlisted: BTreeSet<MailboxName> = known.filter(|name| !everybodys.contains(name)).collect();
            broken
                .extend(unlisted.iter().filter_map(|name| self.root.listed(name).err()).map(MailError::from));
        }
        Ok((boxes, broken))
    }
}
