//! Listing: the unread messages, or those of one folder.

use super::caller_mail::CallerMail;
use super::error::MailError;
use super::health::exposed_in_words;
use super::named_box::Boxes;
use super::words::kind;
use crate::Post;
use brainstem_base::Timestamp;
use brainstem_mail::filter::ListOrder;
use brainstem_mail::name::MailboxName;
use brainstem_mail::{Lease, MessageFilter, MessageHead, Priority};
use brainstem_memory::Caller;
use brainstem_vault::mail::{
    AstrayFolder, Links, ListedMessage, MailFolder, Mailbox, UnreadableMessage, Writing,
};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

/// What a listing asks for. By default, all unread messages of the caller's own boxes.
#[derive(Clone, Debug, Default)]
pub struct MailListRequest {
    /// The boxes.
    pub boxes: Boxes,
    /// A folder; without one, the unread messages.
    pub folder: Option<MailFolder>,
    /// What a message must have. A filter for messages that need a response finds those without one.
    pub filter: MessageFilter,
    /// Their order.
    pub order: ListOrder,
    /// The most messages that the answer has.
    pub limit: usize,
}

/// A message in a listing.
#[derive(Clone, Debug)]
pub struct MessageRow {
    /// Its name.
    pub file: String,
    /// The box.
    pub mailbox: MailboxName,
    /// The folder.
    pub folder: MailFolder,
    /// Its path.
    pub path: PathBuf,
    /// Its head.
    pub head: MessageHead,
    /// The lease, if a session holds it.
    pub lease: Option<Lease>,
    /// How often it was put back into its box.
    pub returned: u32,
    /// A program is writing it, or did so a moment ago: its text may be incomplete.
    pub unfinished: bool,
    /// Git tracks it: anyone that can write to the repository may have written it.
    pub tracked: bool,
    /// It asked for a reply and has one.
    pub answered: bool,
    /// It is a broadcast that the caller has seen.
    pub seen: bool,
    /// It was not read before it expired.
    pub expired: bool,
}

impl MessageRow {
    /// How urgent it is to its reader: a message that git tracks is never urgent.
    pub fn priority(&self) -> Priority {
        if self.tracked { self.head.priority.max(Priority::Normal) } else { self.head.priority }
    }

    /// What it is sorted by. A message that git tracks never comes before others as urgent.
    fn key(&self, order: ListOrder) -> (Priority, Timestamp, &str) {
        sort_key(order, &self.file, &self.head, self.tracked)
    }
}

/// What a message is sorted by.
pub(super) fn sort_key<'a>(
    order: ListOrder,
    file: &'a str,
    head: &MessageHead,
    is_tracked: bool,
) -> (Priority, Timestamp, &'a str) {
    let (priority, timestamp, file) = order.key(file, head);
    (if is_tracked { priority.max(Priority::Normal) } else { priority }, timestamp, file)
}

/// What was listed.
#[derive(Clone, Debug)]
pub struct MailListing {
    /// The messages.
    pub rows: Vec<MessageRow>,
    /// Messages that the limit left out.
    pub left_out: usize,
    /// Messages of these folders that do not match the filter.
    pub filtered_out: usize,
    /// Expired messages that were not archived yet. They are not among the unread ones.
    pub expired: usize,
    /// Messages of these boxes that are taken and not finished: in the caller's own boxes those that it or another session of
    /// its agent holds, in others all. Empty if one folder was asked for.
    pub taken: Vec<MessageRow>,
    /// Files that are no messages.
    pub unreadable: Vec<UnreadableMessage>,
    /// The box that was named is not the caller's.
    pub not_yours: bool,
    /// The caller's name.
    pub me: MailboxName,
    /// The boxes that were looked into.
    pub boxes: Vec<MailboxName>,
    /// What could not be done or looked at.
    pub gaps: Vec<String>,
}

impl Post {
    /// Lists messages without moving any. Messages whose lease is over are put back into their boxes first.
    pub fn list_mail(&self, caller: &Caller, request: &MailListRequest) -> Result<MailListing, MailError> {
        let caller_mail = self.open_mail_to_read(caller)?;
        let asks_all = request.boxes == Boxes::All;
        check_secrets(&caller_mail, &request.filter)?;
        // A message that git tracks has another priority for its reader, which is known only after the message is read.
        let filter = &MessageFilter { priority: None, ..request.filter.clone() };
        let folders = match request.folder {
            Some(folder) => vec![folder],
            // A message that was read and not answered still waits.
            None if filter.needs_response => vec![MailFolder::Unread, MailFolder::Held, MailFolder::Read],
            None => vec![MailFolder::Unread],
        };
        let mut listed = MailListing {
            rows: Vec::new(),
            left_out: 0,
            filtered_out: 0,
            expired: 0,
            taken: Vec::new(),
            unreadable: Vec::new(),
            not_yours: false,
            me: caller_mail.own.me.clone(),
            boxes: Vec::new(),
            gaps: caller_mail.unrecorded.iter().cloned().collect(),
        };
        let (boxes, broken) = caller_mail.boxes(&request.boxes)?;
        listed.gaps.extend(broken.iter().map(MailError::whole));
        if asks_all {
            let astray = caller_mail.root.astray()?.into_iter();
            listed
                .gaps
                .extend(astray.map(|AstrayFolder { path, why }| format!("`{}`: {why}", path.display())));
        }
        let mut links = self.mail_links(&caller_mail.root);
        // For its reader, a broadcast that the caller has seen is a read one. A listing of all boxes shows every broadcast.
        let has_seen_ones = |folder: MailFolder| match folder {
            MailFolder::Read => true,
            MailFolder::Unread => asks_all && !folders.contains(&MailFolder::Read),
            MailFolder::Held | MailFolder::Archive => false,
        };
        for mailbox in boxes {
            // For all boxes this check is left out: they were listed a moment ago, and one more listing for each costs the
            // square of their number.
            if !asks_all && let Some(none) = caller_mail.missing_box_sentence(mailbox.name())? {
                listed.gaps.push(none);
                continue;
            }
            listed.boxes.push(mailbox.name().clone());
            listed.not_yours |= !caller_mail.is_own(mailbox.name());
            listed.gaps.extend(caller_mail.give_back(&mailbox));
            // A lease file with a damaged name never comes back by itself, so it is named among the unread messages.
            if !folders.contains(&MailFolder::Held) {
                listed.unreadable.extend(mailbox.damaged_leases().unwrap_or_default());
            }
            if request.folder.is_none() && !filter.needs_response {
                let own_alone = request.boxes == Boxes::Own;
                listed.taken.extend(caller_mail.taken_in(&mailbox, own_alone));
            }
            for folder in &folders {
                let is_old = matches!(folder, MailFolder::Read | MailFolder::Archive);
                let collected = if filter.needs_response && is_old {
                    caller_mail.collect_asked(&mailbox, *folder, filter, &mut links, &mut listed)
                } else {
                    caller_mail.collect(&mailbox, *folder, filter, &mut listed)
                };
                let collected = match has_seen_ones(*folder) {
                    true => collected.and_then(|()| caller_mail.collect_seen(&mailbox, filter, &mut listed)),
                    false => collected,
                };
                match collected {
                    Err(error) if !matches!(request.boxes, Boxes::One(_)) => listed.gaps.push(error.whole()),
                    collected => collected?,
                }
            }
        }
        // A type that a writer made up is accepted if a message has it. A misspelled type finds nothing, so the answer names
        // the known types.
        if listed.rows.is_empty() && listed.gaps.is_empty() {
            filter.kind.as_deref().map(kind).transpose()?;
        }
        if filter.needs_response {
            listed.gaps.extend(mark_answered(
                &caller_mail,
                &mut links,
                &mut listed.rows,
                ReplySearch::Everything,
            ));
            let asked = listed.rows.len();
            listed.rows.retain(|row| !row.answered);
            listed.filtered_out += asked - listed.rows.len();
            links.keep();
        }
        // A message that git tracks is never urgent, whatever its file says.
        if let Some(wanted) = request.filter.priority {
            let before = listed.rows.len();
            listed.rows.retain(|row| row.priority() == wanted);
            listed.filtered_out += before - listed.rows.len();
        }
        listed.rows.sort_by(|a, b| a.key(request.order).cmp(&b.key(request.order)));
        listed.left_out = listed.rows.len().saturating_sub(request.limit);
        listed.rows.truncate(request.limit);
        if !filter.needs_response {
            listed.gaps.extend(mark_answered(
                &caller_mail,
                &mut links,
                &mut listed.rows,
                ReplySearch::YoungArchive,
            ));
        }
        listed.gaps.extend(exposed_in_words(&caller_mail.root).map(|exposed| exposed.to_string()));
        Ok(listed)
    }
}

/// Refuses a filter with a secret in it: the answer would confirm a guess.
fn check_secrets(caller_mail: &CallerMail<'_>, filter: &MessageFilter) -> Result<(), MailError> {
    let MessageFilter { kind, from, tag, thread, .. } = filter;
    for (field, text) in [("type", kind), ("from", from), ("tag", tag), ("thread", thread)] {
        caller_mail.floor.check_secret(field, text.as_deref().unwrap_or_default())?;
    }
    Ok(())
}

impl CallerMail<'_> {
    /// The messages of a box that are taken and not finished; of the caller's agent alone, if that is asked.
    pub(super) fn taken_in(&self, mailbox: &Mailbox<'_>, own_alone: bool) -> Vec<MessageRow> {
        // A box that cannot be listed is named by the listing of its unread messages.
        let held = mailbox.list(MailFolder::Held).map(|held| held.found).unwrap_or_default();
        let is_its = |lease: &Lease| self.is_my_lease(lease) || self.is_of_own_agent(lease);
        let is_asked = |found: &ListedMessage| {
            found.place.lease.as_ref().is_some_and(|lease| !own_alone || is_its(lease))
        };
        held.into_iter().filter(is_asked).map(|found| self.row(mailbox, found)).collect()
    }

    /// Whether a session of the caller's agent holds a message, under whichever name.
    pub(super) fn is_of_own_agent(&self, lease: &Lease) -> bool {
        lease.agent.as_ref().unwrap_or(&lease.owner) == &self.own.agent
    }

    /// Adds the wanted messages of one folder of a box: of broadcasts those that the caller has not seen, of
    /// unread messages those that are not expired.
    fn collect(
        &self,
        mailbox: &Mailbox<'_>,
        folder: MailFolder,
        filter: &MessageFilter,
        listed: &mut MailListing,
    ) -> Result<(), MailError> {
        let is_unread = folder == MailFolder::Unread;
        let seen = match is_unread.then(|| mailbox.seen_by(&self.own.reader)) {
            Some(Ok(seen)) => seen,
            // If the marks cannot be read, all broadcasts are shown: a repository may have brought a link in
            // place of the marks.
            Some(Err(error)) => {
                listed.gaps.push(error.to_string());
                HashSet::new()
            }
            None => HashSet::new(),
        };
        let (mut filtered_out, mut expired) = (0, 0);
        let listing = mailbox.list_if(folder, &mut |file, message| {
            let is_expired = message.head.is_expired(self.now);
            let is_seen = seen.contains(file.as_str());
            let is_over = is_unread && (is_expired || is_seen);
            let is_wanted = filter.accepts(file.as_str(), &message.head);
            expired += usize::from(is_unread && is_expired && is_wanted && !is_seen);
            filtered_out += usize::from(!is_over && !is_wanted);
            !is_over && is_wanted
        })?;
        listed.filtered_out += filtered_out;
        listed.expired += expired;
        listed.rows.extend(listing.found.into_iter().map(|found| self.row(mailbox, found)));
        listed.unreadable.extend(listing.unreadable);
        Ok(())
    }

    /// Adds the broadcasts of a box that the caller has seen. They stay in the same folder.
    fn collect_seen(
        &self,
        mailbox: &Mailbox<'_>,
        filter: &MessageFilter,
        listed: &mut MailListing,
    ) -> Result<(), MailError> {
        if !mailbox.name().is_broadcast() {
            return Ok(());
        }
        let seen = mailbox.seen_by(&self.own.reader)?;
        let mut filtered_out = 0;
        let listing = mailbox.list_if(MailFolder::Unread, &mut |file, message| {
            let is_wanted = filter.accepts(file.as_str(), &message.head);
            let is_seen = seen.contains(file.as_str());
            filtered_out += usize::from(is_seen && !is_wanted);
            is_seen && is_wanted
        })?;
        listed.filtered_out += filtered_out;
        listed.rows.extend(listing.found.into_iter().map(|found| self.row(mailbox, found)));
        Ok(())
    }

    /// As `collect`, for a folder of read messages: adds those that wait for a reply. The others are not read.
    fn collect_asked(
        &self,
        mailbox: &Mailbox<'_>,
        folder: MailFolder,
        filter: &MessageFilter,
        links: &mut Links,
        listed: &mut MailListing,
    ) -> Result<(), MailError> {
        let looked = links.look(mailbox, folder)?;
        listed.unreadable.extend(looked.unreadable);
        for (file, _) in looked.links.iter().filter(|(_, link)| link.needs_response) {
            let found = mailbox.found_in(folder, file)?;
            let found = found.filter(|(found, _)| filter.accepts(file.as_str(), &found.head));
            listed.rows.extend(found.map(|(found, _)| self.row(mailbox, found)));
        }
        Ok(())
    }
}

/// Where replies are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReplySearch {
    /// In every folder.
    Everything,
    /// Everywhere except archived messages that are older than the question: a listing must not get slower with the archive.
    YoungArchive,
}

/// Marks the messages that asked for a reply and have one in any folder of the sender's box. Returns the boxes that could not
/// be looked at: a reply may be there.
pub(super) fn mark_answered(
    caller_mail: &CallerMail<'_>,
    links: &mut Links,
    rows: &mut [MessageRow],
    depth: ReplySearch,
) -> Vec<String> {
    let mut waiting: BTreeMap<String, HashMap<String, Vec<usize>>> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate().filter(|(_, row)| row.head.needs_response) {
        let files = waiting.entry(row.head.from.clone()).or_default();
        files.entry(row.file.clone()).or_default().push(at);
    }
    let mut gaps = Vec::new();
    for (from, questions) in waiting {
        let Ok(name) = MailboxName::parse(&from) else { continue };
        // A reply to an alias of an agent is in the agent's own box.
        for name in caller_mail.boxes_of_sender(name) {
            let mailbox = match caller_mail.root.listed(&name) {
                Ok(mailbox) => mailbox,
                Err(error) => {
                    gaps.push(MailError::from(error).whole());
                    continue;
                }
            };
            for folder in MailFolder::ALL {
                let oldest = questions.keys().min().filter(|_| depth == ReplySearch::YoungArchive);
                let found = match oldest.filter(|_| *folder == MailFolder::Archive) {
                    Some(oldest) => mailbox.links_not_before(*folder, oldest),
                    None => links.look(&mailbox, *folder).map(|looked| looked.links),
                };
                let found = found.unwrap_or_else(|error| {
                    gaps.push(MailError::from(error).whole());
                    Vec::new()
                });
                for (reply, link) in found {
                    let Some(file) = link.in_reply_to.as_deref() else { continue };
                    for at in questions.get(file).into_iter().flatten() {
                        let row = &mut rows[*at];
                        row.answered = row.answered
                            || caller_mail.root.is_answer(
                                caller_mail.tracked(),
                                (&name, *folder, &reply, &link),
                                file,
                                &row.mailbox,
                            );
                    }
                }
            }
        }
    }
    gaps
}

impl CallerMail<'_> {
    /// A message as it is shown.
    pub(super) fn row(&self, mailbox: &Mailbox<'_>, found: ListedMessage) -> MessageRow {
        MessageRow {
            returned: found
                .place
                .lease
                .as_ref()
                .map_or_else(|| mailbox.returned(&found.file), |lease| lease.returned),
            unfinished: found.writing != Writing::Done,
            tracked: self.tracked().has(mailbox.name(), &found.file, &found.place.path),
            answered: false,
            seen: self.has_seen(mailbox, &found.file),
            expired: found.place.folder.waits() && found.head.is_expired(self.now),
            file: found.file.to_string(),
            mailbox: found.mailbox,
            folder: found.place.folder,
            path: found.place.path,
            lease: found.place.lease,
            head: found.head,
        }
    }
}
