//! The type of a message, and its priority.

use std::fmt;

/// The type of a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MessageKind {
    /// Progress or completion.
    Status,
    /// Attention is needed.
    Alert,
    /// Work to do.
    Task,
    /// The sender needs an answer.
    Question,
    /// The reply to a question.
    Response,
    /// A summary.
    Report,
    /// Responsibility changes hands.
    Handoff,
    /// A type that another program made up: listed as it is, and never sent.
    Other(String),
}

impl MessageKind {
    /// The types that can be sent.
    pub const SENT: &[Self] =
        &[Self::Status, Self::Alert, Self::Task, Self::Question, Self::Response, Self::Report, Self::Handoff];

    /// The type of that name among those that can be sent.
    pub fn find(text: &str) -> Option<Self> {
        Self::SENT.iter().find(|kind| kind.as_str() == text).cloned()
    }

    /// The type in a file.
    pub fn read(text: &str) -> Self {
        Self::find(text).unwrap_or_else(|| Self::Other(text.to_owned()))
    }

    /// The word in files and on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Status => "status",
            Self::Alert => "alert",
            Self::Task => "task",
            Self::Question => "question",
            Self::Response => "response",
            Self::Report => "report",
            Self::Handoff => "handoff",
            Self::Other(text) => text,
        }
    }
}

impl fmt::Display for MessageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How urgent a message is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// At once.
    Urgent,
    /// In order.
    #[default]
    Normal,
    /// When there is nothing else.
    Low,
}

impl Priority {
    /// Every priority, most urgent first.
    pub const ALL: &[Self] = &[Self::Urgent, Self::Normal, Self::Low];

    /// The priority of that name.
    pub fn find(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|priority| priority.as_str() == text)
    }

    /// The word in files and on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Urgent => "urgent",
            Self::Normal => "normal",
            Self::Low => "low",
        }
    }
}
