//! The folders of a box. The folder of a message is its state.

/// The folder of a message, which is its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MailFolder {
    /// No reader has read it.
    Unread,
    /// A reader has taken it and works on it.
    Held,
    /// It was processed.
    Read,
    /// It is history.
    Archive,
}

impl MailFolder {
    /// Whether a message in it is not done: it is unread, or a session holds it.
    pub fn waits(self) -> bool {
        matches!(self, Self::Unread | Self::Held)
    }

    /// Every folder, in the order of a message's life.
    pub const ALL: &[Self] = &[Self::Unread, Self::Held, Self::Read, Self::Archive];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unread => "unread",
            Self::Held => "claimed",
            Self::Read => "read",
            Self::Archive => "archive",
        }
    }

    /// Its name inside a box; `None` for unread messages, which are in the box itself.
    pub(super) fn dir_name(self) -> Option<&'static str> {
        match self {
            Self::Unread => None,
            Self::Held => Some(".claimed"),
            Self::Read => Some("read"),
            Self::Archive => Some("archive"),
        }
    }

    /// The folder of that name.
    pub fn find(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|folder| folder.as_str() == text)
    }
}

/// The folders inside a box that hold no messages for people. The first once held temporary files.
pub(super) const TEMP: &str = ".tmp";
pub(super) const SEEN: &str = ".seen";
pub(super) const KEYS: &str = ".keys";
