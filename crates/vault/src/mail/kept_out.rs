//! Keeping private mail out of git where the `.gitignore` of the mail root lets messages be committed, or may do so later.
//! Such a file comes with a repository, and a pull, a checkout or a stash exchanges it: the word that counts is the one on
//! record in this home.
//!
//! A line in git's own `info/exclude` of this clone excludes the whole folder. Git does not look into an excluded folder,
//! so no rule in it counts. Only a `.gitignore` above the folder can take it back in.

use super::fault::MailFault;
use super::root::MailRoot;
use crate::durable;
use crate::error::StoreError;
use crate::git::{common_dir, git_dir};
use crate::git_index::GitPlace;
use crate::git_rules::{self, IGNORE_FILE, may_take_in, rule_in, without_mark};
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
        if let Some(file) = git_rules::taking_in(&*self.disk, &top, self.path()) {
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
        let info = file.parent().expect("it lies in git's folder");
        durable::make_shared_dirs_below(&*self.disk, info.parent().expect("git's folder"), info)?;
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
