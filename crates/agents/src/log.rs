//! The log of an agent, read as a whole: its head, its order, and which messages a summary covers.
//!
//! A log is a set of messages that devices add to. What is read from it follows from the set: neither the order in which
//! messages arrived nor any clock of a wall decides.

use crate::entity::WriteStamp;
use crate::ids::{AgentMessageId, HostId, ThreadId};
use crate::link::AgentLink;
use crate::message::{AgentMessage, AgentMessagePayload};
use crate::state::{MessagePointer, newest_pointer};
use crate::vocabulary::{AgentMessageKind, LinkRelation};
use std::collections::{BTreeMap, BTreeSet};

/// The messages of an agent's log, or of a part of it.
#[derive(Clone, Debug)]
pub struct LogView<'a> {
    by_id: BTreeMap<&'a AgentMessageId, &'a AgentMessage>,
    ordered: Vec<&'a AgentMessage>,
    covered: BTreeSet<&'a AgentMessageId>,
}

impl<'a> LogView<'a> {
    /// Reads a set of messages. A message that comes twice counts once.
    pub fn of(messages: impl IntoIterator<Item = &'a AgentMessage>) -> Self {
        let by_id: BTreeMap<_, _> = messages.into_iter().map(|message| (&message.id, message)).collect();
        let mut ordered: Vec<_> = by_id.values().copied().collect();
        ordered.sort_by_key(|message| place(message));
        let mut view = Self { by_id, ordered, covered: BTreeSet::new() };
        let summaries: Vec<_> =
            view.ordered.iter().copied().filter(|message| message.summary.is_some()).collect();
        view.covered = summaries.into_iter().flat_map(|summary| view.members(summary)).collect();
        view
    }

    /// The newest message that is no summary, by rule 4 of the merge. `None` if there is none.
    pub fn head(&self) -> Option<MessagePointer> {
        self.newest(|message| message.summary.is_none())
    }

    /// The newest summary. `None` if there is none.
    pub fn latest_summary(&self) -> Option<MessagePointer> {
        self.newest(|message| message.summary.is_some())
    }

    /// Whether the first message is an ancestor of the second, as far as these messages tell.
    pub fn is_ancestor(&self, earlier: &AgentMessageId, later: &AgentMessageId) -> bool {
        self.ancestors(later).any(|message| message == earlier)
    }

    /// The messages of a thread that are no summaries and that no summary covers, oldest first.
    pub fn uncovered(&self, thread: &ThreadId) -> Vec<&'a AgentMessage> {
        let is_raw = |message: &&AgentMessage| {
            message.thread == *thread
                && message.kind != AgentMessageKind::Summary
                && !self.covered.contains(&message.id)
        };
        self.ordered.iter().copied().filter(is_raw).collect()
    }

    /// The summaries that no other summary covers, oldest first.
    pub fn summaries(&self) -> impl DoubleEndedIterator<Item = &'a AgentMessage> {
        let is_summary =
            |message: &&AgentMessage| message.summary.is_some() && !self.covered.contains(&message.id);
        self.ordered.iter().copied().filter(is_summary)
    }

    /// A message.
    pub fn get(&self, id: &AgentMessageId) -> Option<&'a AgentMessage> {
        self.by_id.get(id).copied()
    }

    /// What a summary is of: the messages of its thread from its last one back along the log to its first. A message that
    /// another device added beside them is none of them.
    fn members(&self, summary: &AgentMessage) -> Vec<&'a AgentMessageId> {
        let Some(span) = &summary.summary else { return Vec::new() };
        let Some(end) = self.get(&span.end) else { return Vec::new() };
        let back = std::iter::once(&end.id).chain(self.ancestors(&span.end));
        let mut members = Vec::new();
        for id in back {
            if self.get(id).is_some_and(|message| message.thread == summary.thread) {
                members.push(id);
            }
            if *id == span.start {
                break;
            }
        }
        members
    }

    /// The messages before this one along the log, the nearest first. A log that contradicts itself has an end too.
    fn ancestors(&self, of: &AgentMessageId) -> impl Iterator<Item = &'a AgentMessageId> {
        let prev = |message: &'a AgentMessage| message.prev.as_ref().and_then(|prev| self.get(prev));
        let mut next = self.get(of).and_then(prev);
        let mut left = self.by_id.len();
        std::iter::from_fn(move || {
            let message = next.filter(|_| left > 0)?;
            (next, left) = (prev(message), left - 1);
            Some(&message.id)
        })
    }

    fn newest(&self, is_wanted: impl Fn(&AgentMessage) -> bool) -> Option<MessagePointer> {
        let wanted: Vec<_> = self.ordered.iter().filter(|message| is_wanted(message)).collect();
        // A message that another one follows is no head; leaving it out here spares a walk for each pair.
        let followed: BTreeSet<_> = wanted.iter().filter_map(|message| message.prev.as_ref()).collect();
        let heads = wanted.iter().filter(|message| !followed.contains(&message.id));
        let pointers: Vec<_> = heads.map(|message| message.pointer()).collect();
        newest_pointer(pointers.iter().collect(), &|a, b| self.is_ancestor(a, b))
    }
}

/// The place of a message in its log: a message that knew another one comes behind it, because its clock has more writes.
fn place(message: &AgentMessage) -> (u64, HostId, AgentMessageId) {
    let writes = message.stamp.clock.counters().map(|(_, counter)| counter).sum();
    (writes, message.stamp.host.clone(), message.id.clone())
}

/// Everything that one append adds to the log (D-02): nothing of it grows with the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppendedRecords {
    /// The message.
    pub message: AgentMessage,
    /// What it says at length.
    pub payload: Option<AgentMessagePayload>,
    /// The edges from and to it.
    pub links: Vec<AgentLink>,
    /// Where the head of the log is now.
    pub head: MessagePointer,
}

/// Plans the append of a message behind the head that is known here. Its `prev` and `payload` are set from what it is handed.
pub fn plan_append(
    message: AgentMessage,
    payload: Option<AgentMessagePayload>,
    head: Option<&MessagePointer>,
) -> AppendedRecords {
    let message = AgentMessage {
        prev: head.map(|head| head.message.clone()),
        payload: payload.as_ref().map(|payload| payload.id.clone()),
        ..message
    };
    let link = |relation, from: &str, to: &str| link_of(&message, relation, from, to);
    let mut links = vec![link(LinkRelation::AgentHead, message.agent().as_str(), message.id.as_str())];
    if let Some(prev) = &message.prev {
        links.push(link(LinkRelation::MessagePrev, message.id.as_str(), prev.as_str()));
    }
    if let Some(payload) = &message.payload {
        links.push(link(LinkRelation::MessagePayload, message.id.as_str(), payload.as_str()));
    }
    AppendedRecords { head: message.pointer(), payload, links, message }
}

/// An edge that is written with a message.
pub(crate) fn link_of(message: &AgentMessage, relation: LinkRelation, from: &str, to: &str) -> AgentLink {
    let WriteStamp { host, clock } = message.stamp.clone();
    AgentLink {
        relation,
        from_id: from.to_owned(),
        to_id: to.to_owned(),
        created_at: message.created_at,
        is_hidden: false,
        thread: Some(message.thread.clone()),
        message: Some(message.id.clone()),
        stamp: WriteStamp { host, clock },
    }
}

#[cfg(test)]
#[path = "log_tests.rs"]
pub(crate) mod tests;
