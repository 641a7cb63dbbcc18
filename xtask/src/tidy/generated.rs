//! Generated pages are committed as they would be written now.

use super::finding::Finding;
use crate::reference::FOLDER;
use crate::repository::File;

const RULE: &str = "generated";
const FIX: &str = "run `cargo xtask docs` and commit what it writes";

/// Compares the committed files with the pages as generated now.
pub(super) fn check(files: &[File], pages: &[(String, String)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, content) in pages {
        let Some(file) = files.iter().find(|file| file.path == *path) else {
            findings.push(Finding::error(RULE, path.clone(), "the page is missing".to_owned(), FIX));
            continue;
        };
        if file.text() != content {
            let line = first_difference(file.text(), content);
            findings.push(Finding::error(
                RULE,
                format!("{path}:{line}"),
                "the page is out of date".to_owned(),
                FIX,
            ));
        }
    }
    for file in files.iter().filter(|file| file.path.starts_with(FOLDER)) {
        if !pages.iter().any(|(path, _)| *path == file.path) {
            let what = format!("nothing generates this file, and {FOLDER} holds generated pages only");
            findings.push(Finding::error(
                RULE,
                file.path.clone(),
                what,
                "delete it, or move it to another folder",
            ));
        }
    }
    findings
}

fn first_difference(left: &str, right: &str) -> usize {
    let same = left.split('\n').zip(right.split('\n')).take_while(|(left, right)| left == right).count();
    same + 1
}

#[cfg(test)]
mod tests {
    use super::super::testing::said;
    use super::*;

    #[test]
    fn missing_old_and_orphaned_pages_are_named() {
        let page = |name: &str| (format!("docs/reference/{name}.md"), "one\ntwo\nthree\n".to_owned());
        let files = [
            File::sample("docs/reference/good.md", "one\ntwo\nthree\n"),
            File::sample("docs/reference/old.md", "one\n2\nthree\n"),
            File::sample("docs/reference/orphan.md", "one\n"),
        ];
        let findings = check(&files, &[page("good"), page("old"), page("missing")]);
        assert_eq!(
            said(&findings),
            [
                "docs/reference/old.md:2: the page is out of date",
                "docs/reference/missing.md: the page is missing",
                "docs/reference/orphan.md: nothing generates this file, and docs/reference/ holds generated pages only",
            ]
        );
    }
}
