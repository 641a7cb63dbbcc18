//! Which paths below a folder git tracks, read from its index. No git program is needed.
//!
//! The format is git's own (`gitformat-index`): versions 2 to 4, entries sorted by path, so the entries below a folder
//! are together and the rest of a large index is not read.

use crate::git::git_dir;
use brainstem_base::{Disk, DiskFault};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// How much of an index is read at first, and at most.
const READ_FIRST: u64 = 256 * 1024;
const READ_MAX: u64 = 256 * 1024 * 1024;
/// The largest of git's pointer files and settings that is read.
const SMALL_FILE_MAX: u64 = 64 * 1024;
/// The bytes of an entry before the name of its object.
const STAT_LEN: usize = 40;
/// Where in them the mode is, its bits for the kind of an entry, and the kind of a submodule.
const MODE_AT: usize = 24;
const KIND_BITS: u32 = 0o170_000;
const SUBMODULE: u32 = 0o160_000;
/// The flag of an entry that more flags follow, and among those the one of an entry that is not checked out.
const MORE_FLAGS: u16 = 0x4000;
const SKIP_WORKTREE: u16 = 0x4000;

/// Where git keeps its state about a folder of a working tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GitPlace {
    /// The indexes: the working tree's own, and those it shares.
    pub(crate) indexes: Vec<PathBuf>,
    /// The folder's path below the top, with a slash at its end.
    prefix: Vec<u8>,
    /// How long the name of an object is.
    oid_len: usize,
}

/// What an index says about a folder. Each path is relative to that folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct IndexListing {
    /// The paths that git tracks below the folder.
    pub(crate) paths: Vec<Vec<u8>>,
    /// The folders below it that a sparse index lists without their files; an empty path if it is the whole folder. Any
    /// file there may be tracked.
    pub(crate) unlisted: Vec<Vec<u8>>,
    /// Where another repository begins (a submodule): below the folder, or empty where it begins at the folder.
    pub(crate) submodules: Vec<Vec<u8>>,
    /// The submodules that the whole folder is inside of, each by the length of the folder's path from its top.
    pub(crate) enclosing: Vec<usize>,
}

/// A file that git tracks below a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TrackedObject {
    /// Its path from that folder.
    pub(crate) path: Vec<u8>,
    /// The name of the object that has its bytes.
    pub(crate) object: Vec<u8>,
    /// A file outside that folder has the same bytes.
    pub(crate) is_elsewhere_too: bool,
}

/// How git tracks a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TrackedPath {
    /// The working tree should have it.
    CheckedOut,
    /// A sparse checkout leaves it out.
    LeftOut,
    /// A sparse index has the folder that it would be in, and not its files. The name of that folder's tree.
    InFolder(Vec<u8>),
}

/// One entry of an index.
struct IndexEntry<'a> {
    /// Its path from the top; one of a folder that a sparse index does not list ends with a slash.
    name: &'a [u8],
    /// The name of its object.
    object: &'a [u8],
    is_submodule: bool,
    /// A sparse checkout leaves it out of the working tree.
    is_left_out: bool,
    /// 0, or while a merge waits: 1 for the common ancestor, 2 for ours, 3 for theirs.
    stage: u8,
}

/// An index that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnreadableIndex;

impl GitPlace {
    /// Finds every working tree that a folder is in, the nearest first: a repository may be inside another one that tracks
    /// its files.
    pub(crate) fn around(disk: &dyn Disk, folder: &Path) -> Vec<Self> {
        let place = |top: &Path| {
            let git_dir = git_dir(disk, top)?;
            let mut prefix = folder.strip_prefix(top).ok()?.as_os_str().as_encoded_bytes().to_vec();
            prefix.push(b'/');
            Some(Self::new(disk, &git_dir, prefix))
        };
        folder.ancestors().skip(1).filter_map(place).collect()
    }

    /// The folders around a folder at which a repository begins.
    pub(crate) fn tops_around(disk: &dyn Disk, folder: &Path) -> Vec<PathBuf> {
        let begins = |dir: &&Path| git_dir(disk, dir).is_some();
        folder.ancestors().skip(1).filter(begins).map(Path::to_owned).collect()
    }

    /// Whether this working tree begins where a submodule does, or inside it. A submodule is given by the length of the
    /// folder's path from its top.
    pub(crate) fn is_within(&self, enclosing: usize) -> bool {
        self.prefix.len() <= enclosing
    }

    /// Whether its own index is there.
    pub(crate) fn has_index(&self, disk: &dyn Disk) -> bool {
        disk.stat(&self.indexes[0]).is_ok()
    }

    /// The working tree at the top folder `top`; `None` if git's folder cannot be found.
    pub(crate) fn at_top(disk: &dyn Disk, top: &Path) -> Option<Self> {
        Some(Self::new(disk, &git_dir(disk, top)?, Vec::new()))
    }

    fn new(disk: &dyn Disk, git_dir: &Path, prefix: Vec<u8>) -> Self {
        let common = first_line(disk, &git_dir.join("commondir")).map(|line| git_dir.join(line.trim()));
        let config = common.as_deref().unwrap_or(git_dir).join("config");
        let config = disk.read(&config, SMALL_FILE_MAX).unwrap_or_default();
        let is_sha256 = String::from_utf8_lossy(&config).lines().any(|line| {
            let setting = line.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
            setting.is_some_and(|(key, value)| {
                key.eq_ignore_ascii_case("objectformat") && value.eq_ignore_ascii_case("sha256")
            })
        });
        let shared = disk.list(git_dir).unwrap_or_default().into_iter().map(|entry| entry.name);
        let shared = shared.filter(|name| name.to_str().is_some_and(|name| name.starts_with("sharedindex.")));
        let indexes =
            [git_dir.join("index")].into_iter().chain(shared.map(|name| git_dir.join(name))).collect();
        Self { indexes, prefix, oid_len: if is_sha256 { 32 } else { 20 } }
    }

    /// The paths that git tracks below the folder.
    pub(crate) fn tracked(&self, disk: &dyn Disk) -> Result<IndexListing, UnreadableIndex> {
        let mut all = IndexListing::default();
        for index in &self.indexes {
            let IndexListing { paths, unlisted, submodules, enclosing } = self.tracked_in(disk, index)?;
            all.paths.extend(paths);
            all.unlisted.extend(unlisted);
            all.submodules.extend(submodules);
            all.enclosing.extend(enclosing);
        }
        Ok(all)
    }

    fn tracked_in(&self, disk: &dyn Disk, index: &Path) -> Result<IndexListing, UnreadableIndex> {
        let mut len = READ_FIRST;
        loop {
            let bytes = match disk.read_start(index, len) {
                Ok(bytes) => bytes,
                // Nothing was ever added.
                Err(error) if error.fault() == DiskFault::NotFound => return Ok(IndexListing::default()),
                Err(_) => return Err(UnreadableIndex),
            };
            let is_whole = (bytes.len() as u64) < len;
            match self.parse(&bytes) {
                Some(found) => return Ok(found),
                None if is_whole || len >= READ_MAX => return Err(UnreadableIndex),
                None => len = (len * 16).min(READ_MAX),
            }
        }
    }

    /// Whether a sparse checkout leaves the file at this path below the folder out of the working tree. An index that
    /// cannot be read may say so.
    pub(crate) fn leaves_out(&self, disk: &dyn Disk, below: &[u8]) -> bool {
        self.indexes.iter().any(|index| match self.find(disk, index, below) {
            Ok(found) => matches!(found, Some(TrackedPath::LeftOut | TrackedPath::InFolder(_))),
            Err(UnreadableIndex) => true,
        })
    }

    /// What the index says about the file at this path below the folder; `None` if git does not track it, and if no index can
    /// be read.
    pub(crate) fn tracked_path(&self, disk: &dyn Disk, below: &[u8]) -> Option<TrackedPath> {
        self.indexes.iter().find_map(|index| self.find(disk, index, below).ok().flatten())
    }

    fn find(
        &self,
        disk: &dyn Disk,
        index: &Path,
        below: &[u8],
    ) -> Result<Option<TrackedPath>, UnreadableIndex> {
        let path = [&self.prefix, below].concat();
        let look = |bytes: &[u8]| {
            let mut found = None;
            let walked = self.walk(bytes, &mut |entry| {
                found = match entry.name {
                    name if name == path && entry.is_left_out => Some(TrackedPath::LeftOut),
                    name if name == path => Some(TrackedPath::CheckedOut),
                    name if name.ends_with(b"/") && path.starts_with(name) => {
                        let rest = path[name.len()..].contains(&b'/');
                        // The tree of a folder further up does not list the file.
                        Some(if rest {
                            TrackedPath::LeftOut
                        } else {
                            TrackedPath::InFolder(entry.object.to_vec())
                        })
                    }
                    _ => None,
                };
                match found.is_some() || entry.name > path.as_slice() {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            });
            walked.map(|()| found)
        };
        let mut len = READ_FIRST;
        loop {
            let bytes = match disk.read_start(index, len) {
                Ok(bytes) => bytes,
                Err(error) if error.fault() == DiskFault::NotFound => return Ok(None),
                Err(_) => return Err(UnreadableIndex),
            };
            match look(&bytes) {
                Some(found) => return Ok(found),
                None if (bytes.len() as u64) < len || len >= READ_MAX => return Err(UnreadableIndex),
                None => len = (len * 16).min(READ_MAX),
            }
        }
    }

    /// The files that git tracks below the folder, each with the name of its object.
    pub(crate) fn objects(&self, disk: &dyn Disk) -> Result<Vec<TrackedObject>, UnreadableIndex> {
        let mut found: Vec<TrackedObject> = Vec::new();
        let mut outside: HashSet<Vec<u8>> = HashSet::new();
        for index in &self.indexes {
            let bytes = match disk.read_start(index, READ_MAX) {
                Ok(bytes) => bytes,
                Err(error) if error.fault() == DiskFault::NotFound => continue,
                Err(_) => return Err(UnreadableIndex),
            };
            let walked = self.walk(&bytes, &mut |entry| {
                match entry.name.strip_prefix(self.prefix.as_slice()) {
                    Some(path) if !entry.is_submodule && !path.ends_with(b"/") => found.push(TrackedObject {
                        path: path.to_vec(),
                        object: entry.object.to_vec(),
                        is_elsewhere_too: false,
                    }),
                    Some(_) => {}
                    None => {
                        outside.insert(entry.object.to_vec());
                    }
                }
                ControlFlow::Continue(())
            });
            walked.ok_or(UnreadableIndex)?;
        }
        for file in &mut found {
            file.is_elsewhere_too = outside.contains(&file.object);
        }
        Ok(found)
    }

    /// The objects of a file of which git's merge waits for a decision: its common ancestor, ours and theirs, each `None` if
    /// there is none. `None` if no merge of it waits, or the index cannot be read.
    pub(crate) fn stages(&self, disk: &dyn Disk, file: &str) -> Option<[Option<Vec<u8>>; 3]> {
        let name = [self.prefix.as_slice(), file.as_bytes()].concat();
        let mut stages = [None, None, None];
        for index in &self.indexes {
            let Ok(bytes) = disk.read_start(index, READ_MAX) else { continue };
            self.walk(&bytes, &mut |entry| {
                if entry.name > name.as_slice() {
                    return ControlFlow::Break(());
                }
                if entry.name == name && entry.stage > 0 {
                    stages[usize::from(entry.stage) - 1] = Some(entry.object.to_vec());
                }
                ControlFlow::Continue(())
            })?;
        }
        stages.iter().any(Option::is_some).then_some(stages)
    }

    /// The tracked paths; `None` if the bytes end too early, or are not an index.
    fn parse(&self, bytes: &[u8]) -> Option<IndexListing> {
        let mut found = IndexListing::default();
        self.walk(bytes, &mut |IndexEntry { name, is_submodule, .. }| {
            if name.ends_with(b"/") && self.prefix.starts_with(name) {
                found.unlisted.push(Vec::new());
            } else if let Some(below) = name.strip_prefix(self.prefix.as_slice()) {
                let (list, path) = match below.strip_suffix(b"/") {
                    Some(folder) => (&mut found.unlisted, folder),
                    None if is_submodule => (&mut found.submodules, below),
                    None => (&mut found.paths, below),
                };
                list.push(path.to_vec());
            } else if let Some([b'/', inside @ ..]) = self.prefix.strip_prefix(name).filter(|_| is_submodule)
            {
                if inside.is_empty() {
                    found.submodules.push(Vec::new());
                } else {
                    found.enclosing.push(inside.len());
                }
            } else if name > self.prefix.as_slice() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })?;
        Some(found)
    }

    /// Calls `visit` with each entry of an index until it breaks off; `None` if the bytes end before that, or are not an
    /// index.
    fn walk(&self, bytes: &[u8], visit: &mut dyn FnMut(IndexEntry<'_>) -> ControlFlow<()>) -> Option<()> {
        let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        if bytes.get(..4)? != b"DIRC" {
            return None;
        }
        let (version, count) = (number(4)?, number(8)?);
        if !(2..=4).contains(&version) {
            return None;
        }
        let (mut at, mut name) = (12, Vec::new());
        for _ in 0..count {
            let start = at;
            let is_submodule = number(at + MODE_AT)? & KIND_BITS == SUBMODULE;
            let object = bytes.get(at + STAT_LEN..at + STAT_LEN + self.oid_len)?;
            at += STAT_LEN + self.oid_len;
            let flags = u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?);
            at += 2;
            let stage = (flags >> 12 & 3) as u8;
            let mut is_left_out = false;
            if version >= 3 && flags & MORE_FLAGS != 0 {
                let more = u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?);
                is_left_out = more & SKIP_WORKTREE != 0;
                at += 2;
            }
            if version == 4 {
                let (cut, used) = varint(bytes.get(at..)?)?;
                name.truncate(name.len().checked_sub(cut)?);
                at += used;
            } else {
                name.clear();
            }
            let rest = bytes.get(at..)?;
            let end = rest.iter().position(|byte| *byte == 0)?;
            name.extend_from_slice(&rest[..end]);
            // An entry of the older versions is filled up to a multiple of eight with zeros, one at least.
            at = if version == 4 { at + end + 1 } else { start + (at + end - start + 8) / 8 * 8 };
            if visit(IndexEntry { name: &name, object, is_submodule, is_left_out, stage }).is_break() {
                break;
            }
        }
        Some(())
    }
}

/// A number as git packs it: seven bits a byte, and each further byte counts one more.
fn varint(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut used = 1;
    let mut byte = *bytes.first()?;
    let mut value = usize::from(byte & 127);
    while byte & 128 != 0 {
        byte = *bytes.get(used)?;
        used += 1;
        value = value.checked_add(1)?.checked_mul(128)?.checked_add(usize::from(byte & 127))?;
    }
    Some((value, used))
}

fn first_line(disk: &dyn Disk, path: &Path) -> Option<String> {
    let text = String::from_utf8(disk.read(path, SMALL_FILE_MAX).ok()?).ok()?;
    text.lines().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::disk::SimDisk;

    /// An index of these paths, as git writes it.
    fn index(version: u32, oid_len: usize, paths: &[&str]) -> Vec<u8> {
        let mut bytes = b"DIRC".to_vec();
        bytes.extend(version.to_be_bytes());
        bytes.extend(u32::try_from(paths.len()).unwrap().to_be_bytes());
        let mut before = "";
        for path in paths {
            let start = bytes.len();
            bytes.extend(vec![7; STAT_LEN + oid_len]);
            let extended: u16 = if version == 3 { 0x4000 } else { 0 };
            bytes.extend((extended | u16::try_from(path.len()).unwrap()).to_be_bytes());
            if version == 3 {
                bytes.extend([0x20, 0]);
            }
            if version == 4 {
                let same = path.bytes().zip(before.bytes()).take_while(|(a, b)| a == b).count();
                let cut = before.len() - same;
                assert!(cut < 128);
                bytes.push(u8::try_from(cut).unwrap());
                bytes.extend(path[same..].bytes().chain([0]));
                before = path;
            } else {
                bytes.extend(path.bytes().chain([0]));
                while !(bytes.len() - start).is_multiple_of(8) {
                    bytes.push(0);
                }
            }
        }
        bytes.extend([9; 20]);
        bytes
    }

    fn tracked(version: u32, oid_len: usize, paths: &[&str]) -> Result<Vec<String>, UnreadableIndex> {
        let disk = SimDisk::new();
        disk.write_raw("/src/cherry/.git/HEAD", b"ref: refs/heads/main\n");
        disk.write_raw("/src/cherry/.git/index", &index(version, oid_len, paths));
        if oid_len == 32 {
            disk.write_raw("/src/cherry/.git/config", b"[extensions]\n\tobjectFormat = sha256\n");
        }
        let [place] = &GitPlace::around(&disk, Path::new("/src/cherry/.mail"))[..] else { panic!("one") };
        let found = place.tracked(&disk)?;
        Ok(found.paths.into_iter().map(|path| String::from_utf8(path).unwrap()).collect())
    }

    #[test] // spec: MAIL-21
    fn every_version_of_an_index_is_read() {
        let paths =
            [".gitignore", ".mail/.gitignore", ".mail/w1/a.md", ".mail/w1/read/b.md", ".mailmap", "src/x.rs"];
        for version in [2, 3, 4] {
            for oid_len in [20, 32] {
                let found = tracked(version, oid_len, &paths).unwrap();
                assert_eq!(found, [".gitignore", "w1/a.md", "w1/read/b.md"], "version {version}, {oid_len}");
            }
            assert_eq!(tracked(version, 20, &["README.md"]).unwrap(), [""; 0]);
        }
    }

    #[test] // spec: MEM-1a
    fn a_file_is_listed_with_its_object_and_whether_another_folder_has_the_same() {
        let object = |n: u8| vec![n; 20];
        let entry = |path: &str, n: u8| {
            let mut bytes = vec![0; STAT_LEN];
            bytes.extend(object(n));
            bytes.extend(u16::try_from(path.len()).unwrap().to_be_bytes());
            bytes.extend(path.bytes().chain([0]));
            bytes.resize(bytes.len().next_multiple_of(8), 0);
            bytes
        };
        let mut index = b"DIRC\0\0\0\x02\0\0\0\x04".to_vec();
        for (path, n) in [("LICENSE", 1), ("pk/a/LICENSE", 1), ("pk/a/lib", 2), ("pk/b/lib", 3)] {
            index.extend(entry(path, n));
        }
        let disk = SimDisk::new();
        disk.write_raw("/src/cherry/.git/HEAD", b"ref: refs/heads/main\n");
        disk.write_raw("/src/cherry/.git/index", &index);
        let [place] = &GitPlace::around(&disk, Path::new("/src/cherry/pk/a"))[..] else { panic!("one") };
        let file = |path: &str, n, is_elsewhere_too| TrackedObject {
            path: path.into(),
            object: object(n),
            is_elsewhere_too,
        };
        assert_eq!(place.objects(&disk), Ok(vec![file("LICENSE", 1, true), file("lib", 2, false)]));
        disk.write_raw("/src/cherry/.git/index", b"no index");
        assert_eq!(place.objects(&disk), Err(UnreadableIndex));
    }

    #[test] // spec: MAIL-21
    fn a_large_index_is_read_as_far_as_the_folder_reaches() {
        let many: Vec<String> =
            (0..9_000).map(|n| format!("{}src/{n:05}.rs", if n < 4_500 { ".a/" } else { "" })).collect();
        let mut paths: Vec<&str> = many.iter().map(String::as_str).chain([".mail/w1/a.md"]).collect();
        paths.sort_unstable();
        assert_eq!(tracked(2, 20, &paths).unwrap(), ["w1/a.md"]);
    }

    #[test] // spec: MAIL-21
    fn a_folder_that_a_sparse_index_does_not_list_is_named() {
        for (paths, unlisted) in [
            (&["README.md", "src/"][..], &[][..]),
            (&[".mail/", "src/x.rs"], &[""]),
            (&[".mail/w1/", ".mail/w2/a.md"], &["w1"]),
        ] {
            let disk = SimDisk::new();
            disk.write_raw("/src/cherry/.git/HEAD", b"ref: refs/heads/main\n");
            disk.write_raw("/src/cherry/.git/index", &index(3, 20, paths));
            let [place] = &GitPlace::around(&disk, Path::new("/src/cherry/.mail"))[..] else { panic!("one") };
            let found = place.tracked(&disk).unwrap().unlisted;
            let found: Vec<String> = found.into_iter().map(|path| String::from_utf8(path).unwrap()).collect();
            assert_eq!(found, unlisted, "{paths:?}");
        }
    }

    #[test] // spec: MAIL-21
    fn what_is_no_index_is_not_taken_for_an_empty_one() {
        let disk = SimDisk::new();
        disk.write_raw("/src/cherry/.git/HEAD", b"ref: refs/heads/main\n");
        let [place] = &GitPlace::around(&disk, Path::new("/src/cherry/.mail"))[..] else { panic!("one") };
        assert_eq!(place.tracked(&disk), Ok(IndexListing::default()), "nothing was added yet");
        let whole = index(2, 20, &[".mail/w1/a.md", ".mail/w1/b.md"]);
        for bad in [&b"no index"[..], &whole[..60], &index(5, 20, &["x"]), b""] {
            disk.write_raw("/src/cherry/.git/index", bad);
            assert_eq!(place.tracked(&disk), Err(UnreadableIndex));
        }
        assert_eq!(GitPlace::around(&disk, Path::new("/src/plum/.mail")), [], "no repository");
    }

    #[test] // spec: MAIL-21
    fn a_shared_index_and_a_repository_elsewhere_are_found() {
        let disk = SimDisk::new();
        disk.write_raw("/src/sub/.git", b"gitdir: ../.store/sub\n");
        disk.write_raw("/src/.store/sub/HEAD", b"ref: refs/heads/main\n");
        disk.write_raw("/src/.store/sub/index", &index(2, 20, &["mail/w1/a.md"]));
        disk.write_raw("/src/.store/sub/sharedindex.0123", &index(2, 20, &["mail/w1/b.md"]));
        let [place] = &GitPlace::around(&disk, Path::new("/src/sub/mail"))[..] else { panic!("one") };
        assert_eq!(place.tracked(&disk).unwrap().paths, [b"w1/a.md", b"w1/b.md"]);
    }
}
