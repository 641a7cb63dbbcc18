//! The names of the files and folders that several modules look for.

/// The log of acts, of a store.
pub const ACTS: &str = "acts.jsonl";
/// A box of letters, in `.brainstem` of a repository and in the home.
pub const BOX: &str = "inbox.jsonl";
/// The folder of the home that holds the folders of the brains.
pub(crate) const BRAINS: &str = "project-brains";
/// The folder of the copies, beside the history.
pub const KEPT: &str = ".kept";
/// The manifest of a brain.
pub const MANIFEST: &str = "brain.json";
/// The folder a repository keeps its memory in.
pub const REPO_FOLDER: &str = ".brainstem";
/// Whether a project's memory is private, in the folder of the brain.
pub(crate) const SHARING: &str = "sharing.json";

/// The prefix of a folder that a migration set aside. It stays beside the others, because a rename within one folder is
/// one step.
pub const SWEPT: &str = ".swept-";
/// The prefix of a folder that a person set aside: only a person brings it back.
pub const ASIDE: &str = ".aside-";
