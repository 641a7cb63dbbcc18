//! What proves the header of a version: this home's own list, or only its file.

/// What proves the header of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderSource {
    /// It was written through this home.
    ThisHome,
    /// Only its file: this home has no record of it.
    File,
}

impl HeaderSource {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::ThisHome => "here",
            Self::File => "file",
        }
    }
}

/// What proves the header of a version that is about to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wording {
    /// The caller says it now, through this home.
    Callers,
    /// It repeats the live version, with that version's author.
    OfLive,
    /// It repeats a version of another store, or of an import.
    Of(HeaderSource),
}
