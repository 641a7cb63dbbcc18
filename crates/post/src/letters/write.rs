//! `letter write`: one line more in the spool.

use super::desk::Reach;
use super::floor;
use super::places::Places;
use super::projects::Projects;
use crate::Post;
use brainstem_base::Fault;
use brainstem_letters::LetterId;
use brainstem_letters::draft::Draft;
use brainstem_memory::{Caller, Route};
use std::path::{Path, PathBuf};

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
    pub notes: Vec<String>,
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
            notes.push(format!("{fault}; letters are not distributed until it is mended"));
            Projects::default()
        });
        let mut places = Places::new(self, &projects, Some(caller))?;
        if !is_given(&draft.repo) && !is_given(&draft.brain) {
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
        } else {
            // A path of this machine does not go into a file that is committed.
            let mut root_of = |field: &Option<String>| {
                let given = field.as_deref().map(str::trim).filter(|text| text.starts_with('/'))?;
                places.root_at(Path::new(given)).inspect(|root| memory.note_root(root))
            };
            let (repo, brain) = (root_of(&draft.repo), root_of(&draft.brain));
            draft.repo = repo.map(|root| places.name_of(&root)).or(draft.repo);
            let origin = |root: PathBuf| match places.brains.iter().find(|brain| brain.root == root) {
                Some(brain) => brain.origin(),
                None => places.name_of(&root),
            };
            draft.brain = brain.map(origin).or(draft.brain);
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
            notes.push(note);
        }
        memory.home().ensure()?;
        if let Route::Brainless { root, .. } | Route::Replaced { root, .. } = memory.route(caller) {
            memory.note_root(&root);
        }
        // Classes are an open set, and an answer may come before what it answers: both are written, and told.
        if let Some(meant) = brainstem_letters::kind::nearly(&draft.class) {
            notes.push(format!("the class is {:?}: did you mean {meant}?", draft.class.trim()));
        }
        notes.extend(unknown.filter(|ids| !ids.is_empty()).map(|ids| {
            let ids = ids.iter().map(LetterId::as_str).collect::<Vec<_>>().join(" or ");
            format!("no letter within reach has the id {ids}; brainstem sweep shows the ids")
        }));
        memory.home().spool().append(&line)?;
        Ok(Written { id: floor::id_of(&floor, &line), repo: draft.repo, brain: draft.brain, notes })
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
