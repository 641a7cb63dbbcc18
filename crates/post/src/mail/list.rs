//! Listing: what waits, or what lies in one folder.

use super::desk::Desk;
use super::error::MailError;
use super::named_box::Boxes;
use super::words::kind;
use crate::Post;
use brainstem_base::Timestamp;
use brainstem_caller::addresses::box_of_alias;
use brainstem_mail::filter::ListOrder;
use brainstem_mail::name::MailboxName;
use brainstem_mail::{Lease, MessageFilter, MessageHead, Priority};
use brainstem_memory::Caller;
use brainstem_vault::mail::{
    AstrayFolder, Links, ListedMessage, MailFolder, Mailbox, UnreadableMessage, Writing,
};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

/// What is to be listed; nothing given means all that is unread in the caller's own boxes.
#[derive(Clone, Debug, Default)]
pub struct ListRequest {
    /// The boxes.
    pub boxes: Boxes,
    /// A folder; where none is named, what waits.
    pub folder: Option<MailFolder>,
    /// What a message must have. Of what needs a response, only what has none is listed.
    pub filter: MessageFilter,
    /// Their order.
    pub order: ListOrder,
    /// At most so many.
    pub limit: usize,
}

/// A message in a listing.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name.
    pub file: String,
    /// The box.
    pub mailbox: MailboxName,
    /// The folder.
    pub folder: MailFolder,
    /// Its path.
    pub path: PathBuf,
    /// What it says about itself.
    pub head: MessageHead,
    /// Who holds it, where somebody does.
    pub lease: Option<Lease>,
    /// How often it came back to its box.
    pub returned: u32,
    /// Somebody writes it at this moment, or did so a moment ago: there may be more to come.
    pub unfinished: bool,
    /// Git tracks it: whoever can write to the repository may have written it.
    pub tracked: bool,
    /// It asked for a reply and has one.
    pub answered: bool,
    /// It is a broadcast that the caller has seen.
    pub seen: bool,
}

impl Row {
    /// How urgent it is to its reader: what git tracks is never urgent.
    pub fn priority(&self) -> Priority {
        if self.tracked { self.head.priority.max(Priority::Normal) } else { self.head.priority }
    }

    /// What it is sorted by: what git tracks pushes itself before nothing.
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
pub struct Listed {
    /// The messages.
    pub rows: Vec<Row>,
    /// Messages that the limit left out.
    pub left_out: usize,
    /// Messages in these folders that are not what was asked for.
    pub filtered_out: usize,
    /// Files that are no messages.
    pub unreadable: Vec<UnreadableMessage>,
    /// The box that was named belongs to somebody else.
    pub not_yours: bool,
    /// Who asked.
    pub me: MailboxName,
    /// The boxes that were looked into.
    pub boxes: Vec<MailboxName>,
    /// What could not be done.
    pub gaps: Vec<String>,
}

impl Post {
    /// Lists messages, without moving any; what was held too long is back in its box before.
    pub fn list_mail(&self, caller: &Caller, request: &ListRequest) -> Result<Listed, MailError> {
        let desk = self.desk_to_read(caller)?;
        let asks_all = request.boxes == Boxes::All;
        check_secrets(&desk, &request.filter)?;
        // What git tracks has another priority for its reader, which is known once a message was looked at.
        let filter = &MessageFilter { priority: None, ..request.filter.clone() };
        let folders = match request.folder {
            Some(folder) => vec![folder],
            // What was read and not answered waits all the same.
            None if filter.needs_response => vec![MailFolder::Unread, MailFolder::Held, MailFolder::Read],
            None => vec![MailFolder::Unread],
        };
        let mut listed = Listed {
            rows: Vec::new(),
            left_out: 0,
            filtered_out: 0,
            unreadable: Vec::new(),
            not_yours: false,
            me: desk.own.me.clone(),
            boxes: Vec::new(),
            gaps: Vec::new(),
        };
        let (boxes, broken) = desk.boxes(&request.boxes)?;
        listed.gaps.extend(broken.iter().map(MailError::whole));
        if asks_all {
            let astray = desk.root.astray()?.into_iter();
            listed
                .gaps
                .extend(astray.map(|AstrayFolder { path, why }| format!("`{}`: {why}", path.display())));
        }
        let mut links = self.mail_links(&desk.root);
        // A broadcast that the caller has seen is one that it has read; who lists every box is shown all that is there.
        let has_seen_ones = |folder: MailFolder| match folder {
            MailFolder::Read => true,
            MailFolder::Unread => asks_all && !folders.contains(&MailFolder::Read),
            MailFolder::Held | MailFolder::Archive => false,
        };
        for mailbox in boxes {
            // All boxes were listed a moment ago; to list them once more for each of them costs the square of their number.
            if !asks_all && let Some(none) = desk.no_such(mailbox.name())? {
                listed.gaps.push(none);
                continue;
            }
            listed.boxes.push(mailbox.name().clone());
            listed.not_yours |= !desk.is_own(mailbox.name());
            listed.gaps.extend(desk.give_back(&mailbox));
            // What is held under a damaged name comes back to nobody, so it is named with what waits.
            if !folders.contains(&MailFolder::Held) {
                listed.unreadable.extend(mailbox.damaged_leases().unwrap_or_default());
            }
            for folder in &folders {
                let is_old = matches!(folder, MailFolder::Read | MailFolder::Archive);
                let collected = if filter.needs_response && is_old {
                    desk.collect_asked(&mailbox, *folder, filter, &mut links, &mut listed)
                } else {
                    desk.collect(&mailbox, *folder, filter, &mut listed)
                };
                let collected = match has_seen_ones(*folder) {
                    true => collected.and_then(|()| desk.collect_seen(&mailbox, filter, &mut listed)),
                    false => collected,
                };
                match collected {
                    Err(error) if !matches!(request.boxes, Boxes::One(_)) => listed.gaps.push(error.whole()),
                    collected => collected?,
                }
            }
        }
        // A type that somebody made up is listed where a message has it; a slip finds nothing, and is no empty box.
        if listed.rows.is_empty() && listed.gaps.is_empty() {
            filter.kind.as_deref().map(kind).transpose()?;
        }
        if filter.needs_response {
            listed.gaps.extend(mark_answered(&desk, &mut links, &mut listed.rows, Depth::Everything));
            let asked = listed.rows.len();
            listed.rows.retain(|row| !row.answered);
            listed.filtered_out += asked - listed.rows.len();
            links.keep();
        }
        // What git tracks is urgent to nobody, whatever it says.
        if let Some(wanted) = request.filter.priority {
            let before = listed.rows.len();
            listed.rows.retain(|row| row.priority() == wanted);
            listed.filtered_out += before - listed.rows.len();
        }
        listed.rows.sort_by(|a, b| a.key(request.order).cmp(&b.key(request.order)));
        listed.left_out = listed.rows.len().saturating_sub(request.limit);
        listed.rows.truncate(request.limit);
        if !filter.needs_response {
            listed.gaps.extend(mark_answered(&desk, &mut links, &mut listed.rows, Depth::YoungArchive));
        }
        Ok(listed)
    }
}

/// Refuses a filter with a secret in it: whether a message has it would confirm a guess.
fn check_secrets(desk: &Desk<'_>, filter: &MessageFilter) -> Result<(), MailError> {
    let MessageFilter { kind, from, tag, thread, .. } = filter;
    for (field, text) in [("type", kind), ("from", from), ("tag", tag), ("thread", thread)] {
        desk.floor.check_secret(field, text.as_deref().unwrap_or_default())?;
    }
    Ok(())
}

impl Desk<'_> {
    /// Adds what is wanted of one folder of a box: of broadcasts what the caller has not seen, of unread
    /// ones what is not over.
    fn collect(
        &self,
        mailbox: &Mailbox<'_>,
        folder: MailFolder,
        filter: &MessageFilter,
        listed: &mut Listed,
    ) -> Result<(), MailError> {
        let is_unread = folder == MailFolder::Unread;
        let seen = match is_unread.then(|| mailbox.seen_by(&self.own.reader)) {
            Some(Ok(seen)) => seen,
            // Marks that cannot be read hide nothing: a repository may have brought a link in their place.
            Some(Err(error)) => {
                listed.gaps.push(error.to_string());
                HashSet::new()
            }
            None => HashSet::new(),
        };
        let mut filtered_out = 0;
        let listing = mailbox.list_if(folder, &mut |file, message| {
            let is_over = is_unread && (message.head.is_expired(self.now) || seen.contains(file.as_str()));
            let is_wanted = filter.accepts(file.as_str(), &message.head);
            filtered_out += usize::from(!is_over && !is_wanted);
            !is_over && is_wanted
        })?;
        listed.filtered_out += filtered_out;
        listed.rows.extend(listing.found.into_iter().map(|found| self.row(mailbox, found)));
        listed.unreadable.extend(listing.unreadable);
        Ok(())
    }

    /// Adds the broadcasts of a box that the caller has seen. They lie where they lay before.
    fn collect_seen(
        &self,
        mailbox: &Mailbox<'_>,
        filter: &MessageFilter,
        listed: &mut Listed,
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

    /// As `collect`, of an old folder, what waits for a reply: what does not is not read again.
    fn collect_asked(
        &self,
        mailbox: &Mailbox<'_>,
        folder: MailFolder,
        filter: &MessageFilter,
        links: &mut Links,
        listed: &mut Listed,
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

/// How far replies are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// In every folder.
    Everything,
    /// Of the archive, what is not older than the question: a listing must not cost what is archived.
    YoungArchive,
}

/// Marks which of these messages asked for a reply and have one: it lies in the sender's box, in whatever folder.
/// Answers which boxes cannot be looked at: what was asked from there may have a reply.
pub(super) fn mark_answered(
    desk: &Desk<'_>,
    links: &mut Links,
    rows: &mut [Row],
    depth: Depth,
) -> Vec<String> {
    let mut waiting: BTreeMap<String, HashMap<String, Vec<usize>>> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate().filter(|(_, row)| row.head.needs_response) {
        let files = waiting.entry(row.head.from.clone()).or_default();
        files.entry(row.file.clone()).or_default().push(at);
    }
    let mut gaps = Vec::new();
    for (from, questions) in waiting {
        let Ok(name) = MailboxName::parse(&from) else { continue };
        // A reply to another name of an agent lies in the agent's own box.
        let names = [Some(name.clone()), box_of_alias(&name).filter(|of_agent| *of_agent != name)];
        for name in names.into_iter().flatten() {
            let mailbox = match desk.root.listed(&name) {
                Ok(mailbox) => mailbox,
                Err(error) => {
                    gaps.push(MailError::from(error).whole());
                    continue;
                }
            };
            for folder in MailFolder::ALL {
                let oldest = questions.keys().min().filter(|_| depth == Depth::YoungArchive);
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
                            || desk.root.is_answer(
                                desk.tracked(),
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

impl Desk<'_> {
    /// A message as it is shown.
    pub(super) fn row(&self, mailbox: &Mailbox<'_>, found: ListedMessage) -> Row {
        Row {
            returned: found
                .place
                .lease
                .as_ref()
                .map_or_else(|| mailbox.returned(&found.file), |lease| lease.returned),
            unfinished: found.writing != Writing::Done,
            tracked: self.tracked().has(mailbox.name(), &found.file, &found.place.path),
            answered: false,
            seen: self.has_seen(mailbox, &found.file),
            file: found.file.to_string(),
            mailbox: found.mailbox,
            folder: found.place.folder,
            path: found.place.path,
            lease: found.place.lease,
            head: found.head,
        }
    }
}
