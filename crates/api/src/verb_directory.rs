//! What a door has to know of the verbs.
//!
//! A verb's answer names calls of other verbs, in the words of the door. So the table of verbs is above everything that
//! answers, and a door gets it handed in.

use crate::spec::{Toolset, VerbSpec};
use brainstem_base::next::VerbId;
use std::fmt::Debug;

/// The verbs, as doors name them.
pub(crate) trait VerbDirectory: Debug + Sync {
    /// How the doors name and describe a verb.
    fn spec(&self, verb: VerbId) -> &'static VerbSpec;

    /// Whether a verb has a field of this name.
    fn has_field(&self, verb: VerbId, field: &str) -> bool;

    /// Whether `brain` in the query is a field of the verb, and not the caller's place.
    fn has_own_brain(&self, verb: VerbId) -> bool;

    /// The tools of a set, each with its operations: `north`, `mail: send, list`.
    fn tools_of(&self, set: Toolset) -> Vec<String>;

    /// The tools of this system, as letters may name them.
    fn own_tools(&self) -> Vec<String>;
}
