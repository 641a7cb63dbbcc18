//! Which messages of a listing are wanted, and in which order.

use crate::head::MessageHead;
use crate::kind::Priority;
use brainstem_base::Timestamp;

/// What a message must have to be listed; an empty filter accepts every message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageFilter {
    /// Its type, as files spell it.
    pub kind: Option<String>,
    /// Its sender.
    pub from: Option<String>,
    /// A tag.
    pub tag: Option<String>,
    /// Its priority.
    pub priority: Option<Priority>,
    /// Its conversation.
    pub thread: Option<String>,
    /// Made then or later.
    pub since: Option<Timestamp>,
    /// Made before then.
    pub until: Option<Timestamp>,
    /// Whether it waits for a reply.
    pub needs_response: bool,
}

impl MessageFilter {
    /// Whether the filter accepts a message.
    pub fn accepts(&self, file: &str, head: &MessageHead) -> bool {
        let is =
            |wanted: &Option<String>, value: &str| wanted.as_deref().is_none_or(|wanted| wanted == value);
        is(&self.kind, head.kind.as_str())
            && is(&self.from, &head.from)
            && self.tag.as_ref().is_none_or(|tag| head.tags.contains(tag))
            && self.priority.is_none_or(|priority| head.priority == priority)
            && self.thread.as_ref().is_none_or(|thread| *thread == head.thread(file) || thread == file)
            && self.since.is_none_or(|since| head.timestamp >= since)
            && self.until.is_none_or(|until| head.timestamp < until)
            && (!self.needs_response || head.needs_response)
    }
}

/// The order of a listing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListOrder {
    /// Oldest first.
    #[default]
    Time,
    /// Urgent ones first, then oldest first.
    UrgentFirst,
}

impl ListOrder {
    /// The sort key: two messages of one instant keep the order of their names.
    pub fn key<'a>(self, file: &'a str, head: &MessageHead) -> (Priority, Timestamp, &'a str) {
        let priority = match self {
            Self::Time => Priority::Normal,
            Self::UrgentFirst => head.priority,
        };
        (priority, head.timestamp, file)
    }
}
