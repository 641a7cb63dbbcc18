//! The mail root: the folder that holds a project's boxes.

use super::tracked::IndexesSeen;
use crate::durable;
use crate::error::StoreError;
use crate::git_rules::{IGNORE_FILE, IGNORE_LEN_MAX, rule_in, without_mark};
use brainstem_base::disk::FileKind;
use brainstem_base::{Clock, Disk, DiskFault, Ids};
use brainstem_mail::name::MailboxName;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name of the folder in a project.
const FOLDER: &str = ".mail";
const FORCED_LOG: &str = ".forced.jsonl";

/// What git may commit of a mail root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IgnoreRule {
    /// Nothing of it is committed.
    Everything,
    /// Messages are committed; the state of this machine is not.
    Scaffold,
}

impl IgnoreRule {
    fn text(self) -> &'static str {
        match self {
            Self::Everything => "*\n",
            Self::Scaffold => ".tmp/\n.tmp-*\n.claimed/\n.seen/\n.keys/\n.names/\n",
        }
    }

    /// The text of a file with these lines instead of the other lines of this program; every other line stays. They
    /// come last, because in git the last matching line wins.
    fn merged_into(self, text: &[u8]) -> Vec<u8> {
        let is_ours = |line: &[u8]| {
            let ours = [Self::Everything, Self::Scaffold].map(Self::text);
            ours.iter().flat_map(|text| text.lines()).any(|our| our.as_bytes() == rule_in(line))
        };
        let kept = without_mark(text).split_inclusive(|byte| *byte == b'\n').filter(|line| !is_ours(line));
        let mut merged = kept.collect::<Vec<_>>().concat();
        if merged.last().is_some_and(|last| *last != b'\n') {
            merged.push(b'\n');
        }
        merged.extend(self.text().bytes());
        merged
    }
}

/// What the `.gitignore` of a mail root says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GitRule {
    /// All of the mail stays out of git.
    Private,
    /// Its rules let messages be committed.
    Committable,
    /// It is missing, or has no rule.
    Nothing,
    /// Git cannot use it.
    Unusable {
        /// Its path.
        path: PathBuf,
        /// What is there.
        what: &'static str,
    },
}

/// What the text of a `.gitignore` says.
fn rule_of(text: &[u8]) -> GitRule {
    let mut rules = without_mark(text).split(|byte| *byte == b'\n').map(rule_in);
    if rules.clone().all(|rule| rule.is_empty() || rule.starts_with(b"#")) {
        return GitRule::Nothing;
    }
    // In git the last matching rule wins. A rule that begins with `!` may let messages in again.
    match rules.rfind(|rule| *rule == b"*" || rule.starts_with(b"!")) {
        Some(b"*") => GitRule::Private,
        Some(_) | None => GitRule::Committable,
    }
}

/// A mail root.
#[derive(Clone)]
pub struct MailRoot {
    pub(super) disk: Arc<dyn Disk>,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) seen: IndexesSeen,
    /// The home that keeps the notes of messages that git tracked when they were moved on.
    pub(super) home: Option<PathBuf>,
    /// The project that it is in. It is not made anew if another process moves it away. `None` for a root that a caller named.
    project: Option<PathBuf>,
    path: PathBuf,
}

impl MailRoot {
    /// The path of a project's mail root.
    pub fn folder_in(project: &Path) -> PathBuf {
        project.join(FOLDER)
    }

    /// The mail root of a project.
    pub fn of_project(disk: Arc<dyn Disk>, ids: Arc<dyn Ids>, clock: Arc<dyn Clock>, project: &Path) -> Self {
        Self { project: Some(project.to_owned()), ..Self::at(disk, ids, clock, Self::folder_in(project)) }
    }

    /// A mail root that the caller named.
    pub fn at(disk: Arc<dyn Disk>, ids: Arc<dyn Ids>, clock: Arc<dyn Clock>, path: PathBuf) -> Self {
        Self { disk, ids, clock, seen: IndexesSeen::default(), home: None, project: None, path }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a folder in it, and the folders above that are missing, up to the project.
    pub(super) fn make_dirs(&self, dir: &Path) -> Result<(), StoreError> {
        match &self.project {
            Some(project) => durable::make_dirs_below(&*self.disk, project, dir),
            None => durable::make_dirs(&*self.disk, dir),
        }
    }

    /// The number and birth of its folder, where the file system tells them.
    pub fn folder_stamp(&self) -> Option<String> {
        super::sessions::folder_stamp(&*self.disk, &self.path)
    }

    /// Whether it is there.
    pub fn exists(&self) -> Result<bool, StoreError> {
        is_folder(&*self.disk, &self.path)
    }

    /// Changes what git may commit. The lines of a person stay; those of this program are replaced.
    pub fn set_ignore(&self, ignore: IgnoreRule) -> Result<(), StoreError> {
        let fault = || StoreError::disk("cannot tell git about the mail");
        self.make_dirs(&self.path)?;
        let path = self.path.join(IGNORE_FILE);
        let before = match self.disk.stat(&path) {
            Ok(stat) if stat.kind == FileKind::File => {
                self.disk.read(&path, IGNORE_LEN_MAX).map_err(fault())?
            }
            Ok(_) | Err(_) => Vec::new(),
        };
        durable::replace(&*self.disk, &*self.ids, &path, &ignore.merged_into(&before)).map_err(fault())
    }

    /// Whether the `.gitignore` keeps all of it out of git.
    pub fn is_private(&self) -> bool {
        self.git_rule() == GitRule::Private
    }

    /// Returns what its `.gitignore` says.
    pub fn git_rule(&self) -> GitRule {
        let path = self.path.join(IGNORE_FILE);
        let unusable = |what| GitRule::Unusable { path: path.clone(), what };
        match self.disk.stat(&path).map(|stat| stat.kind) {
            Ok(FileKind::File) => {}
            Ok(FileKind::Dir) => return unusable("a folder"),
            Ok(FileKind::Link) => return unusable("a link, which git does not follow"),
            Ok(FileKind::Other) => return unusable("a pipe, a socket or a device"),
            Err(error) if error.fault() == DiskFault::NotFound => return GitRule::Nothing,
            Err(_) => return unusable("unreadable for this user"),
        }
        let text = match self.disk.read(&path, IGNORE_LEN_MAX) {
            Ok(text) => text,
            Err(error) => match error.fault() {
                DiskFault::NotFound => return GitRule::Nothing,
                DiskFault::TooLarge { .. } => return unusable("too large to be read"),
                _ => return unusable("unreadable for this user"),
            },
        };
        rule_of(&text)
    }

    /// Whether the text of its `.gitignore` keeps all of it out of git, whatever kind of file it is. This costs one look at
    /// the disk.
    pub fn says_private(&self) -> bool {
        let text = self.disk.read(&self.path.join(IGNORE_FILE), IGNORE_LEN_MAX);
        text.is_ok_and(|text| rule_of(&text) == GitRule::Private)
    }

    /// The existing boxes, by name. Folders whose names no box can have are ignored.
    pub fn boxes(&self) -> Result<Vec<MailboxName>, StoreError> {
        if !self.exists()? {
            return Ok(Vec::new());
        }
        let entries = self.disk.list(&self.path).map_err(StoreError::disk("cannot list the boxes"))?;
        let folders = entries.into_iter().filter(|entry| entry.kind == FileKind::Dir);
        let mut names: Vec<MailboxName> =
            folders.filter_map(|entry| MailboxName::parse(entry.name.to_str()?).ok()).collect();
        names.sort();
        Ok(names)
    }

    /// Files with the name of a box that are not folders, by name. No mail gets in or out there.
    pub fn boxes_that_are_no_folders(&self) -> Result<Vec<(MailboxName, FileKind)>, StoreError> {
        if !self.exists()? {
            return Ok(Vec::new());
        }
        let entries = self.disk.list(&self.path).map_err(StoreError::disk("cannot list the boxes"))?;
        let others = entries.into_iter().filter(|entry| entry.kind != FileKind::Dir);
        let mut named: Vec<(MailboxName, FileKind)> = others
            .filter_map(|entry| Some((MailboxName::parse(entry.name.to_str()?).ok()?, entry.kind)))
            .collect();
        named.sort_by(|one, other| one.0.cmp(&other.0));
        Ok(named)
    }

    /// Everything below it, as relative paths, each folder before its content. A `.git` folder and its content are left
    /// out: git never commits them.
    pub fn everything_below(&self) -> Result<Vec<(PathBuf, FileKind)>, StoreError> {
        let (mut found, mut folders) = (Vec::new(), vec![PathBuf::new()]);
        while let Some(folder) = folders.pop() {
            let entries = match self.disk.list(&self.path.join(&folder)) {
                Ok(entries) => entries,
                // It was removed a moment ago, or there is no mail yet.
                Err(error) if error.fault() == DiskFault::NotFound => continue,
                Err(error) => return Err(StoreError::disk("cannot list the mail")(error)),
            };
            for entry in entries.into_iter().filter(|entry| entry.name != ".git") {
                let path = folder.join(&entry.name);
                if entry.kind == FileKind::Dir {
                    folders.push(path.clone());
                }
                found.push((path, entry.kind));
            }
        }
        Ok(found)
    }

    /// Records that a person changed a box of another agent.
    pub fn record_forced(&self, line: &str) -> Result<(), StoreError> {
        self.disk
            .append(&self.path.join(FORCED_LOG), format!("{line}\n").as_bytes())
            .map_err(StoreError::disk("cannot record what was forced"))
    }
}

/// Whether a folder is there. A link or a file of its name is refused: no message is read or written through it.
pub(super) fn is_folder(disk: &dyn Disk, path: &Path) -> Result<bool, StoreError> {
    let what = match disk.stat(path) {
        Ok(stat) => match stat.kind {
            FileKind::Dir => return Ok(true),
            FileKind::Link => "a link",
            FileKind::File | FileKind::Other => "no folder",
        },
        Err(error) if error.fault() == DiskFault::NotFound => return Ok(false),
        Err(error) => return Err(StoreError::disk("cannot look at the mail")(error)),
    };
    Err(StoreError::NotAFolder { path: path.display().to_string(), what })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MAIL-1a
    fn a_byte_order_mark_is_no_part_of_a_rule() {
        assert_eq!(without_mark(b"\xef\xbb\xbf!.mail/\n"), b"!.mail/\n");
        assert_eq!(without_mark(b"*\n\xef\xbb\xbf"), b"*\n\xef\xbb\xbf", "only at the start");
        let merged = IgnoreRule::Scaffold.merged_into(b"\xef\xbb\xbf*\nmine\n");
        assert_eq!(merged, [b"mine\n", IgnoreRule::Scaffold.text().as_bytes()].concat());
    }
}
