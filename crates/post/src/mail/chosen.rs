//! The boxes that a call is about.

use super::desk::Desk;
use brainstem_base::{Fault, codes};
use brainstem_mail::name::MailboxName;
use brainstem_vault::mail::Mailbox;
use std::collections::BTreeSet;

impl Desk<'_> {
    /// A box by the name a caller gave.
    pub(crate) fn named(&self, field: &'static str, text: &str) -> Result<Mailbox<'_>, Fault> {
        let name = self.looked_into(field, text)?;
        // A box that is there may be looked into, whatever else has that name in another spelling.
        if self.root.boxes()?.contains(&name) {
            return Ok(self.root.listed(&name)?);
        }
        self.open_box(&name).map_err(|fault| fault.field(field))
    }

    /// The boxes a call is about: the one it names, else the caller's own, with what is wrong with those
    /// that cannot be opened. One that was named is an error then; of several, the others still count.
    pub(crate) fn boxes(&self, named: Option<&str>) -> Result<(Vec<Mailbox<'_>>, Vec<Fault>), Fault> {
        self.boxes_in(named, false)
    }

    /// As [`boxes`](Self::boxes); where all are asked for, every box of the root, the named one among them.
    pub(crate) fn boxes_in(
        &self,
        named: Option<&str>,
        all: bool,
    ) -> Result<(Vec<Mailbox<'_>>, Vec<Fault>), Fault> {
        if let Some(text) = named.filter(|_| !all) {
            return Ok((vec![self.named("box", text)?], Vec::new()));
        }
        // Nothing lies behind a root that is none.
        self.root.exists()?;
        let everybodys = if all { self.root.boxes()? } else { Vec::new() };
        let names = if all { &everybodys } else { &self.own.boxes };
        let (mut boxes, mut broken) = (Vec::new(), Vec::new());
        if let Some(missing) = self.own.told_missing().filter(|_| !all) {
            broken.push(Fault::new(codes::STORE_UNREADABLE, missing).rule("MAIL-4"));
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
            broken.extend(unlisted.iter().filter_map(|name| self.root.listed(name).err()).map(Fault::from));
        }
        Ok((boxes, broken))
    }
}
