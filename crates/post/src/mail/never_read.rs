//! Boxes with unread mail that no reader here reads.

use crate::Post;
use brainstem_base::advice;
use brainstem_base::next::calls;
use brainstem_base::{AgentId, Timestamp};
use brainstem_caller::addresses::{boxes_of_agent, is_address};
use brainstem_mail::name::MailboxName;
use brainstem_memory::{Caller, Finding, Trouble};
use brainstem_vault::mail::{MailFolder, MailRoot, Mailbox};
use std::collections::BTreeSet;

/// How long a message waits for an agent of a host, or in mail that others share, before its box is named.
const WAITED_MS: i64 = 24 * 60 * 60 * 1_000;

/// A box with unread mail whose name no session, tag, agent or person here has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadBox {
    /// Its name.
    pub mailbox: MailboxName,
    /// How many messages wait in it.
    pub unread: usize,
}

impl Post {
    /// The boxes with unread mail that belong to no session, tag, agent or person that is known here: the name may be a slip, or
    /// that of another project's agent. An agent of a known host may come any moment, and mail that git shares has readers
    /// elsewhere: their boxes count after a day, if nothing was ever read in them.
    pub fn boxes_without_reader(&self, caller: &Caller) -> Vec<UnreadBox> {
        let Some(root) = self.mail_root(caller) else { return Vec::new() };
        let boxes = root.boxes().unwrap_or_default();
        self.without_reader(caller, &root, &boxes)
    }

    fn without_reader(&self, caller: &Caller, root: &MailRoot, boxes: &[MailboxName]) -> Vec<UnreadBox> {
        let (sessions, now) = (self.mail_sessions(root), self.clock().now());
        let person = self.terminal_person(caller);
        let mut known: BTreeSet<MailboxName> = sessions.names(now);
        known.extend(self.own_boxes(caller, root).boxes);
        known.extend(person.boxes().into_iter().chain(person.bare_names()));
        for record in sessions.all(now) {
            let agent = record.agent.as_deref().and_then(|agent| AgentId::parse(agent).ok());
            known.extend(agent.iter().flat_map(boxes_of_agent));
        }
        let (is_shared, tracked) = (root.is_shared(), root.tracked());
        let unknown = boxes.iter().filter(|name| !name.is_broadcast() && !known.contains(name));
        let waiting = unknown.filter_map(|name| {
            let mailbox = root.listed(name).ok()?;
            let unread = match is_shared || is_address(name) {
                true => waits_for_a_day(&mailbox, now)?,
                // What came with the repository has its readers where it was written.
                false => {
                    let unread = mailbox.list(MailFolder::Unread).ok()?.found.into_iter();
                    unread.filter(|message| !tracked.has(name, &message.file, &message.place.path)).count()
                }
            };
            (unread > 0).then(|| UnreadBox { mailbox: name.clone(), unread })
        });
        waiting.collect()
    }

    /// The findings about these boxes.
    pub(super) fn boxes_never_read(
        &self,
        caller: &Caller,
        root: &MailRoot,
        boxes: &[MailboxName],
    ) -> Vec<Finding> {
        let finding = |UnreadBox { mailbox: name, unread: count }: UnreadBox| {
            let (messages, wait) = if count == 1 { ("message", "waits") } else { ("messages", "wait") };
            let detail = format!(
                "{count} {messages} to {name} {wait}, and no session, tag, agent or person here has that name"
            );
            let fix = advice![
                "see what waits with ",
                calls::mail_list_box(name.as_str(), "unread"),
                "; if another name was meant, send it there, and let the sender archive it here"
            ];
            let place = root.path().join(name.as_str());
            Finding { trouble: Trouble::MailNeverRead, place, detail, fix }
        };
        self.without_reader(caller, root, boxes).into_iter().map(finding).collect()
    }
}

/// How many messages wait in a box, if one of them waits for a day and nothing was ever taken from it.
fn waits_for_a_day(mailbox: &Mailbox<'_>, now: Timestamp) -> Option<usize> {
    let list = |folder| mailbox.list(folder).ok();
    let is_empty =
        |folder| list(folder).is_some_and(|there| there.found.is_empty() && there.unreadable.is_empty());
    let unread = list(MailFolder::Unread)?.found;
    let is_old = unread.iter().any(|message| now.ms_since(message.head.timestamp) > WAITED_MS);
    let untouched = [MailFolder::Read, MailFolder::Archive, MailFolder::Held].into_iter().all(is_empty);
    (is_old && untouched).then_some(unread.len())
}
