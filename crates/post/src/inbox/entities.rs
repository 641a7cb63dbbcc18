//! Which entity an id means to a caller: one of its own project, unless the id says otherwise (INB-5a).

use super::error::InboxError;
use super::opened::OpenedInbox;
use crate::Post;
use brainstem_inbox::{AgentSlug, ProjectMark, RefId, RefType, Reference};
use brainstem_memory::Caller;

impl Post {
    /// The mark of the caller's project; `None` if it is in none, and then its entities are the whole home's.
    pub(super) fn project_mark(&self, caller: &Caller) -> Option<ProjectMark> {
        let route = self.memory().route(caller);
        let id = route.brain()?.manifest.id.simple().to_string();
        // The last digits: the first ones of a version 7 UUID are the clock.
        ProjectMark::parse(&id[id.len() - ProjectMark::LEN..])
    }
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
                let why = format!("is not that of `{}`, which is a {}", entity.id.short(), entity.kind);
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
