//! A home in a working tree of git: a commit of everything there would publish the memory of every project.

use super::finding::{Findings, Trouble, word};
use crate::service::Memory;
use brainstem_base::advice;
use brainstem_base::next::{Shell, shell_word};
use brainstem_caller::git_layout;
use brainstem_vault::repo::{self, Exposed};
use std::path::{Path, PathBuf};

/// The largest file of rules that is read.
const RULES_LEN_MAX: u64 = 1024 * 1024;

impl Memory {
    /// Names a home that a repository around it can commit.
    pub(super) fn examine_git_around_home(&self, found: &mut Findings) {
        let home = git_layout::canonical(&*self.disk, self.home.path());
        let Some((top, git_dir)) = self.repository_around(&home) else { return };
        let exclude = git_layout::common_dir(&*self.disk, &git_dir).join("info/exclude");
        let Ok(below) = home.strip_prefix(&top) else { return };
        // A rule keeps new files out; git goes on committing those that it tracks.
        let is_tracked = repo::exposed(&*self.disk, &home) == Some(Exposed::Tracked);
        let is_left_out = self.is_left_out(&home, &top, &exclude);
        if is_left_out && !is_tracked {
            return;
        }
        let top_shown = top.display();
        let detail = match is_tracked {
            true => format!(
                "it lies in the repository `{top_shown}`, and git tracks files of it: the next commit there publishes what is \
                 written since; what was committed stays in its history"
            ),
            false => format!(
                "it lies in the repository `{top_shown}`, and nothing keeps it out of git: a commit of everything there \
                 publishes it"
            ),
        };
        let rule = shell_word(&format!("/{}/", below.display()));
        let exclude = format!("echo {rule} >> {}", word(&exclude));
        let below = shell_word(&below.display().to_string());
        let untrack = format!("git -C {} rm -r -q --cached {below}", word(&top));
        let lines: Vec<String> = [(!is_left_out, exclude), (is_tracked, untrack)]
            .into_iter()
            .filter(|(is_needed, _)| *is_needed)
            .map(|(_, line)| line)
            .collect();
        let fix = advice![Shell::line(lines.join(" && "))];
        found.add(Trouble::HomeInGit, self.home.path(), detail, fix);
    }

    /// The nearest repository around the home, and git's folder of it.
    fn repository_around(&self, home: &Path) -> Option<(PathBuf, PathBuf)> {
        let around =
            home.ancestors().find_map(|dir| Some((dir.to_owned(), git_layout::git_dir(&*self.disk, dir)?)));
        // A home that is a repository itself is a backup that a person set up.
        around.filter(|(top, _)| top != home)
    }

    /// Whether a rule that names the home, or a folder around it, or everything beside it, keeps it out of git. Rules of
    /// another form are not read.
    fn is_left_out(&self, home: &Path, top: &Path, exclude: &Path) -> bool {
        let dirs = || home.ancestors().take_while(|dir| dir.starts_with(top));
        let has_rule = |file: &Path, base: &Path| {
            let bytes = self.disk.read(file, RULES_LEN_MAX).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let rules = text.lines().map(|rule| rule.trim().trim_end_matches("/*").trim_end_matches('/'));
            let mut rules =
                rules.map(|rule| rule.trim_start_matches('/').trim_start_matches("**/").to_owned());
            rules.any(|rule| {
                rule == "*"
                    || dirs().filter_map(|dir| dir.strip_prefix(base).ok()).any(|below| {
                        let name = below.file_name().map(|name| name.to_string_lossy().into_owned());
                        let is_dotted = || name.as_deref().is_some_and(|name| name.starts_with('.'));
                        !rule.is_empty()
                            && (below.to_string_lossy() == rule
                                || name.as_deref() == Some(rule.as_str())
                                || rule == ".*" && is_dotted())
                    })
            })
        };
        has_rule(exclude, top) || dirs().any(|dir| has_rule(&dir.join(".gitignore"), dir))
    }
}
