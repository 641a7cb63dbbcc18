//! Takes the marks of a folder, and says when they are due.

use super::candidate_folder::CandidateFolder;
use super::{FILES_MIN, FileMark, Marks, TrackedMark};
use crate::git::Repository;
use crate::git_index::{GitPlace, TrackedObject};
use brainstem_base::Timestamp;
use brainstem_base::disk::{FileIdentity, FileKind};
use brainstem_base::hash::hex;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// How many commits are remembered: the first, and the latest of the others.
const COMMITS_MAX: usize = 12;
/// How many files are remembered.
const FILES_MAX: usize = 32;
/// How many names are looked at to find files worth remembering.
const LOOKED_AT_MAX: usize = 512;
/// The longest path of a file that is remembered.
const PATH_LEN_MAX: usize = 300;
/// How long marks are used before they are taken anew.
const FRESH_MS: i64 = 24 * 60 * 60 * 1_000;
/// How far the clock of a file system may be ahead of ours.
const CLOCKS_APART_MS: i64 = 60 * 60 * 1_000;
const NS_PER_MS: i128 = 1_000_000;

/// Folders whose files are not the project's own work.
const PASSED_OVER: &[&str] =
    &[".git", ".mail", ".brainstem", "node_modules", "target", ".venv", "__pycache__"];

impl CandidateFolder<'_> {
    /// Whether marks should be taken anew: there are none, another commit is checked out, the origin is another one, or
    /// they are old.
    pub(crate) fn is_due(&self, marks: &Marks, now: Timestamp) -> bool {
        let repository = self.repository().map(|(repository, _)| repository);
        let head = repository.as_ref().and_then(Repository::head);
        let origin = repository.as_ref().and_then(Repository::origin);
        let is_of_older_program = repository.is_some() && marks.inside.is_none();
        let is_of_older_program =
            is_of_older_program || marks.files.iter().any(|mark| mark.content.is_none());
        let is_weak = marks.commits.is_empty() && marks.files.len() < FILES_MIN || is_of_older_program;
        let is_new = head.is_some_and(|head| !marks.commits.contains(&head))
            || origin.is_some() && origin != marks.origin;
        is_weak || is_new || !(0..FRESH_MS).contains(&now.ms().saturating_sub(marks.taken))
    }

    /// The marks of the folder as it is now, with what was remembered before.
    pub(crate) fn marks(&self, before: &Marks, identity: Option<FileIdentity>, now: Timestamp) -> Marks {
        let (repository, inside) = self.repository().unzip();
        let inside = inside.and_then(|inside| inside.to_str().map(str::to_owned));
        let seen = repository.iter().flat_map(|repository| [repository.first(), repository.head()]);
        let mut commits = before.commits.clone();
        for commit in seen.flatten() {
            if !commits.contains(&commit) {
                commits.push(commit);
            }
        }
        if commits.len() > COMMITS_MAX {
            commits.drain(1..=commits.len() - COMMITS_MAX);
        }
        let born = identity.map(|identity| identity.born_ns);
        let since: Option<i128> = before.since_ns.as_deref().and_then(|ns| ns.parse().ok()).or(born);
        Marks {
            taken: now.ms(),
            since_ns: since.map(|ns| ns.to_string()),
            commits,
            origin: repository.and_then(|repository| repository.origin()).or_else(|| before.origin.clone()),
            files: since.map(|since| self.own_files(since, now)).unwrap_or_default(),
            tracked: match self.tracked_files(inside.as_deref()) {
                // A branch without the project's files, or a list that cannot be read.
                none if none.is_empty() => before.tracked.clone(),
                some => some,
            },
            inside: inside.or_else(|| before.inside.clone()),
        }
    }

    /// Files that git tracks in a project inside a repository, chosen by their objects, so that a larger project is
    /// remembered by some from everywhere in it. Those that other folders have too are left out where there are others.
    fn tracked_files(&self, inside: Option<&str>) -> Vec<TrackedMark> {
        if inside.is_none_or(str::is_empty) {
            return Vec::new();
        }
        let mut all = self.objects_below();
        if all.iter().any(|file| !file.is_elsewhere_too) {
            all.retain(|file| !file.is_elsewhere_too);
        }
        all.sort_by(|a, b| (&a.object, &a.path).cmp(&(&b.object, &b.path)));
        let marks = all.into_iter().filter_map(|file| {
            let path = String::from_utf8(file.path).ok().filter(|path| path.len() <= PATH_LEN_MAX)?;
            Some(TrackedMark { path, object: hex(&file.object) })
        });
        marks.take(FILES_MAX).collect()
    }

    /// The files that the repository around the folder tracks in it.
    fn objects_below(&self) -> Vec<TrackedObject> {
        let place = GitPlace::around(self.disk, self.root).into_iter().next();
        place.and_then(|place| place.objects(self.disk).ok()).unwrap_or_default()
    }

    /// Files of the top two levels that were written since the project's folder was made, the oldest first. A file with
    /// an older date was unpacked or copied there, and may be in other projects too; a date in the future was set by
    /// hand.
    fn own_files(&self, since_ns: i128, now: Timestamp) -> Vec<FileMark> {
        let until_ns = i128::from(now.ms().saturating_add(CLOCKS_APART_MS)) * NS_PER_MS;
        let mut left = LOOKED_AT_MAX;
        let mut files: Vec<(i128, FileMark)> = Vec::new();
        let mut below = Vec::new();
        let mut look_into = |dir: &Path, below: Option<&mut Vec<PathBuf>>| {
            let mut entries = self.disk.list(&self.root.join(dir)).unwrap_or_default();
            entries.sort();
            entries.truncate(left);
            left -= entries.len();
            let is_passed_over = |name: &OsStr| PASSED_OVER.iter().any(|passed| name == *passed);
            let dirs = entries.iter().filter(|entry| entry.kind == FileKind::Dir);
            let dirs = dirs.filter(|entry| !is_passed_over(&entry.name)).map(|entry| dir.join(&entry.name));
            if let Some(below) = below {
                below.extend(dirs);
            }
            for entry in entries.iter().filter(|entry| entry.kind == FileKind::File) {
                let path = dir.join(&entry.name);
                let Some(name) = path.to_str().filter(|name| name.len() <= PATH_LEN_MAX) else { continue };
                let Ok(stat) = self.disk.stat(&self.root.join(&path)) else { continue };
                if (since_ns..until_ns).contains(&stat.modified_ns) {
                    let modified_ns = stat.modified_ns.to_string();
                    let path = name.to_owned();
                    let mark = FileMark { path, len: stat.len, modified_ns, content: None };
                    files.push((stat.modified_ns, mark));
                }
            }
        };
        look_into(Path::new(""), Some(&mut below));
        for dir in &below {
            look_into(dir, None);
        }
        files.sort_by(|(a_ns, a), (b_ns, b)| a_ns.cmp(b_ns).then_with(|| a.path.cmp(&b.path)));
        let chosen = files.into_iter().take(FILES_MAX);
        // A file that cannot be read tells nothing.
        let with_content = chosen.filter_map(|(_, mark)| {
            let content = Some(self.content_hash(&mark.path)?);
            Some(FileMark { content, ..mark })
        });
        with_content.collect()
    }
}
