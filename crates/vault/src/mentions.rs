//! Whether a file holds words of a claim.

use crate::acts::LOG_LEN_MAX;
use crate::piecewise;
use crate::store::Store;
use brainstem_claims::light::escape;
use brainstem_claims::{ClaimSlug, Label};
use std::path::Path;

impl Store {
    /// Whether a file holds a claim of one of these labels, or part of one, or an act upon it. This program writes no
    /// file that is larger than its log, so nothing behind that length is searched.
    pub(crate) fn mentions(&self, path: &Path, names: &[Label]) -> bool {
        piecewise::holds(&*self.disk, path, &needles(names), LOG_LEN_MAX).unwrap_or(false)
    }
}

/// The bytes to search for: they are in every file that holds a claim of one of these labels, or part of one, or an act
/// upon it.
pub(crate) fn needles(names: &[Label]) -> Vec<Vec<u8>> {
    let of_label = |label: &Label| {
        let (slug, line) = (ClaimSlug::of(label), escape(label.as_str()));
        [
            format!("\nNode: {line}\n"),
            format!("\nNode: {line}\r\n"),
            format!("\"{slug}@"),
            format!(" {slug}@"),
        ]
    };
    names.iter().flat_map(of_label).map(String::into_bytes).collect()
}
