//! Why memory that a repository shares is not in its working tree.

/// Why the memory that a repository tracks is not in its working tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotCheckedOut {
    /// A sparse checkout leaves it out.
    Sparse,
    /// Its files were deleted from the working tree, and git still has them.
    Deleted,
}

impl NotCheckedOut {
    /// What is wrong, for the reader of an answer.
    pub const fn why(self) -> &'static str {
        match self {
            Self::Sparse => {
                "the memory that this repository shares is not checked out: a sparse checkout leaves .brainstem out"
            }
            Self::Deleted => {
                "the memory that this repository shares is not checked out: git tracks .brainstem, and it was deleted here"
            }
        }
    }
}
