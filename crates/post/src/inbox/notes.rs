//! Notes and events on entities.

use super::entities::id_in;
use super::error::InboxError;
use super::opened::OpenedInbox;
use crate::Post;
use brainstem_base::hash::hex;
use brainstem_inbox::founding::{Made, NewEntity, found_entity};
use brainstem_inbox::limits::{
    NOTE_BYTES_MAX, NOTIFY_MAX, PAYLOAD_BYTES_MAX, SUBJECT_BYTES_MAX, TITLE_BYTES_MAX,
};
use brainstem_inbox::slug::is_all;
use brainstem_inbox::{
    AgentSlug, EntityDefinition, EntityNote, InboxPriority, MessageType, ProjectMark, RefId, RefType,
};
use brainstem_ledger::{Append, ConsensusTime, Ledger as _, Sequence};
use brainstem_memory::Caller;
use serde_json::Value;

/// The entity that a note is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotedEntity {
    /// One that is there, by its id or its topic.
    Known(String),
    /// One of this kind; it is made if no entity has the id.
    Named {
        /// Its id.
        id: RefId,
        /// What it is.
        kind: RefType,
    },
    /// A new one, which gets an id.
    New {
        /// What it is.
        kind: RefType,
        /// Its title.
        title: String,
    },
}

impl NotedEntity {
    /// The entity that it means in a project.
    fn in_project(&self, project: Option<&ProjectMark>) -> Result<Self, InboxError> {
        Ok(match self {
            Self::Known(id) => match RefId::parse(id) {
                Ok(id) => Self::Known(id_in(project, &id)?.to_string()),
                Err(_) => self.clone(),
            },
            Self::Named { id, kind } => Self::Named { id: id_in(project, id)?, kind: *kind },
            Self::New { .. } => self.clone(),
        })
    }
}

/// A note to post.
#[derive(Clone, Debug)]
pub struct NoteRequest {
    /// The entity.
    pub entity: NotedEntity,
    /// The type of an event (`task.blocked`); `None` for a note.
    pub event: Option<MessageType>,
    /// What it says.
    pub note: String,
    /// The readers that get it into their inboxes. An event also goes where the routing table says.
    pub notify: Vec<String>,
    /// Its subject; may be empty.
    pub subject: String,
    /// How urgent it is; by default 3, and for an event what the routing table says.
    pub priority: Option<InboxPriority>,
    /// What an event carries.
    pub payload: Option<Value>,
}

/// A note that was posted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostedNote {
    /// The entity.
    pub entity: EntityDefinition,
    /// The entity was made for it.
    pub is_new: bool,
    /// Its number in the entity's topic.
    pub sequence: Sequence,
    /// Its time.
    pub consensus: ConsensusTime,
    /// The readers that have it in their inboxes.
    pub notified: Vec<AgentSlug>,
}

impl Post {
    /// Posts a note or an event. When it returns, it is on the ledger.
    pub fn post_note(&self, caller: &Caller, request: &NoteRequest) -> Result<PostedNote, InboxError> {
        self.check_note(request)?;
        // The entity is one of the caller's project, and another project may be at its path by now.
        self.memory().check_own_project(caller)?;
        let mut opened = self.open_inbox()?;
        // Readers and entity are checked before anything is made: nothing is half sent.
        let (mut notify, mut priority) = (Vec::new(), InboxPriority::default());
        // The readers that the table gives now are written into the event: a later table changes nothing (INB-10).
        let table = self.memory().config(caller.place()).inbox_routes();
        if let Some(route) = request.event.as_ref().and_then(|kind| table.route(kind)) {
            priority = route.priority;
            for reader in &route.to {
                let slug = opened.routed(self, caller, reader)?.slug;
                if !notify.contains(&slug) {
                    notify.push(slug);
                }
            }
        }
        for name in &request.notify {
            if is_all(name) {
                return Err(InboxError::field("notify", "names ALL; send a message to ALL instead", "INB-5"));
            }
            let slug = opened.reader(self, caller, "notify", name)?.slug;
            if !notify.contains(&slug) {
                notify.push(slug);
            }
        }
        if notify.len() > NOTIFY_MAX {
            let why =
                format!("and the routing table name {} readers, and {NOTIFY_MAX} are allowed", notify.len());
            return Err(InboxError::TooLarge { field: "notify", why });
        }
        let project = self.project_mark(caller);
        let entity = request.entity.in_project(project.as_ref())?;
        opened.check_entity(&entity, project.as_ref())?;
        let sender = opened.sender(self, caller)?;
        let (entity, is_new) = self.noted_entity(&mut opened, &entity, project.as_ref())?;
        let kind = match &request.event {
            Some(kind) => kind.clone(),
            None => MessageType::parse(&format!("{}.note", entity.kind)).expect("a plain name"),
        };
        let note = EntityNote {
            kind,
            from: sender.slug.clone(),
            note: request.note.clone(),
            notify,
            subject: request.subject.clone(),
            priority: request.priority.unwrap_or(priority),
            payload: request.payload.clone(),
        };
        let bytes = note.to_bytes(self.clock().now());
        let append = Append { topic: entity.topic, submitter: sender.account, key: None, bytes };
        let receipt = opened.ledger.append(&append)?;
        // The note is on the ledger: a mirror that cannot be written now is for the next catch-up.
        let _ = opened.write_straight(&receipt);
        let (sequence, consensus) = (receipt.sequence, receipt.consensus);
        Ok(PostedNote { entity, is_new, sequence, consensus, notified: note.notify })
    }

    fn check_note(&self, request: &NoteRequest) -> Result<(), InboxError> {
        if request.note.trim().is_empty() {
            return Err(InboxError::field("note", "is empty", "INB-5"));
        }
        let payload_len = request.payload.as_ref().map_or(0, |payload| payload.to_string().len());
        for (field, len, len_max, unit) in [
            ("note", request.note.len(), NOTE_BYTES_MAX, "bytes"),
            ("subject", request.subject.len(), SUBJECT_BYTES_MAX, "bytes"),
            ("payload", payload_len, PAYLOAD_BYTES_MAX, "bytes"),
            ("notify", request.notify.len(), NOTIFY_MAX, "readers"),
        ] {
            if len > len_max {
                let why = format!("has {len} {unit}, and {len_max} are allowed");
                return Err(InboxError::TooLarge { field, why });
            }
        }
        let floor = self.memory().floor();
        floor.check("note", &request.note)?;
        floor.check("subject", &request.subject)?;
        floor
            .check_whole("payload", &request.payload.as_ref().map(ToString::to_string).unwrap_or_default())?;
        for name in &request.notify {
            floor.check("notify", name)?;
        }
        match &request.entity {
            NotedEntity::Known(id) => floor.check("entity_id", id)?,
            NotedEntity::Named { id, .. } => floor.check("entity_id", id.as_str())?,
            NotedEntity::New { title, .. } => {
                floor.check("title", title)?;
                if title.trim().is_empty() || title.len() > TITLE_BYTES_MAX {
                    return Err(InboxError::field("title", "is empty or has more than 200 bytes", "INB-5a"));
                }
            }
        }
        Ok(())
    }

    fn noted_entity(
        &self,
        opened: &mut OpenedInbox,
        entity: &NotedEntity,
        project: Option<&ProjectMark>,
    ) -> Result<(EntityDefinition, bool), InboxError> {
        let new = match entity {
            NotedEntity::Known(id) => {
                let known = opened.directory.entity(id).cloned();
                return known.map(|entity| (entity, false)).ok_or(unknown(id, project));
            }
            NotedEntity::Named { id, kind } => {
                NewEntity { id: id.clone(), kind: *kind, title: id.short().to_owned(), parent: None }
            }
            NotedEntity::New { kind, title } => {
                let id = format!("{kind}-{}", hex(&self.ids().random()[..5]));
                let id = id_in(project, &RefId::parse(&id).expect("a word and hex digits"))?;
                NewEntity { id, kind: *kind, title: title.trim().to_owned(), parent: None }
            }
        };
        let (entity, made) = found_entity(&*opened.ledger, &mut opened.directory, &opened.seen, &new)?;
        Ok((entity, made == Made::Now))
    }
}

impl OpenedInbox {
    /// Refuses an entity that is not there, and a kind that is not the entity's.
    fn check_entity(&self, entity: &NotedEntity, project: Option<&ProjectMark>) -> Result<(), InboxError> {
        match entity {
            NotedEntity::Known(id) => match self.directory.entity(id) {
                Some(_) => Ok(()),
                None => Err(unknown(id, project)),
            },
            NotedEntity::Named { id, kind } => match self.directory.entity(id.as_str()) {
                Some(known) if known.kind != *kind => {
                    let why = format!("is not that of `{}`, which is a {}", id.shown_in(project), known.kind);
                    Err(InboxError::field("entity_type", why, "INB-5a"))
                }
                Some(_) | None => Ok(()),
            },
            NotedEntity::New { .. } => Ok(()),
        }
    }
}

/// The refusal of an entity that is not there, by the id that was given.
fn unknown(id: &str, project: Option<&ProjectMark>) -> InboxError {
    let shown = RefId::parse(id).map_or_else(|_| id.to_owned(), |id| id.shown_in(project).to_owned());
    InboxError::UnknownEntity { id: shown }
}
