//! Looking at folders for the router: what git and the home say about each.

use crate::route::{Git, Ground, Look, NeverProjects, ground};
use brainstem_base::disk::FileKind;
use brainstem_base::{Disk, DiskFault};
use brainstem_vault::home::BrokenFolder;
use brainstem_vault::{Brain, Home};
use std::path::{Component, Path, PathBuf};

/// The largest of git's pointer files and settings that is read.
const GIT_FILE_MAX: u64 = 64 * 1024;
/// The largest list of packed references that is read.
const PACKED_REFS_MAX: u64 = 16 * 1024 * 1024;

/// What a place belongs to, with the brain itself.
pub(crate) enum Found {
    Brain(Box<Brain>),
    Broken(PathBuf, BrokenFolder),
    Project(PathBuf),
    Nowhere,
}

/// Surveys the folders above a place.
pub(crate) fn survey(home: &Home, never: &NeverProjects, path: &Path) -> Found {
    let disk = &**home.disk();
    let mut brains: Vec<Brain> = Vec::new();
    let mut broken: Option<(PathBuf, BrokenFolder)> = None;
    let mut look = |dir: &Path| {
        let git = git_at(disk, dir);
        let seen = match git {
            Git::Worktree { .. } => Ok(None),
            Git::Top | Git::Nothing => home.look_at(dir),
        };
        let has_brain = !matches!(seen, Ok(None));
        match seen {
            Ok(brain) => brains.extend(brain),
            Err(folder) => broken = Some((dir.to_owned(), folder)),
        }
        Look { git, has_brain }
    };
    let take = |root: &Path, brains: Vec<Brain>| brains.into_iter().find(|brain| brain.root == root);
    match ground(path, never, &mut look) {
        Ground::Brain(root) => match take(&root, brains) {
            Some(brain) => Found::Brain(Box::new(brain)),
            None => match broken.filter(|(at, _)| *at == root) {
                Some((root, folder)) => Found::Broken(root, folder),
                None => Found::Project(root),
            },
        },
        // The registry is asked for a moved root only where nothing lies at the path itself.
        Ground::Project(root) => match home.rebind_moved(&root) {
            Some(brain) => Found::Brain(Box::new(brain)),
            None => Found::Project(root),
        },
        Ground::Nowhere => {
            let moved =
                path.ancestors().take_while(|dir| !never.stop_at(dir)).find_map(|dir| home.rebind_moved(dir));
            moved.map_or(Found::Nowhere, |brain| Found::Brain(Box::new(brain)))
        }
    }
}

/// The top of the repository a place is in, worktrees mapped to their repository.
pub(crate) fn repository_of(home: &Home, never: &NeverProjects, path: &Path) -> Option<PathBuf> {
    let disk = &**home.disk();
    let mut look = |dir: &Path| Look { git: git_at(disk, dir), has_brain: false };
    match ground(path, never, &mut look) {
        Ground::Project(root) | Ground::Brain(root) => Some(root),
        Ground::Nowhere => None,
    }
}

/// The root of the project a place is in, with a brain or without; the registry is not asked for moved roots.
pub(crate) fn project_of(home: &Home, never: &NeverProjects, path: &Path) -> Option<PathBuf> {
    let disk = &**home.disk();
    let mut look = |dir: &Path| {
        let git = git_at(disk, dir);
        let has_brain = !matches!(git, Git::Worktree { .. }) && !matches!(home.look_at(dir), Ok(None));
        Look { git, has_brain }
    };
    match ground(path, never, &mut look) {
        Ground::Project(root) | Ground::Brain(root) => Some(root),
        Ground::Nowhere => None,
    }
}

/// The folders of the worktrees that a repository names as its own.
pub(crate) fn worktrees_of(disk: &dyn Disk, root: &Path) -> Vec<PathBuf> {
    let Some(dir) = git_dir(disk, root).map(|dir| dir.join("worktrees")) else { return Vec::new() };
    let entries = disk.list(&dir).unwrap_or_default().into_iter();
    let named = entries.filter_map(|entry| line_of(disk, &dir.join(entry.name).join("gitdir")));
    named.filter_map(|line| Path::new(line.trim()).parent().map(Path::to_owned)).collect()
}

/// The canonical form of a path. What does not exist is joined to the canonical form of what does.
pub(crate) fn canonical(disk: &dyn Disk, path: &Path) -> PathBuf {
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
pub(crate) fn git_dir(disk: &dyn Disk, root: &Path) -> Option<PathBuf> {
    let dot_git = root.join(".git");
    match disk.stat(&dot_git).ok()?.kind {
        FileKind::Dir | FileKind::Link => Some(dot_git).filter(|dir| disk.stat(&dir.join("HEAD")).is_ok()),
        FileKind::File => {
            let line = line_of(disk, &dot_git)?;
            Some(canonical(disk, &root.join(line.strip_prefix("gitdir:")?.trim())))
        }
        FileKind::Other => None,
    }
}

/// The commit that the repository at a root has checked out, read from git's files. `None` where there is
/// no repository, no commit yet, or git keeps its references in a form that is not read here.
pub(crate) fn commit_of(disk: &dyn Disk, root: &Path) -> Option<String> {
    let dir = git_dir(disk, root).or_else(|| is_bare(disk, root).then(|| root.to_owned()))?;
    let head = line_of(disk, &dir.join("HEAD"))?;
    let Some(name) = head.strip_prefix("ref:").map(str::trim) else { return hash_in(&head) };
    let is_plain = name.starts_with("refs/")
        && Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    if !is_plain {
        return None;
    }
    let loose = line_of(disk, &dir.join(name)).and_then(|line| hash_in(&line));
    loose.or_else(|| {
        let packed = String::from_utf8(disk.read(&dir.join("packed-refs"), PACKED_REFS_MAX).ok()?).ok()?;
        packed.lines().find_map(|line| {
            line.split_once(' ').filter(|(_, of)| *of == name).and_then(|(hash, _)| hash_in(hash))
        })
    })
}

/// The name of a commit, and nothing else that a file may say.
fn hash_in(text: &str) -> Option<String> {
    let text = text.trim();
    let is_hash = [40, 64].contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit());
    is_hash.then(|| text.to_owned())
}

/// What git says about a folder, read from its files: no git program is needed.
fn git_at(disk: &dyn Disk, dir: &Path) -> Git {
    let dot_git = dir.join(".git");
    match disk.stat(&dot_git).map(|stat| stat.kind) {
        Ok(FileKind::Dir) if disk.stat(&dot_git.join("HEAD")).is_ok() => Git::Top,
        Ok(FileKind::Link) if disk.canonical(&dot_git).is_ok() => Git::Top,
        Ok(FileKind::File) => linked(disk, dir, &dot_git),
        Ok(_) | Err(_) if is_bare(disk, dir) => Git::Top,
        Ok(_) | Err(_) => Git::Nothing,
    }
}

/// A bare repository is what its worktrees stand for.
fn is_bare(disk: &dyn Disk, dir: &Path) -> bool {
    disk.stat(&dir.join("HEAD")).is_ok_and(|stat| stat.kind == FileKind::File)
        && setting(disk, dir, "bare").as_deref() == Some("true")
}

/// A `.git` file points to a worktree's folder, a submodule's, or a repository kept elsewhere.
fn linked(disk: &dyn Disk, dir: &Path, dot_git: &Path) -> Git {
    let Some(git_dir) =
        line_of(disk, dot_git).and_then(|line| line.strip_prefix("gitdir:").map(str::to_owned))
    else {
        return Git::Nothing;
    };
    let git_dir = canonical(disk, &dir.join(git_dir.trim()));
    let Some(common) = line_of(disk, &git_dir.join("commondir")) else {
        return Git::Top;
    };
    let common = canonical(disk, &git_dir.join(common.trim()));
    // Anybody can write a file that names a repository; that the repository names it back makes it one
    // of its worktrees.
    if !is_worktree_of(disk, &common, &git_dir, dot_git) {
        return Git::Top;
    }
    if common.file_name().is_some_and(|name| name == ".git")
        && let Some(main) = common.parent()
    {
        return Git::Worktree { main: main.to_owned() };
    }
    // A submodule's repository names its worktree; a bare one has none and stands for itself.
    match setting(disk, &common, "worktree").map(|path| canonical(disk, &common.join(path))) {
        None => Git::Worktree { main: common },
        Some(main) if self::git_dir(disk, &main).is_some_and(|dir| canonical(disk, &dir) == common) => {
            Git::Worktree { main }
        }
        Some(_) => Git::Top,
    }
}

/// Whether a repository keeps this `.git` file among its linked worktrees.
fn is_worktree_of(disk: &dyn Disk, common: &Path, git_dir: &Path, dot_git: &Path) -> bool {
    let named = || line_of(disk, &git_dir.join("gitdir"));
    git_dir.parent() == Some(&common.join("worktrees"))
        && named()
            .is_some_and(|named| canonical(disk, &git_dir.join(named.trim())) == canonical(disk, dot_git))
}

fn line_of(disk: &dyn Disk, path: &Path) -> Option<String> {
    let bytes = disk.read(path, GIT_FILE_MAX).ok()?;
    String::from_utf8(bytes).ok()?.lines().next().map(str::to_owned)
}

/// A setting of a repository's own `config`.
fn setting(disk: &dyn Disk, git_dir: &Path, name: &str) -> Option<String> {
    let text = String::from_utf8(disk.read(&git_dir.join("config"), GIT_FILE_MAX).ok()?).ok()?;
    text.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == name).then(|| value.trim().trim_matches('"').to_owned())
    })
}
