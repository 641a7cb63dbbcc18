//! What waits in a caller's boxes, for the beat and the status.

use super::error::MailError;
use super::health::exposed_in_words;
use crate::Post;
use brainstem_base::next::calls;
use brainstem_base::{Advice, Coded as _, Timestamp, advice};
use brainstem_memory::{Caller, Gap};
use brainstem_vault::mail::{MailFault, MailRoot};

/// What waits in a caller's boxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MailStanding {
    /// Unread messages.
    pub unread: usize,
    /// Those of them that are urgent; what git tracks is not, whatever it says.
    pub urgent: usize,
    /// Those of them that git tracks: they came with the repository, or were committed to it.
    pub tracked: usize,
    /// Files with a message's ending that are no messages. They are not among the unread.
    pub unreadable: usize,
    /// Messages that the caller or another session of its agent has taken and not finished. They are not among the unread.
    pub taken: usize,
    /// When the first of these leases ends.
    pub taken_until: Option<Timestamp>,
}

impl MailStanding {
    /// Returns the counts in words.
    pub fn in_words(self) -> String {
        let plural = |n: usize| if n == 1 { "" } else { "s" };
        let mut told = match (self.unread, self.urgent) {
            (0, _) => "no unread messages".to_owned(),
            (n, 0) => format!("{n} unread message{}", plural(n)),
            (n, urgent) => format!("{n} unread message{}, {urgent} urgent", plural(n)),
        };
        if self.tracked > 0 {
            told.push_str(&format!(" ({} in the repository, whose sender is not certain)", self.tracked));
        }
        if self.unreadable > 0 {
            let n = self.unreadable;
            told.push_str(&format!(", and {n} file{} that cannot be read as a message", plural(n)));
        }
        if let Some(until) = self.taken_until {
            // The minute is enough, and the zone is the one that every time of this program has.
            let until = until.to_rfc3339();
            let minute = until.get(11..16).unwrap_or(&until);
            told.push_str(&format!("; {} taken by you until {minute} UTC", self.taken));
        }
        told
    }

    /// What to do about messages that are unread or taken, if there are any.
    pub fn next_move(self) -> Option<Advice> {
        (self.unread > 0 || self.taken > 0).then(|| advice![calls::mail_list(), ": ", self.in_words()])
    }
}

impl Post {
    /// What waits for a caller whose project has mail, and what could not be counted.
    pub fn mail_standing(&self, caller: &Caller) -> (Option<MailStanding>, Option<Gap>) {
        // Mail of the folder that took the place of the session's own is not counted; the beat says so by itself.
        let is_named = caller.principal.mail.root.is_some();
        if !is_named && self.memory().check_not_left(caller).is_err() {
            return (None, None);
        }
        let root = match self.checked_mail_root(caller) {
            Ok(Some(root)) => root,
            Err(error) if self.mail_root(caller).is_some() => {
                return (None, Some(Gap::new("mail", format!("the mail cannot be counted: {error}"))));
            }
            Ok(None) | Err(_) => return (None, None),
        };
        match self.count_mail(caller, &root) {
            Ok((standing, missing)) => {
                let missing = missing.map(Advice::from);
                let gap = match (missing, exposed_in_words(&root)) {
                    (Some(missing), Some(exposed)) => Some(advice![missing, "; ", exposed]),
                    (missing, exposed) => missing.or(exposed),
                };
                (standing, gap.map(|gap| Gap::new("mail", gap)))
            }
            Err(error) => {
                let what = format!("the mail cannot be counted: {error}");
                let told = match error.fix() {
                    Some(fix) => advice![what, "; ", fix],
                    None => what.into(),
                };
                (None, Some(Gap::new("mail", told)))
            }
        }
    }

    fn count_mail(
        &self,
        caller: &Caller,
        root: &MailRoot,
    ) -> Result<(Option<MailStanding>, Option<String>), MailError> {
        if !root.exists()? {
            let named = caller.principal.mail.root.as_ref();
            let missing = named.map(|_| format!("the mail root `{}` does not exist", root.path().display()));
            return Ok((None, missing));
        }
        // Under a name that is another agent's, every call of mail is refused: no box is counted either.
        let caller_mail = self.open_mail_at(caller, root.clone())?;
        let own = &caller_mail.own;
        if let Err(error) = caller_mail.check_own_name() {
            // A record that cannot be read says why better than a name that may be taken.
            return own.missing_in_words().map(|missing| (None, Some(missing))).ok_or(error);
        }
        let mut standing = MailStanding::default();
        let (tracked, now) = (root.tracked(), self.clock().now());
        for name in &own.boxes {
            let counted = root.listed(name)?.unread(&own.reader, &tracked, now).map_err(MailFault::from)?;
            standing.unread += counted.unread;
            standing.urgent += counted.urgent;
            standing.tracked += counted.tracked;
            standing.unreadable += counted.unreadable;
            let leases =
                caller_mail.taken_in(&root.listed(name)?, true).into_iter().filter_map(|row| row.lease);
            for lease in leases.filter(|lease| !lease.is_over(now)) {
                standing.taken += 1;
                standing.taken_until =
                    Some(standing.taken_until.map_or(lease.until, |until| until.min(lease.until)));
            }
        }
        Ok((Some(standing), own.missing_in_words()))
    }

    /// The sessions at the caller's mail root whose records cannot be read, as gaps.
    pub fn unreadable_session_gaps(&self, caller: &Caller) -> Vec<Gap> {
        let Some(root) = self.mail_root(caller) else { return Vec::new() };
        let unreadable = self.mail_sessions(&root).unreadable().into_iter();
        unreadable.map(|session| Gap::new("session_unreadable", session.sentence())).collect()
    }
}
