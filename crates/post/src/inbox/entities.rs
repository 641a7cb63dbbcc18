//! Which entity an id means to a caller: one of its own project, unless the id says otherwise (INB-5a).

use super::error::InboxError;
use super::opened::OpenedInbox;
use crate::Post;
use brainstem_inbox::{AgentSlug, InboxDirectory, ProjectMark, RefId, RefType, Reference};
use brainstem_ledger::TopicId;
use brainstem_memory::Caller;
use brainstem_vault::brain::BrainManifest;
use std::collections::BTreeMap;

/// How the things that messages are about are written for a caller, so that each name means the same thing if the caller uses it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReferenceNames {
    project: Option<ProjectMark>,
    /// Entities of the whole home whose ids mean entities of the caller's project there.
    hidden: BTreeMap<RefId, TopicId>,
}

impl ReferenceNames {
    fn new(project: Option<ProjectMark>, directory: &InboxDirectory) -> Self {
        let mut hidden = BTreeMap::new();
        for entity in directory.entities().filter(|_| project.is_some()) {
            if entity.id.project() == project
                && let Some(of_home) = directory.entity(entity.id.short())
            {
                hidden.insert(of_home.id.clone(), of_home.topic);
            }
        }
        Self { project, hidden }
    }

    /// The name: short for an entity of the caller's project; with its project for one of another; the topic of one of the whole
    /// home whose id means another entity to the caller.
    pub fn shown(&self, id: &RefId) -> String {
        match self.hidden.get(id) {
            Some(topic) => topic.to_string(),
            None => id.shown_in(self.project.as_ref()).to_owned(),
        }
    }
}

impl Post {
    /// The mark of the caller's project; `None` if it is in none, and then its entities are the whole home's.
    pub(super) fn project_mark(&self, caller: &Caller) -> Option<ProjectMark> {
        let route = self.memory().route(caller);
        mark_of(&route.brain()?.manifest)
    }

    /// How the things that messages are about are written for a caller.
    pub fn reference_names(&self, caller: &Caller) -> Result<ReferenceNames, InboxError> {
        match self.project_mark(caller) {
            None => Ok(ReferenceNames::default()),
            project => Ok(ReferenceNames::new(project, &self.inbox_directory()?)),
        }
    }

    /// The ids that a short id has in the projects of the home. A caller outside all of them may mean any.
    pub(super) fn ids_in_projects(&self, id: &RefId) -> Vec<RefId> {
        let brains = self.memory().home().roster().map(|roster| roster.brains).unwrap_or_default();
        let marks = brains.iter().filter_map(|brain| mark_of(&brain.manifest));
        marks.filter_map(|mark| id.in_project(&mark).ok()).collect()
    }
}

fn mark_of(manifest: &BrainManifest) -> Option<ProjectMark> {
    let id = manifest.id.simple().to_string();
    // The last digits: the first ones of a version 7 UUID are the clock.
    ProjectMark::parse(&id[id.len() - ProjectMark::LEN..])
}

/// The id of the entity that an id means in a project.
pub(super) fn id_in(project: Option<&ProjectMark>, id: &RefId) -> Result<RefId, InboxError> {
    let Some(project) = project else { return Ok(id.clone()) };
    let long = |_| {
        let why = format!("has more than {} bytes", 64 - 1 - ProjectMark::LEN);
        InboxError::field("entity_id", why, "INB-5a")
    };
    id.in_project(project).map_err(long)
}

impl OpenedInbox {
    /// A reference by the id of its entity, also if it was given by the entity's topic. In a project it is to that project's
    /// entity, whether that has a topic yet or not.
    pub(super) fn resolved(
        &self,
        project: Option<&ProjectMark>,
        reference: Option<Reference>,
    ) -> Result<Option<Reference>, InboxError> {
        let Some(Reference { id, kind }) = reference else { return Ok(None) };
        let is_agent = match kind {
            Some(kind) => kind == RefType::Agent,
            None => self.is_agent(&id),
        };
        if is_agent {
            return Ok(Some(Reference { id, kind }));
        }
        let whole = id_in(project, &id).unwrap_or(id);
        match self.directory.entity(whole.as_str()) {
            None => Ok(Some(Reference { id: whole, kind })),
            Some(entity) if kind.is_none_or(|kind| kind == entity.kind) => {
                Ok(Some(Reference { id: entity.id.clone(), kind: Some(entity.kind) }))
            }
            Some(entity) => {
                let why =
                    format!("is not that of `{}`, which is a {}", entity.id.shown_in(project), entity.kind);
                Err(InboxError::field("ref_type", why, "INB-4"))
            }
        }
    }

    fn is_agent(&self, id: &RefId) -> bool {
        let slug = AgentSlug::parse(id.as_str()).ok();
        slug.is_some_and(|slug| self.directory.agent(&slug).is_some())
            || self.directory.slug_of(id.as_str()).is_some()
    }
}
