//! How a project whose folder was made anew is told from another project at the same path: commits that its repository
//! had, where that was cloned from, and files that were written in it.
//!
//! A restored backup, a copy on another machine and a repository that was cloned again are new folders and the
//! same project. A new project that takes the path of one that was deleted or moved is a new folder too, and
//! must see nothing of what was there before.

use crate::git::Repository;
use crate::git_index::{GitPlace, TrackedObject};
use brainstem_base::disk::{FileIdentity, FileKind, Stat};
use brainstem_base::hash::{git_object, hex, sha256_hex};
use brainstem_base::{Disk, Timestamp};
use serde::{Deserialize, Deserializer, Serialize};
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// How many commits are remembered: the first, and the latest of the others.
const COMMITS_MAX: usize = 12;
/// How many files are remembered.
const FILES_MAX: usize = 32;
/// How many files at least must be unchanged, even if half of the remembered ones are fewer.
const FILES_MIN: usize = 2;
/// How many names are looked at to find files worth remembering.
const LOOKED_AT_MAX: usize = 512;
/// The longest path of a file that is remembered.
const PATH_LEN_MAX: usize = 300;
/// The largest tracked file whose content is compared.
const COMPARED_LEN_MAX: u64 = 4 * 1024 * 1024;
/// How much of a file that is remembered by its date is compared.
const HASHED_LEN_MAX: u64 = 64 * 1024;
/// How many digits of that hash are remembered.
const HASH_DIGITS: usize = 16;
/// How long marks are used before they are taken anew.
const FRESH_MS: i64 = 24 * 60 * 60 * 1_000;
/// How far the clock of a file system may be ahead of ours.
const CLOCKS_APART_MS: i64 = 60 * 60 * 1_000;
const NS_PER_S: i128 = 1_000_000_000;
const NS_PER_MS: i128 = 1_000_000;

/// Folders whose files are not the project's own work.
const PASSED_OVER: &[&str] =
    &[".git", ".mail", ".brainstem", "node_modules", "target", ".venv", "__pycache__"];

/// The marks that recognise a project when its folder is another one than before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    /// When they were taken, in ms.
    #[serde(default)]
    pub taken: i64,
    /// When the first folder of this project was made, in nanoseconds, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_ns: Option<String>,
    /// Commits that were seen checked out: the first of all, then the latest, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<String>,
    /// A hash of the address that the repository was cloned from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Files that were written in the project, those that were left alone longest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileMark>,
    /// The project's path from the top of its repository, empty for the top itself; `None` outside of a repository, and
    /// in marks of an older program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
    /// Of a project inside a repository, files that git tracks in it: the commits of the repository do not tell its
    /// folders apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tracked: Vec<TrackedMark>,
}

/// One file as git tracked it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackedMark {
    /// Its path from the project's root.
    pub path: String,
    /// The name of the object with its bytes, in hex.
    pub object: String,
}

/// One file as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMark {
    /// Its path from the project's root.
    pub path: String,
    /// Its size in bytes.
    pub len: u64,
    /// When it was last written, in nanoseconds, as text.
    pub modified_ns: String,
    /// A hash of its first bytes: two projects can have files of one size that were written at one time. `None` in marks
    /// of an older program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

impl Marks {
    /// Whether nothing was remembered.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Reads marks from a record. Damaged marks count as none, because the rest of the record is worth more.
    pub(crate) fn lenient<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        Ok(serde_json::from_value(value).unwrap_or_default())
    }

    /// Whether they say the same, whenever they were taken.
    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        *self == Self { taken: self.taken, ..other.clone() }
    }
}

/// A folder that may be a project, and where the search for its repository ends.
pub(crate) struct CandidateFolder<'a> {
    pub(crate) disk: &'a dyn Disk,
    pub(crate) root: &'a Path,
    /// The person's home: a repository there says nothing about the projects in it.
    pub(crate) user_home: Option<&'a Path>,
}

impl CandidateFolder<'_> {
    /// The repository around the folder, and the folder's path from its top.
    fn repository(&self) -> Option<(Repository<'_>, PathBuf)> {
        let dirs = self.root.ancestors().take_while(|dir| *dir == self.root || Some(*dir) != self.user_home);
        dirs.filter_map(|dir| {
            let inside = self.root.strip_prefix(dir).expect("an ancestor is a prefix");
            Some((Repository::at(self.disk, dir)?, inside.to_owned()))
        })
        .next()
    }

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

    /// A hash of the first bytes of a file; `None` if it cannot be read.
    fn content_hash(&self, path: &str) -> Option<String> {
        let bytes = self.disk.read_others(&self.root.join(path), HASHED_LEN_MAX).ok()?;
        Some(sha256_hex(&bytes, HASH_DIGITS))
    }

    /// Whether the marks say that this folder, which is another one than before, is the same project. A folder that was
    /// cloned from another address is another project, whatever commits the two share.
    pub(crate) fn is_marked(&self, marks: &Marks) -> bool {
        self.origin(marks) != CloneOrigin::Other
            && (self.has_commit(marks)
                || self.has_origin(marks)
                || self.has_files(marks)
                    && self.has_content(marks) != Some(false)
                    && !self.has_other_commits(marks))
    }

    /// Whether a folder that carries the brain's id is still another project: it was cloned from another address and
    /// has no commit that was seen after the first. All projects that began with one template may carry one id.
    pub(crate) fn is_cloned_elsewhere(&self, marks: &Marks) -> bool {
        let later = marks.commits.get(1..).unwrap_or_default();
        self.origin(marks) == CloneOrigin::Other
            && !self.own_repository().is_some_and(|own| later.iter().any(|commit| own.has(commit)))
    }

    /// Whether this folder, which carries the id of a brain, is of the same project as the folder that the marks were
    /// taken of: it was cloned from the same address, or has one of the commits. The first commit may be a template's,
    /// so a folder that was cloned from another address must have a later one. Without a commit and an address it
    /// counts as the same project.
    pub(crate) fn shares_history(&self, marks: &Marks) -> bool {
        let has_any =
            |commits: &[String]| self.own_repository().is_some_and(|own| commits.iter().any(|c| own.has(c)));
        match self.origin(marks) {
            CloneOrigin::Same => true,
            CloneOrigin::Other => has_any(marks.commits.get(1..).unwrap_or_default()),
            CloneOrigin::Untold if marks.commits.is_empty() => marks.origin.is_none(),
            CloneOrigin::Untold => has_any(&marks.commits),
        }
    }

    /// Whether the repository of a folder that has the path, the device, the number and the birth that were remembered
    /// is still of another project: volumes that were made from one image can be mounted at one path, one after the
    /// other, and get one device number. All marks must say so: it has a history, and none of the remembered commits,
    /// origins and files. A history that cannot be read does not count.
    pub(crate) fn is_another_history(&self, marks: &Marks) -> bool {
        self.has_other_commits(marks) && self.origin(marks) != CloneOrigin::Same && !self.has_files(marks)
    }

    /// Whether the repository has a history, and none of the remembered commits is in it.
    fn has_other_commits(&self, marks: &Marks) -> bool {
        // Called in every call: without a commit to compare, nothing is read.
        if marks.commits.is_empty() {
            return false;
        }
        let Some(repository) = self.own_repository() else { return false };
        let Some(head) = repository.head().filter(|head| !marks.commits.contains(head)) else { return false };
        !marks.commits.iter().any(|commit| repository.has(commit)) && repository.has(&head)
    }

    /// Whether no mark contradicts a folder with the number and birth of the remembered one. If a commit or an origin
    /// is remembered, the repository here must have it. Otherwise the folder must be `near`: at its path, or on its
    /// device.
    pub(crate) fn agrees(&self, marks: &Marks, near: bool) -> bool {
        let is_in_git = !marks.commits.is_empty() || marks.origin.is_some();
        match (self.origin(marks), self.repository()) {
            (CloneOrigin::Other, _) => false,
            (CloneOrigin::Same, _) => true,
            (CloneOrigin::Untold, _) if !is_in_git => near,
            (CloneOrigin::Untold, Some((repository, _))) => {
                asked(&marks.commits).iter().any(|commit| repository.has(commit))
            }
            // A folder that was taken out of its repository.
            (CloneOrigin::Untold, None) => near && self.has_files(marks),
        }
    }

    fn origin(&self, marks: &Marks) -> CloneOrigin {
        let here = self.repository().map(|(repository, _)| repository.origins()).unwrap_or_default();
        match &marks.origin {
            Some(origin) if here.contains(origin) => CloneOrigin::Same,
            Some(_) if !here.is_empty() => CloneOrigin::Other,
            Some(_) | None => CloneOrigin::Untold,
        }
    }

    /// Whether a remembered commit is here. The first commit alone may be that of a template that many projects began
    /// with: if later ones are known, one of those must be here, and if an origin is known, that too.
    fn has_commit(&self, marks: &Marks) -> bool {
        let is_told =
            marks.commits.len() > 1 || marks.origin.is_none() || self.origin(marks) == CloneOrigin::Same;
        is_told
            && self.is_same_part(marks)
            && self
                .own_repository()
                .is_some_and(|repository| asked(&marks.commits).iter().any(|commit| repository.has(commit)))
    }

    /// Whether the remembered origin is here: a clone without its history has no commit to compare.
    fn has_origin(&self, marks: &Marks) -> bool {
        self.own_repository().is_some_and(|repository| repository.is_shallow())
            && self.origin(marks) == CloneOrigin::Same
            && self.is_same_part(marks)
    }

    /// Whether the folder is the part of its repository that the marks are of: the top, or a folder with the tracked files
    /// that are remembered. Marks of an older program say nothing about it.
    fn is_same_part(&self, marks: &Marks) -> bool {
        let Some(was_inside) = &marks.inside else { return true };
        let is_top = self.repository().is_some_and(|(_, inside)| inside.as_os_str().is_empty());
        if is_top || was_inside.is_empty() {
            return is_top && was_inside.is_empty();
        }
        self.has_content(marks) == Some(true)
    }

    /// Whether at least half of the tracked files that are remembered are in the folder with their content; `None` if none
    /// is remembered. The files themselves are read: git's index still lists those of a deleted folder, until someone
    /// tells git.
    fn has_content(&self, marks: &Marks) -> Option<bool> {
        if marks.tracked.is_empty() {
            return None;
        }
        let same = marks.tracked.iter().filter(|mark| self.has_object(mark)).count();
        Some(same > 0 && same * 2 >= marks.tracked.len())
    }

    /// Whether the bytes of a tracked file are in the folder, under its path. Git may have written the ends of lines as
    /// Windows does.
    fn has_object(&self, mark: &TrackedMark) -> bool {
        let path = self.root.join(&mark.path);
        let is_comparable = |stat: Stat| stat.kind == FileKind::File && stat.len <= COMPARED_LEN_MAX;
        if !is_below(&mark.path) || !self.disk.stat(&path).is_ok_and(is_comparable) {
            return false;
        }
        let Ok(bytes) = self.disk.read_others(&path, COMPARED_LEN_MAX) else { return false };
        let is_it = |bytes: &[u8]| git_object(bytes, mark.object.len()) == mark.object;
        is_it(&bytes) || bytes.contains(&b'\r') && is_it(&with_plain_ends(&bytes))
    }

    /// The repository whose top the folder is, or that tracks files in it.
    fn own_repository(&self) -> Option<Repository<'_>> {
        let (repository, inside) = self.repository()?;
        let is_top = inside.as_os_str().is_empty();
        (is_top || repository.tracks_below(&inside)).then_some(repository)
    }

    fn has_files(&self, marks: &Marks) -> bool {
        let is_same = |mark: &&FileMark| {
            let stat = self.disk.stat(&self.root.join(&mark.path)).ok();
            let stat = stat
                .filter(|stat| is_below(&mark.path) && stat.kind == FileKind::File && stat.len == mark.len);
            let then: Option<i128> = mark.modified_ns.parse().ok();
            stat.zip(then).is_some_and(|(stat, then)| is_same_time(then, stat.modified_ns))
                && (mark.content.is_none() || self.content_hash(&mark.path) == mark.content)
        };
        let same = marks.files.iter().filter(is_same).count();
        same >= FILES_MIN && same * 2 >= marks.files.len()
    }
}

/// The comparison of two addresses that a repository was cloned from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CloneOrigin {
    /// It is the remembered one.
    Same,
    /// It is another one.
    Other,
    /// None is remembered, or none is here.
    Untold,
}

/// The commits of which one must be here: the later ones if there are any.
fn asked(commits: &[String]) -> &[String] {
    match commits {
        [_, later @ ..] if !later.is_empty() => later,
        all => all,
    }
}

/// Whether a remembered path stays below the folder that it is joined to.
fn is_below(path: &str) -> bool {
    Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

/// The bytes with each `\r\n` as `\n`.
fn with_plain_ends(bytes: &[u8]) -> Vec<u8> {
    let is_before_end = |at: usize| bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n');
    (0..bytes.len()).filter(|at| !is_before_end(*at)).map(|at| bytes[at]).collect()
}

/// Whether the date of a file is the remembered one. Some archives keep whole seconds only.
fn is_same_time(then_ns: i128, now_ns: i128) -> bool {
    then_ns == now_ns || now_ns % NS_PER_S == 0 && then_ns.div_euclid(NS_PER_S) == now_ns / NS_PER_S
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::disk::SimDisk;

    const ROOT: &str = "/src/cherry";
    const ONE: &str = "1111111111111111111111111111111111111111";
    const TWO: &str = "2222222222222222222222222222222222222222";

    fn now() -> Timestamp {
        Timestamp::from_ms(4_000_000_000_000)
    }

    fn place(disk: &SimDisk) -> CandidateFolder<'_> {
        CandidateFolder { disk, root: Path::new(ROOT), user_home: Some(Path::new("/home/ana")) }
    }

    fn taken(disk: &SimDisk, before: &Marks) -> Marks {
        let identity = disk.stat(Path::new(ROOT)).expect("a folder").identity;
        place(disk).marks(before, identity, now())
    }

    /// A folder with these files, each with its own name as its text.
    fn folder(files: &[&str]) -> SimDisk {
        let disk = SimDisk::new();
        disk.make_dirs(ROOT);
        for file in files {
            disk.write_raw(format!("{ROOT}/{file}"), file.as_bytes());
        }
        disk
    }

    fn check_out(disk: &SimDisk, commit: &str) {
        disk.write_raw(format!("{ROOT}/.git/HEAD"), format!("{commit}\n").as_bytes());
    }

    #[test] // spec: MEM-1
    fn files_that_were_written_in_the_project_are_remembered_and_no_others() {
        let disk = SimDisk::new();
        disk.write_raw("/elsewhere/unpacked", b"old");
        disk.make_dirs(ROOT);
        disk.rename("/elsewhere/unpacked".as_ref(), format!("{ROOT}/unpacked").as_ref()).expect("a move");
        for file in ["a", "lib/b", "lib/deep/c", "node_modules/d", ".git/HEAD", ".brainstem/e", "f"] {
            disk.write_raw(format!("{ROOT}/{file}"), b"x");
        }
        let marks = taken(&disk, &Marks::default());
        assert_eq!(
            marks.files.iter().map(|mark| mark.path.as_str()).collect::<Vec<_>>(),
            ["a", "lib/b", "f"]
        );
        assert!(place(&disk).is_marked(&marks));
        assert_eq!(taken(&disk, &marks), marks);
    }

    #[test] // spec: MEM-1, MEM-21
    fn half_of_the_files_and_at_least_two_must_be_as_they_were() {
        let disk = folder(&["a", "b", "c", "d"]);
        let marks = taken(&disk, &Marks::default());
        for (changed, is_same) in [("a", true), ("b", true), ("c", false), ("d", false)] {
            disk.write_raw(format!("{ROOT}/{changed}"), b"something else");
            assert_eq!(place(&disk).is_marked(&marks), is_same, "{changed}");
        }
        let one = folder(&["a"]);
        assert!(!place(&one).is_marked(&taken(&one, &Marks::default())), "one file is too little");
        // The same names and sizes, written at another time.
        assert!(!place(&folder(&["z", "a", "b", "c", "d"])).is_marked(&marks));
    }

    #[test] // spec: MEM-1, MEM-21
    fn a_commit_that_was_checked_out_tells_the_project() {
        let disk = folder(&[]);
        check_out(&disk, ONE);
        let marks = taken(&disk, &Marks::default());
        assert_eq!(marks.commits, [ONE]);
        let other = folder(&[]);
        assert!(!place(&other).is_marked(&marks));
        check_out(&other, TWO);
        assert!(!place(&other).is_marked(&marks));
        other.write_raw(format!("{ROOT}/.git/objects/11/{}", &ONE[2..]), b"x");
        assert!(place(&other).is_marked(&marks));

        // A template has the first commit of many projects, and none of the later ones.
        check_out(&disk, TWO);
        let marks = taken(&disk, &marks);
        assert_eq!(marks.commits, [ONE, TWO]);
        let template = folder(&[]);
        check_out(&template, ONE);
        assert!(!place(&template).is_marked(&marks));
        template.write_raw(format!("{ROOT}/.git/objects/22/{}", &TWO[2..]), b"x");
        assert!(place(&template).is_marked(&marks));
    }

    #[test] // spec: MEM-1
    fn the_first_commit_and_the_latest_are_kept() {
        let disk = folder(&[]);
        let mut marks = Marks::default();
        let commit = |n: usize| format!("{n:040x}");
        for n in 1..=20 {
            check_out(&disk, &commit(n));
            assert!(place(&disk).is_due(&marks, now()), "{n}");
            marks = taken(&disk, &marks);
            assert!(!place(&disk).is_due(&marks, now()), "{n}");
        }
        let kept = std::iter::once(1).chain(10..=20).map(commit).collect::<Vec<_>>();
        assert_eq!(marks.commits, kept);
        check_out(&disk, &commit(12));
        assert_eq!(
            taken(&disk, &marks).commits.last(),
            Some(&commit(20)),
            "what is known is not counted anew"
        );
    }

    #[test] // spec: MEM-1, MEM-21
    fn a_folder_inside_a_repository_is_told_by_it_only_while_it_has_tracked_files() {
        let disk = folder(&[]);
        disk.write_raw("/src/.git/HEAD", format!("{ONE}\n").as_bytes());
        let marks = taken(&disk, &Marks::default());
        assert_eq!(marks.commits, [ONE]);
        assert!(!place(&disk).is_marked(&marks), "it may be ignored, and hold anything");
        track(&disk, &[("cherry/lib", "1"), ("cherry/readme", "2"), ("plum/lib", "3")]);
        assert!(!place(&disk).is_marked(&marks), "nothing that is tracked in it is remembered");
        let marks = taken(&disk, &marks);
        assert_eq!((marks.inside.as_deref(), marks.tracked.len()), (Some("cherry"), 2));
        assert!(place(&disk).is_marked(&marks));
        track(&disk, &[("cherry/lib", "4"), ("cherry/readme", "2\r\n")]);
        assert!(!place(&disk).is_marked(&marks));
        track(&disk, &[("cherry/lib", "4"), ("cherry/readme", "2")]);
        assert!(place(&disk).is_marked(&marks), "half of it is as it was");
        track(&disk, &[("cherry/lib", "3"), ("cherry/readme", "4")]);
        assert!(!place(&disk).is_marked(&marks), "another folder was put there");
        // Git still tracks what was deleted from the folder.
        track(&disk, &[("cherry/lib", "1"), ("cherry/readme", "2")]);
        assert!(place(&disk).is_marked(&marks));
        disk.write_raw(format!("{ROOT}/lib"), b"3");
        disk.unlink(format!("{ROOT}/readme").as_ref()).expect("it is there");
        assert!(!place(&disk).is_marked(&marks), "git was not told yet");
        let older = Marks { inside: None, tracked: Vec::new(), ..marks.clone() };
        assert!(place(&disk).is_marked(&older) && place(&disk).is_due(&older, now()));
        let top = CandidateFolder { root: Path::new("/src"), ..place(&disk) };
        assert!(!top.is_marked(&marks), "the repository is not a folder in it");
        assert!(!place(&disk).is_marked(&top.marks(&Marks::default(), None, now())));

        // A repository in the person's home says nothing about the folders in it.
        let at_home = SimDisk::new();
        at_home.write_raw("/home/ana/.git/HEAD", format!("{ONE}\n").as_bytes());
        at_home.make_dirs("/home/ana/notes");
        let notes = CandidateFolder { root: Path::new("/home/ana/notes"), ..place(&at_home) };
        assert_eq!(notes.marks(&Marks::default(), None, now()).commits, [] as [String; 0]);
    }

    #[test] // spec: MEM-1a
    fn files_that_other_folders_have_too_do_not_tell_a_folder() {
        let disk = folder(&[]);
        disk.write_raw("/src/.git/HEAD", format!("{ONE}\n").as_bytes());
        track(
            &disk,
            &[
                ("cherry/lib", "1"),
                ("cherry/licence", "2"),
                ("cherry/lint", "3"),
                ("plum/licence", "2"),
                ("plum/lint", "3"),
            ],
        );
        let marks = taken(&disk, &Marks::default());
        assert_eq!(marks.tracked.iter().map(|mark| mark.path.as_str()).collect::<Vec<_>>(), ["lib"]);
        track(&disk, &[("cherry/lib", "4"), ("cherry/licence", "2"), ("cherry/lint", "3")]);
        assert!(!place(&disk).is_marked(&marks));
    }

    #[test] // spec: MEM-1a
    fn files_of_one_size_and_date_do_not_tell_a_folder_whose_tracked_files_have_other_content() {
        let disk = folder(&[]);
        disk.write_raw("/src/.git/HEAD", format!("{ONE}\n").as_bytes());
        let files = [("cherry/lib", "of cherry"), ("cherry/readme", "for cherry")];
        track(&disk, &files);
        let marks = taken(&disk, &Marks::default());
        assert_eq!((marks.files.len(), marks.tracked.len()), (2, 2));
        // Another package whose files were written in the same tick.
        let other = folder(&[]);
        other.write_raw("/src/.git/HEAD", format!("{ONE}\n").as_bytes());
        track(
            &other,
            &files.map(|(path, text)| (path, if text == "of cherry" { "of a plum" } else { "for a plum" })),
        );
        let marks = dated_as_on(&other, &marks);
        assert!(!place(&other).is_marked(&marks));
        // Marks of an older program have no content.
        let older = marks.files.iter().map(|mark| FileMark { content: None, ..mark.clone() }).collect();
        let older = Marks { files: older, ..marks };
        assert!(place(&other).has_files(&older) && place(&other).is_due(&older, now()));
        assert!(!place(&other).is_marked(&older));
    }

    /// The marks with the dates that the files have on this disk, as if all had been written in one tick.
    fn dated_as_on(disk: &SimDisk, marks: &Marks) -> Marks {
        let date = |mark: &FileMark| {
            let stat = disk.stat(&Path::new(ROOT).join(&mark.path)).expect("a file");
            FileMark { modified_ns: stat.modified_ns.to_string(), ..mark.clone() }
        };
        Marks { files: marks.files.iter().map(date).collect(), ..marks.clone() }
    }

    #[test] // spec: MEM-1a, MEM-21
    fn files_of_one_size_and_date_with_other_content_are_of_another_project() {
        let disk = folder(&[]);
        let other = folder(&[]);
        for file in ["a", "b", "c"] {
            disk.write_raw(format!("{ROOT}/{file}"), format!("{file} of cherry").as_bytes());
            other.write_raw(format!("{ROOT}/{file}"), format!("{file} of a plum").as_bytes());
        }
        let marks = taken(&disk, &Marks::default());
        let long = |text: &str| [vec![b'x'; 70_000], text.into()].concat();
        assert!(place(&disk).is_marked(&marks));
        let marks = dated_as_on(&other, &marks);
        assert!(marks.files.iter().all(|mark| mark.len == 11), "one size");
        assert!(!place(&other).is_marked(&marks));

        // A long file is read at its start.
        disk.write_raw(format!("{ROOT}/a"), &long("cherry"));
        assert_eq!(taken(&disk, &Marks::default()).files.len(), 3);
    }

    #[test] // spec: MEM-1a, MEM-21
    fn files_do_not_tell_a_repository_with_another_history() {
        let with_history = |commit: &str| {
            let disk = folder(&["a", "b", "c"]);
            check_out(&disk, commit);
            disk.write_raw(format!("{ROOT}/.git/objects/{}/{}", &commit[..2], &commit[2..]), b"x");
            disk
        };
        let marks = taken(&with_history(ONE), &Marks::default());
        let other = with_history(TWO);
        let marks = dated_as_on(&other, &marks);
        assert!(place(&other).has_files(&marks), "what one generator wrote");
        assert!(!place(&other).is_marked(&marks));
        // Without a repository, the files are all there is.
        let plain = folder(&["a", "b", "c"]);
        assert!(place(&plain).is_marked(&dated_as_on(&plain, &marks)));
    }

    #[test] // spec: MEM-1a
    fn a_tracked_file_with_the_line_ends_of_windows_is_the_same_file() {
        let disk = folder(&[]);
        disk.write_raw("/src/.git/HEAD", format!("{ONE}\n").as_bytes());
        track(&disk, &[("cherry/lib", "a\nb\n")]);
        let marks = taken(&disk, &Marks::default());
        disk.write_raw(format!("{ROOT}/lib"), b"a\r\nb\r\n");
        assert!(place(&disk).is_marked(&marks));
        disk.write_raw(format!("{ROOT}/lib"), b"a\rb\r\n");
        assert!(!place(&disk).is_marked(&marks));
        for path in ["../lib", "/src/cherry/lib", ""] {
            let mark = TrackedMark { path: path.into(), object: git_object(b"a\rb\r\n", 40) };
            assert!(!place(&disk).has_object(&mark), "{path}");
        }
    }

    /// Writes these files into the repository around the folder, and lets it track them.
    fn track(disk: &SimDisk, files: &[(&str, &str)]) {
        let mut index = b"DIRC\0\0\0\x02".to_vec();
        index.extend(u32::try_from(files.len()).expect("a few").to_be_bytes());
        for (path, text) in files {
            disk.write_raw(format!("/src/{path}"), text.as_bytes());
            let mut entry = vec![0; 40];
            let object = git_object(text.as_bytes(), 40);
            let digit = |at: usize| u8::from_str_radix(&object[at..at + 2], 16).expect("hex");
            entry.extend((0..40).step_by(2).map(digit));
            entry.extend(u16::try_from(path.len()).expect("short").to_be_bytes());
            entry.extend(path.bytes().chain([0]));
            entry.resize(entry.len().next_multiple_of(8), 0);
            index.extend(entry);
        }
        disk.write_raw("/src/.git/index", &index);
    }

    #[test] // spec: MEM-1
    fn a_clone_without_its_past_is_told_by_where_it_came_from() {
        let cloned = |url: &str| cloned(ONE, url);
        let marks = taken(&cloned("https://example.org/cherry"), &Marks::default());
        let again = cloned("https://example.org/cherry.git");
        check_out(&again, TWO);
        assert!(!place(&again).is_marked(&marks), "a clone with its past has the commits");
        again.write_raw(format!("{ROOT}/.git/shallow"), TWO.as_bytes());
        assert!(place(&again).is_marked(&marks));
        let other = cloned("https://example.org/plum");
        check_out(&other, TWO);
        other.write_raw(format!("{ROOT}/.git/shallow"), TWO.as_bytes());
        assert!(!place(&other).is_marked(&marks));
    }

    /// A repository with this commit checked out, cloned from this address.
    fn cloned(commit: &str, url: &str) -> SimDisk {
        let disk = folder(&[]);
        check_out(&disk, commit);
        let config = format!("[remote \"origin\"]\n\turl = {url}\n");
        disk.write_raw(format!("{ROOT}/.git/config"), config.as_bytes());
        disk
    }

    #[test] // spec: MEM-1a, MEM-21
    fn an_origin_that_differs_speaks_against_whatever_is_shared() {
        let acme = cloned(ONE, "https://example.org/acme/app.git");
        let marks = taken(&acme, &Marks::default());
        let rival = cloned(ONE, "https://example.org/rival/app.git");
        assert!(!place(&rival).is_marked(&marks), "the commit of a template");
        assert!(place(&cloned(ONE, "git@example.org:acme/app.git")).is_marked(&marks));
        let unnamed = folder(&[]);
        check_out(&unnamed, ONE);
        assert!(!place(&unnamed).is_marked(&marks), "one commit, and no origin where one is known");

        // The later commits and the unchanged files make no difference.
        check_out(&acme, TWO);
        for file in ["a", "b", "c"] {
            acme.write_raw(format!("{ROOT}/{file}"), b"x");
        }
        let marks = taken(&acme, &marks);
        assert!(place(&acme).is_marked(&marks));
        acme.write_raw(
            format!("{ROOT}/.git/config"),
            b"[remote \"origin\"]\n\turl = https://example.org/rival/app\n",
        );
        assert!(!place(&acme).is_marked(&marks) && !place(&acme).agrees(&marks, true));
        assert!(place(&acme).is_due(&marks, now()), "another origin is remembered as soon as it is seen");
        check_out(&unnamed, TWO);
        assert!(place(&unnamed).is_marked(&marks), "a later commit says it without an origin");

        // A folder that carries the brain's id: a template's commit is not enough, a later one is.
        assert!(place(&rival).is_cloned_elsewhere(&marks));
        assert!(!place(&acme).is_cloned_elsewhere(&marks));
        assert!(!place(&unnamed).is_cloned_elsewhere(&marks));
    }

    #[test] // spec: MEM-1, MEM-21
    fn another_history_is_one_that_shares_nothing_with_what_is_remembered() {
        let url = "https://example.org/acme/app";
        let marks = taken(&cloned(ONE, url), &Marks::default());
        assert!(place(&cloned(TWO, "https://example.org/rival/app")).is_another_history(&marks));
        assert!(!place(&cloned(TWO, url)).is_another_history(&marks), "the origin is the same");
        assert!(!place(&cloned(ONE, "https://example.org/rival/app")).is_another_history(&marks));
        assert!(!place(&folder(&[])).is_another_history(&marks), "no repository says nothing");
        let empty = folder(&[]);
        empty.write_raw(format!("{ROOT}/.git/HEAD"), b"ref: refs/heads/main\n");
        assert!(!place(&empty).is_another_history(&marks), "one without a commit says nothing");
        assert!(!place(&cloned(TWO, url)).is_another_history(&Marks::default()));

        // A repository that is made anew in its folder has the files.
        let disk = folder(&["a", "b"]);
        check_out(&disk, ONE);
        let marks = taken(&disk, &Marks::default());
        disk.unlink(Path::new(&format!("{ROOT}/.git/HEAD"))).expect("it is there");
        check_out(&disk, TWO);
        assert!(marks.files.len() >= FILES_MIN && !place(&disk).is_another_history(&marks));
    }

    #[test] // spec: MEM-1, MEM-21
    fn what_is_remembered_must_be_in_a_folder_that_has_the_number_and_birth() {
        let disk = folder(&[]);
        check_out(&disk, ONE);
        let marks = taken(&disk, &Marks::default());
        for near in [true, false] {
            assert!(place(&disk).agrees(&marks, near));
            let other = folder(&[]);
            check_out(&other, TWO);
            assert!(!place(&other).agrees(&marks, near), "another history");
        }
        // Where no commit and no origin is remembered, the path or the device must be the same.
        let plain = folder(&["a", "b"]);
        for marks in [Marks::default(), taken(&plain, &Marks::default())] {
            assert!(place(&plain).agrees(&marks, true));
            assert!(!place(&plain).agrees(&marks, false));
        }
        // A folder that was taken out of its repository has the files.
        let files = taken(&plain, &Marks::default()).files;
        let marks = Marks { commits: vec![ONE.into()], files, ..Marks::default() };
        assert!(place(&plain).agrees(&marks, true) && !place(&plain).agrees(&marks, false));
        assert!(!place(&folder(&[])).agrees(&marks, true));
        // A clone of the same origin that has none of the commits.
        let url = "https://example.org/acme/app";
        let marks = taken(&cloned(ONE, url), &Marks::default());
        assert!(place(&cloned(TWO, url)).agrees(&marks, false));
    }

    #[test] // spec: MEM-1
    fn an_archive_that_keeps_whole_seconds_keeps_the_time() {
        assert!(is_same_time(7_123_456_789, 7_123_456_789));
        assert!(is_same_time(7_123_456_789, 7_000_000_000));
        assert!(!is_same_time(7_123_456_789, 7_123_456_788));
        assert!(!is_same_time(7_123_456_789, 8_000_000_000));
    }

    #[test] // spec: MEM-1
    fn damaged_marks_are_none_and_lead_nowhere() {
        #[derive(Deserialize)]
        struct Holder {
            #[serde(default, deserialize_with = "Marks::lenient")]
            marks: Marks,
        }
        for text in ["{}", r#"{"marks": 7}"#, r#"{"marks": {"files": [1]}}"#] {
            assert!(serde_json::from_str::<Holder>(text).expect("JSON").marks.is_empty(), "{text}");
        }
        let disk = folder(&["a"]);
        disk.write_raw("/src/x", b"x");
        let mark = |path: &str| FileMark {
            path: path.into(),
            len: 1,
            modified_ns: "nonsense".into(),
            content: None,
        };
        let files = vec![mark("../x"), mark("/src/x"), mark("a"), mark("")];
        assert!(!place(&disk).is_marked(&Marks { files, commits: vec!["../..".into()], ..Marks::default() }));
    }
}
