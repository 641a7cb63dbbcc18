//! `letter write`: one line more in the spool.

use super::desk::Reach;
use super::floor;
use super::places::Places;
use super::projects::Projects;
use crate::Post;
use brainstem_base::Fault;
use brainstem_base::next::calls;
use brainstem_base::{Advice, advice};
use brainstem_letters::LetterId;
use brainstem_letters::address::Try;
use brainstem_letters::draft::Draft;
use brainstem_letters::exact::{Exact, Exactly};
use brainstem_letters::kind;
use brainstem_letters::plan::Resolution;
use brainstem_memory::{Caller, Route};

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its id.
    pub id: LetterId,
    /// The project it names.
    pub repo: Option<String>,
    /// The brain it names.
    pub brain: Option<String>,
    /// What the writer should know besides.
    pub notes: Vec<Advice>,
}

/// A folder, as a letter names it.
struct Named {
    /// Its name or, where it is no project, its path as it was given.
    folder: String,
    /// Its brain, where it has one.
    origin: Option<String>,
}

impl Post {
    /// Writes a letter. Where it names neither a project nor a brain, it is about the project the caller
    /// stands in.
    pub fn write_letter(&self, caller: &Caller, draft: Draft) -> Result<Written, Fault> {
        let mut draft = draft;
        let mut notes = Vec::new();
        let memory = self.memory();
        let is_given = |field: &Option<String>| field.as_deref().is_some_and(|text| !text.trim().is_empty());
        // A letter is written in any case: it may be about the very file that cannot be read.
        let projects = self.projects().unwrap_or_else(|fault| {
            notes.push(advice!["{fault}; letters are not distributed until it is mended"]);
            Projects::default()
        });
        let mut places = Places::new(self, &projects, Some(caller))?;
        let is_addressed = is_given(&draft.repo) || is_given(&draft.brain);
        if let Some(answered) = self.answered_project(caller, &draft.answers).filter(|_| !is_addressed) {
            // An answer goes where the letters are that it answers.
            (draft.repo, draft.brain, draft.exact) = answered;
        } else if !is_addressed {
            memory.check_not_left(caller)?;
            let route = memory.route(caller);
            draft.brain = route.brain().map(|brain| brain.origin());
            draft.repo = match &route {
                Route::Bound { brain, .. } => Some(places.name_of(&brain.root)),
                Route::Brainless { root, .. } | Route::Broken { root, .. } | Route::Replaced { root, .. } => {
                    Some(places.name_of(root))
                }
                Route::Unbound { .. } => None,
            };
            draft.exact = Exact {
                repo: draft.repo.as_ref().map(|_| Exactly::Folder),
                brain: draft.brain.as_ref().map(|_| Exactly::Id),
            };
        } else {
            // A path of this machine does not go into a file that is committed.
            let mut at = |field: &Option<String>| self.named_at(&mut places, field.as_deref()?);
            let (repo, brain) = (at(&draft.repo), at(&draft.brain));
            if let Some(named) = repo {
                (draft.repo, draft.exact.repo) = (Some(named.folder), Some(Exactly::Folder));
                if !is_given(&draft.brain) && named.origin.is_some() {
                    (draft.brain, draft.exact.brain) = (named.origin, Some(Exactly::Id));
                }
            }
            if let Some(named) = brain {
                let exactly = if named.origin.is_some() { Exactly::Id } else { Exactly::Folder };
                (draft.brain, draft.exact.brain) = (named.origin.or(Some(named.folder)), Some(exactly));
            }
        }
        if let Some(brain) = draft.brain.as_deref().filter(|_| draft.exact.brain.is_none())
            && is_unknown_brain(&mut places, brain)
        {
            notes.push(advice![
                "no brain of this home is called {brain:?}, so the letter waits until one is: ",
                calls::brains(),
                " lists them"
            ]);
        }
        let unknown = self.unknown_answers(caller, &draft.answers);
        draft.unknown_answers = unknown.as_ref().is_none_or(|ids| !ids.is_empty());
        let (agent, now, floor) = (&caller.principal.agent, memory.clock().now(), memory.floor());
        let mut line = draft.line(agent, now)?;
        if let Some(kind) = floor::caught(&floor, &line) {
            draft = draft.with_texts(|text| floor.mask(text).into_owned());
            line = draft.line(agent, now)?;
            let note = match floor::caught(&floor, &line) {
                None => format!(
                    "it carried a secret ({}, rule {}), which is masked in what was written: if it is none, write the letter anew in other words. {}",
                    kind.name, kind.id, kind.advice
                ),
                Some(kind) => format!(
                    "it carries a secret or an unfinished merge ({}, rule {}): it stays in the spool and is filed in no box. {}",
                    kind.name, kind.id, kind.advice
                ),
            };
            notes.push(note.into());
        }
        memory.home().ensure()?;
        if let Route::Brainless { root, .. } | Route::Replaced { root, .. } = memory.route(caller) {
            memory.note_root(&root);
        }
        // Classes are an open set, and an answer may come before what it answers: both are written, and told.
        let class = draft.class.trim();
        if let Some(meant) = kind::nearly(class) {
            notes.push(advice!["the class is {class:?}: did you mean {meant}?"]);
        } else if !kind::is_known(class) {
            let known = kind::KNOWN.join(", ");
            notes.push(advice!["the class {class:?} is a new one, and the letter has it; known are {known}"]);
        }
        notes.extend(unknown.filter(|ids| !ids.is_empty()).map(|ids| {
            let ids = ids.iter().map(LetterId::as_str).collect::<Vec<_>>().join(" or ");
            advice!["no letter within reach has the id {ids}; ", calls::letter_all(), " shows the ids"]
        }));
        memory.home().spool().append(&line)?;
        Ok(Written { id: floor::id_of(&floor, &line), repo: draft.repo, brain: draft.brain, notes })
    }

    /// The project that all the letters are about which a letter answers, as they name it; none where they name several,
    /// or one of them is not within reach.
    fn answered_project(
        &self,
        caller: &Caller,
        answers: &[String],
    ) -> Option<(Option<String>, Option<String>, Exact)> {
        let desk = self.letter_desk(Some(caller), Reach::Everything).ok().filter(|_| !answers.is_empty())?;
        let mut named = answers.iter().map(|text| {
            let letter = &desk.held(&LetterId::parse(text)?)?.lettered.letter;
            Some((letter.repo.clone(), letter.brain.clone(), letter.exact))
        });
        let first = named.next()??;
        let is_named = first.0.is_some() || first.1.is_some();
        (is_named && named.all(|other| other.as_ref() == Some(&first))).then_some(first)
    }

    /// What an absolute path names: what lies there exactly as it is written or, where nothing does, without the
    /// blanks around it. None for another spelling, and where no folder is that can be a project.
    fn named_at(&self, places: &mut Places<'_>, given: &str) -> Option<Named> {
        [given, given.trim()].into_iter().filter(|path| path.starts_with('/')).find_map(|path| {
            match places.resolve(&Try::Path(path.to_owned())) {
                Resolution::Here(root) => {
                    self.memory().note_root(&root);
                    let brain = places.brains.iter().find(|brain| brain.root == root);
                    let origin = brain.map(|brain| brain.origin());
                    Some(Named { folder: places.name_of(&root), origin })
                }
                Resolution::Plain(_) => Some(Named { folder: path.to_owned(), origin: None }),
                Resolution::NotHere | Resolution::NoProject | Resolution::Several(_) => None,
            }
        })
    }

    /// The ids among these that no letter within reach has; `None` where that cannot be known.
    fn unknown_answers(&self, caller: &Caller, answers: &[String]) -> Option<Vec<LetterId>> {
        if answers.is_empty() {
            return Some(Vec::new());
        }
        let desk = self.letter_desk(Some(caller), Reach::Everything).ok()?;
        let ids = answers.iter().filter_map(|text| LetterId::parse(text));
        Some(ids.filter(|id| desk.held(id).is_none()).collect())
    }
}

/// Whether a name of a brain means none that is known here.
fn is_unknown_brain(places: &mut Places<'_>, brain: &str) -> bool {
    let wanted = match brain.contains('@') {
        true => Try::Brain { origin: brain.trim().to_owned() },
        false => Try::Name(brain.trim().to_owned()),
    };
    brain.trim() != "medulla" && places.resolve(&wanted) == Resolution::NotHere
}
