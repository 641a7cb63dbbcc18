//! Which rule of git leaves out the memory that a project shares.

use crate::git_index::GitPlace;
use crate::layout::MANIFEST;
use crate::mail::{IgnoringRule, rule_leaving_out};
use crate::repo;
use brainstem_base::Disk;
use std::path::{Path, PathBuf};

/// The files of memory that are looked at: a claim, whose name only rules about all claims fit, the acts and the manifest.
const SAMPLES: [&str; 3] = ["agent-memory/a-claim-of-any-label.light.md", "acts.jsonl", MANIFEST];

/// Returns the rule that leaves the memory of the project at `root`, or a part of it, out of git. `None` if git takes all of
/// it, or outside a repository. The rules of a person for all repositories are looked for below `user_home`.
pub fn ignoring_rule(disk: &dyn Disk, root: &Path, user_home: Option<&Path>) -> Option<IgnoringRule> {
    let folder = repo::folder(root);
    let top = GitPlace::tops_around(disk, &folder).into_iter().next()?;
    SAMPLES.iter().find_map(|file| rule_leaving_out(disk, &top, &folder.join(file), user_home))
}

/// The top of the repository in which git can commit a file at this path. `None` outside a repository, and if a rule leaves
/// the file out.
pub fn committable_in(disk: &dyn Disk, file: &Path, user_home: Option<&Path>) -> Option<PathBuf> {
    let top = GitPlace::tops_around(disk, file).into_iter().next()?;
    rule_leaving_out(disk, &top, file, user_home).is_none().then_some(top)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::disk::SimDisk;

    #[test] // spec: MEM-43, MEM-23
    fn every_rule_that_leaves_shared_memory_out_of_git_is_named() {
        let rules = [
            ".brainstem/",
            ".brainstem",
            "/.brainstem/",
            ".*",
            "**/.*",
            "*",
            ".brain*",
            "*.md",
            "agent-memory/",
            "*.light.md",
            ".brainstem/agent-memory",
            ".brainstem/*",
            "acts.jsonl",
            "brain.json",
        ];
        let files =
            ["/r/.gitignore", "/r/.git/info/exclude", "/home/ana/.config/git/ignore", "/home/ana/mine"];
        for (rule, file) in rules.iter().flat_map(|rule| files.map(|file| (*rule, file))) {
            let disk = SimDisk::new();
            disk.write_raw("/r/.git/HEAD", b"ref: refs/heads/main\n");
            if file.ends_with("mine") {
                disk.write_raw("/home/ana/.gitconfig", b"[core]\n\texcludesFile = ~/mine\n");
            }
            disk.write_raw(file, format!("target/\n{rule}\n").as_bytes());
            let found = ignoring_rule(&disk, Path::new("/r"), Some(Path::new("/home/ana")));
            let expected = IgnoringRule { file: PathBuf::from(file), rule: rule.to_owned() };
            assert_eq!(found, Some(expected), "{rule} in {file}");
        }
        for taken in ["target/", "docs/*.md", ".*\n!.brainstem/", "*.md\n!*.light.md", "*.json\n!brain.json"]
        {
            let disk = SimDisk::new();
            disk.write_raw("/r/.git/HEAD", b"ref: refs/heads/main\n");
            disk.write_raw("/r/.gitignore", taken.as_bytes());
            assert_eq!(ignoring_rule(&disk, Path::new("/r"), None), None, "{taken}");
        }
    }
}
