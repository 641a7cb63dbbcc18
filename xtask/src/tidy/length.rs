//! A note about long files: perhaps they hold more than one idea.

use super::finding::Finding;
use crate::repository::File;

const LINE_COUNT_MAX: usize = 700;

/// Notes Rust files that have grown long.
pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let long = files.iter().filter(|file| file.is_rust()).filter_map(|file| {
        let line_count = file.lines().count();
        let what = || format!("{line_count} lines");
        let fix = "if this is more than one idea, make it two files";
        (line_count > LINE_COUNT_MAX).then(|| Finding::note("length", file.path.clone(), what(), fix))
    });
    long.collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::said;
    use super::*;

    #[test]
    fn only_long_rust_files_are_noted() {
        let long = "x\n".repeat(701);
        let files =
            [File::sample("a.rs", &long), File::sample("b.rs", &long[2..]), File::sample("c.md", &long)];
        assert_eq!(said(&check(&files)), ["a.rs: 701 lines"]);
    }
}
