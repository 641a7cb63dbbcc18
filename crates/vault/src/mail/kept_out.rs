//! Keeping private mail out of git where the `.gitignore` of the mail root lets messages be committed, or may do so later.
//! Such a file comes with a repository, and a pull, a checkout or a stash exchanges it: the word that counts is the one on
//! record in this home.
//!
//! A line in git's own `info/exclude` of this clone excludes the whole folder. Git does not look into an excluded folder,
//! so no rule in it counts. Only a `.gitignore` above the folder can take it back in.

use super::fault::MailFault;
use super::root::{IGNORE_FILE, IGNORE_LEN_MAX, MailRoot, rule_in, without_mark};
use crate::durable;
use crate::error::StoreError;
use crate::git::{common_dir, git_dir};
use crate::git_index::GitPlace;
use brainstem_base::disk::FileKind;
use brainstem_base::{Disk, DiskFault};
use std::path::{Path, PathBuf};

/// The file in which git keeps what this clone alone ignores, below its common folder.
pub(super) const EXCLUDE: &str = "info/exclude";
const EXCLUDE_LEN_MAX: u64 = 1024 * 1024;
/// The line that this program writes before its own. The same line without it is a person's, and stays.
const OURS: &[u8] = b"# brainstem: the mail of this clone is private";

/// What keeps a mail root out of git whose own `.gitignore` lets messages be committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptOut {
    /// It is in no repository.
    NoGit,
    /// This clone excludes it.
    Excluded,
    /// Nothing yet.
    NotYet,
    /// Excluding it would not help: the rules of this file win.
    Overruled(PathBuf),
}

/// The line that excludes a mail root, and the file that it belongs into.
struct ExcludeLine {
    file: PathBuf,
    line: Vec<u8>,
}

impl MailRoot {
    /// What keeps it out of git besides its own `.gitignore`.
    pub fn kept_out(&self) -> Result<KeptOut, StoreError> {
        // A repository that begins at the mail root asks no other one.
        if git_dir(&*self.disk, self.path()).is_some() {
            return Ok(KeptOut::Overruled(self.path().join(IGNORE_FILE)));
        }
        let Some(top) = self.top_around() else { return Ok(KeptOut::NoGit) };
        if let Some(file) = self.overruling(&top) {
            return Ok(KeptOut::Overruled(file));
        }
        let Some(ExcludeLine { file, line }) = self.exclude_line(&top) else {
            return Ok(KeptOut::Overruled(self.path().join(IGNORE_FILE)));
        };
        let text = read_lines(&*self.disk, &file)?;
        let name = self.path().file_name().unwrap_or_default().as_encoded_bytes();
        let is_beside = self.path().parent() == Some(&*top);
        // The last rule that fits wins.
        let deciding = without_mark(&text).split(|byte| *byte == b'\n').map(rule_in);
        let mut deciding =
            deciding.filter(|rule| excludes(rule, &line, name) || may_take_in(rule, name, is_beside));
        let is_excluded = deciding.next_back().is_some_and(|rule| !rule.starts_with(b"!"));
        Ok(if is_excluded { KeptOut::Excluded } else { KeptOut::NotYet })
    }

    /// Keeps it out of git, and returns whether that is new. Refuses where a rule of the repository would win.
    pub(super) fn keep_out(&self) -> Result<bool, MailFault> {
        match self.kept_out()? {
            KeptOut::NoGit | KeptOut::Excluded => return Ok(false),
            KeptOut::Overruled(path) => return Err(MailFault::Overruled { path }),
            KeptOut::NotYet => {}
        }
        let line = self.top_around().and_then(|top| self.exclude_line(&top));
        let Some(ExcludeLine { file, line }) = line else { return Ok(false) };
        let before = read_lines(&*self.disk, &file)?;
        let mut added = Vec::new();
        if before.last().is_some_and(|last| *last != b'\n') {
            added.push(b'\n');
        }
        for added_line in [OURS, &line] {
            added.extend(added_line);
            added.push(b'\n');
        }
        durable::make_shared_dirs(&*self.disk, file.parent().expect("it lies in git's folder"))?;
        self.disk.append(&file, &added).map_err(StoreError::disk("cannot keep the mail out of git"))?;
        Ok(true)
    }

    /// Keeps it out of git beside its own `.gitignore`, which does so already. Where no line can be written, or another rule
    /// would win, that file alone does.
    pub(super) fn keep_out_as_well(&self) {
        let _ = self.keep_out();
    }

    /// Takes back what `keep_out` did. The lines of a person stay.
    pub(super) fn let_in(&self) -> Result<(), StoreError> {
        let line = self.top_around().and_then(|top| self.exclude_line(&top));
        let Some(ExcludeLine { file, line }) = line else { return Ok(()) };
        let before = read_lines(&*self.disk, &file)?;
        let lines: Vec<&[u8]> = before.split_inclusive(|byte| *byte == b'\n').collect();
        let is = |at: usize, what: &[u8]| {
            lines.get(at).is_some_and(|there| there.strip_suffix(b"\n").unwrap_or(there) == what)
        };
        let is_pair = |at: usize| is(at, OURS) && is(at + 1, &line);
        let kept = lines.iter().enumerate();
        let kept = kept.filter(|(at, _)| !is_pair(*at) && !at.checked_sub(1).is_some_and(is_pair));
        let kept = kept.map(|(_, line)| *line).collect::<Vec<_>>().concat();
        if kept == before {
            return Ok(());
        }
        durable::replace(&*self.disk, &*self.ids, &file, &kept)
            .map_err(StoreError::disk("cannot tell git about the mail"))
    }

    /// The top folder of its repository.
    pub(super) fn top_around(&self) -> Option<PathBuf> {
        GitPlace::tops_around(&*self.disk, self.path()).into_iter().next()
    }

    /// `None` if no line can name its path.
    fn exclude_line(&self, top: &Path) -> Option<ExcludeLine> {
        let below = self.path().strip_prefix(top).ok()?.as_os_str().as_encoded_bytes();
        if below.contains(&b'\n') {
            return None;
        }
        let mut line = vec![b'/'];
        for byte in below {
            if b"*?[\\".contains(byte) {
                line.push(b'\\');
            }
            line.push(*byte);
        }
        line.push(b'/');
        let git = git_dir(&*self.disk, top)?;
        Some(ExcludeLine { file: common_dir(&*self.disk, &git).join(EXCLUDE), line })
    }

    /// The first `.gitignore` above it with a rule that may take its folder back in.
    fn overruling(&self, top: &Path) -> Option<PathBuf> {
        let name = self.path().file_name()?.as_encoded_bytes();
        let above = self.path().ancestors().skip(1).take_while(|dir| dir.starts_with(top));
        let wins = |dir: &Path| {
            let file = dir.join(IGNORE_FILE);
            // Git follows no link here.
            if !self.disk.stat(&file).is_ok_and(|stat| stat.kind == FileKind::File) {
                return false;
            }
            let Ok(text) = self.disk.read(&file, IGNORE_LEN_MAX) else { return true };
            let is_beside = self.path().parent() == Some(dir);
            let mut lines = without_mark(&text).split(|byte| *byte == b'\n');
            lines.any(|line| may_take_in(rule_in(line), name, is_beside))
        };
        above.into_iter().find(|dir| wins(dir)).map(|dir| dir.join(IGNORE_FILE))
    }
}

/// The content of an exclude file; empty where there is none.
fn read_lines(disk: &dyn Disk, file: &Path) -> Result<Vec<u8>, StoreError> {
    match disk.read(file, EXCLUDE_LEN_MAX) {
        Ok(bytes) => Ok(bytes),
        Err(error) if error.fault() == DiskFault::NotFound => Ok(Vec::new()),
        Err(error) => Err(StoreError::disk("cannot read what git excludes here")(error)),
    }
}

/// Whether a rule of an exclude file excludes the folder that `line` excludes, in one of its plain spellings.
fn excludes(rule: &[u8], line: &[u8], name: &[u8]) -> bool {
    let plain = rule.strip_suffix(b"/").unwrap_or(rule);
    // A name with such a character means something else as a rule.
    let is_plain_name = !name.iter().any(|byte| b"*?[\\#! ".contains(byte));
    line.strip_suffix(b"/") == Some(plain) || (is_plain_name && plain == name)
}

/// Whether a rule of a `.gitignore` may take a folder of this name in again. In doubt it may.
fn may_take_in(rule: &[u8], name: &[u8], is_beside: bool) -> bool {
    let Some(pattern) = rule.strip_prefix(b"!") else { return false };
    // A separator inside a class divides nothing; what such a pattern fits is in doubt.
    let classes = pattern.split(|byte| *byte == b'[').skip(1);
    if classes
        .into_iter()
        .any(|class| class.split(|byte| *byte == b']').next().unwrap_or(class).contains(&b'/'))
    {
        return true;
    }
    let parts: Vec<&[u8]> = pattern.split(|byte| *byte == b'/').filter(|part| !part.is_empty()).collect();
    let Some((last, before)) = parts.split_last() else { return false };
    // Beside the folder, a path leads elsewhere unless it begins anywhere.
    let may_lead_here =
        !is_beside || before.iter().all(|part| part.len() > 1 && part.iter().all(|byte| *byte == b'*'));
    may_lead_here && is_like(last, name)
}

/// Whether a pattern of git fits a name, whatever the case of its letters. A class such as `[a-z]` fits every character.
///
/// The pattern may come from anyone. Only the last star that was met is tried again: what an earlier one would take, the
/// last one can take. So the steps are at most as many as the lengths of both multiplied.
fn is_like(pattern: &[u8], name: &[u8]) -> bool {
    is_like_by(pattern, name, u8::eq_ignore_ascii_case)
}

/// The same, with a rule for which characters are the same.
pub(super) fn is_like_by(pattern: &[u8], name: &[u8], is_same: impl Fn(&u8, &u8) -> bool) -> bool {
    let (mut pattern, mut name) = (pattern, name);
    // What follows the last star, and what of the name that star has not taken.
    let mut last_star: Option<(&[u8], &[u8])> = None;
    loop {
        let fitting = match (pattern, name) {
            ([], []) => return true,
            ([b'*', rest @ ..], _) => {
                last_star = Some((rest, name));
                Some((rest, name))
            }
            ([b'[', rest @ ..], [_, shorter @ ..]) => {
                // A `]` that comes first belongs to the class. A class of classes (`[[:alpha:]]`), a negated one and one with
                // an escape may end elsewhere than here: in doubt the pattern fits.
                match rest.iter().skip(1).position(|byte| *byte == b']') {
                    Some(end) if !rest[..=end].iter().any(|byte| b"[\\!^".contains(byte)) => {
                        Some((&rest[end + 2..], shorter))
                    }
                    Some(_) | None => return true,
                }
            }
            ([b'?', rest @ ..], [_, shorter @ ..]) => Some((rest, shorter)),
            ([b'\\', one, rest @ ..] | [one, rest @ ..], [first, shorter @ ..]) => {
                is_same(one, first).then_some((rest, shorter))
            }
            _ => None,
        };
        let again = || {
            let (after, untaken) = last_star?;
            Some((after, untaken.split_first()?.1))
        };
        match fitting {
            Some(rests) => (pattern, name) = rests,
            None => match again() {
                Some(rests) => {
                    last_star = Some(rests);
                    (pattern, name) = rests;
                }
                None => return false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MAIL-1a
    fn a_rule_that_may_take_the_folder_in_again_is_known() {
        let may = |rule: &str, is_beside| may_take_in(rule.as_bytes(), b".mail", is_beside);
        for rule in [
            "!*",
            "!.mail",
            "!/.mail/",
            "!.m*",
            "!**/.mail",
            "!\\.mail",
            "![.]mail",
            "!.MAIL",
            "!**",
            "!?mail",
            "!.[[:alpha:]]ail/",
            "!.[!]x]ail",
            "![/.]mail",
            "!***/.mail",
            "![[:punct:]]mail",
            "!.[\\]m]ail",
        ] {
            assert!(may(rule, true), "{rule}");
        }
        for rule in [
            ".mail",
            "!important.log",
            "!src/**",
            "!docs/.mail",
            "!.mail.md",
            "#!*",
            "\\!*",
            "!",
            "!/",
            "![Dd]ocs",
        ] {
            assert!(!may(rule, true), "{rule}");
        }
        assert!(may("!pkg/.mail", false) && may("!pkg/**", false) && !may("!pkg/", false));
    }

    #[test] // spec: MAIL-1a, IF-14a
    fn a_rule_of_many_stars_is_read_at_once() {
        let stars = "*".repeat(300);
        let apart = "*a".repeat(300);
        let name = "a".repeat(255);
        for (pattern, fits) in [
            (format!("{stars}q"), false),
            (format!("{stars}a"), true),
            (format!("{apart}q"), false),
            (format!("{}q", "*a".repeat(100)), false),
            (format!("{}*", "*a".repeat(100)), true),
            (format!("{}[b", "*a".repeat(100)), true),
        ] {
            assert_eq!(is_like(pattern.as_bytes(), name.as_bytes()), fits, "{pattern}");
        }
        assert!(!may_take_in(format!("!{stars}q").as_bytes(), b".mail", true));
        assert!(may_take_in(format!("!{stars}l").as_bytes(), b".mail", true));
        assert!(is_like(b"*.m*a*l", b"..m.mail") && !is_like(b"*.m*a*l", b"..m.mai"));
    }
}
