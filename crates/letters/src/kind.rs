//! The words of letters that are closed sets.

use std::fmt;

/// The class of reports about memory that went to the wrong place, or nowhere.
pub const MEMORY_MISDELIVERY: &str = "memory_misdelivery";
/// The class of letters that sort others, with a verdict.
pub const TRIAGE: &str = "triage";
/// The class of letters that report that something is done.
pub const RECEIPT: &str = "receipt";

/// The usual classes. The set is open: any other word is one too.
pub const KNOWN: [&str; 7] = ["friction", "bug", "honesty", "win", TRIAGE, RECEIPT, MEMORY_MISDELIVERY];

/// The usual class that is nearly this word.
pub fn nearly(class: &str) -> Option<&'static str> {
    let class = class.trim();
    let meant = KNOWN.into_iter().find(|known| brainstem_base::near_names::is_typo(class, known));
    meant.filter(|known| *known != class)
}

/// Whether a class is one of the usual ones.
pub fn is_known(class: &str) -> bool {
    KNOWN.contains(&class.trim())
}

/// Whether a letter of this class closes the letters it answers.
pub fn closes(class: &str) -> bool {
    [TRIAGE, RECEIPT].contains(&class)
}

/// How memory was misdelivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MisdeliveryKind {
    /// A claim of another brain was in the beat.
    Leak,
    /// The beat said that there is no memory, and there was.
    FalseAbsence,
    /// A write went into a store that is not the caller's.
    WrongStoreWrite,
    /// A claim or a number was ascribed to the wrong brain or agent.
    Misattribution,
    /// A store on disk was in no listing.
    Vanished,
}

impl MisdeliveryKind {
    /// Every kind.
    pub const ALL: &[Self] =
        &[Self::Leak, Self::FalseAbsence, Self::WrongStoreWrite, Self::Misattribution, Self::Vanished];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Leak => "leak",
            Self::FalseAbsence => "false_absence",
            Self::WrongStoreWrite => "wrong_store_write",
            Self::Misattribution => "misattribution",
            Self::Vanished => "vanished",
        }
    }

    /// Finds a kind by its word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == text)
    }

    /// The words, for a refusal.
    pub fn words() -> String {
        Self::ALL.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for MisdeliveryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The verdict of a triage letter on the letters it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TriageVerdict {
    /// It happened.
    Confirmed,
    /// It did not.
    Dismissed,
    /// Another letter reports it already.
    Duplicate,
}

impl TriageVerdict {
    /// Every verdict.
    pub const ALL: &[Self] = &[Self::Confirmed, Self::Dismissed, Self::Duplicate];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Dismissed => "dismissed",
            Self::Duplicate => "duplicate",
        }
    }

    /// Finds a verdict by its word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|verdict| verdict.as_str() == text)
    }
}
