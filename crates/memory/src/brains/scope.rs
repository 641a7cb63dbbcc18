//! Whose brains a question is about.

/// Whose brains a question is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BrainScope {
    /// The caller's own.
    #[default]
    Own,
    /// Every brain of this home.
    All,
}

impl BrainScope {
    /// What the flag `all_brains` says.
    pub fn of_flag(all_brains: bool) -> Self {
        match all_brains {
            true => Self::All,
            false => Self::Own,
        }
    }
}
