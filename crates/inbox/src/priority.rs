//! How urgent a message of the inbox is.

use brainstem_mail::Priority;
use std::fmt;

/// How urgent a message is, the most urgent first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InboxPriority {
    /// 1.
    Urgent,
    /// 2.
    High,
    /// 3.
    #[default]
    Normal,
    /// 4.
    Low,
    /// 5: for information.
    Fyi,
}

/// A priority outside 1 to 5.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a priority is 1 (urgent), 2 (high), 3 (normal), 4 (low) or 5 (fyi)")]
pub struct PriorityFault;

impl InboxPriority {
    /// Every priority.
    pub const ALL: [Self; 5] = [Self::Urgent, Self::High, Self::Normal, Self::Low, Self::Fyi];

    /// The priority of a number.
    pub fn new(number: u64) -> Result<Self, PriorityFault> {
        let at = number.checked_sub(1).and_then(|at| usize::try_from(at).ok()).ok_or(PriorityFault)?;
        Self::ALL.get(at).copied().ok_or(PriorityFault)
    }

    /// Parses a number or a word.
    pub fn parse(text: &str) -> Result<Self, PriorityFault> {
        if let Ok(number) = text.parse() {
            return Self::new(number);
        }
        Self::ALL.into_iter().find(|priority| priority.word() == text).ok_or(PriorityFault)
    }

    /// Its number.
    pub fn number(self) -> u8 {
        match self {
            Self::Urgent => 1,
            Self::High => 2,
            Self::Normal => 3,
            Self::Low => 4,
            Self::Fyi => 5,
        }
    }

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Urgent => "urgent",
            Self::High => "high",
            Self::Normal => "normal",
            Self::Low => "low",
            Self::Fyi => "fyi",
        }
    }

    /// Whether the sender also writes the message straight into the mirror (INB-9).
    pub fn is_fast(self) -> bool {
        self <= Self::High
    }
}

impl From<Priority> for InboxPriority {
    fn from(priority: Priority) -> Self {
        match priority {
            Priority::Urgent => Self::Urgent,
            Priority::Normal => Self::Normal,
            Priority::Low => Self::Low,
        }
    }
}

impl fmt::Display for InboxPriority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: INB-4
    fn a_priority_is_a_number_from_1_to_5_and_mail_has_three_of_them() {
        for (at, priority) in InboxPriority::ALL.into_iter().enumerate() {
            assert_eq!(InboxPriority::new(at as u64 + 1), Ok(priority));
            assert_eq!(InboxPriority::parse(priority.word()), Ok(priority));
            assert_eq!(InboxPriority::parse(&priority.to_string()), Ok(priority));
        }
        for text in ["0", "6", "-1", "", "Urgent", "1.0"] {
            assert_eq!(InboxPriority::parse(text), Err(PriorityFault), "{text:?}");
        }
        let of_mail = [Priority::Urgent, Priority::Normal, Priority::Low].map(InboxPriority::from);
        assert_eq!(of_mail.map(InboxPriority::number), [1, 3, 4]);
        assert_eq!(InboxPriority::default().number(), 3);
        assert_eq!(InboxPriority::ALL.map(InboxPriority::is_fast), [true, true, false, false, false]);
    }
}
