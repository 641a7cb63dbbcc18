//! What git and the home say about the folders above a caller's place.

use crate::route::{FolderFacts, Git, Ground, NeverProjects, ground};
use brainstem_base::disk::FileKind;
use brainstem_base::{Disk, DiskFault};
use brainstem_vault::git::{line_of, setting};
use brainstem_vault::home::{AtRoot, BrokenFolder, DisplacedBrain, NotServedReason};
use brainstem_vault::{Brain, Home, StorePlace};
use std::path::{Path, PathBuf};

pub use brainstem_vault::git::{canonical, commit_of, common_dir, git_dir, is_bare};

/// What a place belongs to, with the brain itself.
pub enum CoveringProject {
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
pub fn survey(home: &Home, never: &NeverProjects, path: &Path) -> CoveringProject {
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
            // If no brain covers the folder, the nearest replaced one is the answer.
            AtRoot::Replaced(before) if !has_brain => {
                aside.get_or_insert((dir.to_owned(), before));
            }
            AtRoot::Replaced(before) => replaced = Some((dir.to_owned(), before)),
        }
        FolderFacts { git, has_brain }
    };
    let take = |root: &Path, brains: Vec<Brain>| brains.into_iter().find(|brain| brain.root == root);
    let ground = ground(path, never, &mut look);
    // A folder with a brain of its own inside a repository may have moved, alone or with the repository.
    if let Ground::Brain(root) | Ground::Project(root) = &ground
        && path.starts_with(root)
        && let Some(brain) =
            path.ancestors().take_while(|dir| dir != root).find_map(|dir| home.rebind_moved(dir))
    {
        return CoveringProject::Brain(Box::new(brain));
    }
    match ground {
        Ground::Brain(root) => match take(&root, brains) {
            Some(brain) => CoveringProject::Brain(Box::new(brain)),
            None => {
                let broken = broken.filter(|(at, _)| *at == root);
                let replaced = replaced.filter(|(at, _)| *at == root);
                match (broken, replaced) {
                    (Some((root, folder)), _) => CoveringProject::Broken(root, folder),
                    (None, Some((root, before))) => CoveringProject::Replaced(root, before),
                    (None, None) => CoveringProject::Project(root),
                }
            }
        },
        // The registry is asked for a moved root only if nothing is at the path itself.
        Ground::Project(root) => match home.rebind_moved(&root) {
            Some(brain) => CoveringProject::Brain(Box::new(brain)),
            None => match aside.filter(|(at, _)| at.starts_with(&root)) {
                Some((at, before)) => CoveringProject::Replaced(at, before),
                None => CoveringProject::Project(root),
            },
        },
        Ground::Nowhere => {
            let moved =
                path.ancestors().take_while(|dir| !never.stop_at(dir)).find_map(|dir| home.rebind_moved(dir));
            match (moved, aside) {
                (Some(brain), _) => CoveringProject::Brain(Box::new(brain)),
                (None, Some((at, before))) => CoveringProject::Replaced(at, before),
                (None, None) => CoveringProject::Nowhere,
            }
        }
    }
}

/// What the home knows about a folder. A worktree has the memory of its repository. If the repository is not at the path that
/// the worktree names, that memory is kept and not served until a caller gives the folder a brain by name.
pub fn look_at(home: &Home, dir: &Path) -> AtRoot {
    let seen = home.look_at(dir);
    let is_decided = match &seen {
        // A brain under the home has its record there.
        AtRoot::Brain(brain) => brain.place == StorePlace::Owner || home.is_recorded(brain),
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

/// The brains of the repository that a worktree lost: those recorded at its path, else those of a repository that was moved and
/// still names this folder as its worktree.
fn brains_of_lost(home: &Home, dir: &Path, main: &Path) -> Vec<DisplacedBrain> {
    let brains = home.roster().unwrap_or_default().brains;
    let names_it = |brain: &&Brain| worktrees_of(&**home.disk(), &brain.root).iter().any(|tree| tree == dir);
    // A repository that carries its brain may have no record at this path.
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

/// The repository that a worktree names and that does not name the worktree back: the repository is no longer at that path, or
/// the worktree was moved. `None` for every other folder, also for one with a copy of another worktree's `.git` file.
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

/// The brain that was made at the path of a linked worktree while its repository was missing. The worktree is served from its
/// repository's brain now, so no answer shows this one.
pub fn brain_of_worktree(home: &Home, never: &NeverProjects, path: &Path) -> Option<Brain> {
    let mut dirs = path.ancestors().take_while(|dir| !never.stop_at(dir));
    let top = dirs.find(|dir| home.disk().stat(&dir.join(".git")).is_ok())?;
    match git_at(home, top) {
        Git::Worktree { .. } => own_brain(home, top),
        Git::Top | Git::Nothing => None,
    }
}

/// The brain that the home has on record at exactly this folder.
pub fn own_brain(home: &Home, dir: &Path) -> Option<Brain> {
    home.brain_at(dir).filter(|brain| home.is_recorded(brain))
}

/// Whether a folder is the root of a brain, readable or not. A brain that was set aside does not count: a brain
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

/// The top of the repository that contains a path. For a worktree, the top of its repository.
pub fn repository_of(home: &Home, never: &NeverProjects, path: &Path) -> Option<PathBuf> {
    let mut look = |dir: &Path| FolderFacts { git: git_at(home, dir), has_brain: false };
    match ground(path, never, &mut look) {
        Ground::Project(root) | Ground::Brain(root) => Some(root),
        Ground::Nowhere => None,
    }
}

/// The root of the project that contains a path, with or without a brain. Does not ask the registry for moved roots.
pub fn project_of(home: &Home, never: &NeverProjects, path: &Path) -> Option<PathBuf> {
    let mut look = |dir: &Path| {
        let git = git_at(home, dir);
        let has_brain = !matches!(git, Git::Worktree { .. }) && has_brain(&look_at(home, dir));
        FolderFacts { git, has_brain }
    };
    match ground(path, never, &mut look) {
        Ground::Project(root) | Ground::Brain(root) => Some(root),
        Ground::Nowhere => None,
    }
}

/// The folder that a caller at `path` has of the project with this root: the root itself or, in a linked worktree of its
/// repository, the same folder of that worktree. A worktree has the memory of its repository, and files of its own branch.
pub fn checkout_of(home: &Home, never: &NeverProjects, path: &Path, root: &Path) -> PathBuf {
    if path == root {
        return root.to_owned();
    }
    let disk = &**home.disk();
    let path = canonical(disk, path);
    let mut above = path.ancestors().take_while(|dir| *dir != root && !never.stop_at(dir));
    let own = above.find_map(|dir| match git_at(home, dir) {
        Git::Nothing => None,
        Git::Top => Some(None),
        Git::Worktree { main } => {
            let inside = root.strip_prefix(canonical(disk, &main)).ok();
            let own = inside.map(|inside| dir.join(inside).components().collect::<PathBuf>());
            Some(own.filter(|own| disk.stat(own).is_ok_and(|stat| stat.kind == FileKind::Dir)))
        }
    });
    own.flatten().unwrap_or_else(|| root.to_owned())
}

/// The folders of the worktrees that a repository names.
pub fn worktrees_of(disk: &dyn Disk, root: &Path) -> Vec<PathBuf> {
    // The worktrees of a bare repository may be roots of their own.
    let dir = git_dir(disk, root).filter(|dir| !is_bare(disk, dir));
    dir.map(|dir| worktrees_named(disk, &dir)).unwrap_or_default()
}

/// The folders of the worktrees that git's folder of a repository names, by their names.
fn worktrees_named(disk: &dyn Disk, git_dir: &Path) -> Vec<PathBuf> {
    let dir = git_dir.join("worktrees");
    let entries = disk.list(&dir).unwrap_or_default().into_iter();
    let named = entries.filter_map(|entry| line_of(disk, &dir.join(entry.name).join("gitdir")));
    let mut trees: Vec<PathBuf> =
        named.filter_map(|line| Path::new(line.trim()).parent().map(Path::to_owned)).collect();
    trees.sort();
    trees
}

/// What git says about a folder, read from its files without running git.
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

/// What a `.git` file points to: the folder of a worktree, of a submodule, or of a repository kept elsewhere.
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
    // Anyone can write a file that names a repository. It is a worktree only if the repository names it back.
    if !is_worktree_of(disk, &common, &git_dir, dot_git) {
        return Git::Top;
    }
    let in_folder = common.parent().filter(|_| common.file_name().is_some_and(|name| name == ".git"));
    if is_bare(disk, &common) {
        return worktree_of_bare(home, dir, &common);
    }
    if let Some(main) = in_folder {
        // A caller made the worktree the root of the memory while the repository was missing.
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

/// A worktree of a bare repository. Nothing is checked out in the repository itself, so that a worktree with memory in its
/// checkout, or with a brain, is a root of its own. The others have the brain that the repository was given, else that of the
/// first worktree that has one. If there is none, they belong to the repository, so that a worktree can come and go.
fn worktree_of_bare(home: &Home, dir: &Path, common: &Path) -> Git {
    let disk = &**home.disk();
    if has_brain(&home.look_at(dir)) {
        return Git::Top;
    }
    let main = root_of_bare(disk, common);
    let given = [&main, common].into_iter().find(|root| has_brain(&home.look_at(root))).map(Path::to_owned);
    // Anyone can write a repository that names another project's folder, so that the folder must name it back.
    let is_its_tree = |tree: &Path| {
        let own = git_dir(disk, tree).map(|own| canonical(disk, &own));
        own.is_some_and(|own| is_worktree_of(disk, common, &own, &tree.join(".git")))
    };
    let beside = || {
        let has_memory = |tree: &PathBuf| tree != dir && is_its_tree(tree) && home.brain_at(tree).is_some();
        worktrees_named(disk, common).into_iter().find(has_memory)
    };
    if let Some(main) = given.or_else(beside) {
        return Git::Worktree { main };
    }
    // Settings, letters and mail stay where they are.
    match [".brainstem", ".mail"].iter().any(|name| disk.stat(&dir.join(name)).is_ok()) {
        true => Git::Top,
        false => Git::Worktree { main },
    }
}

/// The root that a bare repository is: the folder whose `.git` it is or is named by, else the repository itself.
fn root_of_bare(disk: &dyn Disk, common: &Path) -> PathBuf {
    let around =
        common.parent().filter(|dir| git_dir(disk, dir).is_some_and(|dir| canonical(disk, &dir) == common));
    around.unwrap_or(common).to_owned()
}

/// The top of the worktree of a bare repository that a path is in; `None` elsewhere, and where the checkout is gone.
pub fn worktree_of_bare_at(disk: &dyn Disk, path: &Path) -> Option<PathBuf> {
    let top = path.ancestors().find(|dir| disk.stat(&dir.join(".git")).is_ok())?;
    let own = git_dir(disk, top)?;
    let common = canonical(disk, &common_dir(disk, &own));
    (common != canonical(disk, &own) && is_bare(disk, &common)).then(|| top.to_owned())
}

/// Whether a repository keeps this `.git` file among its linked worktrees.
fn is_worktree_of(disk: &dyn Disk, common: &Path, git_dir: &Path, dot_git: &Path) -> bool {
    let named = || line_of(disk, &git_dir.join("gitdir"));
    git_dir.parent() == Some(&common.join("worktrees"))
        && named()
            .is_some_and(|named| canonical(disk, &git_dir.join(named.trim())) == canonical(disk, dot_git))
}
