//! What a reader of a file learns that git merged line by line.

use crate::half_merged::HALF_MERGED;
use crate::scan::UnreadableClaim;
use brainstem_base::next::{Shell, calls, shell_word};
use brainstem_base::{Advice, Disk, advice};
use brainstem_claims::undecided_file::is_merged_by_lines;
use std::path::Path;

/// Whether git merged the file at this path line by line. Then its versions are those of git's index, which changes
/// without the file.
pub fn is_half_merged(disk: &dyn Disk, path: &Path) -> bool {
    crate::scan::read_file(disk, path).is_ok_and(|bytes| is_merged_by_lines(&bytes))
}

impl UnreadableClaim {
    /// How the versions of a file that git merged line by line can be had; `None` for any other file.
    pub fn merge_anew(&self) -> Option<Advice> {
        (self.why == HALF_MERGED).then(|| {
            let path = shell_word(&self.path.display().to_string());
            let folder = self.path.parent().map(|folder| shell_word(&folder.display().to_string()));
            let git = format!("git -C {}", folder.unwrap_or_else(|| ".".into()));
            advice![
                calls::init(),
                " sets up how git merges claims, then ",
                Shell::line(format!("{git} checkout --merge -- {path}")),
                " merges it anew while the merge waits; if the markers were committed, ",
                Shell::line(format!("{git} log -m -1 --pretty=%P -S'<<<<<<< ' -- {path}")),
                " names the commits that have its versions: put the version that holds into the file"
            ]
        })
    }
}
