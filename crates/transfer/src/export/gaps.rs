//! What an export says of files that it leaves out, or carries unread.

use brainstem_memory::{FailedReads, Gap};
use brainstem_vault::scan::UnreadableClaim;

/// Says that a file is exported and is not counted as a claim.
pub(super) fn as_it_is(brain: &str, file: &str, why: &str) -> Gap {
    let detail =
        format!("`{file}` of {brain} is in the export as it is, and cannot be read as a claim: {why}");
    Gap::new("unreadable_claim", detail)
}

/// Names the files that the disk did not give at some moment of an export, and that no gap names: a count may leave them
/// out, and they were not searched for secrets. By their file alone, as an export names them.
pub(super) fn read_badly(reads: &FailedReads, gaps: &[Gap]) -> Vec<Gap> {
    let told = |bad: UnreadableClaim| {
        let file = format!("`{}`", bad.path.file_name()?.to_string_lossy());
        let is_named = gaps.iter().any(|gap| gap.detail.contains(&file));
        let detail =
            format!("{file} could not be read at some moment of this export: {}; export again", bad.why);
        (!is_named).then(|| Gap::new("unreadable_claim", detail))
    };
    reads.claims().into_iter().filter_map(told).collect()
}

/// Named by its brain and its file: an export goes elsewhere, and paths of this machine do not.
pub(super) fn left_out(brain: &str, file: &str, why: &str) -> Gap {
    let detail = format!("`{file}` of {brain} is not in the export: {why}; a copy of the folder has it");
    Gap::new("left_out", detail)
}
