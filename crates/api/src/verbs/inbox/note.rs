//! `note`.

use super::send::{json as json_value, priority, refused};
use crate::field_kinds;
use crate::screen::{Look, bold, dim, styled};
use crate::{Context, Effect, LongText, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::next::{Placeholder, VerbId, calls};
use brainstem_base::{Fault, advice};
use brainstem_inbox::limits::{NOTIFY_MAX, SUBJECT_BYTES_MAX, TITLE_BYTES_MAX};
use brainstem_post::inbox::{
    MessageType, NoteRequest, NotedEntity, PostedNote, RefId, RefType, ReferenceNames,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Post a note on a project, stage, phase or task. It stays in the entity's thread, and those in `notify` get it into their
/// inboxes at once.
///
/// Give `entity_id` and `entity_type`: an entity with a new id is made. Without an id, `title` makes a new one, which gets an
/// id. With `type` it is an event: task.blocked, task.complete and phase.complete go to the readers that the routing table
/// names, too.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
#[schemars(extend("x-together" = together()))]
pub struct Note {
    /// The note, as Markdown.
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::text()))]
    pub note: String,
    /// The entity: its id, or its topic.
    #[arg(id = "entity_id", long = "on", value_name = "ID")]
    #[schemars(extend("x-takes" = field_kinds::ref_id()))]
    pub entity_id: Option<String>,
    /// project, stage, phase or task; needed for an entity that is not there yet.
    #[arg(id = "entity_type", long = "new", value_name = "project|stage|phase|task")]
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::entity_type()))]
    pub entity_type: Option<String>,
    /// The title of a new entity without an id of its own.
    #[arg(long)]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::text_of_bytes(TITLE_BYTES_MAX)))]
    pub title: Option<String>,
    /// The agents and people that get it into their inboxes.
    #[arg(long, value_name = "AGENT")]
    #[serde(default)]
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::list_of(NOTIFY_MAX, field_kinds::inbox_reader())))]
    pub notify: Vec<String>,
    /// What it is about, in one line; by default its first line.
    #[arg(long)]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::blank_or_text_of_bytes(SUBJECT_BYTES_MAX)))]
    pub subject: Option<String>,
    /// 1 urgent to 5 fyi; default 3, and for an event what the routing table says.
    #[arg(long, value_name = "1-5")]
    #[schemars(extend("x-rare" = true, "x-range" = crate::schema::range(1..=5, 3)))]
    pub priority: Option<u64>,
    /// The type of an event, such as task.blocked; without it, it is a note.
    #[arg(id = "message_type", long = "type", value_name = "TYPE")]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::inbox_type()))]
    pub message_type: Option<String>,
    /// What an event carries, as JSON.
    #[arg(long, value_name = "JSON")]
    #[serde(default, deserialize_with = "crate::field_forms::json_text")]
    #[schemars(schema_with = "crate::field_forms::json_text_schema", extend("x-rare" = true))]
    pub payload: Option<String>,
}

/// An entity by its id, or a new one by its type and title.
fn together() -> Value {
    json!({ "oneOf": [
        { "required": ["entity_id"], "properties": { "title": false } },
        { "required": ["entity_type", "title"], "properties": { "entity_id": false } },
    ] })
}

/// Where the note is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NoteAnswer {
    /// The entity.
    pub entity_id: String,
    /// project, stage, phase or task.
    pub entity_type: String,
    /// The entity was made for it.
    pub created: bool,
    /// The entity's topic.
    pub topic_id: String,
    /// The number of the note there.
    pub sequence_number: u64,
    /// Its time on the ledger.
    pub consensus_timestamp: String,
    /// Those that have it in their inboxes.
    pub notified: Vec<String>,
}

impl NoteAnswer {
    fn new(posted: PostedNote, names: &ReferenceNames) -> Self {
        Self {
            entity_id: names.shown(&posted.entity.id),
            entity_type: posted.entity.kind.to_string(),
            created: posted.is_new,
            topic_id: posted.entity.topic.to_string(),
            sequence_number: posted.sequence.number(),
            consensus_timestamp: posted.consensus.to_string(),
            notified: posted.notified.iter().map(ToString::to_string).collect(),
        }
    }
}

/// The entity of the three fields.
fn entity(id: Option<String>, kind: Option<String>, title: Option<String>) -> Result<NotedEntity, Fault> {
    let kind = kind.map(|kind| RefType::parse_entity(&kind).map_err(|error| refused("entity_type", error)));
    match (id, kind.transpose()?, title) {
        (Some(_), _, Some(_)) => Err(refused("title", "it is for a new entity without `entity_id`")),
        (Some(id), Some(kind), None) => Ok(NotedEntity::Named {
            id: RefId::parse(&id).map_err(|error| refused("entity_id", error))?,
            kind,
        }),
        (Some(id), None, None) => {
            let id = RefId::parse(&id).map_err(|error| refused("entity_id", error))?;
            Ok(NotedEntity::Known(id.to_string()))
        }
        (None, Some(kind), Some(title)) => Ok(NotedEntity::New { kind, title }),
        (None, _, None) => {
            let fix = advice![
                "name what the note is on, for example ",
                calls::note_on_task(calls::TEXT, Placeholder("TASK-1"))
            ];
            Err(refused("entity_id", "it is missing, and a note is on a task, a phase, a stage or a project")
                .fix(fix))
        }
        (None, None, Some(_)) => Err(refused("entity_type", "it is missing beside `title`")),
    }
}

impl Verb for Note {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Mail,
        effect: Effect::Write,
        idempotent: false,
        title: "Post a note",
        when_to_use: "To leave a lasting comment on a task, phase, stage or project, and to tell others of it.",
        long_text: &[LongText { field: "note", file: "note-file" }],
        examples: &[
            "brainstem note \"The parser is done.\" --on TASK-7 --new task --notify human",
            "brainstem note \"No key for the server.\" --on TASK-7 --type task.blocked",
            "brainstem note \"Where we are.\" --new project --title \"Rewrite\"",
        ],
        ..VerbSpec::of(VerbId::Note)
    };
    type Output = NoteAnswer;

    fn run(self, cx: &Context) -> Result<NoteAnswer, Fault> {
        let priority = priority(self.priority)?;
        let caller = cx.caller()?;
        let event = self.message_type.as_deref().map(MessageType::parse).transpose();
        let request = NoteRequest {
            entity: entity(self.entity_id, self.entity_type, self.title)?,
            event: event.map_err(|error| refused("message_type", error))?.filter(|kind| !kind.is_note()),
            note: self.note,
            notify: self.notify,
            subject: self.subject.unwrap_or_default(),
            priority,
            payload: json_value(self.payload),
        };
        let post = cx.post();
        let posted = post.post_note(&caller, &request)?;
        // The note is on the ledger, whatever cannot be read now.
        Ok(NoteAnswer::new(posted, &post.reference_names(&caller).unwrap_or_default()))
    }
}

impl Present for NoteAnswer {
    fn present(&self, out: &mut Screen) {
        let new = if self.created { "new " } else { "" };
        let on = format!(" on {new}{} ", self.entity_type);
        out.flow(0, 2, [styled(Look::Good, "noted"), on.into(), bold(self.entity_id.as_str())]);
        if !self.notified.is_empty() {
            out.line([dim(format!("  in the inbox of {}", self.notified.join(", ")))]);
        }
        out.line([dim(format!("  topic {}, message {}", self.topic_id, self.sequence_number))]);
    }
}
