//! What git's files say about a repository. They are read directly: a git program that runs in another person's folder
//! would follow that folder's settings.

mod inflate;
pub(crate) mod objects;
mod repository;

pub use repository::Repository;

use brainstem_base::disk::FileKind;
use brainstem_base::{Disk, DiskFault};
use std::path::{Component, Path, PathBuf};

/// The largest of git's pointer files and settings that is read.
const GIT_FILE_MAX: u64 = 64 * 1024;
/// The largest list of packed references that is read.
const PACKED_REFS_MAX: u64 = 16 * 1024 * 1024;

/// The canonical form of a path. The missing end of a path is joined to the canonical form of the existing part.
pub fn canonical(disk: &dyn Disk, path: &Path) -> PathBuf {
    let mut rest: Vec<std::ffi::OsString> = Vec::new();
    let mut at = path;
    loop {
        match disk.canonical(at) {
            Ok(base) => return rest.iter().rev().fold(base, |base, part| step(base, part)),
            Err(error) if error.fault() == DiskFault::NotFound => {
                match (at.parent(), at.components().next_back()) {
                    (Some(parent), Some(last)) => {
                        rest.push(last.as_os_str().to_owned());
                        at = parent;
                    }
                    (_, _) => return path.to_owned(),
                }
            }
            Err(_) => return path.to_owned(),
        }
    }
}

fn step(base: PathBuf, part: &std::ffi::OsStr) -> PathBuf {
    match Path::new(part).components().next() {
        Some(Component::ParentDir) => base.parent().map(Path::to_owned).unwrap_or(base),
        Some(Component::CurDir) | None => base,
        Some(Component::Normal(_) | Component::RootDir | Component::Prefix(_)) => base.join(part),
    }
}

/// The folder in which git keeps what it knows about the repository at a root.
pub fn git_dir(disk: &dyn Disk, root: &Path) -> Option<PathBuf> {
    let mut dot_git = root.join(".git");
    let mut kind = disk.stat(&dot_git).ok()?.kind;
    // Git follows a link here.
    if kind == FileKind::Link {
        dot_git = disk.canonical(&dot_git).ok()?;
        kind = disk.stat(&dot_git).ok()?.kind;
    }
    match kind {
        // A folder that cannot be looked into still counts as a repository's.
        FileKind::Dir => {
            let head = disk.stat(&dot_git.join("HEAD")).map_err(|error| error.fault());
            (head.err() != Some(DiskFault::NotFound)).then_some(dot_git)
        }
        FileKind::File => {
            let line = line_of(disk, &dot_git)?;
            Some(canonical(disk, &root.join(line.strip_prefix("gitdir:")?.trim())))
        }
        FileKind::Link | FileKind::Other => None,
    }
}

/// The folder in which git keeps what all worktrees of a repository share: its settings, its branches and its commits.
pub fn common_dir(disk: &dyn Disk, git_dir: &Path) -> PathBuf {
    match line_of(disk, &git_dir.join("commondir")) {
        Some(line) => canonical(disk, &git_dir.join(line.trim())),
        None => git_dir.to_owned(),
    }
}

/// The commit that the repository at a root has checked out, read from git's files. `None` if there is no repository,
/// no commit yet, or a form of references that this module cannot read.
pub fn commit_of(disk: &dyn Disk, root: &Path) -> Option<String> {
    let dir = git_dir(disk, root).or_else(|| is_bare(disk, root).then(|| root.to_owned()))?;
    head_of(disk, &dir)
}

/// The commit that is checked out, as a folder of git says.
fn head_of(disk: &dyn Disk, dir: &Path) -> Option<String> {
    let head = line_of(disk, &dir.join("HEAD"))?;
    let Some(name) = head.strip_prefix("ref:").map(str::trim) else { return hash_in(&head) };
    let is_plain = name.starts_with("refs/")
        && Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    if !is_plain {
        return None;
    }
    // The branches of a linked worktree are in its repository.
    let common = common_dir(disk, dir);
    let loose = |dir: &Path| line_of(disk, &dir.join(name)).and_then(|line| hash_in(&line));
    loose(dir).or_else(|| loose(&common)).or_else(|| {
        let packed = String::from_utf8(disk.read(&common.join("packed-refs"), PACKED_REFS_MAX).ok()?).ok()?;
        packed.lines().find_map(|line| {
            line.split_once(' ').filter(|(_, of)| *of == name).and_then(|(hash, _)| hash_in(hash))
        })
    })
}

/// The name of a commit; `None` for any other text.
fn hash_in(text: &str) -> Option<String> {
    let text = text.trim();
    let is_hash = [40, 64].contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit());
    is_hash.then(|| text.to_owned())
}

/// Whether a folder is a bare repository, which has no working tree. If worktrees have settings of their own, git keeps
/// that one in a separate file.
pub fn is_bare(disk: &dyn Disk, dir: &Path) -> bool {
    let says = |file: &str| setting_in(disk, &dir.join(file), "bare").as_deref() == Some("true");
    disk.stat(&dir.join("HEAD")).is_ok_and(|stat| stat.kind == FileKind::File)
        && (says("config") || says("config.worktree"))
}

/// The first line of a small file.
pub fn line_of(disk: &dyn Disk, path: &Path) -> Option<String> {
    let bytes = disk.read(path, GIT_FILE_MAX).ok()?;
    String::from_utf8(bytes).ok()?.lines().next().map(str::to_owned)
}

/// A setting of a repository's own `config`.
pub fn setting(disk: &dyn Disk, git_dir: &Path, name: &str) -> Option<String> {
    setting_in(disk, &git_dir.join("config"), name)
}

fn setting_in(disk: &dyn Disk, file: &Path, name: &str) -> Option<String> {
    let text = String::from_utf8(disk.read(file, GIT_FILE_MAX).ok()?).ok()?;
    text.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == name).then(|| value.trim().trim_matches('"').to_owned())
    })
}
