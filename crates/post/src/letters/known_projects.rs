//! The projects of this machine, and which of them a name in a letter means.

use super::error::LetterError;
use super::limits::SEARCHED_MAX;
use super::projects_file::ProjectsFile;
use crate::Post;
use brainstem_base::DiskFault;
use brainstem_base::disk::FileKind;
use brainstem_caller::git_layout;
use brainstem_letters::address::ProjectClue;
use brainstem_letters::plan::Resolution;
use brainstem_memory::{Caller, ProjectAt, Route};
use brainstem_vault::Brain;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// The projects that are known.
pub(crate) struct KnownProjects<'a> {
    post: &'a Post,
    /// The brains of the home, including those whose root is gone.
    pub(crate) brains: Vec<Brain>,
    /// Every folder that means a project, with that project's root.
    folders: BTreeMap<PathBuf, PathBuf>,
    /// Folders that the person named in `projects.toml`. These are projects even without a repository.
    chosen: BTreeSet<PathBuf>,
    /// The folders that were looked up so far.
    known: HashMap<PathBuf, ProjectAt>,
}

impl<'a> KnownProjects<'a> {
    /// Collects the registered brains, every project that a caller was seen in, the search roots, the worktrees
    /// of all these, and the caller's folder.
    pub(crate) fn new(
        post: &'a Post,
        projects_file: &ProjectsFile,
        caller: Option<&Caller>,
    ) -> Result<Self, LetterError> {
        let memory = post.memory();
        let mut brains = memory.home().roster()?.brains;
        let mut roots: Vec<PathBuf> = memory.home().noted_roots();
        let route = caller.map(|caller| memory.route(caller));
        match route.as_deref() {
            Some(Route::Bound { brain, .. }) if brains.iter().all(|known| known.root != brain.root) => {
                brains.push(Brain::clone(brain));
            }
            Some(
                Route::Brainless { root, .. } | Route::Broken { root, .. } | Route::Replaced { root, .. },
            ) => {
                roots.push(root.clone());
            }
            Some(Route::Bound { .. } | Route::Unbound { .. }) | None => {}
        }
        roots.extend(brains.iter().map(|brain| brain.root.clone()));
        let mut known_projects =
            Self { post, brains, folders: BTreeMap::new(), chosen: BTreeSet::new(), known: HashMap::new() };
        for folder in projects_file.words.chosen_folders() {
            known_projects.choose(Path::new(&folder));
        }
        for root in &roots {
            known_projects.add(root);
        }
        for dir in &projects_file.search {
            let entries = post.disk().list(dir).unwrap_or_default().into_iter();
            let names = entries.filter(|entry| entry.kind == FileKind::Dir).map(|entry| entry.name);
            for name in names.filter(|name| !name.as_encoded_bytes().starts_with(b".")).take(SEARCHED_MAX) {
                known_projects.choose(&dir.join(name));
            }
        }
        for root in known_projects.roots() {
            for worktree in git_layout::worktrees_of(post.disk(), &root) {
                known_projects.folders.entry(worktree).or_insert_with(|| root.clone());
            }
        }
        Ok(known_projects)
    }

    /// Adds a folder that the person named.
    fn choose(&mut self, folder: &Path) {
        if let ProjectAt::Folder(plain) = self.project_at(folder) {
            self.chosen.insert(plain);
        }
        self.add(folder);
    }

    fn add(&mut self, folder: &Path) {
        if let Some(root) = self.root_at(folder) {
            // A worktree keeps its own name in addition to its repository's.
            self.folders.insert(folder.to_owned(), root.clone());
            self.folders.insert(root.clone(), root);
        }
    }

    /// The roots of all projects that are here.
    pub(crate) fn roots(&self) -> BTreeSet<PathBuf> {
        self.folders.values().cloned().collect()
    }

    /// The brain whose folder is gone and contained this file.
    pub(crate) fn gone_brain_of(&self, path: &Path) -> Option<&Brain> {
        let is_gone = |root: &Path| {
            self.post.disk().stat(root).is_err_and(|error| error.fault() == DiskFault::NotFound)
        };
        self.brains.iter().find(|brain| path.starts_with(&brain.root) && is_gone(&brain.root))
    }

    /// Whether a project has a brain.
    pub(crate) fn has_brain(&self, root: &Path) -> bool {
        self.brains.iter().any(|brain| brain.root == root)
    }

    /// The root of the project that a folder belongs to. `None` if it belongs to none.
    pub(crate) fn root_at(&mut self, folder: &Path) -> Option<PathBuf> {
        match self.project_at(folder) {
            ProjectAt::Root(root) => Some(root),
            ProjectAt::Folder(plain) => self.chosen.contains(&plain).then_some(plain),
            ProjectAt::Never(_) | ProjectAt::Missing => None,
        }
    }

    fn project_at(&mut self, path: &Path) -> ProjectAt {
        let post = self.post;
        let look = || match post.memory().project_at(path) {
            // The letters of a worktree are in its repository. While the two do not find each other, they wait.
            ProjectAt::Root(_) if post.memory().lost_worktree_fault(path).is_some() => ProjectAt::Missing,
            at => at,
        };
        self.known.entry(path.to_owned()).or_insert_with(look).clone()
    }

    /// A text of everything that a name may mean, to compare with an earlier one.
    pub(super) fn described(&self) -> String {
        let described =
            |brain: &Brain| format!("{:?}", (brain.origin(), brain.manifest.name.as_str(), &brain.root));
        let brains = self.brains.iter().map(described).collect::<Vec<_>>().join(", ");
        let marks: Vec<_> = self.roots().iter().map(|root| self.post.folder_mark(root)).collect();
        format!("[{brains}] {:?} {marks:?}", self.folders)
    }

    /// A text of what a folder belongs to, to compare with an earlier one.
    pub(super) fn described_at(&mut self, path: &Path) -> String {
        format!("{:?}", self.project_at(path))
    }

    /// Every folder that was looked up, with the project that it belongs to.
    pub(super) fn looked_up(&self) -> BTreeMap<String, String> {
        self.known.iter().map(|(path, at)| (path.display().to_string(), format!("{at:?}"))).collect()
    }

    /// Finds the project that a clue means.
    pub(crate) fn resolve(&mut self, wanted: &ProjectClue) -> Resolution {
        match wanted {
            ProjectClue::Path(path) => match self.project_at(Path::new(path)) {
                ProjectAt::Root(root) => Resolution::Here(root),
                ProjectAt::Folder(plain) if self.chosen.contains(&plain) => Resolution::Here(plain),
                ProjectAt::Folder(plain) => Resolution::Plain(plain),
                ProjectAt::Never(_) => Resolution::NoProject,
                ProjectAt::Missing => Resolution::NotHere,
            },
            ProjectClue::Brain { origin } => {
                let id = origin.rsplit('@').next().unwrap_or_default().to_ascii_lowercase();
                let its = |brain: &&Brain| brain.origin().ends_with(&format!("@{id}"));
                let roots: Vec<PathBuf> = self.brains.iter().filter(its).map(|b| b.root.clone()).collect();
                self.one_of(roots)
            }
            ProjectClue::Folder(name) => self.named(|folder| folder.ends_with(name), |_| false),
            ProjectClue::Marked { name, mark } => match self.post.home_mark() {
                Some(home) if home == mark.home => {
                    let is_it = |folder: &Path| self.post.folder_mark(folder) == Some(*mark);
                    let folders = self.folders.iter().filter(|(folder, _)| is_it(folder));
                    let roots = folders.map(|(_, root)| root.clone()).collect();
                    self.one_of(roots)
                }
                // Another home wrote the mark, so it does not say which folder of this machine is meant.
                Some(_) | None => self.resolve(&ProjectClue::Folder(name.clone())),
            },
            ProjectClue::Name(name) => {
                let mut exact = self.named(|folder| folder.ends_with(name), |brain| brain == name);
                // Clones of one repository share their brain's name; the letter means the clone in the folder of this name.
                if let (Resolution::Several(_), Resolution::Here(root)) =
                    (&exact, self.named(|folder| folder.ends_with(name), |_| false))
                    && self.is_every_brain_called(name, &root)
                {
                    exact = Resolution::Here(root);
                }
                if exact != Resolution::NotHere {
                    return exact;
                }
                let lower = name.to_lowercase();
                let base =
                    |folder: &Path| folder.file_name().map(|name| name.to_string_lossy().to_lowercase());
                self.named(
                    |folder| base(folder).as_deref() == Some(lower.as_str()),
                    |brain| brain.to_lowercase() == lower,
                )
            }
        }
    }

    /// Whether all brains of this name are clones of the one at a root.
    fn is_every_brain_called(&self, name: &str, root: &Path) -> bool {
        let own = self.brains.iter().find(|brain| brain.root == root).map(Brain::origin);
        let mut called = self.brains.iter().filter(|brain| brain.manifest.name.as_str() == name);
        own.is_some_and(|own| called.all(|brain| brain.origin() == own))
    }

    fn named(&mut self, folder: impl Fn(&Path) -> bool, brain: impl Fn(&str) -> bool) -> Resolution {
        let folders = self.folders.iter().filter(|(path, _)| folder(path)).map(|(_, root)| root.clone());
        let brains =
            self.brains.iter().filter(|known| brain(known.manifest.name.as_str())).map(|b| b.root.clone());
        let roots = folders.chain(brains).collect();
        self.one_of(roots)
    }

    /// The only existing root of these; `Several` if there are more.
    fn one_of(&mut self, roots: Vec<PathBuf>) -> Resolution {
        let mut here = BTreeSet::new();
        for root in roots {
            if let Some(root) = self.root_at(&root) {
                here.insert(root);
            }
        }
        let mut here: Vec<PathBuf> = here.into_iter().collect();
        match here.len() {
            0 => Resolution::NotHere,
            1 => Resolution::Here(here.remove(0)),
            _ => Resolution::Several(here),
        }
    }

    /// The shortest name that means this project alone: the last parts of its path. A path of this machine must
    /// not get into a committed file.
    pub(crate) fn name_of(&mut self, root: &Path) -> String {
        self.add(root);
        let parts: Vec<String> =
            root.iter().skip(1).map(|part| part.to_string_lossy().into_owned()).collect();
        for count in 1..=parts.len() {
            let name = parts[parts.len() - count..].join("/");
            // A letter treats a name of blanks as missing.
            let is_blank = name.trim().is_empty();
            if !is_blank
                && self.resolve(&ProjectClue::Name(name.clone())) == Resolution::Here(root.to_owned())
            {
                return name;
            }
        }
        root.display().to_string()
    }
}
