//! `merge-driver`: git asks this program to merge one claim.

use crate::output::Output;
use brainstem_api::wire::Exit;
use brainstem_base::disk::{Disk as _, RealDisk};
use brainstem_base::next::{Shell, calls};
use brainstem_base::{Fault, advice, codes};
use brainstem_claims::limits::UNDECIDED_LEN_READ_MAX;
use brainstem_claims::merge::{Merged, merge};
use brainstem_claims::undecided_file::sides;
use std::path::PathBuf;

/// Writes the outcome over our file. An exit status other than 0 means for git that a person has to decide.
pub(crate) fn run(output: Output, files: &[PathBuf]) -> Exit {
    let [base, ours_path, theirs] = files else {
        return Exit::Unparsable;
    };
    // An undecided file has several claims.
    let read = |path: &PathBuf| RealDisk.read(path, UNDECIDED_LEN_READ_MAX);
    let (Ok(ours), Ok(theirs)) = (read(ours_path), read(theirs)) else {
        return output.refuse(
            &Fault::new(codes::CLAIM_UNREADABLE, "one of the two versions cannot be read")
                .fix("decide by hand, then git add the file"),
            Exit::Refused,
        );
    };
    // Git gives an empty file if there is no common ancestor.
    let base = read(base).ok().filter(|bytes| !bytes.is_empty());
    let (bytes, exit) = match merge(base.as_deref(), &ours, &theirs) {
        Merged::Ours => return Exit::Done,
        Merged::Theirs => (theirs, Exit::Done),
        Merged::Together(both) => (both, Exit::Done),
        Merged::Apart(all) => (all, Exit::Refused),
        // A file that is too large to read would hide every version in it.
        Merged::TooLarge => {
            let message = "these versions of one claim are more than one file can hold; git has both sides, and the file is ours";
            let fix = advice![
                Shell::line("git merge --abort"),
                " (or ",
                Shell::line("git rebase --abort"),
                "), decide with ",
                calls::resolve(),
                " in each clone, then merge again"
            ];
            return output.refuse(&Fault::new(codes::CLAIM_UNREADABLE, message).fix(fix), Exit::Refused);
        }
    };
    let is_plain_conflict = exit == Exit::Refused && sides(&bytes).is_none();
    // The file is git's own temporary one; no reader has its name yet.
    let written = RealDisk.unlink(ours_path).and_then(|()| RealDisk.write_new(ours_path, &bytes));
    match written {
        Ok(()) if is_plain_conflict => output.refuse(
            &Fault::new(codes::CLAIM_UNREADABLE, "one of the two versions is no claim; both are in the file")
                .fix("leave one version in it, then git add the file"),
            exit,
        ),
        Ok(()) => exit,
        Err(error) => output.refuse(
            &Fault::new(codes::STORE_FAILED, format!("{error}")).fix("decide by hand, then git add the file"),
            Exit::Refused,
        ),
    }
}
