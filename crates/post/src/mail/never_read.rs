//! Boxes with mail of which nothing was ever read.

use crate::Post;
use brainstem_base::advice;
use brainstem_base::next::calls;
use brainstem_base::{AgentId, Timestamp};
use brainstem_caller::addresses::boxes_of_agent;
use brainstem_mail::name::MailboxName;
use brainstem_memory::{Caller, Finding, Trouble};
use brainstem_vault::mail::{MailFolder, MailRoot, Mailbox};
use std::collections::BTreeSet;

/// How long a message waits before its box is named.
const WAITED_MS: i64 = 24 * 60 * 60 * 1_000;

impl Post {
    /// The findings about boxes with mail that waits for more than a day, of which nothing was ever read, and whose name no
    /// session, tag or agent on record has: the name may be a slip, or that of another project's agent.
    pub(super) fn boxes_never_read(
        &self,
        caller: &Caller,
        root: &MailRoot,
        boxes: &[MailboxName],
    ) -> Vec<Finding> {
        let (sessions, now) = (self.mail_sessions(root), self.clock().now());
        let mut known: BTreeSet<MailboxName> = sessions.names(now);
        known.extend(self.own_boxes(caller, root).boxes);
        for record in sessions.all(now) {
            let agent = record.agent.as_deref().and_then(|agent| AgentId::parse(agent).ok());
            known.extend(agent.iter().flat_map(boxes_of_agent));
        }
        let unknown = boxes.iter().filter(|name| !name.is_broadcast() && !known.contains(name));
        let waiting = unknown.filter_map(|name| {
            let mailbox = root.listed(name).ok()?;
            let count = waiting_unread(&mailbox, now)?;
            let (messages, wait) = if count == 1 { ("message", "waits") } else { ("messages", "wait") };
            let detail = format!(
                "{count} {messages} to {name} {wait} for more than a day, nothing in this box was ever read, and no session, tag or \
                 agent here has that name"
            );
            let fix = advice![
                "see what waits with ",
                calls::mail_list_box(name.as_str(), "unread"),
                "; if another name was meant, send it there, and let the sender archive it here"
            ];
            let place = root.path().join(name.as_str());
            Some(Finding { trouble: Trouble::MailNeverRead, place, detail, fix })
        });
        waiting.collect()
    }
}

/// How many messages wait in a box, if one of them waits long enough and nothing was ever taken from it.
fn waiting_unread(mailbox: &Mailbox<'_>, now: Timestamp) -> Option<usize> {
    let list = |folder| mailbox.list(folder).ok();
    let is_empty =
        |folder| list(folder).is_some_and(|there| there.found.is_empty() && there.unreadable.is_empty());
    let unread = list(MailFolder::Unread)?.found;
    let is_old = unread.iter().any(|message| now.ms_since(message.head.timestamp) > WAITED_MS);
    let untouched = [MailFolder::Read, MailFolder::Archive, MailFolder::Held].into_iter().all(is_empty);
    (is_old && untouched).then_some(unread.len())
}
