//! The verbs that acts name.

use std::fmt;

/// The verb by which something was done, where an act names it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the verb of the same name")]
pub enum ActVerb {
    Consolidate,
    Decline,
    Forget,
    Import,
    Learn,
    Memorize,
    Migrate,
    Promote,
    Rename,
    Retract,
    /// A word that this program does not write there.
    Other(String),
}

impl ActVerb {
    const KNOWN: [Self; 10] = [
        Self::Consolidate,
        Self::Decline,
        Self::Forget,
        Self::Import,
        Self::Learn,
        Self::Memorize,
        Self::Migrate,
        Self::Promote,
        Self::Rename,
        Self::Retract,
    ];

    /// Reads any word.
    pub fn read(word: &str) -> Self {
        let known = Self::KNOWN.into_iter().find(|verb| verb.as_str() == word);
        known.unwrap_or_else(|| Self::Other(word.to_owned()))
    }

    /// The word on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Consolidate => "consolidate",
            Self::Decline => "decline",
            Self::Forget => "forget",
            Self::Import => "import",
            Self::Learn => "learn",
            Self::Memorize => "memorize",
            Self::Migrate => "migrate",
            Self::Promote => "promote",
            Self::Rename => "rename",
            Self::Retract => "retract",
            Self::Other(word) => word,
        }
    }
}

impl fmt::Display for ActVerb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
