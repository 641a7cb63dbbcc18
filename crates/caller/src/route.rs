//! Routing: from a caller's place to the one brain that it means. A pure function of what was found on the
//! disk, the same for every door.

use brainstem_vault::Brain;
use brainstem_vault::home::{BrokenFolder, DisplacedBrain};
use std::path::{Path, PathBuf};

/// The hints about a caller's place, the strongest first. The first one that is given decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RootHints {
    /// `--root`, or the header `Brainstem-Caller-Root`.
    pub explicit: Option<PathBuf>,
    /// `BRAINSTEM_WORKSPACE_ROOT`.
    pub env: Option<PathBuf>,
    /// The working directory.
    pub cwd: Option<PathBuf>,
}

/// Which hint about the caller's place was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The binding of the MCP session.
    Session,
    /// `--root` or the header.
    Explicit,
    /// The environment.
    Environment,
    /// The working directory.
    WorkingDirectory,
}

impl Hint {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Explicit => "explicit",
            Self::Environment => "environment",
            Self::WorkingDirectory => "working_directory",
        }
    }
}

impl RootHints {
    /// Whether an option or a variable names the place, so that the working directory does not count.
    pub fn is_named(&self) -> bool {
        self.explicit.is_some() || self.env.is_some()
    }

    /// Whether the hint that counts is blank.
    pub fn is_blank(&self, by: Hint) -> bool {
        let word = match by {
            Hint::Explicit => &self.explicit,
            Hint::Environment => &self.env,
            Hint::WorkingDirectory | Hint::Session => &None,
        };
        word.as_ref().is_some_and(|path| path.as_os_str().is_empty())
    }

    /// The place that counts, made absolute from the working directory.
    pub fn deciding(&self, session: Option<&Path>) -> Option<(Hint, PathBuf)> {
        let all = [
            (Hint::Session, session),
            (Hint::Explicit, self.explicit.as_deref()),
            (Hint::Environment, self.env.as_deref()),
            (Hint::WorkingDirectory, self.cwd.as_deref()),
        ];
        let (hint, path) = all.into_iter().find_map(|(hint, path)| Some((hint, path?)))?;
        Some((hint, self.cwd.as_ref().map_or_else(|| path.to_owned(), |cwd| cwd.join(path))))
    }
}

/// What a caller's place means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// A project that has a brain.
    Bound {
        /// The brain.
        brain: Box<Brain>,
        /// The hint that names the place.
        by: Hint,
    },
    /// A project whose brain exists and cannot be read.
    Broken {
        /// The project's root.
        root: PathBuf,
        /// The folder of the brain, and what is wrong with it.
        folder: BrokenFolder,
        /// The hint that names the place.
        by: Hint,
    },
    /// A folder that was made where the root of another brain was. Nothing of that brain is served here.
    Replaced {
        /// The folder.
        root: PathBuf,
        /// The brains whose root was at this path, at least one.
        before: Vec<DisplacedBrain>,
        /// The hint that names the place.
        by: Hint,
    },
    /// A project without a brain.
    Brainless {
        /// The project's root.
        root: PathBuf,
        /// The hint that names the place.
        by: Hint,
    },
    /// No project.
    Unbound {
        /// The place, if any was given.
        path: Option<PathBuf>,
    },
}

impl Route {
    /// The brain, if there is one.
    pub fn brain(&self) -> Option<&Brain> {
        match self {
            Self::Bound { brain, .. } => Some(brain),
            Self::Broken { .. } | Self::Replaced { .. } | Self::Brainless { .. } | Self::Unbound { .. } => {
                None
            }
        }
    }

    /// The root of the project, with or without a brain; `None` outside projects.
    pub fn root(&self) -> Option<&Path> {
        match self {
            Self::Bound { brain, .. } => Some(&brain.root),
            Self::Broken { root, .. } | Self::Replaced { root, .. } | Self::Brainless { root, .. } => {
                Some(root)
            }
            Self::Unbound { .. } => None,
        }
    }
}

/// What routing needs to know about a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderFacts {
    /// What git says about it.
    pub git: Git,
    /// Whether a brain has exactly this root, readable or not.
    pub has_brain: bool,
}

/// What git says about a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Git {
    /// Nothing.
    #[default]
    Nothing,
    /// The top of a repository. A submodule is a repository of its own.
    Top,
    /// The top of a linked worktree of the repository at `main`.
    Worktree {
        /// The main worktree, a bare repository, or the worktree of a bare repository that has the brain.
        main: PathBuf,
    },
}

/// Folders that are never a project, whatever they contain.
#[derive(Clone, Debug, Default)]
pub struct NeverProjects {
    /// `$HOME`.
    pub user_home: Option<PathBuf>,
    /// The home of this program; nothing inside it is a project either.
    pub home: PathBuf,
}

impl NeverProjects {
    /// Whether the search for a project ends here without one.
    pub fn stop_at(&self, dir: &Path) -> bool {
        dir.parent().is_none() || Some(dir) == self.user_home.as_deref() || dir.starts_with(&self.home)
    }
}

/// What a place belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ground {
    /// The nearest root around it that has a brain.
    Brain(PathBuf),
    /// The nearest repository, which has no brain.
    Project(PathBuf),
    /// Neither of them.
    Nowhere,
}

/// Finds what a canonical path belongs to: the nearest folder upwards that has a brain or is the top of a repository. A path in
/// a linked worktree means the same path in its repository; a worktree of a bare repository that has a brain is the top of one.
pub fn ground(path: &Path, never: &NeverProjects, look: &mut dyn FnMut(&Path) -> FolderFacts) -> Ground {
    let mut path = path.to_owned();
    // A repository's main worktree is not linked itself; the bound guards against a loop that a person built by hand.
    for _ in 0..4 {
        match ground_once(&path, never, look) {
            WalkStep::Found(ground) => return ground,
            WalkStep::GoTo(main) => path = main,
        }
    }
    Ground::Nowhere
}

enum WalkStep {
    Found(Ground),
    GoTo(PathBuf),
}

fn ground_once(path: &Path, never: &NeverProjects, look: &mut dyn FnMut(&Path) -> FolderFacts) -> WalkStep {
    for dir in path.ancestors() {
        if never.stop_at(dir) {
            break;
        }
        let seen = look(dir);
        match seen.git {
            // Checked before the brain: a worktree has the repository's committed manifest checked out.
            Git::Worktree { main } => {
                let inside = path.strip_prefix(dir).expect("an ancestor is a prefix");
                return WalkStep::GoTo(if inside.as_os_str().is_empty() { main } else { main.join(inside) });
            }
            Git::Top | Git::Nothing if seen.has_brain => {
                return WalkStep::Found(Ground::Brain(dir.to_owned()));
            }
            Git::Top => return WalkStep::Found(Ground::Project(dir.to_owned())),
            Git::Nothing => {}
        }
    }
    WalkStep::Found(Ground::Nowhere)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// A world in a few words: `path git`, `path brain`, `path worktree:/main`, joined by commas.
    fn world(text: &str) -> BTreeMap<PathBuf, FolderFacts> {
        let mut world = BTreeMap::<PathBuf, FolderFacts>::new();
        for fact in text.split(',').map(str::trim).filter(|fact| !fact.is_empty()) {
            let (path, what) = fact.split_once(' ').expect("path fact");
            let look = world.entry(path.into()).or_default();
            match what {
                "git" => look.git = Git::Top,
                "brain" => look.has_brain = true,
                other => {
                    look.git =
                        Git::Worktree { main: other.strip_prefix("worktree:").expect("worktree").into() }
                }
            }
        }
        world
    }

    fn check(facts: &str, from: &str, expected: &str) {
        let world = world(facts);
        let never =
            NeverProjects { user_home: Some("/home/ana".into()), home: "/home/ana/.brainstem".into() };
        let mut look = |dir: &Path| world.get(dir).cloned().unwrap_or_default();
        let got = match ground(Path::new(from), &never, &mut look) {
            Ground::Brain(root) => format!("brain {}", root.display()),
            Ground::Project(root) => format!("project {}", root.display()),
            Ground::Nowhere => "nowhere".into(),
        };
        assert_eq!(got, expected, "from {from} in {facts}");
    }

    #[test] // spec: MEM-15, MEM-17
    fn the_nearest_covering_root_wins() {
        check("/r git, /r brain", "/r", "brain /r");
        check("/r git, /r brain", "/r/src/deep", "brain /r");
        check("/r git", "/r/src", "project /r");
        check("", "/r/src", "nowhere");
        // A nested repository is its own project, with or without a brain.
        check("/r git, /r brain, /r/vendor/x git", "/r/vendor/x/src", "project /r/vendor/x");
        check("/r git, /r brain, /r/vendor/x git, /r/vendor/x brain", "/r/vendor/x", "brain /r/vendor/x");
        // A submodule is the top of a repository.
        check("/r git, /r brain, /r/sub git", "/r/sub/a", "project /r/sub");
        // A package of a monorepo with a brain of its own.
        check("/r git, /r brain, /r/pkg/a brain", "/r/pkg/a/src", "brain /r/pkg/a");
        check("/r git, /r brain, /r/pkg/a brain", "/r/pkg/b", "brain /r");
        // A plain folder with a brain, no repository.
        check("/notes brain", "/notes/2026", "brain /notes");
    }

    #[test] // spec: MEM-17
    fn a_worktree_stands_for_its_repository() {
        check("/r git, /r brain, /wt worktree:/r", "/wt/src", "brain /r");
        check("/r git, /wt worktree:/r", "/wt", "project /r");
        check("/r git, /r brain, /r/.wt/f worktree:/r", "/r/.wt/f/src", "brain /r");
        check("/r git, /r brain, /wt worktree:/r, /wt brain", "/wt", "brain /r");
        check("/r git, /r brain, /r/pkg/a brain, /wt worktree:/r", "/wt/pkg/a/src", "brain /r/pkg/a");
        check("/r git, /r/sub git, /r/sub brain, /wt worktree:/r/sub", "/wt", "brain /r/sub");
        check("/a worktree:/b, /b worktree:/a", "/a", "nowhere");
    }

    #[test] // spec: MEM-2, MEM-17
    fn the_home_and_the_homes_of_people_are_never_projects() {
        check("/home/ana git, /home/ana brain", "/home/ana", "nowhere");
        check("/home/ana git, /home/ana brain", "/home/ana/notes", "nowhere");
        check("/home/ana/p git, /home/ana/p brain", "/home/ana/p/src", "brain /home/ana/p");
        check("/home/ana/.brainstem git, /home/ana/.brainstem brain", "/home/ana/.brainstem", "nowhere");
        check(
            "/home/ana/.brainstem/project-brains/x git",
            "/home/ana/.brainstem/project-brains/x",
            "nowhere",
        );
        check("/ git, / brain", "/srv/x", "nowhere");
        check("/ brain", "/", "nowhere");
    }

    #[test] // spec: MEM-17
    fn the_first_word_about_the_place_decides() {
        let mut hints =
            RootHints { explicit: Some("/e".into()), env: Some("/v".into()), cwd: Some("/c".into()) };
        let session = Path::new("/s");
        assert_eq!(hints.deciding(Some(session)), Some((Hint::Session, "/s".into())));
        assert_eq!(hints.deciding(None), Some((Hint::Explicit, "/e".into())));
        hints.explicit = Some("sub".into());
        assert_eq!(hints.deciding(None), Some((Hint::Explicit, "/c/sub".into())));
        hints.explicit = None;
        assert_eq!(hints.deciding(None), Some((Hint::Environment, "/v".into())));
        hints.env = None;
        assert_eq!(hints.deciding(None), Some((Hint::WorkingDirectory, "/c".into())));
        hints.cwd = None;
        assert_eq!(hints.deciding(None), None);
    }
}
