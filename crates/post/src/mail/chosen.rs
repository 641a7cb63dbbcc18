//! The boxes that a call is about.

use super::caller_mail::CallerMail;
use super::error::MailError;
use super::named_box::{Boxes, NamedBox};
use brainstem_mail::name::MailboxName;
use brainstem_vault::mail::Mailbox;
use std::collections::BTreeSet;

impl CallerMail<'_> {
    /// The box that a caller names in this field.
    pub(crate) fn named(&self, field: &'static str, named: &NamedBox) -> Result<Mailbox<'_>, MailError> {
        let name = self.box_to_look_into(named);
        // An existing box may be looked into, even if another name differs from it only by case.
        if self.root.boxes()?.contains(&name) {
            return Ok(self.root.listed(&name)?);
        }
        self.open_box(&name).map_err(|error| error.of_field(field))
    }

    /// The boxes that a call is about, and what is wrong with those that cannot be opened. If the caller named one box that
    /// cannot be opened, that is an error.
    pub(crate) fn boxes(&self, wanted: &Boxes) -> Result<(Vec<Mailbox<'_>>, Vec<MailError>), MailError> {
        let all = match wanted {
            Boxes::One(named) => return Ok((vec![self.named("box", named)?], Vec::new())),
            Boxes::Own => false,
            Boxes::All => true,
        };
        // Refuses a root that is not a folder.
        self.root.exists()?;
        let everybodys = if all { self.root.boxes()? } else { Vec::new() };
        let names = if all { &everybodys } else { &self.own.boxes };
        let (mut boxes, mut broken) = (Vec::new(), Vec::new());
        if let Some(missing) = self.own.missing_in_words().filter(|_| !all) {
            broken.push(MailError::BoxesMissing(missing));
        }
        for name in names {
            match self.root.listed(name) {
                Ok(mailbox) => boxes.push(mailbox),
                Err(error) => broken.push(error.into()),
            }
        }
        if all {
            // A file that has the name of a box is in no list of boxes.
            let known = self.own.boxes.iter().cloned().chain(self.sessions.names(self.now));
            let unlisted: BTreeSet<MailboxName> = known.filter(|name| !everybodys.contains(name)).collect();
            broken
                .extend(unlisted.iter().filter_map(|name| self.root.listed(name).err()).map(MailError::from));
        }
        Ok((boxes, broken))
    }
}
