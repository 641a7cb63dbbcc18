//! Why a use case about brains is refused.

use crate::brains::unserved::Orphan;
use brainstem_base::next::{NextCall, calls};
use brainstem_base::{Advice, Refusal, advice, coded_by_refusal, codes};
use std::path::PathBuf;

/// A refusal of a use case about brains.
#[derive(Debug, thiserror::Error)]
pub enum BrainError {
    /// No memory without a folder has this name.
    #[error("no memory without a folder is {word:?}")]
    NoneToTakeUp {
        /// What was given, shortened.
        word: String,
        /// The question for those that it may be a slip of.
        near: Option<Advice>,
    },
    /// Several memories without a folder have this name.
    #[error("more than one memory without a folder is {word:?}")]
    SeveralToTakeUp {
        /// What was given, shortened.
        word: String,
        /// Words that each name one of them.
        words: Vec<String>,
    },
    /// The folder that memory is taken up for has a brain.
    #[error("`{}` has a brain of its own, {brain}", root.display())]
    HasOwnBrain {
        /// The folder.
        root: PathBuf,
        /// Its brain: name@id.
        brain: String,
    },
    /// The folder that memory is taken up for is another clone of its project, which was written to.
    #[error("`{}` is another clone of {brain}, and has a history or boot keys of its own", root.display())]
    HasOwnHistory {
        /// The folder.
        root: PathBuf,
        /// The brain of both: name@id.
        brain: String,
        /// The root that the memory is kept for.
        kept_for: PathBuf,
        /// The folder under the home in which it is kept.
        kept_as: String,
        /// The file for what is carried over: under the home, where no git of the project takes it, and of this clone alone.
        file: PathBuf,
    },
    /// A brain whose memory is in its repository cannot be set aside.
    #[error("the memory of {brain} lies in its repository `{}`", root.display())]
    LiesInRepository {
        /// The brain: name@id.
        brain: String,
        /// Its root.
        root: PathBuf,
    },
    /// The folder is the project of a brain whose own folder is gone.
    #[error("{}", .0.sentence())]
    RootGone(Box<Orphan>),
    /// The folder is served by the brain of the project around it, and the caller did not say that it means this very folder.
    #[error(
        "`{}` lies in the project at `{}`, whose brain {brain} serves it; a brain of its own would split that memory: nothing of the one \
         around it would be read here",
        root.display(),
        around.display()
    )]
    ServedFromAround {
        /// The folder.
        root: PathBuf,
        /// The root of the project around it.
        around: PathBuf,
        /// The brain of that project: name@id.
        brain: String,
    },
    /// A path that cannot be kept as text.
    #[error("the path {0:?} is not valid UTF-8")]
    PathNotUtf8(PathBuf),
    /// The home is inside the folder that a repository keeps for memory.
    #[error("the home `{}` lies in the repository's own folder", .0.display())]
    HomeInRepository(PathBuf),
    /// A file that is no readable claim cannot move with the others.
    #[error("{label:?} is no readable claim and cannot move")]
    CannotMove {
        /// Its label, or the name of its file.
        label: String,
    },
    /// The folder is in no git repository.
    #[error("`{}` is in no git repository, so there is nothing memory could travel with", .0.display())]
    NotARepository(PathBuf),
    /// The repository has no files checked out: nothing in its folder is committed.
    #[error("`{}` is a bare repository, which has no files that could be committed", .0.display())]
    BareRepository(PathBuf),
    /// The project is inside a repository and is not the whole of it: its caller would change the memory of the repository.
    #[error(
        "`{}` is a project of its own inside the repository `{}`, and not the repository",
        package.display(),
        repository.display()
    )]
    PartOfRepository {
        /// The project.
        package: PathBuf,
        /// The repository around it.
        repository: PathBuf,
    },
    /// Memory is either committed or kept out of git.
    #[error("private keeps the memory out of git, and shared lets it be committed")]
    PrivateAndShared,
    /// The brain was set aside.
    #[error("{brain} was set aside")]
    SetAside {
        /// The brain: name@id.
        brain: String,
        /// The call that brings it back.
        back: NextCall,
    },
    /// No brain of this home has this name.
    #[error("no brain of this home is {word:?}")]
    Unknown {
        /// What was given, shortened.
        word: String,
        /// What is known of it.
        fix: Option<Advice>,
    },
    /// Several brains of this home have this name.
    #[error("more than one brain of this home is {word:?}")]
    Several {
        /// What was given, shortened.
        word: String,
        /// What is known of it.
        fix: Option<Advice>,
    },
}

impl BrainError {
    fn refusal(&self) -> Refusal {
        let to_take_up =
            |fix: Advice| Refusal::new(codes::MEMORY_UNKNOWN_BRAIN, fix).field("take_up").rule("MEM-1");
        let no_repository = |fix: Advice| Refusal::new(codes::MEMORY_NOT_A_REPOSITORY, fix).rule("MEM-2");
        let unknown = |fix: &Option<Advice>, give: &str| {
            let fix = fix.clone();
            let fix = fix.unwrap_or_else(|| advice!["{give} of one that `", calls::brains(), "` lists"]);
            Refusal::new(codes::MEMORY_UNKNOWN_BRAIN, fix).field("brain").rule("IF-12")
        };
        match self {
            Self::NoneToTakeUp { near: Some(near), .. } => to_take_up(near.clone()),
            Self::NoneToTakeUp { near: None, .. } => to_take_up(advice![
                "see `",
                calls::brains(),
                "`: only a brain whose folder is gone or was made anew, or that was set aside, can be taken up"
            ]),
            Self::SeveralToTakeUp { words, .. } => {
                to_take_up(format!("did you mean {}?", words.join(" or ")).into())
            }
            Self::HasOwnBrain { root, .. } => Refusal::new(
                codes::MEMORY_HAS_BRAIN,
                advice![
                    "set that one aside first, which deletes nothing: ",
                    calls::set_aside(root),
                    "; then repeat this call"
                ],
            )
            .field("take_up")
            .rule("MEM-1b"),
            Self::HasOwnHistory { root, kept_for, kept_as, file, .. } => {
                let export = calls::export_to(file).at(kept_for.display().to_string());
                let fix = advice![
                    "carry over what the one without a folder kept: ",
                    export,
                    ", then ",
                    calls::import_from(file).at(root.display().to_string()),
                    "; then delete that file, which has its history and its boot keys, and set the carried over one aside, so that it \
                     is offered no more, which deletes nothing: ",
                    calls::set_aside(kept_as)
                ];
                Refusal::new(codes::MEMORY_HAS_BRAIN, fix).field("take_up").rule("MEM-1b")
            }
            Self::LiesInRepository { root, .. } => Refusal::new(
                codes::INPUT_BAD_VALUE,
                advice!["bring it under the home first: ", calls::eject_at(root)],
            )
            .field("brain")
            .rule("MEM-1b"),
            Self::RootGone(orphan) => {
                Refusal::new(codes::MEMORY_ROOT_GONE, orphan.fix()).field("take_up").rule("MEM-1")
            }
            Self::ServedFromAround { root, .. } => Refusal::new(
                codes::MEMORY_HAS_BRAIN,
                advice![
                    "go on without this call: what you memorize here is remembered there; or, if this very folder is to be a project of its own: ",
                    calls::bootstrap_place(root, true)
                ],
            )
            .field("exact")
            .rule("MEM-17"),
            Self::PathNotUtf8(_) => {
                Refusal::new(codes::INPUT_NOT_UTF8, "rename the folder").field("path")
            }
            Self::HomeInRepository(_) => Refusal::new(
                codes::HOME_UNUSABLE,
                advice!["choose a home outside the repository with ", calls::home_or_variable()],
            )
            .rule("MEM-2"),
            Self::CannotMove { .. } => Refusal::new(
                codes::CLAIM_UNREADABLE,
                "repair it, decide it with resolve, or move it aside; then repeat",
            )
            .rule("MEM-6"),
            Self::NotARepository(_) => {
                no_repository("run git init first, or use bootstrap to keep memory under the home".into())
            }
            Self::BareRepository(_) => no_repository(advice![
                "run ",
                calls::init(),
                " in a worktree of it, where files are checked out; or leave its memory under the home"
            ]),
            Self::PartOfRepository { package, repository } => {
                let (package, repository) = (package.display(), repository.display());
                no_repository(
                    format!(
                        "give the path `{repository}` if the repository is meant; the memory of `{package}` stays under the home, \
                         because only that of a whole repository can travel with it"
                    )
                    .into(),
                )
            }
            Self::PrivateAndShared => {
                Refusal::new(codes::INPUT_BAD_VALUE, "give one of the two").field("shared").rule("MEM-2")
            }
            Self::SetAside { back, .. } => {
                Refusal::new(codes::MEMORY_SET_ASIDE, advice!["bring it back: ", back.clone()])
                    .field("brain")
                    .rule("MEM-1b")
            }
            Self::Unknown { fix, .. } => unknown(fix, "give the root or the name@id"),
            Self::Several { fix, .. } => unknown(fix, "give the root"),
        }
    }
}

coded_by_refusal!(BrainError);
