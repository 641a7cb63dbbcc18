//! `letter write` appends one line to the spool.

use super::error::LetterError;
use super::floor;
use super::gathered::LetterReach;
use super::known_projects::KnownProjects;
use super::projects_file::ProjectsFile;
use crate::Post;
use brainstem_base::next::calls;
use brainstem_base::{Advice, advice};
use brainstem_claims::outside_paths;
use brainstem_letters::address::{LocalNames, ProjectClue};
use brainstem_letters::draft::LetterDraft;
use brainstem_letters::kind;
use brainstem_letters::plan::{LetterDestination, Resolution, World, destination};
use brainstem_letters::resolved_fields::{FolderMark, ResolvedFields, ResolvedValue};
use brainstem_letters::{Letter, LetterId};
use brainstem_memory::{Caller, MemoryError, Route};
use brainstem_vault::Brain;
use std::path::{Path, PathBuf};

/// The most paths that a note names.
const PATHS_NAMED_MAX: usize = 3;

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenLetter {
    /// Its id.
    pub id: LetterId,
    /// The project it names.
    pub repo: Option<String>,
    /// The brain it names.
    pub brain: Option<String>,
    /// What the writer should know besides.
    pub notes: Vec<Advice>,
}

/// A folder as a letter names it.
struct NamedFolder {
    /// Its name or, if it is not a project, its path as the caller gave it.
    folder: String,
    /// Its brain, where it has one.
    origin: Option<String>,
    /// What distinguishes it from other folders of its name, if it has no brain.
    mark: Option<FolderMark>,
}

impl Post {
    /// Writes a letter. If it names neither a project nor a brain, it is about the caller's project.
    pub fn write_letter(&self, caller: &Caller, draft: LetterDraft) -> Result<WrittenLetter, LetterError> {
        let mut draft = draft;
        let mut notes = Vec::new();
        let memory = self.memory();
        let is_given = |field: &Option<String>| field.as_deref().is_some_and(|text| !text.trim().is_empty());
        // The letter is written even then: it may be about that very file.
        let projects_file = self.projects_file().unwrap_or_else(|fault| {
            notes.push(advice!["{fault}; letters are not distributed until it is mended"]);
            ProjectsFile::default()
        });
        // A refused letter must not make a home.
        draft.line(&caller.principal.agent, memory.clock().now())?;
        memory.home().ensure()?;
        let mut known_projects = KnownProjects::new(self, &projects_file, Some(caller))?;
        let is_addressed = is_given(&draft.repo) || is_given(&draft.brain);
        let answered = self.answered_project(caller, &draft.answers).filter(|_| !is_addressed);
        let is_answer = answered.is_some();
        if let Some(answered) = answered {
            // An answer is filed with the letters that it answers.
            (draft.repo, draft.brain, draft.exact) = answered;
        } else if !is_addressed {
            (draft.repo, draft.brain, draft.exact) = self.project_here(caller, &mut known_projects)?;
        }
        let given = [&draft.repo, &draft.brain].into_iter().flatten().filter(|_| is_addressed);
        for path in given.map(|text| Path::new(text.trim())).filter(|path| path.is_absolute()) {
            if let Some(fault) = memory.lost_worktree_fault(path) {
                return Err(MemoryError::from(fault).into());
            }
        }
        if is_addressed || is_answer {
            // A path of this machine must not get into a committed file.
            let mut at = |field: &Option<String>, exactly: Option<ResolvedValue>| match exactly {
                Some(_) => None,
                None => self.folder_at_path(&mut known_projects, &projects_file.words, field.as_deref()?),
            };
            let (repo, brain) = (at(&draft.repo, draft.exact.repo), at(&draft.brain, draft.exact.brain));
            if let Some(named) = repo {
                (draft.repo, draft.exact.repo) = (Some(named.folder), Some(ResolvedValue::Folder));
                draft.exact.at = named.mark;
                if !is_given(&draft.brain) && named.origin.is_some() {
                    (draft.brain, draft.exact.brain) = (named.origin, Some(ResolvedValue::Id));
                }
            }
            if let Some(named) = brain {
                let exactly = if named.origin.is_some() { ResolvedValue::Id } else { ResolvedValue::Folder };
                draft.exact.at = named.mark.or(draft.exact.at);
                (draft.brain, draft.exact.brain) = (named.origin.or(Some(named.folder)), Some(exactly));
            }
        }
        let unknown;
        (draft.answers, unknown) = self.known_answers(caller, draft.answers);
        draft.unknown_answers = unknown.as_ref().is_none_or(|ids| !ids.is_empty());
        let (agent, now, floor) = (&caller.principal.agent, memory.clock().now(), memory.floor());
        let mut line = draft.line(agent, now)?;
        if let Some(kind) = floor::forbidden_by(&floor, &line) {
            draft = draft.with_texts(|text| floor.mask(text).into_owned());
            line = draft.line(agent, now)?;
            let note = match floor::forbidden_by(&floor, &line) {
                None => format!(
                    "it carried a secret ({}, rule {}), which is masked in what was written: if it is not a secret, write the letter again in other words. {}",
                    kind.name, kind.id, kind.advice
                ),
                Some(kind) => format!(
                    "it carries a secret or an unfinished merge ({}, rule {}): it stays in the spool and is filed in no box. {}",
                    kind.name, kind.id, kind.advice
                ),
            };
            notes.push(note.into());
        }
        notes.extend(self.end_notes(&line, &projects_file.words, &mut known_projects));
        if let Route::Brainless { root, .. } | Route::Replaced { root, .. } = &*memory.route(caller) {
            memory.note_root(root);
        }
        // A class may be new, and an answer may come before what it answers. The letter is written in both cases, with a note.
        let class = draft.class.trim();
        if let Some(meant) = kind::nearly(class) {
            notes.push(advice!["the class is {class:?}: did you mean {meant}?"]);
        } else if !kind::is_known(class) {
            let known = kind::KNOWN.join(", ");
            notes.push(advice![
                "the class {class:?} is new, and the letter has it; the known classes are {known}"
            ]);
        }
        notes.extend(unknown.filter(|ids| !ids.is_empty()).map(|ids| {
            let ids = ids.iter().map(LetterId::as_str).collect::<Vec<_>>().join(" or ");
            advice!["no letter within reach has the id {ids}; ", calls::letter_all(), " shows the ids"]
        }));
        memory.home().spool().append(&line)?;
        Ok(WrittenLetter { id: floor::id_of(&floor, &line), repo: draft.repo, brain: draft.brain, notes })
    }

    /// The caller's project, as a letter names it. In a worktree whose repository is missing that is the brain of the
    /// repository, and the letter waits for it. If the repository had no brain, the letter is refused: only its path is
    /// known, and another project may be there later.
    fn project_here(
        &self,
        caller: &Caller,
        known_projects: &mut KnownProjects<'_>,
    ) -> Result<(Option<String>, Option<String>, ResolvedFields), LetterError> {
        let memory = self.memory();
        memory.check_not_left(caller)?;
        let route = memory.route(caller);
        let lost = memory.lost_repository(caller).filter(|_| memory.check_ground(caller).is_err());
        let (repo, brain) = match (&*route, lost) {
            (Route::Replaced { before, .. }, Some(_)) => (None, before.first().map(|one| one.brain.origin())),
            (route, _) => {
                memory.check_ground(caller)?;
                let repo = route.root().map(|root| known_projects.name_of(root));
                (repo, route.brain().map(|brain| brain.origin()))
            }
        };
        let at = route.root().filter(|_| brain.is_none()).and_then(|root| self.folder_mark(root));
        let exact = ResolvedFields {
            repo: repo.as_ref().map(|_| ResolvedValue::Folder),
            brain: brain.as_ref().map(|_| ResolvedValue::Id),
            // A path means the folder at that path, so it needs no mark.
            at: at.filter(|_| repo.as_ref().is_some_and(|repo| !repo.starts_with('/'))),
        };
        Ok((repo, brain, exact))
    }

    /// The project that all the answered letters are about, as they name it. `None` if they name several, or one of them is not
    /// within reach.
    fn answered_project(
        &self,
        caller: &Caller,
        answers: &[String],
    ) -> Option<(Option<String>, Option<String>, ResolvedFields)> {
        let gathered = self
            .gather_letters(Some(caller), LetterReach::Everything)
            .ok()
            .filter(|_| !answers.is_empty())?;
        let mut named = answers.iter().map(|text| {
            let letter = &gathered.get(&LetterId::parse(text)?)?.with_line.letter;
            let mut exact = letter.exact;
            // A letter of another home has the mark of a folder there. Here the folder is the one whose box has the letter.
            if let ([Some(root)], Some(_)) = (&gathered.boxes_of(&letter.id)[..], exact.at) {
                exact.at = self.folder_mark(root);
            }
            Some((letter.repo.clone(), letter.brain.clone(), exact))
        });
        let first = named.next()??;
        let is_named = first.0.is_some() || first.1.is_some();
        (is_named && named.all(|other| other.as_ref() == Some(&first))).then_some(first)
    }

    /// The project that a path names: the folder at exactly this path, else at the path without blanks around it, else the
    /// folder that a distribution takes it for. `None` if the text is not a path, or no folder there can be a project.
    fn folder_at_path(
        &self,
        known_projects: &mut KnownProjects<'_>,
        words: &LocalNames,
        given: &str,
    ) -> Option<NamedFolder> {
        let exact = [given, given.trim()].into_iter().filter(|path| path.starts_with('/')).find_map(|path| {
            match known_projects.resolve(&ProjectClue::Path(path.to_owned())) {
                Resolution::Here(root) => Some(self.named(known_projects, root)),
                Resolution::Plain(_) => {
                    Some(NamedFolder { folder: path.to_owned(), origin: None, mark: None })
                }
                Resolution::NotHere | Resolution::NoProject | Resolution::Several(_) => None,
            }
        });
        if exact.is_some() || !words.is_path(given) {
            return exact;
        }
        match destination(&[words.aim_at(given)], &mut UnfiledWorld(known_projects)) {
            LetterDestination::Project(root) => Some(self.named(known_projects, root)),
            LetterDestination::Pending { plain: Some(folder), .. } => {
                Some(NamedFolder { folder: folder.to_str()?.to_owned(), origin: None, mark: None })
            }
            LetterDestination::Pending { .. }
            | LetterDestination::Medulla
            | LetterDestination::Refused { .. } => None,
        }
    }

    /// The project at a root, as a letter names it.
    fn named(&self, known_projects: &mut KnownProjects<'_>, root: PathBuf) -> NamedFolder {
        self.memory().note_root(&root);
        let origin = known_projects.brains.iter().find(|brain| brain.root == root).map(Brain::origin);
        let mark = self.folder_mark(&root).filter(|_| origin.is_none());
        NamedFolder { folder: known_projects.name_of(&root), origin, mark }
    }

    /// What the writer should know about where a distribution puts the letter.
    fn end_notes(
        &self,
        line: &[u8],
        words: &LocalNames,
        known_projects: &mut KnownProjects<'_>,
    ) -> Vec<Advice> {
        let Ok(letter) = Letter::parse(line) else { return Vec::new() };
        let aims = words.aims(&letter);
        let is_lost = |end: LetterDestination| matches!(end, LetterDestination::Pending { several, plain, .. } if several.is_empty() && plain.is_none());
        let brain = letter.brain.as_deref().filter(|_| letter.exact.brain.is_none());
        let root = match destination(&aims, &mut UnfiledWorld(known_projects)) {
            LetterDestination::Project(root) => root,
            end => {
                let is_brain =
                    is_lost(end) && is_lost(destination(&aims[..1], &mut UnfiledWorld(known_projects)));
                let lost = brain.filter(|_| is_brain).map(|brain| {
                    advice![
                        "no brain of this home is called {brain:?}, so the letter waits for one: ",
                        calls::brains(),
                        " lists them"
                    ]
                });
                return lost.into_iter().collect();
            }
        };
        let is_committed =
            self.disk().stat(&root.join(".git")).is_ok() && !self.memory().home().is_out_of_git(&root);
        let prose = [&letter.what, &letter.expected, &letter.snippet];
        let paths = outside_paths::paths_in(&root, prose.into_iter().flatten().map(String::as_str));
        let named =
            paths.iter().take(PATHS_NAMED_MAX).map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ");
        let note = (is_committed && !paths.is_empty()).then(|| {
            advice![
                "the words name paths of this machine ({named}), and the box of this project is committed: if others should not \
                 read them, write the letter anew with paths from the project's root"
            ]
        });
        note.into_iter().collect()
    }

    /// The ids that a letter answers, each as every machine knows the letter, and those of them that no letter within reach
    /// has. The second part is `None` if that cannot be known.
    fn known_answers(&self, caller: &Caller, answers: Vec<String>) -> (Vec<String>, Option<Vec<LetterId>>) {
        if answers.is_empty() {
            return (answers, Some(Vec::new()));
        }
        let Ok(gathered) = self.gather_letters(Some(caller), LetterReach::Everything) else {
            return (answers, None);
        };
        let held = |text: &str| LetterId::parse(text).and_then(|id| gathered.get(&id));
        let ids = answers.iter().filter(|text| held(text).is_none());
        let unknown = ids.filter_map(|text| LetterId::parse(text)).collect();
        let known = |text: String| held(&text).map_or(text, |held| held.with_line.letter.id.to_string());
        (answers.into_iter().map(known).collect(), Some(unknown))
    }
}

/// The known projects for a letter that is in no box yet.
struct UnfiledWorld<'p, 'a>(&'p mut KnownProjects<'a>);

impl World for UnfiledWorld<'_, '_> {
    fn resolve(&mut self, wanted: &ProjectClue) -> Resolution {
        self.0.resolve(wanted)
    }

    fn holds(&mut self, _: Option<&Path>, _: &LetterId) -> bool {
        false
    }

    fn holder(&mut self, _: &LetterId) -> Option<PathBuf> {
        None
    }

    fn refuses(&mut self, _: &[u8]) -> Option<&'static str> {
        None
    }
}
