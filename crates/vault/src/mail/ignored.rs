//! Which rule of git leaves out the messages of a mail root that a person lets git commit.
//!
//! The rules are read as git reads them, except those with a class such as `[a-z]`: they are passed over.

use super::kept_out::EXCLUDE;
use super::root::MailRoot;
use crate::git::{common_dir, git_dir};
use crate::git_rules::{IGNORE_FILE, IGNORE_LEN_MAX, is_like_by, rule_in, without_mark};
use brainstem_base::Disk;
use brainstem_base::disk::FileKind;
use std::path::{Path, PathBuf};

/// The largest settings file of git that is read.
const CONFIG_LEN_MAX: u64 = 1024 * 1024;
/// How much of a rule is kept.
const RULE_CHARS_MAX: usize = 80;
/// A path below a mail root that only rules about all boxes or all messages fit.
const SAMPLE: &str = "a-box-of-mail/20260128T153000Z_a-sender_task.md";

/// A rule that leaves messages out of git.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoringRule {
    /// The file that has it.
    pub file: PathBuf,
    /// The rule, or the start of a long one.
    pub rule: String,
}

/// A file of rules, and the folder that its paths begin at.
struct RuleFile {
    file: PathBuf,
    base: PathBuf,
}

impl MailRoot {
    /// Returns the rule that leaves its messages out of git. `None` if git takes them, or outside a repository. The rules
    /// of a person for all repositories are looked for below `user_home`.
    pub fn ignoring_rule(&self, user_home: Option<&Path>) -> Option<IgnoringRule> {
        let disk = &*self.disk;
        let is_top = git_dir(disk, self.path()).is_some();
        let top = if is_top { self.path().to_owned() } else { self.top_around()? };
        rule_leaving_out(disk, &top, &self.path().join(SAMPLE), user_home)
    }
}

/// Returns the rule that leaves a file out of git, in the working tree that begins at `top`. `None` if git takes the file.
pub(crate) fn rule_leaving_out(
    disk: &dyn Disk,
    top: &Path,
    file: &Path,
    user_home: Option<&Path>,
) -> Option<IgnoringRule> {
    let common = common_dir(disk, &git_dir(disk, top)?);
    let for_all = excludes_file(disk, &common, user_home);
    let beside_git = [Some(common.join(EXCLUDE)), for_all].into_iter().flatten();
    let beside_git: Vec<RuleFile> = beside_git.map(|file| RuleFile { file, base: top.to_owned() }).collect();
    let mut parts: Vec<&Path> =
        file.ancestors().take_while(|path| path.starts_with(top) && **path != *top).collect();
    parts.reverse();
    for path in parts {
        let above = path.ancestors().skip(1).take_while(|dir| dir.starts_with(top));
        let above = above.map(|dir| RuleFile { file: dir.join(IGNORE_FILE), base: dir.to_owned() });
        let above: Vec<RuleFile> = above.collect();
        let mut files = above.iter().chain(&beside_git);
        let is_folder = path != file;
        // The nearest file with a rule that fits decides.
        let deciding = files.find_map(|rules| deciding_rule(disk, rules, path, is_folder));
        if let Some(found) = deciding.filter(|found| !found.rule.starts_with('!')) {
            return Some(found);
        }
    }
    None
}

/// Returns the last rule of a file that fits a path: in git it wins.
fn deciding_rule(disk: &dyn Disk, rules: &RuleFile, path: &Path, is_folder: bool) -> Option<IgnoringRule> {
    let kind = disk.stat(&rules.file).ok()?.kind;
    // Git follows no link to the `.gitignore` of a folder.
    if kind != FileKind::File {
        return None;
    }
    let text = disk.read(&rules.file, IGNORE_LEN_MAX).ok()?;
    let below: Vec<&[u8]> =
        path.strip_prefix(&rules.base).ok()?.iter().map(|part| part.as_encoded_bytes()).collect();
    let mut lines = without_mark(&text).split(|byte| *byte == b'\n').map(rule_in);
    let rule = lines.rfind(|rule| fits(rule, &below, is_folder))?;
    let rule = String::from_utf8_lossy(rule).chars().take(RULE_CHARS_MAX).collect();
    Some(IgnoringRule { file: rules.file.clone(), rule })
}

/// Whether a rule fits a path, given by its parts from the folder of the rule.
fn fits(rule: &[u8], path: &[&[u8]], is_folder: bool) -> bool {
    let pattern = rule.strip_prefix(b"!").unwrap_or(rule);
    if rule.starts_with(b"#") || pattern.contains(&b'[') {
        return false;
    }
    let (pattern, is_for_folders) = match pattern.strip_suffix(b"/") {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let Some(name) = path.last().filter(|_| !pattern.is_empty() && (is_folder || !is_for_folders)) else {
        return false;
    };
    let like = |pattern: &[u8], name: &[u8]| is_like_by(pattern, name, |one, other| one == other);
    if !pattern.contains(&b'/') {
        return like(pattern, name);
    }
    let parts: Vec<&[u8]> =
        pattern.strip_prefix(b"/").unwrap_or(pattern).split(|byte| *byte == b'/').collect();
    // How many parts of the path the parts of the pattern before this one can take.
    let mut taken = vec![false; path.len() + 1];
    taken[0] = true;
    for (at, part) in parts.iter().enumerate() {
        let mut next = vec![false; path.len() + 1];
        if *part == b"**" {
            // At the end it takes what is inside, and not the folder itself.
            let more = usize::from(at + 1 == parts.len());
            let first = taken.iter().position(|is_taken| *is_taken).map_or(next.len(), |first| first + more);
            next.iter_mut().skip(first).for_each(|is_taken| *is_taken = true);
        } else {
            for (count, name) in path.iter().enumerate() {
                next[count + 1] = taken[count] && like(part, name);
            }
        }
        taken = next;
    }
    taken[path.len()]
}

/// The file with a person's rules for all repositories: `core.excludesFile`, or the one that git looks for without it.
fn excludes_file(disk: &dyn Disk, common: &Path, user_home: Option<&Path>) -> Option<PathBuf> {
    let of_person = user_home.into_iter();
    let of_person = of_person.flat_map(|home| [home.join(".gitconfig"), home.join(".config/git/config")]);
    let mut configs = std::iter::once(common.join("config")).chain(of_person);
    let named = configs.find_map(|config| excludes_setting(disk, &config));
    match named {
        Some(named) => match named.strip_prefix("~/") {
            Some(below) => Some(user_home?.join(below)),
            None => Some(PathBuf::from(named)).filter(|path| path.is_absolute()),
        },
        None => Some(user_home?.join(".config/git/ignore")),
    }
}

/// The value of `core.excludesFile` in a settings file of git.
fn excludes_setting(disk: &dyn Disk, config: &Path) -> Option<String> {
    let text = String::from_utf8(disk.read(config, CONFIG_LEN_MAX).ok()?).ok()?;
    let (mut is_core, mut found) = (false, None);
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            is_core = line.eq_ignore_ascii_case("[core]");
        } else if is_core
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("excludesfile")
        {
            found = Some(value.trim().trim_matches('"').to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MAIL-1a
    fn a_rule_fits_the_paths_that_git_takes_it_for() {
        let check = |rule: &str, path: &str, is_folder| {
            let parts: Vec<&[u8]> = path.split('/').map(str::as_bytes).collect();
            fits(rule.as_bytes(), &parts, is_folder)
        };
        for rule in
            [".mail", ".mail/", "/.mail", "/.mail/", ".*", "!.mail", "**/.mail", "*", "\\.mail", "?mail"]
        {
            assert!(check(rule, ".mail", true), "{rule}");
        }
        for rule in [".mail/**", "#.mail", "mail", ".Mail", "x/.mail", "/", "", ".[m]ail", ".mail/*"] {
            assert!(!check(rule, ".mail", true), "{rule}");
        }
        for rule in ["*.md", "/.mail/**", "/.mail/*/*.md", "**/*.md", ".mail/**/a.md", "**/w/**"] {
            assert!(check(rule, ".mail/w/a.md", false), "{rule}");
        }
        for rule in ["a.md/", "/.mail/*", "/*.md", "w/**/a.md"] {
            assert!(!check(rule, ".mail/w/a.md", false), "{rule}");
        }
        let many = format!("{}x", "**/".repeat(20_000));
        assert!(!check(&many, ".mail/w/a.md", false), "read at once");
    }
}
