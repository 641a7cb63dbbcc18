//! The status words of a session.

/// The status of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SessionStatus {
    /// It is idle.
    #[default]
    Idle,
    /// It works.
    Working,
    /// It waits for a person or another session.
    WaitingForInput,
    /// It cannot go on.
    Blocked,
    /// It is done.
    Complete,
    /// It failed.
    Error,
}

impl SessionStatus {
    /// Every status.
    pub const ALL: &[Self] =
        &[Self::Idle, Self::Working, Self::WaitingForInput, Self::Blocked, Self::Complete, Self::Error];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Working => "working",
            Self::WaitingForInput => "waiting_for_input",
            Self::Blocked => "blocked",
            Self::Complete => "complete",
            Self::Error => "error",
        }
    }

    /// The status of that name.
    pub fn find(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|status| status.as_str() == text)
    }
}
