//! Looking at folders for the router: what git and the home say about each.

use crate::route::{Git, Ground, Look, NeverProjects, ground};
use brainstem_base::disk::FileKind;
use brainstem_base::{Disk, DiskFault};
use brainstem_vault::git::{line_of, setting};
use brainstem_vault::home::{AtRoot, BrokenFolder, DisplacedBrain, NotServedReason};
use brainstem_vault::{Brain, Home, StorePlace};
use std::path::{Path, PathBuf};

pub use brainstem_vault::git::{canonical, commit_of, common_dir, git_dir, is_bare};

/// What a place belongs to, with the brain itself.
pub enum Found {
    /// To a project with this brain.
    Brain(Box<Brain>),
    /// To a project at this root whose brain cannot be read.
    Broken(PathBuf, BrokenFolder),
    /// To a folder that was made where the root of other brains was.
    Replaced(PathBuf, Vec<DisplacedBrain>),
    /// To a project at this root without a brain.
    Project(PathBuf),
    /// To no project.
    Nowhere,
}

/// Surveys the folders above a place.
pub fn survey(home: &Home, never: &NeverProjects, path: &Path) -> Found {
    let mut brains: Vec<Brain> = Vec::new();
    let mut broken: Option<(PathBuf, BrokenFolder)> = None;
    let mut replaced: Option<(PathBuf, Vec<DisplacedBrain>)> = None;
    let mut aside: Option<(PathBuf, Vec<DisplacedBrain>)> = None;
    let mut look = |dir: &Path| {
        let git = git_at(home, dir);
        let seen = match git {
            Git::Worktree { .. } => AtRoot::Nothing,
            Git::Top | Git::Nothing => look_at(home, dir),
        };
        let has_brain = has_brain(&seen);
        match seen {
            AtRoot::Nothing => {}
            AtRoot::Brain(brain) => brains.push(*brain),
            AtRoot::Broken(folder) => broken = Some((dir.to_owned(), folder)),
            // Where no brain covers the folder, the caller hears of the nearest replaced one.
            AtRoot::Replaced(before) if !has_brain => {
                aside.get_or_insert((dir.to_owned(), before));
            }
            AtRoot::Replaced(before) => replaced = Some((dir.to_owned(), before)),
        }
        Look { git, has_brain }
    };
    let take = |root: &Path, brains: Vec<Brain>| brains.into_iter().find(|brain| brain.root == root);
    let ground = ground(path, never, &mut look);
    // A folder with a brain of its own inside a repository may have moved, alone or with the repository.
    if let Ground::Brain(root) | Ground::Project(root) = &ground
        && let Some(brain) =
            path.ancestors().take_while(|dir| dir != root).find_map(|dir| home.rebind_moved(dir))
    {
        return Found::Brain(Box::new(brain));
    }
    match ground {
        Ground::Brain(root) => match take(&root, brains) {
            Some(brain) => Found::Brain(Box::new(brain)),
            None => {
                let broken = broken.filter(|(at, _)| *at == root);
                let replaced = replaced.filter(|(at, _)| *at == root);
                match (broken, replaced) {
                    (Some((root, folder)), _) => Found::Broken(root, folder),
                    (None, Some((root, before))) => Found::Replaced(root, before),
                    (None, None) => Found::Project(root),
                }
            }
        },
        // The registry is asked for a moved root only where nothing lies at the path itself.
        Ground::Project(root) => match home.rebind_moved(&root) {
            Some(brain) => Found::Brain(Box::new(brain)),
            None => match aside.filter(|(at, _)| at.starts_with(&root)) {
                Some((at, before)) => Found::Replaced(at, before),
                None => Found::Project(root),
            },
        },
        Ground::Nowhere => {
            let moved =
                path.ancestors().take_while(|dir| !never.stop_at(dir)).find_map(|dir| home.rebind_moved(dir));
            match (moved, aside) {
                (Some(brain), _) => Found::Brain(Box::new(brain)),
                (None, Some((at, before))) => Found::Replaced(at, before),
                (None, None) => Found::Nowhere,
            }
        }
    }
}

/// What the home knows about a folder. The memory of a worktree is that of its repository: where that is not at the path
/// that the worktree names, it is kept and not served, until a caller gives the folder a brain by name.
pub fn look_at(home: &Home, dir: &Path) -> AtRoot {
    let seen = home.look_at(dir);
    let is_decided = match &seen {
        // One under the home has its record there.
        AtRoot::Brain(brain) => brain.place == StorePlace::Owner || is_recorded(home, brain),
        AtRoot::Nothing => false,
        AtRoot::Replaced(_) | AtRoot::Broken(_) => true,
    };
    if is_decided {
        return seen;
    }
    let lost = lost_repository(&**home.disk(), dir).map(|main| brains_of_lost(home, dir, &main));
    match lost.filter(|brains| !brains.is_empty()) {
        Some(brains) => AtRoot::Replaced(brains),
        None => seen,
    }
}

/// Whether the home has a record of a brain, and not only the checkout its manifest.
fn is_recorded(home: &Home, brain: &Brain) -> bool {
    home.disk().stat(&brain.folder.join("root.json")).is_ok()
}

/// The brains of the repository that a worktree lost: those recorded at its path, or else those of a repository that
/// names this folder as its worktree, because it was moved and is known at its new place.
fn brains_of_lost(home: &Home, dir: &Path, main: &Path) -> Vec<DisplacedBrain> {
    let brains = home.roster().unwrap_or_default().brains;
    let names_it = |brain: &&Brain| worktrees_of(&**home.disk(), &brain.root).iter().any(|tree| tree == dir);
    // One that carries its brain may not be on record at this path.
    let at_main = || home.brain_at(main).into_iter().collect();
    let mut found: Vec<Brain> = brains.iter().filter(|brain| brain.root == main).cloned().collect();
    if found.is_empty() {
        found = at_main();
    }
    if found.is_empty() {
        found = brains.iter().filter(names_it).cloned().collect();
    }
    let apart = |brain: Brain| DisplacedBrain {
        lay_in: brain.place,
        brain: Brain { place: StorePlace::Owner, ..brain },
        apart: NotServedReason::Worktree,
    };
    found.into_iter().map(apart).collect()
}

/// The repository that a worktree names and that does not know it: it is not at that path any more, or the worktree was
/// moved. `None` for every other folder, also for one that another worktree's name was written into.
pub(crate) fn lost_repository(disk: &dyn Disk, dir: &Path) -> Option<PathBuf> {
    let dot_git = dir.join(".git");
    if disk.stat(&dot_git).ok()?.kind != FileKind::File {
        return None;
    }
    let git_dir = git_dir(disk, dir)?;
    let worktrees = git_dir.parent().filter(|parent| parent.ends_with("worktrees"))?;
    let is_gone = |path: &Path| disk.stat(path).is_err_and(|error| error.fault() == DiskFault::NotFound);
    let is_elsewhere = || {
        let named = line_of(disk, &git_dir.join("gitdir"))?;
        Some(is_gone(&git_dir.join(named.trim())))
    };
    if !is_gone(&git_dir) && is_elsewhere() != Some(true) {
        return None;
    }
    let common = worktrees.parent()?;
    let main = if common.ends_with(".git") { common.parent()? } else { common };
    Some(main.to_owned())
}

/// The brain that was made at the path of a linked worktree while its repository was away. The worktree is served from
/// its repository's brain, so that no answer shows this one.
pub fn brain_of_worktree(home: &Home, never: &NeverProjects, path: &Path) -> Option<Brain> {
    let mut dirs = path.ancestors().take_while(|dir| !never.stop_at(dir));
    let top = dirs.find(|dir| home.disk().stat(&dir.join(".git")).is_ok())?;
    match git_at(home, top) {
        Git::Worktree { .. } => own_brain(home, top),
        Git::Top | Git::Nothing => None,
    }
}

/// The brain of which the home has a record at exactly this folder.
pub fn own_brain(home: &Home, dir: &Path) -> Option<Brain> {
    home.brain_at(dir).filter(|brain| is_recorded(home, brain))
}

/// Whether a folder is the root of a brain, readable or not. One that was set aside is out of the way: a brain
/// around it covers the folder.
fn has_brain(seen: &AtRoot) -> bool {
    match seen {
        AtRoot::Nothing => false,
        AtRoot::Brain(_) | AtRoot::Broken(_) => true,
        AtRoot::Replaced(before) => {
            before.iter().any(|displaced| displaced.apart != NotServedReason::SetAside)
        }
    }
}

/// The top of the repository a place is in, worktrees mapped to their repository.
pub fn repository_of(home: &Home, never: &NeverProjects, path: &Path) -> Option<PathBuf> {
    let mut look = |dir: &Path| Look { git: git_at(home, dir), has_brain: false };
    match ground(path, never, &mut look) {
        Ground::Project(root) | Ground::Brain(root) => Some(root),
        Ground::Nowhere => None,
    }
}

/// The root of the project a place is in, with a brain or without; the registry is not asked for moved roots.
pub fn project_of(home: &Home, never: &NeverProjects, path: &Path) -> Option<PathBuf> {
    let mut look = |dir: &Path| {
        let git = git_at(home, dir);
        let has_brain = !matches!(git, Git::Worktree { .. }) && has_brain(&look_at(home, dir));
        Look { git, has_brain }
    };
    match ground(path, never, &mut look) {
        Ground::Project(root) | Ground::Brain(root) => Some(root),
        Ground::Nowhere => None,
    }
}

/// The folders of the worktrees that a repository names as its own.
pub fn worktrees_of(disk: &dyn Disk, root: &Path) -> Vec<PathBuf> {
    // Those of a bare repository are roots of their own.
    let Some(dir) = git_dir(disk, root).filter(|dir| !is_bare(disk, dir)).map(|dir| dir.join("worktrees"))
    else {
        return Vec::new();
    };
    let entries = disk.list(&dir).unwrap_or_default().into_iter();
    let named = entries.filter_map(|entry| line_of(disk, &dir.join(entry.name).join("gitdir")));
    named.filter_map(|line| Path::new(line.trim()).parent().map(Path::to_owned)).collect()
}

/// What git says about a folder, read from its files: no git program is needed.
fn git_at(home: &Home, dir: &Path) -> Git {
    let disk = &**home.disk();
    let dot_git = dir.join(".git");
    match disk.stat(&dot_git).map(|stat| stat.kind) {
        Ok(FileKind::Dir) if disk.stat(&dot_git.join("HEAD")).is_ok() => Git::Top,
        Ok(FileKind::Link) if disk.canonical(&dot_git).is_ok() => Git::Top,
        Ok(FileKind::File) => linked(home, dir, &dot_git),
        Ok(_) | Err(_) if is_bare(disk, dir) => Git::Top,
        Ok(_) | Err(_) => Git::Nothing,
    }
}

/// A `.git` file points to a worktree's folder, a submodule's, or a repository kept elsewhere.
fn linked(home: &Home, dir: &Path, dot_git: &Path) -> Git {
    let disk = &**home.disk();
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
    let in_folder = common.parent().filter(|_| common.file_name().is_some_and(|name| name == ".git"));
    // A bare repository has no files checked out, so that each worktree of it is a root of its own. One that carries no
    // brain keeps to the brain that the bare repository itself was given.
    if is_bare(disk, &common) {
        let main = in_folder.unwrap_or(&common);
        return match has_brain(&home.look_at(dir)) || !has_brain(&home.look_at(main)) {
            true => Git::Top,
            false => Git::Worktree { main: main.to_owned() },
        };
    }
    if let Some(main) = in_folder {
        // A caller made the worktree the root of the memory while the repository was away.
        let is_its_own = || !has_brain(&home.look_at(main)) && home.rebind_moved(main).is_none();
        return match own_brain(home, dir) {
            Some(_) if is_its_own() => Git::Top,
            _ => Git::Worktree { main: main.to_owned() },
        };
    }
    // A submodule's repository names its worktree.
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
